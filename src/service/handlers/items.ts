import type { OperationName } from '../../contract/operations.ts';
import { isObject } from '../../contract/records.ts';
import type { Item } from '../api/field-rules.ts';
import { Refusal } from '../api/refusal.ts';
import { shortUrlWithProtocol, shownDomain } from '../api/url-records.ts';
import type { ServiceSettings } from '../service-options.ts';
import type { Creation, EditOutcome, LogMessage } from '../store/store.ts';
import type { Call } from './call.ts';

/** Reads the `urls` array of a payload: 1305 if it is empty, 1221 above the bound. */
export function readItems(payload: unknown, bound: number): Item[] {
  const urls = isObject(payload) ? payload.urls : undefined;
  if (!Array.isArray(urls) || urls.length === 0 || !urls.every(isObject)) throw new Refusal(1305);
  if (urls.length > bound) throw new Refusal(1221);
  return urls;
}

/** Requires exactly one item: otherwise 1307. */
export function readOnlyItem(payload: unknown): Item {
  const [item, ...more] = readItems(payload, Number.MAX_SAFE_INTEGER);
  if (!item || more.length > 0) throw new Refusal(1307);
  return item;
}

/**
 * Reads each item, and passes the valid ones to the store at once. Returns their outcomes, and the refusals of the others, in the order of
 * the items: one that fails does not affect the others (4.3.1).
 */
export async function perform<Given, Valid, Outcome>(
  given: readonly Given[],
  read: (one: Given) => Valid,
  store: (valid: readonly Valid[]) => Promise<readonly Outcome[]>,
): Promise<(Outcome | Refusal)[]> {
  const valid: Valid[] = [];
  const refusals = given.map((one) => {
    try {
      valid.push(read(one));
      return undefined;
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  });
  const outcomes = (valid.length === 0 ? [] : await store(valid)).values();
  return refusals.map((refusal) => refusal ?? outcomes.next().value ?? new Refusal(101));
}

/** 4.3.1. */
export const hashInUse = new Refusal(1215, 'custom hash is already in use');

/** The log message for created or edited URLs; a single one is named. */
export function urlsMessage(
  outcomes: readonly (Creation | EditOutcome)[],
  deed: 'created' | 'edited',
  settings: ServiceSettings,
): LogMessage | undefined {
  const urls = outcomes.flatMap((outcome) => (outcome.kind === deed && 'url' in outcome ? [outcome.url] : []));
  const [url, ...others] = urls;
  if (!url) return undefined;
  const objectUrl = others.length > 0 ? null : shortUrlWithProtocol(url.domain, url.hash, settings);
  return { message: `${plural(urls.length, 'URL')} ${deed}`, objectUrl };
}

/**
 * The hosts that long URLs must not have: the domains as in short URLs, and with the port of this process, which redirects whatever the port
 * in a request is.
 */
export async function ownHosts({
  store,
  settings,
}: Pick<Call<OperationName>, 'store' | 'settings'>): Promise<ReadonlySet<string>> {
  const domains = await store.listDomains();
  const port = settings.ports.get('localhost');
  const served = port ? ['localhost', ...domains.map(({ name }) => name)].map((name) => `${name}:${port}`) : [];
  const hosts = [...domains.map((domain) => shownDomain(domain, settings)), ...served];
  // URLs omit these ports.
  return new Set(hosts.map((host) => host.replace(/:(?:80|443)$/, '')));
}

export function plural(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
