import type { LookupAddress } from 'node:dns';
import { rootCertificates } from 'node:tls';
import { publicOnly, type Refusal } from '../../src/check/addresses.ts';
import { type CheckedLink, Destinations, type LinkList } from '../../src/check/destinations.ts';
import { type CheckSettings, defaultLimits, probeAll } from '../../src/check/engine.ts';
import type { Verdict } from '../../src/check/verdict.ts';
import { createTestSystem } from '../support/test-system.ts';
import { forbidden, home } from './zoo.ts';

/** Of loopback, one address stands for the public internet. */
export const zooRefusal: Refusal = (address) => (address === home ? undefined : publicOnly(address));

/** Names of the zoo lead home; one leads where nothing may be sent, one to both, one changes, and one does not exist. */
export function zooNames(): (name: string) => Promise<readonly LookupAddress[]> {
  let rebound = 0;
  let offline = 0;
  const at = (...addresses: string[]) => addresses.map((address) => ({ address, family: 4 }));
  return async (name) => {
    if (name === 'private.test') return at(forbidden);
    if (name === 'both.test') return at(forbidden, home);
    if (name === 'rebinding.test') return at(rebound++ === 0 ? home : forbidden);
    if (name === 'unknown.test') throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    if (name === 'offline.test') throw Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN' });
    if (name === 'servfail.test') throw Object.assign(new Error('queryA ESERVFAIL'), { code: 'ESERVFAIL' });
    if (name === 'no-resolver.test') throw Object.assign(new Error('queryA ECONNREFUSED'), { code: 'ECONNREFUSED' });
    if (name === 'once-offline.test' && offline++ === 0) throw Object.assign(new Error('EAI_AGAIN'), { code: 'EAI_AGAIN' });
    if (name === 'silent-resolver.test') return await new Promise(() => {});
    return at(home);
  };
}

/** Milliseconds instead of seconds. */
export const hasty: CheckSettings = {
  ...defaultLimits,
  interval: 1,
  maxInterval: 20,
  maxWait: 2000,
  timeout: 20_000,
  pause: 10,
  refusal: zooRefusal,
  resolve: zooNames(),
  userAgent: 'linkctl/0.0.0',
};

export function trusting(ca: string): Pick<CheckSettings, 'ca'> {
  return { ca: [...rootCertificates, ca] };
}

export function listOf(links: readonly CheckedLink[]): LinkList {
  return { count: links.length, at: (index) => links[index] as CheckedLink, all: () => links };
}

export const linkTo = (long_url: string | undefined, nth: number, short_url = `https://s.example/h${nth}`): CheckedLink => ({
  hash: `h${nth}`,
  short_url,
  long_url,
});

/** The verdict on each link, and how many destinations were asked for. */
export async function ask(
  links: readonly CheckedLink[],
  settings: Partial<CheckSettings> & { readonly shortUrls?: boolean } = {},
): Promise<{ verdicts: (Verdict | undefined)[]; asked: number }> {
  const { shortUrls = false, refusal = hasty.refusal } = settings;
  const destinations = new Destinations(listOf(links), { refusal, shortUrls }, () => false);
  const found = new Map<number, Verdict>();
  let asked = 0;
  for (const { destination, reason } of destinations.refused) {
    found.set(destination, { status: 'skipped', milliseconds: 0, reason });
  }
  const { signal } = new AbortController();
  const system = createTestSystem();
  await probeAll(
    destinations,
    { ...hasty, ...settings },
    system,
    { stop: signal, abort: signal },
    async (destination, verdict) => {
      asked += 1;
      if (found.has(destination)) throw new Error(`${destination} has two verdicts`);
      found.set(destination, verdict);
    },
  );
  return { verdicts: links.map((_, nth) => found.get(destinations.of(nth))), asked };
}
