import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, linkTo, trusting, zooNames } from './asked.ts';
import { openCrowd, openZoo, type Zoo } from './zoo.ts';

let zoo: Zoo;

beforeAll(async () => {
  zoo = await openZoo();
});

afterAll(async () => zoo.close());

/** What is found of a host of the zoo, or of a whole URL: status, HTTP status, and words of the reason. */
const table: readonly (readonly [animal: string, status: string, http?: number, reason?: string])[] = [
  ['good', 'ok', 200],
  ['empty', 'ok', 204],
  ['both', 'ok', 200],
  ['missing', 'broken', 404, 'not found'],
  ['gone', 'broken', 410, 'gone'],
  ['head-405', 'ok', 200],
  ['head-404', 'ok', 200],
  ['head-500', 'ok', 200],
  ['head-silent', 'ok', 200],
  ['head-hangs-up', 'ok', 200],
  ['head-loop', 'ok', 200],
  ['endless-body', 'ok', 200],
  ['get-endless', 'ok', 200],
  ['slow', 'ok', 200],
  ['large-headers', 'ok', 200],
  ['silent', 'unreachable', undefined, 'no response from silent.test'],
  ['teapot', 'broken', 418, 'twice'],
  ['bad-request', 'broken', 400, 'twice'],
  ['broken', 'broken', 500, 'server error, twice'],
  ['unavailable', 'broken', 503, 'server error, twice'],
  ['once-500', 'ok', 200],
  ['once-silent', 'ok', 200],
  ['then-404', 'broken', 404, 'not found'],
  ['password', 'blocked', 401, 'password'],
  ['robots-out', 'blocked', 403, 'browser'],
  ['legal', 'blocked', 451, 'browser'],
  ['linkedin', 'blocked', 999, 'browser'],
  ['throttled', 'blocked', 429, 'too many requests'],
  ['head-wait', 'ok', 200],
  ['get-wait', 'ok', 200],
  ['waits-forever', 'blocked', 429, 'rate limited'],
  ['wait-a-day', 'blocked', 429, 'Retry-After: 86400 s'],
  ['maintenance', 'skipped', undefined, 'Retry-After: 86400 s'],
  ['moved', 'moved', 200],
  ['moved-308', 'moved', 200],
  ['moved-twice', 'moved', 200],
  ['relative-location', 'moved', 200],
  ['raw-location', 'moved', 200],
  ['latin-location', 'moved', 200],
  ['to-password', 'moved', 200, 'user name or password'],
  ['moved-then-302', 'ok', 200],
  ['found', 'ok', 200],
  ['see-other', 'ok', 200],
  ['temporary', 'ok', 200],
  ['ten', 'ok', 200],
  ['moved-to-404', 'broken', 404],
  ['moved-to-500', 'broken', 500],
  ['no-location', 'broken', 302, 'without a valid Location'],
  ['bad-location', 'broken', 302, 'without a valid Location'],
  ['not-modified', 'broken', 304, 'without a valid Location'],
  ['circle', 'loop', undefined, 'redirect loop'],
  ['itself', 'loop', undefined, 'redirect loop'],
  ['thirty', 'loop', undefined, 'more than 10 redirects'],
  ['unknown', 'unreachable', undefined, 'cannot resolve unknown.test'],
  ['offline', 'skipped', undefined, 'the name server of this computer does not answer for offline.test'],
  ['servfail', 'skipped', undefined, 'the name server of this computer does not answer for servfail.test'],
  ['no-resolver', 'skipped', undefined, 'the name server of this computer does not answer for no-resolver.test'],
  ['silent-resolver', 'skipped', undefined, 'the name server of this computer does not answer for silent-resolver.test'],
  ['to-offline', 'skipped', undefined, 'the name server of this computer does not answer for offline.test'],
  ['once-offline', 'ok', 200],
  ['http://refused.test:1/', 'unreachable', undefined, 'connection refused'],
  ['to-refused', 'unreachable', undefined, 'connection refused'],
  ['garbage', 'unreachable', undefined, 'invalid HTTP response'],
  ['status-099', 'unreachable', undefined, 'invalid HTTP response'],
  ['hangs-up', 'unreachable', undefined, 'closed the connection'],
  ['says-nothing', 'unreachable', undefined, 'no response'],
  ['drips-headers', 'unreachable', undefined, 'no response'],
  ['endless-headers', 'unreachable', undefined, '256 KiB'],
  ['tls-good', 'ok', 200],
  ['tls-expired', 'unreachable', undefined, 'expired'],
  ['tls-other-host', 'unreachable', undefined, 'another host'],
  ['tls-other-issuer', 'unreachable', undefined, 'issuer is not trusted'],
  ['tls-self-signed', 'unreachable', undefined, 'self-signed'],
  ['tls-plain', 'unreachable', undefined, 'TLS'],
  ['to-private-literal', 'skipped', undefined, '127.0.0.2 is a loopback address'],
  ['to-odd-literal', 'skipped', undefined, '127.0.0.2 is a loopback address'],
  ['to-mapped-literal', 'skipped', undefined, '::ffff:7f00:2 is a loopback address'],
  ['to-private-name', 'skipped', undefined, 'private.test has the address 127.0.0.2'],
  ['private', 'skipped', undefined, 'private.test has the address 127.0.0.2'],
  ['rebinding', 'skipped', undefined, 'rebinding.test has the address 127.0.0.2'],
  ['to-app-store', 'skipped', undefined, 'not itms-apps:'],
  ['to-file', 'skipped', undefined, 'not file:'],
  ['http://127.0.0.2:9/', 'skipped', undefined, '127.0.0.2'],
  ['http://2130706434:9/', 'skipped', undefined, '127.0.0.2'],
  ['http://[::ffff:10.0.0.1]/', 'skipped', undefined, 'private'],
  ['http://[64:ff9b::a00:1]/', 'skipped', undefined, 'NAT64'],
  ['http://[2002:a00:1::]/', 'skipped', undefined, '6to4'],
  ['ftp://files.test/', 'skipped', undefined, 'not ftp:'],
  ['mailto:somebody@a.example', 'skipped', undefined, 'not mailto:'],
  ['//no-scheme', 'skipped', undefined, 'not a valid URL'],
];

/** They are waited for until they are known to say nothing; for the others a busy machine has all the time that K2 gives. */
const silent: ReadonlySet<string> = new Set([
  'head-silent',
  'silent',
  'once-silent',
  'says-nothing',
  'drips-headers',
  'silent-resolver',
]);

test('K1, K3, E30, E31: a zoo of misbehaving destinations, and what is found of each', async () => {
  const urls = table.map(([animal]) => (/[:/]/.test(animal) ? animal : zoo.urlOf(animal)));
  const resolve = zooNames();
  const isSilent = (nth: number): boolean => silent.has(table[nth]?.[0] ?? '');
  const talkative = urls.map((url, nth) => linkTo(isSilent(nth) ? undefined : url, nth));
  const { verdicts } = await ask(talkative, { ...trusting(zoo.ca), resolve });
  for (const [nth, url] of urls.entries()) {
    if (!isSilent(nth)) continue;
    const asked: typeof resolve = (name) => {
      if (name === 'silent-resolver.test') setImmediate(zoo.fallSilent);
      return resolve(name);
    };
    const alone = await ask([linkTo(url, nth)], { resolve: asked, startTimer: (isOver) => zoo.whenSilent(isOver) });
    [verdicts[nth]] = alone.verdicts;
  }
  const found = table.map(([animal, , , words = ''], nth) => {
    const { status, httpStatus, reason = '' } = verdicts[nth] ?? {};
    return [animal, status, httpStatus, reason.includes(words) ? words : reason];
  });
  expect(found).toEqual(table.map(([animal, status, http, reason = '']) => [animal, status, http, reason]));
  // K3, counted at the socket.
  expect(zoo.trespasses()).toBe(0);
  expect(table.flatMap(([animal], nth) => (verdicts[nth]?.offline ? [animal] : []))).toEqual([
    'offline',
    'servfail',
    'no-resolver',
    'silent-resolver',
    'to-offline',
  ]);
  const addressOf = (animal: string) => verdicts[table.findIndex(([name]) => name === animal)]?.finalUrl;
  expect(addressOf('moved')).toBe(zoo.urlOf('good', '/new?a=1'));
  expect(addressOf('moved-twice')).toBe(zoo.urlOf('good', '/new?a=1'));
  expect(addressOf('relative-location')).toBe(zoo.urlOf('relative-location', '/sub/page'));
  expect(addressOf('raw-location')).toBe(zoo.urlOf('raw-location', '/gr%C3%B6%C3%9Fe?q=%C3%A9'));
  expect(addressOf('to-password')).toBe(zoo.urlOf('good', '/in'));
  expect(addressOf('to-file')).toBe('file:///etc/passwd');
  expect(addressOf('good')).toBeUndefined();
});

test('K1: what HEAD finds is asked once; what seems broken twice, by GET', async () => {
  const asked = (animal: string) =>
    zoo.requests.filter((line) => line.split(/[ /]/)[1] === animal).map((line) => line.split(' ')[0]);
  expect(asked('gone')).toEqual(['HEAD', 'GET']);
  expect(asked('teapot')).toEqual(['HEAD', 'GET', 'GET']);
  expect(asked('password')).toEqual(['HEAD', 'GET']);
  expect(asked('slow')).toEqual(['HEAD']);
  expect(asked('once-500')).toEqual(['HEAD', 'GET', 'GET']);
  expect(asked('ten')).toHaveLength(11);
  expect(asked('wait-a-day')).toEqual(['HEAD']);
});

test('E32: nothing that is shown of a destination has its password', async () => {
  const shown: string[] = [];
  const url = zoo.urlOf('password-inside').replace('//', '//ann:secret@');
  const { verdicts } = await ask([linkTo(url, 0)], { report: (_, asked) => void shown.push(asked.href) });
  const reason = 'the new address has a user name or password, which is not shown';
  expect(verdicts).toMatchObject([{ status: 'moved', finalUrl: zoo.urlOf('password-inside', '/in'), reason }]);
  expect(shown).toEqual([zoo.urlOf('password-inside'), zoo.urlOf('password-inside', '/in')]);
});

test('K2: requests name the tool, and carry no cookies, no Referer and no credentials', () => {
  const names = new Set(zoo.headers.flatMap((headers) => Object.keys(headers)));
  expect([...names].sort()).toEqual(['accept', 'connection', 'host', 'user-agent']);
  expect(new Set(zoo.headers.map((headers) => headers['user-agent']))).toEqual(new Set(['linkctl/0.0.0']));
});

test('K2: at most 4 requests are at a host at once, and 32 anywhere, counted at the server', async () => {
  const crowd = await openCrowd(32);
  const links = Array.from({ length: 360 }, (_, nth) => linkTo(crowd.urlOf(nth % 12, nth), nth));
  const { verdicts } = await ask(links, { interval: 0 });
  await crowd.close();
  expect(new Set(verdicts.map((verdict) => verdict?.status))).toEqual(new Set(['ok']));
  expect(crowd.mostAtHost()).toBe(4);
  expect(crowd.most()).toBe(32);
});

test('K1: links that share a destination share its verdict, and it is asked once', async () => {
  const before = zoo.requests.length;
  const page = zoo.urlOf('good', '/shared');
  const urls = [page, zoo.urlOf('good', '/other'), `${page}#part`, page, page.replace('http://good', 'HTTP://GOOD'), undefined];
  const { verdicts, asked } = await ask(urls.map((url, nth) => linkTo(url, nth)));
  expect(verdicts.map((verdict) => verdict?.status)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'skipped']);
  expect(asked).toBe(2);
  expect(zoo.requests.slice(before).sort()).toEqual(['HEAD good/other', 'HEAD good/shared']);
});

test('K3: with --allow-private everything is asked; without it, the zoo counts what goes there', async () => {
  const before = zoo.trespasses();
  await ask([linkTo(zoo.urlOf('private'), 0), linkTo(zoo.urlOf('to-odd-literal'), 1)], { refusal: () => undefined });
  expect(zoo.trespasses()).toBeGreaterThan(before);
});

test.each([
  ['short', 'ok', '', 302],
  ['short-upgraded', 'ok', '', 301],
  ['short-through', 'ok', '', 302],
  ['short-head-wrong', 'ok', '', 302],
  ['good', 'wrong', 'returns a page', 200],
  ['found', 'wrong', 'redirects to another URL', 200],
  ['moved-to-404', 'wrong', 'redirects to another URL', 404],
  ['to-app-store', 'wrong', 'redirects to another URL', 302],
  ['short-to-private', 'wrong', 'redirects to another URL', 302],
  ['to-refused', 'wrong', 'redirects to another URL', 302],
  ['missing', 'broken', 'not found'],
  ['broken', 'broken', 'twice'],
  ['robots-out', 'blocked', 'browser'],
  ['unknown', 'unreachable', 'cannot resolve'],
  ['offline', 'skipped', 'name server'],
  ['to-offline', 'skipped', 'name server'],
  ['circle', 'loop', 'redirect loop'],
  ['itself', 'loop', 'redirect loop'],
  ['private', 'skipped', 'private.test'],
])('K1, K4: the short URL %s is %s', async (animal, status, words, http = undefined) => {
  const trespasses = zoo.trespasses();
  const link = linkTo(zoo.urlOf('good', '/page'), 0, zoo.urlOf(animal));
  const asked = zoo.requests.length;
  const { verdicts } = await ask([link], { shortUrls: true });
  expect(verdicts).toEqual([expect.objectContaining({ status, reason: expect.stringContaining(words) })]);
  if (http !== undefined) expect(verdicts[0]?.httpStatus).toBe(http);
  expect(zoo.trespasses()).toBe(trespasses);
  // The destination itself is not asked.
  expect(zoo.requests.slice(asked).filter((line) => line.endsWith('good/page'))).toEqual([]);
});

test.each([
  ['short', 'ok', ''],
  ['short-upgraded', 'ok', ''],
  ['good', 'skipped', 'would use up a click'],
  ['good-with-query', 'skipped', 'would use up a click'],
  ['head-405', 'skipped', 'would use up a click'],
  ['found', 'wrong', 'redirects to another URL'],
  ['missing', 'broken', 'not found'],
  ['broken', 'broken', 'twice'],
] as const)('K4: a link with max_clicks, whose short URL is %s, is %s, and gets no GET', async (animal, status, words) => {
  const link = { ...linkTo(zoo.urlOf('good', '/page'), 0, zoo.urlOf(animal)), isLimited: true } as const;
  const asked = zoo.requests.length;
  const { verdicts } = await ask([link], { shortUrls: true });
  expect(verdicts).toEqual([expect.objectContaining({ status, reason: expect.stringContaining(words) })]);
  expect(zoo.requests.slice(asked).filter((line) => !line.startsWith('HEAD '))).toEqual([]);
});

test.each(['', 'ann:other@'])(
  'K4, E32: a short URL that leads to another password than %s is wrong for that reason',
  async (own) => {
    const page = zoo.urlOf('good', '/page');
    const link = linkTo(page.replace('//', `//${own}`), 0, zoo.urlOf('short-to-password'));
    const { verdicts } = await ask([link], { shortUrls: true });
    const reason = 'redirects to the same URL with another user name or password';
    expect(verdicts).toMatchObject([{ status: 'wrong', httpStatus: 200, finalUrl: page, reason }]);
  },
);
