import type { Edition } from '../../contract/editions.ts';
import { isLocalhost } from '../../contract/web-address.ts';
import type { DomainSettings, StoredDomain } from './store.ts';

/** Milliseconds after which it is forgotten under which address a process served the links, if it does not say so again. */
export const addressLease = 30_000;

/** The one of some addresses with which another one cannot be: each process of a machine has a port of its own, but all have one public URL. */
export function conflicting(addresses: readonly string[], own: string): string | undefined {
  const isLocal = (address: string): boolean => isLocalhost(address);
  return isLocal(own) ? undefined : addresses.find((other) => other !== own && !isLocal(other));
}

/** A domain as a row of any engine. */
export interface DomainRow {
  id: number;
  name: string;
  hash_generation: 'incremental' | 'random';
  redirect_code: string;
  use_https: number;
  custom_root_page: string;
  custom_404_page: string;
}

/** What a domain is set up with, beside its place: the values of `name, hash_generation, redirect_code, use_https, custom_root_page, custom_404_page`. */
export type DomainValues = [string, string, string, number, string, string];

/** Rows in the order of their places. */
export function storedDomains(rows: readonly DomainRow[]): StoredDomain[] {
  return rows.map((row, index) => ({
    id: row.id,
    name: row.name,
    isDefault: index === 0,
    hashGeneration: row.hash_generation,
    redirectCode: row.redirect_code,
    useHttps: row.use_https !== 0,
    customRootPage: row.custom_root_page,
    custom404Page: row.custom_404_page,
  }));
}

/** A domain to be stored: one that is stored already has its id. */
export interface PlacedDomain {
  readonly id: number | undefined;
  readonly values: DomainValues;
}

/**
 * All domains in their places, where they are to change: the wanted ones first, in their order; stored ones that are not named stay
 * usable behind them. Edition B has one domain: another name renames it, and its links stay with it.
 */
export function placeDomains(
  stored: readonly StoredDomain[],
  wanted: readonly DomainSettings[],
  edition: Edition,
): readonly PlacedDomain[] | undefined {
  // Older versions stored the port on which `localhost` was last served.
  const local = stored.find(({ name }) => isLocalhost(name));
  const known = stored.map((domain) => (domain === local ? { ...domain, name: 'localhost' } : domain));
  const named = (name: string) =>
    known.find((domain) => edition === 'b' || domain.name === name) ?? known.find((domain) => domain.name.startsWith(`${name}:`));
  const usual = stored.length > 0 ? [] : [{ name: 'localhost' }];
  const first = (wanted.length > 0 ? wanted : usual).map((settings) => ({
    ...newDomain,
    ...named(settings.name),
    ...given(settings),
  }));
  const rest = known.filter((domain) => !first.some(({ id }) => id === domain.id));
  const placed = [...first, ...rest].map((domain) => ({ id: domain.id, values: domainValues(domain) }));
  const isAsStored = placed.every(({ id, values }, index) => {
    const there = stored[index];
    return there?.id === id && there !== undefined && domainValues(there).every((value, column) => value === values[column]);
  });
  return isAsStored ? undefined : placed;
}

const newDomain = {
  id: undefined,
  hashGeneration: 'random',
  redirectCode: '303',
  useHttps: false,
  customRootPage: '',
  custom404Page: '',
} as const;

type Settings = Omit<StoredDomain, 'id' | 'isDefault'>;

/** What is left out stays as it is stored, or as a new domain has it. */
function given({ name, ...settings }: DomainSettings): Pick<Settings, 'name'> & Partial<Settings> {
  return { name, ...Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) };
}

function domainValues(domain: Settings): DomainValues {
  const { name, hashGeneration, redirectCode, useHttps, customRootPage, custom404Page } = domain;
  return [name, hashGeneration, redirectCode, Number(useHttps), customRootPage, custom404Page];
}
