import type { UrlRecord } from '../../src/contract/records.ts';
import type { RunningService } from '../../src/service/service.ts';
import { directlyTo } from './direct.ts';
import { apiKey, username } from './linkctl.ts';

export interface Served {
  readonly baseUrl: string;
  /** Of a service of this process. */
  readonly answer?: RunningService['answer'];
}

type User = readonly [name: string, key: string];

/** A call of somebody else, past the client. */
export async function call<Answer extends object>(
  { baseUrl, answer }: Served,
  request: { readonly method?: string; readonly path: string; readonly body?: object | undefined },
  [name, key]: User = [username, apiKey],
): Promise<Answer> {
  const { method = 'GET', path } = request;
  const headers = { authorization: `Basic ${Buffer.from(`${name}:${key}`).toString('base64')}` };
  const body = request.body && JSON.stringify(request.body);
  if (!answer) return (await (await fetch(baseUrl + path, { method, headers, ...(body && { body }) })).json()) as Answer;
  const ask = directlyTo({ baseUrl, answer });
  const answered = await ask({ method, url: new URL(baseUrl).pathname + path, headers, body: Buffer.from(body ?? '') });
  return JSON.parse(answered.body.toString());
}

/** Stores links past the client, so that only the command under test is on the wire. */
export async function store(served: Served, urls: readonly object[], domain?: string, user?: User): Promise<void> {
  const query = domain === undefined ? '' : `?domain=${domain}`;
  for (let start = 0; start < urls.length; start += 500) {
    const body = { urls: urls.slice(start, start + 500) };
    const { error } = await call<{ error: { code: number } }>(served, { method: 'POST', path: `/urls${query}`, body }, user);
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
export async function stored(served: Served, domain?: string, user?: User): Promise<StoredLink[]> {
  const records: StoredLink[] = [];
  for (;;) {
    const query = new URLSearchParams({ offset: String(records.length), limit: '500', ...(domain !== undefined && { domain }) });
    const { urls } = await call<{ urls: StoredLink[] }>(served, { path: `/urls?${query}` }, user);
    records.push(...urls);
    if (urls.length < 500) return records.reverse();
  }
}

/** Visits of a short URL by one person. */
export async function visit({ origin }: { origin: string }, hash: string, times = 1): Promise<void> {
  for (let nth = 0; nth < times; nth += 1) await fetch(`${origin}/${hash}`, { redirect: 'manual' });
}
