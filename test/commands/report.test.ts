import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { apiKey, test as base, type Linkctl, runnerIn, username } from '../support/linkctl.ts';
import { runningClock } from '../support/running-clock.ts';
import { numbered, store, visit } from '../support/stored-links.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
/** 2026-03-02, 02:00 UTC: when the readings of these tests, and the clock of the service, begin. */
const begin = Date.UTC(2026, 2, 2, 2);

interface Fixtures {
  /** Runs `linkctl` so many days after `begin`; what is no recorder a minute later, when the readings of that moment are made. */
  on: (days: number, ...argv: string[]) => ReturnType<Linkctl>;
  /** The file that is written. */
  path: string;
  /** What it says, without its markup. */
  page: () => string;
}

const test = base.extend({ startsAt: begin }).extend<Fixtures>({
  on: async ({ linkctl }, use) => {
    await use((days, ...argv) => {
      const since = argv.includes('--record') ? 0 : minute;
      return linkctl(argv, { now: runningClock(begin + days * day + since) });
    });
  },
  path: async ({ folder }, use) => {
    await use(join(folder, 'report.html'));
  },
  page: async ({ path, written }, use) => {
    await use(() => textOf(written(path)));
  },
});

const record = ['stats', '--record'] as const;

function textOf(html: string): string {
  return html
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ');
}

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test('H3: report writes one page of what the readings and the listing say', async ({ on, path, page, service }) => {
    await store(service, [
      { custom_hash: 'h0', long_url: 'https://example.com/0', note: 'Spring <b>flyer</b>', tags: ['print'] },
      { custom_hash: 'h1', long_url: 'https://example.com/1', expiration_date: '2026-03-10' },
      { custom_hash: 'h2', long_url: 'https://example.com/2', expiration_date: '2026-04-05' },
      { custom_hash: 'h3', long_url: 'https://example.com/3', expiration_date: '2026-03-03' },
    ]);
    await on(0, ...record);
    await visit(service, 'h0', 2);
    await visit(service, 'h1', 4);
    await on(1, ...record);
    await visit(service, 'h0', 3);
    await on(2, ...record);
    expect(await on(2.2, 'report', '--since', '1d', '--html', path)).toEqual({ code: 0, stdout: '', stderr: '' });
    const text = page();
    for (const part of [
      'Clicks, 3 Mar 2026 to 4 Mar 2026 4 links',
      'Clicks 3 −3 against 6 before',
      'Links with clicks 1 of 4 links',
      '3 +1 Spring <b>flyer</b> localhost/h0 https://example.com/0',
      'More clicks than before +1 2 to 3 Spring <b>flyer</b> localhost/h0 https://example.com/0',
      'Fewer clicks than before −4 4 to 0 localhost/h1 https://example.com/1',
      'Clicks Change Tag 3 +1 print',
      'Expiring 1 in the next 30 days',
      '10 Mar 2026 4 localhost/h1 https://example.com/1',
      'for account "ann" on',
      'The links were not checked yet',
      'from the reading of 3 Mar 2026, 02:00 UTC to that of 4 Mar 2026, 02:00 UTC',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toContain('/h3');
    expect(readFileSync(path, 'utf8')).toContain('Spring &#60;b&#62;flyer');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const json = await on(2.2, 'report', '--since', '1d', '--html', path, '-o', 'json');
    expect(JSON.parse(json.stdout)).toEqual({
      report: path,
      first: expect.stringContaining('2026-03-03T02:00:00.'),
      last: expect.stringContaining('2026-03-04T02:00:00.'),
      before: expect.stringContaining('2026-03-02T02:00:00.'),
      clicks: 3,
      clicks_before: 6,
      links: 4,
      expiring: 1,
      broken: null,
    });
  });

  test('H3: --chart with --since draws the days and the links', async ({ on, service }) => {
    await store(service, numbered(2));
    await on(0, ...record);
    await visit(service, 'h0', 2);
    await on(1, ...record);
    await visit(service, 'h1', 4);
    await on(2, ...record);
    const { stdout, stderr } = await on(2, 'stats', '--since', '2d', '--chart');
    const lines = stdout.split('\n');
    expect([lines[0], lines[1], lines[8], lines[9], lines[11]]).toEqual([
      'clicks per day (UTC)',
      '4 │     ████',
      '  │████ ████',
      '0 └──────────',
      '',
    ]);
    expect(lines.slice(12)).toEqual([`localhost/h1  4  ${'█'.repeat(60)}`, `localhost/h0  2  ${'█'.repeat(30)}`, '']);
    expect(stderr).toContain('6 clicks between the readings of');
    const days = await on(2, 'stats', '--since', '2d', '--by', 'day', '--chart');
    expect(days.stdout.split('\n')).toEqual([...lines.slice(0, 11), '']);
  });
});

test('H3: without a reading that is old enough report is exit 5, and nothing is written or listed', async ({ on, path }) => {
  for (const days of [0, 1]) {
    expect((await on(days, 'report', '--html', path)).code).toBe(5);
    expect(existsSync(path)).toBe(false);
    if (days === 0) await on(0, ...record);
  }
});

test('H3, H4: what the server counts per day needs no readings, and the page says so', async ({
  linkctl,
  path,
  page,
  service,
}) => {
  await store(service, numbered(2));
  await visit(service, 'h0', 3);
  expect((await linkctl(['report', '--html', path])).code).toBe(0);
  expect(page()).toMatch(/ Clicks 3 .* localhost\/h0 .* Clicks are the daily totals of the server/);
});

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test('H3, K4: the newest verdict of each link counts, whichever check it is from, unless the link was changed since', async ({
    linkctl,
    path,
    page,
    service,
  }) => {
    const well = new Set(['/ok']);
    const server = createServer((request, response) => void response.writeHead(well.has(request.url ?? '') ? 200 : 404).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const destinations = {
      well: `${at}/ok`,
      lost: `${at}/lost`,
      back: `${at}/back`,
      mended: `${at}/old`,
      gone: `${at}/gone`,
      ...(edition === 'b' && { short: `${at}/ok` }),
    };
    await store(
      service,
      Object.entries(destinations).map(([custom_hash, long_url]) => ({ custom_hash, long_url, tags: ['docs'] })),
    );
    const report = async () => {
      const { stdout } = await linkctl(['report', '--html', path, '--json']);
      return { ...JSON.parse(stdout), text: page() };
    };
    // A check waits between its requests, by the clock.
    const later = (hours: number) => ({ now: () => begin + hours * hour + performance.now() });
    await linkctl(['check', '--allow-private', '-q', '--filter', 'hash=lost'], later(0));
    expect((await linkctl(['check', '--allow-private', '-q'], later(1))).code).toBe(3);
    const one = await report();
    expect(one.text).toMatch(/Latest results for [56] links \(linkctl check --allow-private, .*\): [12] ok, 4 broken\./);
    well.add('/back');
    await linkctl(['check', '--allow-private', '-q', 'back'], later(2));
    // These do not ask destinations: what is known of them stays.
    await linkctl(['check', '--links', '-q', '--by-tags', 'docs'], later(3));
    if (edition === 'b') await linkctl(['check', '--links', '--allow-private', '-q', 'short'], later(4));
    await linkctl(['edit', 'mended', '--url', `${at}/ok`]);
    await linkctl(['delete', 'gone', '--yes']);
    const { links, broken, text } = await report();
    expect([links, broken]).toEqual(edition === 'a' ? [4, 1] : [5, 2]);
    expect(text).toContain(edition === 'a' ? 'broken localhost/lost' : 'broken localhost/lost');
    expect(text).toContain(`broken localhost/lost ${at}/lost 404 not found`);
    expect(text).toMatch(
      new RegExp(
        `Latest results for [34] links \\(${edition === 'a' ? 3 : 4} checks, .* to .*\\): 2 ok, .*1 broken.*\\. ` +
          '1 other link has not been checked since .* 2 links that failed have been changed or deleted since\\.',
      ),
    );
    if (edition === 'b') expect(text).toMatch(/localhost\/short http:.*\/ok the short URL: .* (unreachable|wrong|broken)/);
  });
});

test('R-23, H3: what stops a report leaves the file as it was, and nothing beside it', async ({
  on,
  path,
  wire,
  service,
  folder,
}) => {
  await store(service, numbered(3));
  await on(0, ...record);
  await on(1, ...record);
  await on(1, 'report', '--since', '1d', '--html', path);
  const lastWeek = readFileSync(path, 'utf8');
  const names = readdirSync(folder);
  const short = { urls: [], page: { results_count: 0, total_count: 3, offset: 0 }, error: { code: 0, message: '' } };
  await wire.script([{ times: 'all', only: { path: '/urls' }, answer: { body: short } }]);
  expect(await on(1, 'report', '--since', '1d', '--html', path)).toMatchObject({ code: 8 });
  expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual([lastWeek, names]);
});

test('H3, R-26: a file that is no report is replaced only with --yes', async ({ on, path, wire }) => {
  await on(0, ...record);
  await on(1, ...record);
  writeFileSync(path, '<!doctype html>\n<html lang="en">\nprecious');
  const before = (await wire.requests()).length;
  const argv = ['report', '--since', '1d', '--html', path] as const;
  expect(await on(1, ...argv)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/report\.html already exists and is not a linkctl report\n.*add --yes/),
  });
  expect(readFileSync(path, 'utf8')).toContain('precious');
  expect((await wire.requests()).length).toBe(before);
  expect((await on(1, ...argv, '--yes')).code).toBe(0);
  expect(readFileSync(path, 'utf8')).not.toContain('precious');
  expect((await on(1, ...argv)).code).toBe(0);
});

test.skipIf(process.getuid?.() !== 0)(
  'H3, R-26: a file of another user, which --yes would not replace, is refused for that',
  async ({ on, path, wire }) => {
    await on(0, ...record);
    writeFileSync(path, 'theirs');
    chownSync(path, 54_321, 54_321);
    const before = (await wire.requests()).length;
    const ran = await on(1, 'report', '--since', '1d', '--html', path);
    expect(ran).toMatchObject({ code: 9, stderr: expect.stringContaining(`${path} belongs to another user (uid 54321)`) });
    expect((await wire.requests()).length).toBe(before);
  },
);

describe.each(['a', 'b'] as const)('edition %s, with links on a port of this computer', (edition) => {
  test.override({ edition, domains: [{ name: 'localhost:8787' }] });

  test('E27, H3: a link has its present short URL in history and report, and counts once', async ({
    on,
    path,
    page,
    service,
  }) => {
    await store(service, numbered(3));
    await on(0, ...record);
    await visit(service, 'h1', 2);
    const since = async () => (await on(1, 'stats', '--since', '1d', '--fields', 'short_url,clicks')).stdout;
    // By the days of the server, then by readings.
    expect((await on(0.5, 'stats', '--since', 'yesterday', '--fields', 'short_url,clicks')).stdout).toBe(
      'localhost:8787/h1\t2\n',
    );
    await on(1, ...record);
    expect(await since()).toBe('localhost:8787/h1\t2\n');
    await on(1, 'report', '--since', '1d', '--html', path);
    expect(page()).toContain('Links with clicks 1 of 3 links');
    expect(page()).toContain('localhost:8787/h1 https://example.com/1');
    await on(1.5, 'delete', 'h1', '--yes');
    expect(await since()).toBe('localhost:8787/h1\t2\n');
  });
});

test('H3: links with clicks are counted among those that were deleted since', async ({ on, path, page, service }) => {
  await store(service, numbered(3));
  await on(0, ...record);
  for (const hash of ['h0', 'h1', 'h2']) await visit(service, hash, 2);
  await on(1, ...record);
  await on(1, 'delete', 'h0', 'h1', '--yes');
  await on(1.1, 'report', '--since', '1d', '--html', path);
  expect(page()).toContain('Links with clicks 3 of 3 links');
});

test('H3: a table that is not whole names the command that lists the rest, of the account of the report', async ({
  clock,
  homeEnv,
  habits,
  path,
  page,
  service,
  wire,
}) => {
  const expiration_date = new Date(begin + 5 * day).toISOString().slice(0, 10);
  await store(service, numbered(21, { expiration_date }));
  for (let hash = 0; hash < 11; hash += 1) await visit(service, `h${hash}`, 1);
  const home = runnerIn(homeEnv, clock, habits);
  const login = [
    'auth',
    'login',
    '-p',
    'work',
    '--base-url',
    wire.baseUrl,
    '--username',
    username,
    '--edition',
    'a',
    '--with-key',
  ];
  await home(login, { stdin: apiKey });
  await home(['auth', 'switch', 'sandbox']);
  expect(await home(['-p', 'work', 'report', '--html', path])).toMatchObject({ code: 0 });
  const texts = page().matchAll(/ (\d+) of (\d+) links\. For all of them: linkctl (.*?) -o csv /g);
  const found: unknown[] = [];
  for (const [, shown, all, command = ''] of texts) {
    const words = [...command.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
    const { stdout } = await home([...words, '-o', 'csv', '--no-header']);
    found.push([shown, all, stdout.trim().split('\n').length]);
  }
  expect(found).toEqual([
    ['20', '21', 21],
    ['10', '11', 11],
  ]);
});

test('H8: --html - writes the page to stdout, --title heads it, and --by-tags chooses its links', async ({ on, service }) => {
  await store(service, numbered(2, { tags: ['print'] }));
  await store(service, [{ custom_hash: 'other', long_url: 'https://example.com/other', expiration_date: '2026-03-10' }]);
  await on(0, ...record);
  for (const hash of ['h0', 'other']) await visit(service, hash, 2);
  await on(1, ...record);
  const argv = ['report', '--since', '1d', '--html', '-', '--title', 'Print', '--by-tags', 'print'];
  const { code, stdout, stderr } = await on(1, ...argv);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^<!doctype html>.*<title>Print<\/title>.*<\/html>\n$/s);
  expect(textOf(stdout)).toMatch(/ 2 links · tags print Clicks 2 .*Links with clicks 1 of 2 links .*localhost\/h0 /);
  expect(stdout).not.toContain('other');
  const none = await on(1, ...argv.slice(0, -1), 'nosuch');
  expect(textOf(none.stdout)).toContain('No link has these tags. All tags: linkctl tags');
});

test.for([
  [['-n'], '--dry-run does not apply to linkctl report'],
  [['-o', 'csv'], '-o csv does not apply to report, which has no rows\nhint: for rows: linkctl stats --since 1d\n'],
  [['-o', 'tsv'], '-o tsv does not apply to report, which has no rows\nhint: for rows: linkctl stats --since 1d\n'],
  [['--fields', 'clicks'], '--fields does not apply to report, which has no rows\nhint: for rows: linkctl stats --since 1d\n'],
  [['--html', '-', '-o', 'json'], 'specify only one of --html - or -o json'],
] as const)('B11, H3: report %j is exit 2, and nothing is read or written', async ([flags, message], { linkctl, path, wire }) => {
  const refused = await linkctl(['report', '--since', '1d', '--html', path, ...flags]);
  expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  expect([existsSync(path), await wire.requests()]).toEqual([false, []]);
});

test('H3: a file that cannot be written is exit 9 before the account is listed; no name is exit 2', async ({
  on,
  folder,
  wire,
}) => {
  await on(0, ...record);
  await on(1, ...record);
  const before = (await wire.requests()).length;
  mkdirSync(join(folder, 'taken'));
  for (const [path, code] of [
    [join(folder, 'none', 'report.html'), 9],
    [join(folder, 'taken'), 9],
    ['', 2],
  ] as const) {
    expect([path, (await on(1, 'report', '--since', '1d', '--html', path)).code]).toEqual([path, code]);
  }
  expect((await on(1, 'report')).code).toBe(2);
  expect((await on(1, 'report', '--since', 'soon', '--html', 'x')).code).toBe(2);
  expect((await wire.requests()).length).toBe(before);
});

describe('several domains', () => {
  test.override({ domains: [{ name: 's.ex' }, { name: 't.ex' }] });

  test('4.1.7, F6: the page covers all domains, or --domain', async ({ on, path, page, service }) => {
    await store(service, numbered(1, { note: 'one' }), 's.ex');
    await store(service, numbered(1, { note: 'other' }), 't.ex');
    await on(0, ...record);
    await visit(service, 'h0', 2);
    await on(1, ...record);
    await on(1, 'report', '--since', '1d', '--html', path);
    expect(page()).toMatch(/Clicks 2 .* of 2 links .* one s\.ex\/h0 /);
    await on(1, 'report', '--since', '1d', '--html', path, '--domain', 't.ex');
    expect(page()).toMatch(/ 1 link · domain t\.ex .*No link was clicked in this period/);
  });
});
