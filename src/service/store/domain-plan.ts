import type { Edition } from '../../contract/editions.ts';
import { isLocalhost, withoutLocalPort } from '../../contract/web-address.ts';
import type { DomainSettings, StoredDomain } from './store.ts';

/** Milliseconds for which an address of a process is valid unless it is renewed. */
export const addressLease = 30_000;

/** Finds an address that conflicts with the own one: each process of a machine has its own local port, but all share one public URL. */
export function conflictingAddress(addresses: readonly string[], own: string): string | undefined {
  return isLocalhost(own) ? undefined : addresses.find((other) => other !== own && !isLocalhost(other));
}

/** Stored domains have an id. */
export type PlacedDomain = Pick<StoredDomain, 'name' | 'useHttps'> & { readonly id: number | undefined };

/**
 * Returns all domains in order if anything changes: first the configured ones, then other stored ones, which stay usable. Edition B has one
 * domain: another name renames it, its links stay, and the former name is kept.
 */
export function placeDomains(
  stored: readonly StoredDomain[],
  wanted: readonly DomainSettings[],
  edition: Edition,
): readonly PlacedDomain[] | undefined {
  // Older versions stored the port of `localhost`.
  const local = stored.find(({ name }) => isLocalhost(name));
  const known = stored.map((domain) => (domain === local ? { ...domain, name: 'localhost' } : domain));
  const named = (name: string) =>
    known.find((domain) => edition === 'b' || domain.name === name) ?? known.find((domain) => domain.name.startsWith(`${name}:`));
  const usual = stored.length > 0 ? [] : [{ name: 'localhost' }];
  const first = (wanted.length > 0 ? wanted : usual).map(({ name, useHttps }: DomainSettings) => {
    const there = named(name);
    return { id: there?.id, name, useHttps: useHttps ?? there?.useHttps ?? false };
  });
  const rest = known.filter((domain) => !first.some(({ id }) => id === domain.id));
  const placed = [...first, ...(edition === 'b' ? formerNames(known[0]?.name, first[0]?.name, rest) : rest)];
  const isAsStored = placed.every((domain, index) => {
    const there = stored[index];
    return there && domain.id === there.id && domain.name === there.name && domain.useHttps === there.useHttps;
  });
  return isAsStored ? undefined : placed;
}

/** Other processes would print other short URLs: on another default domain, or with another scheme. */
export function changesShortUrls(stored: readonly StoredDomain[], placed: readonly PlacedDomain[]): boolean {
  const [before, now] = [stored[0], placed[0]];
  if (before && now && now.name !== withoutLocalPort(before.name)) return true;
  return placed.some(({ id, useHttps }) => stored.some((domain) => domain.id === id && domain.useHttps !== useHttps));
}

/** Names what another process serves, as a public URL if `own` is one. A process without it serves the stored domain. */
export function linksOf(other: string, [served]: readonly StoredDomain[], own: string): string {
  if (!served || !isLocalhost(other) || isLocalhost(served.name)) return other;
  return isLocalhost(own) ? served.name : `${served.useHttps ? 'https' : 'http'}://${served.name}`;
}

/** A name that was used before is given back for the one that is now former. */
function formerNames(
  before: string | undefined,
  now: string | undefined,
  former: readonly StoredDomain[],
): readonly PlacedDomain[] {
  if (before === undefined || now === undefined || before === now) return former;
  const again = former.find(({ name }) => name === now);
  return [{ id: again?.id, name: before, useHttps: false }, ...former.filter((domain) => domain !== again)];
}
