import { expect, test } from 'vitest';
import { type RunningService, startService } from '../../src/service/service.ts';
import type { ServiceOptions } from '../../src/service/service-options.ts';
import { apiKey, username } from '../service/credentials.ts';
import { type Client, connect } from '../service/running-service.ts';
import { freshDatabase } from '../support/postgres.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { oddHashes } from '../support/stored-links.ts';

/**
 * S1: both engines answer every request alike. For a person to start:
 * `LINKCTL_TRIAL_REQUESTS=10000 LINKCTL_TRIAL_SEED=1 npm run trials:engines`.
 */
const count = Number(process.env.LINKCTL_TRIAL_REQUESTS ?? 10_000);
const seed = Number(process.env.LINKCTL_TRIAL_SEED ?? 1);

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** Draws requests of all calls, most of them valid, on few links, so that they meet each other. */
function drawer(random: () => number, edition: 'a' | 'b'): () => Request {
  const pick = <Values extends readonly unknown[]>(...values: Values): Values[number] =>
    values[Math.floor(random() * values.length)];
  const some = <Value>(most: number, draw: () => Value): Value[] => Array.from({ length: 1 + Math.floor(random() * most) }, draw);
  const long = 'x'.repeat(60_000);
  const hash = (): string => (random() < 0.8 ? `h${Math.floor(random() * 40)}` : pick(...oddHashes, 'H1', '', 'a\0b', 'ü', long));
  const label = (): string =>
    random() < 0.8
      ? `tag ${Math.floor(random() * 12)}`
      : pick('TAG 1', 'a&b', 'visited', '', 'a\0b', ' x ', 'ß', 'İ', 'tag|2', long);
  const url = (): string =>
    random() < 0.8
      ? `https://example.com/${Math.floor(random() * 30)}`
      : pick(
          `https://example.com/${long}`,
          'https://münchen.example/ü',
          'https://example.com/a\0b',
          'nothing',
          '',
          'HTTP://EXAMPLE.com',
        );
  const note = (): unknown => pick('', 'a note', 'A NOTE', 'null\0byte', long, '100 %_', '🦊 ñ', 7, null);
  const day = (): unknown => pick('2031-01-31', '2024-05-20', '2001-01-01', '2031-02-30', null, '', 0, 'soon');
  const fields = (signs: boolean): Record<string, unknown> => {
    const tag = (): string => (signs ? pick('+', '-') : '') + label();
    const all = { long_url: url(), note: note(), tags: some(3, tag), expiration_date: day(), max_clicks: pick(0, 1, 2, -1, '3') };
    return Object.fromEntries(
      [...Object.entries({ ...all, email_stats: pick(true, false, 'yes') })].filter(() => random() < 0.4),
    );
  };
  const expression = (depth = 0): string => {
    if (depth > 2 || random() < 0.5) return pick(label(), 'visited', 'email_stats', 'created>2024-05-14', 's.ex', 'none');
    if (random() < 0.2) return `~${expression(depth + 1)}`;
    return `(${expression(depth + 1)}${pick('&', '|', '^')}${expression(depth + 1)})`;
  };
  const query = (entries: Readonly<Record<string, unknown>>): string => {
    const domain = edition === 'a' && random() < 0.3 ? { domain: pick('s.ex', 't.ex', 'none.ex') } : {};
    const given = Object.entries({ ...domain, ...entries }).filter(([, value]) => value !== undefined);
    return given.length === 0 ? '' : `?${given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`;
  };
  const selection = () => (random() < 0.5 ? { hashes: some(4, hash).join(',') } : { tags: expression() });
  const one = (value: string): string => encodeURIComponent(value);
  const listing = () => ({
    limit: pick(undefined, 1, 5, 1000, 0, -1, 'x'),
    offset: pick(undefined, 0, 3, 10, 100_000),
    search: pick(undefined, undefined, 'example', 'A NOTE', '%', '_', '\0', 'ß', ''),
    order_by: pick(undefined, 'created', 'clicks', 'hash', 'modified', 'nothing'),
    ...(random() < 0.4 && { tags: expression() }),
    ...(random() < 0.1 && { hashes: some(4, hash).join(',') }),
  });
  const created = () => ({ ...fields(false), long_url: url(), ...(random() < 0.7 && { custom_hash: hash() }) });
  const calls: readonly (() => Request)[] = [
    () => ({
      method: 'POST',
      path: `/urls${query({ disable_long_url_duplicates: pick(undefined, '0', '1', 'account', 'domain', 'x') })}`,
      body: { urls: some(5, created) },
    }),
    () => ({ method: 'POST', path: `/urls${query({})}`, body: { urls: [created()] } }),
    () => ({ method: 'GET', path: `/urls${query(listing())}` }),
    () => ({ method: 'GET', path: `/urls/${one(hash())}${query({})}` }),
    () => ({
      method: 'PATCH',
      path: `/urls/${one(hash())}${query({})}`,
      body: { urls: [{ ...fields(true), ...(random() < 0.2 && { custom_hash: hash() }) }] },
    }),
    () => ({ method: 'PATCH', path: `/urls${query(selection())}`, body: { urls: [fields(true)] } }),
    () => ({ method: 'PATCH', path: `/urls${query({})}`, body: { urls: some(4, () => ({ hash: hash(), ...fields(true) })) } }),
    () => ({ method: 'DELETE', path: `/urls${query({ hashes: some(2, hash).join(',') })}` }),
    () => ({ method: 'GET', path: `/stats/${one(hash())}${query({})}` }),
    () => ({ method: 'DELETE', path: random() < 0.5 ? `/stats/${one(hash())}${query({})}` : `/stats${query(selection())}` }),
    () => ({ method: 'GET', path: '/tags' }),
    () => ({ method: 'POST', path: '/tags', body: { label: label() } }),
    () => ({ method: 'PATCH', path: `/tags/${one(label())}`, body: { label: label() } }),
    () => ({ method: 'DELETE', path: `/tags/${one(label())}` }),
    () => ({ method: 'GET', path: pick('/account', '/domains', `/log${query({ limit: 5, offset: pick(0, 3) })}`) }),
    () => ({ method: 'VISIT', path: `/${one(hash())}` }),
  ];
  // Every call once, and twice as often those that make links or list them.
  return () => pick(...calls, ...calls.slice(0, 3))();
}

async function answerOf(client: Pick<Client, 'call' | 'visit'>, { method, path, body }: Request): Promise<object> {
  if (method === 'VISIT') {
    const { status, headers } = await client.visit(path);
    return { status, location: headers.get('location') };
  }
  const { status, body: answer } = await client.call(method, path, body);
  return { status, body: answer };
}

test.for(['a', 'b'] as const)(`S1: seed ${seed}: ${count} requests, edition %s: both engines answer alike`, async (edition) => {
  let time = Date.UTC(2024, 4, 15, 12);
  const start = async (place: Pick<ServiceOptions, 'store'>): Promise<RunningService> => {
    const bytes = seededRandom(seed);
    const random = (size: number): Uint8Array => Uint8Array.from({ length: size }, () => Math.floor(bytes() * 256));
    const domains = edition === 'a' ? [{ name: 's.ex' }, { name: 't.ex' }] : [{ name: 's.ex' }];
    return await startService({ edition, username, apiKey, domains, redirects: true, now: () => time, random, ...place });
  };
  const [sqlite, postgres] = [await start({}), await start({ store: { url: await freshDatabase(), environment: {} } })];
  try {
    const clients = [connect(sqlite), connect(postgres)] as const;
    const draw = drawer(seededRandom(seed + (edition === 'a' ? 0 : 1)), edition);
    const codes = new Map<string, number>();
    for (let nth = 0; nth < count; nth += 1) {
      const request = draw();
      time += nth % 97 === 0 ? 5 * 3_600_000 : 1000;
      const [one, other] = [await answerOf(clients[0], request), await answerOf(clients[1], request)];
      expect(other, `request ${nth}: ${JSON.stringify(request).slice(0, 2000)}`).toEqual(one);
      const { status } = one as { status: number };
      codes.set(`${request.method} ${status}`, (codes.get(`${request.method} ${status}`) ?? 0) + 1);
    }
    console.log(JSON.stringify({ edition, count, seed, answers: Object.fromEntries([...codes].sort()) }));
  } finally {
    await Promise.all([sqlite.close(), postgres.close()]);
  }
});
