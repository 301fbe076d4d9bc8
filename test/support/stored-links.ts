import type { UrlRecord } from '../../src/contract/records.ts';
import { apiKey, username } from './linkctl.ts';

interface Served {
  readonly baseUrl: string;
}

const headers = { authorization: `Basic ${Buffer.from(`${username}:${apiKey}`).toString('base64')}` };

/** Stores links past the client, so that only the command under test is on the wire. */
export async function store({ baseUrl }: Served, urls: readonly object[], domain?: string): Promise<void> {
  const query = domain === undefined ? '' : `?domain=${domain}`;
  for (let start = 0; start < urls.length; start += 500) {
    const body = JSON.stringify({ urls: urls.slice(start, start + 500) });
    const answer = await fetch(`${baseUrl}/urls${query}`, { method: 'POST', headers, body });
    const { error } = (await answer.json()) as { error: { code: number } };
    if (error.code !== 0) throw new Error(`not stored: ${error.code}`);
  }
}

/** `count` links of the same shape: `h0`, `h1`, … */
export function numbered(count: number, more: object = {}): { custom_hash: string; long_url: string }[] {
  return Array.from({ length: count }, (_, index) => ({
    custom_hash: `h${index}`,
    long_url: `https://example.com/${index}`,
    ...more,
  }));
}

/** Hashes that look like something else: a header, a missing value, a number. */
export const oddHashes = ['hash', 'null', '0', 'long_url', 'true', '1e3', 'constructor'] as const;

/**
 * An account in use: `count` links on each of the domains, made in ten calls for 5,000, `oddHashes` first and then `old7`, `old8`, …
 * Each hash leads elsewhere on each domain; every third link has a note, every fifth the label `promo`.
 */
export async function seed(served: Served, count: number, domains: readonly (string | undefined)[] = [undefined]): Promise<void> {
  for (const domain of domains) {
    const link = (index: number): object => ({
      custom_hash: oddHashes[index] ?? `old${index}`,
      long_url: `https://was.${domain ?? 'old'}.example/${index}`,
      note: index % 3 === 0 ? `note ${index}` : '',
      tags: index % 5 === 0 ? ['promo'] : [],
    });
    await store(
      served,
      Array.from({ length: count }, (_, index) => link(index)),
      domain,
    );
  }
}

/** Where the links of the default domain lead, sorted. */
export async function destinations(served: Served): Promise<string[]> {
  return (await stored(served)).map(({ long_url }) => long_url).sort();
}

/** The service shows every member. */
export type StoredLink = UrlRecord & { long_url: string };

/** Every record of one domain, the oldest first. */
export async function stored({ baseUrl }: Served, domain?: string): Promise<StoredLink[]> {
  const records: StoredLink[] = [];
  for (;;) {
    const query = new URLSearchParams({ offset: String(records.length), limit: '500', ...(domain !== undefined && { domain }) });
    const { urls } = (await (await fetch(`${baseUrl}/urls?${query}`, { headers })).json()) as { urls: StoredLink[] };
    if (urls.length === 0) return records.reverse();
    records.push(...urls);
  }
}

/** Visits of a short URL by one person. */
export async function visit({ origin }: { origin: string }, hash: string, times = 1): Promise<void> {
  for (let nth = 0; nth < times; nth += 1) await fetch(`${origin}/${hash}`, { redirect: 'manual' });
}
