import { type RunningService, startService } from '../../src/service/service.ts';
import type { WholeAnswer } from './faulty-endings.ts';
import type { Ask, Passed } from './manners.ts';
import { readBody } from './readings.ts';

/** A second service that is behind the first one: what a listing that lags is read from. */
export interface LaggingCopy {
  readonly ask: Ask;
  /** A change that the first one has answered: here it comes `lag` milliseconds later, or with `catchUp`. */
  follow(request: Passed, answer: WholeAnswer): void;
  catchUp(): Promise<void>;
  close(): Promise<void>;
}

/** Copies what is there now. `credentials` is the value of the `Authorization` header. */
export async function openLaggingCopy(ask: Ask, request: Passed, lag: number, forward: ForwardTo): Promise<LaggingCopy> {
  const root = rootOf(request.url);
  const { authorization } = request.headers;
  const get = async (path: string): Promise<{ domains?: { domain: string }[]; urls?: object[]; account?: Account }> =>
    readBody((await ask({ method: 'GET', url: root + path, headers: { authorization }, body: Buffer.alloc(0) })).body);
  const { domains = [] } = await get('/domains');
  const account = (await get('/account')).account;
  const [username = '', apiKey = ''] = Buffer.from(String(authorization).slice(6), 'base64').toString().split(/:(.*)/s);
  const service = await startService({
    edition: domains.length > 0 ? 'a' : 'b',
    domains: domains.length > 0 ? domains.map(({ domain }) => ({ name: domain })) : ownDomain(account),
    username,
    apiKey,
    redirects: false,
  });
  const copy = forward(new URL(service.baseUrl));
  const create = (urls: readonly object[], query: string): Promise<WholeAnswer> =>
    copy({
      method: 'POST',
      url: `${root}/urls${query}`,
      headers: { authorization },
      body: Buffer.from(JSON.stringify({ urls: urls.map(asNew) })),
    });
  for (const query of domains.length > 0 ? domains.map(({ domain }) => `?domain=${encodeURIComponent(domain)}`) : ['']) {
    const pages: object[][] = [];
    for (let offset = 0; ; ) {
      const { urls = [] } = await get(`/urls${query}${query ? '&' : '?'}offset=${offset}&limit=500`);
      if (urls.length === 0) break;
      pages.push(urls.toReversed());
      offset += urls.length;
    }
    for (const urls of pages.reverse()) await create(urls, query);
  }
  return following(service, copy, create, lag);
}

export type ForwardTo = (backend: URL) => Ask;

interface Account {
  readonly custom_domain?: string;
}

function ownDomain(account: Account | undefined): { name: string }[] {
  return account?.custom_domain ? [{ name: account.custom_domain }] : [];
}

function following(
  service: RunningService,
  copy: Ask,
  create: (urls: readonly object[], query: string) => Promise<WholeAnswer>,
  lag: number,
): LaggingCopy {
  const waiting: (() => void)[] = [];
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  const apply = async (request: Passed, answer: WholeAnswer): Promise<void> => {
    if (isClosed) return;
    const { pathname, search } = new URL(request.url, 'http://localhost');
    if (request.method !== 'POST') await copy(request);
    // The hashes that were made there are asked for here; what existed already is refused here.
    else if (pathname.endsWith('/urls')) await create(madeIn(answer), search.replace(/&?disable_long_url_duplicates=[^&]*/, ''));
    else await copy(request);
  };
  return {
    ask: copy,
    follow(request, answer) {
      const come = (): void => {
        last = last.then(() => apply(request, answer)).catch(() => {});
      };
      if (lag === Number.POSITIVE_INFINITY) waiting.push(come);
      else setTimeout(come, lag).unref();
    },
    async catchUp() {
      for (const come of waiting.splice(0)) come();
      await last;
    },
    async close() {
      isClosed = true;
      await last;
      await service.close();
    },
  };
}

function madeIn({ body }: WholeAnswer): object[] {
  const urls: { hash?: string; error?: { code?: number } }[] = readBody(body)?.urls ?? [];
  return urls.filter(({ hash, error }) => hash && !error?.code);
}

function asNew(record: object): object {
  const { hash, long_url, note, email_stats, expiration_date, max_clicks, tags } = record as Record<string, unknown>;
  return { custom_hash: hash, long_url, note, email_stats, expiration_date, max_clicks, tags };
}

function rootOf(url: string): string {
  return /^.*?\/api\/3/.exec(url)?.[0] ?? '';
}
