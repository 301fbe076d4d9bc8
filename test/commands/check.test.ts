import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import type { System } from '../../src/base/system.ts';
import { checkRecords } from '../../src/bulk/check-runs/check-record.ts';
import { foldersOf } from '../../src/change/environment.ts';
import { main } from '../../src/cli/main.ts';
import { startProgram } from '../support/built-program.ts';
import { test as base, username } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { createTestSystem } from '../support/test-system.ts';
import { until } from '../support/until.ts';
import { undoLast } from './undo-world.ts';

interface Pages {
  /** Addresses of 127.0.0.0/8, each a host of its own: `http://127.0.0.7:1234/ok`. */
  urlOf(path: string, host?: number): string;
  /** The same on another port. */
  otherUrlOf(path: string): string;
  /** Seconds that the answers to `/429` ask to wait. */
  retryAfter: number;
  /** Requests so far, as `METHOD host/path`. */
  readonly requests: string[];
  /** Answers that are held back, or nothing where all are given. */
  hold: ((request: string) => boolean) | undefined;
  release(): void;
}

const test = base.extend<{ pages: Pages }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads a fixture's needs from this pattern
  pages: async ({}, use) => {
    const requests: string[] = [];
    const held: (() => void)[] = [];
    const answerOf: RequestListener = (request, response) => {
      const path = request.url ?? '';
      const text = `${request.method} ${request.headers.host?.replace(/:.*/, '')}${path}`;
      requests.push(text);
      const [, code = '200'] = /^\/(\d{3})/.exec(path) ?? [];
      const location = code.startsWith('3') ? { location: `/ok-${path.slice(5)}` } : {};
      const isWait = code === '429' && pages.retryAfter > 0;
      const headers = isWait ? { 'retry-after': String(pages.retryAfter) } : location;
      const answer = (): void => void response.writeHead(code === '429' && !isWait ? 200 : Number(code), headers).end();
      if (pages.hold?.(text)) held.push(answer);
      else answer();
    };
    const servers = [createServer(answerOf), createServer(answerOf)];
    for (const server of servers) await once(server.listen(0), 'listening');
    const [port, otherPort] = servers.map((server) => (server.address() as AddressInfo).port);
    const pages: Pages = {
      urlOf: (path, host = 1) => `http://127.0.0.${host}:${port}/${path}`,
      otherUrlOf: (path) => `http://127.0.0.1:${otherPort}/${path}`,
      retryAfter: 3600,
      requests,
      hold: undefined,
      release() {
        pages.hold = undefined;
        for (const answer of held.splice(0)) answer();
      },
    };
    await use(pages);
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  },
});

/** Destinations of which a journal has the verdict. */
function recorded(folder: string): number {
  const runs = join(folder, '.local', 'state', 'linkctl', 'runs');
  const names = existsSync(runs) ? readdirSync(runs).filter((name) => !name.startsWith('.')) : [];
  const journals = names.map((name) => readFileSync(join(runs, name, 'journal.log'), 'utf8'));
  return journals.join('').split('"type":"checked"').length - 1;
}

const terminal = { terminal: { stdout: true, stderr: true }, env: { NO_COLOR: '1' }, columns: 80 };

for (const edition of ['a', 'b'] as const) {
  describe(`edition ${edition}`, () => {
    test.override({ edition });

    test('K1, K5: each link with its verdict, in the order of the listing; exit 3 where something is broken', async ({
      linkctl,
      service,
      pages,
    }) => {
      await store(service, [
        { custom_hash: 'good', long_url: pages.urlOf('200') },
        { custom_hash: 'same', long_url: `${pages.urlOf('200')}#part` },
        { custom_hash: 'gone', long_url: pages.urlOf('410') },
        { custom_hash: 'away', long_url: `${pages.urlOf('301/new')}#part` },
        { custom_hash: 'shut', long_url: pages.urlOf('403') },
      ]);
      const ran = await linkctl(['check', '--allow-private']);
      const rows = ran.stdout.split('\n').map((line) => line.split('\t').toSpliced(5, 1));
      expect(rows).toEqual([
        ['shut', 'blocked', '403', pages.urlOf('403'), '', 'refused an automated request; open it in a browser'],
        ['away', 'moved', '200', `${pages.urlOf('301/new')}#part`, `${pages.urlOf('ok-new')}#part`, ''],
        ['gone', 'broken', '410', pages.urlOf('410'), '', 'gone'],
        ['same', 'ok', '200', `${pages.urlOf('200')}#part`, '', ''],
        ['good', 'ok', '200', pages.urlOf('200'), '', ''],
        [''],
      ]);
      expect(ran.stderr).toMatch(
        /^checking 5 links: 4 destinations on 1 host \(account "ann" on [^)]+\)\n5 links: 2 ok, 1 moved, 1 blocked, 1 broken \(4 destinations, \d+\.\d s\) for account "ann" on .+\nerror: 5 links checked: 1 broken\n$/,
      );
      expect(ran.code).toBe(3);
      expect(pages.requests.filter((request) => request.endsWith('/200'))).toEqual(['HEAD 127.0.0.1/200']);
    });

    test('B90: the summary counts the destinations of the first line, which are requested', async ({
      linkctl,
      service,
      pages,
      wire,
    }) => {
      await store(service, [{ custom_hash: 'good', long_url: pages.urlOf('200') }, ...numbered(1)]);
      const mail = { hash: 'h0', short_url: 'localhost/h0', long_url: 'mailto:ann@example.com' };
      await wire.script([{ only: { path: 'hashes=' }, alter: { first: mail } }]);
      const { stderr } = await linkctl(['check', '--allow-private', 'h0', 'good', 'none']);
      expect(stderr).toContain('checking 3 links: 1 destination on 1 host');
      expect(stderr).toContain('3 links: 1 ok, 1 skipped, 1 missing (1 destination, ');
    });

    test('K5: --fail-on decides the exit code, --only what is listed; all well is 0', async ({ linkctl, service, pages }) => {
      await store(service, [
        { custom_hash: 'good', long_url: pages.urlOf('200') },
        { custom_hash: 'gone', long_url: pages.urlOf('404') },
        { custom_hash: 'away', long_url: pages.urlOf('308/new') },
      ]);
      const check = async (...flags: string[]) => {
        const { code, stdout } = await linkctl(['check', '--allow-private', '--fields', 'hash', ...flags]);
        return [code, stdout.trim().split('\n').join(' ')];
      };
      expect(await check()).toEqual([3, 'away gone good']);
      expect(await check('--fail-on', 'blocked,loop')).toEqual([0, 'away gone good']);
      expect(await check('--fail-on', 'moved', '--only', 'broken, moved')).toEqual([3, 'away gone']);
      expect(await check('good', 'away')).toEqual([0, 'good away']);
      expect(await check('--search', 'nothing')).toEqual([0, '']);
      const only = (...flags: string[]) => linkctl(['check', '--allow-private', '-q', ...flags]);
      expect((await only('--only', 'moved')).stderr).toBe(
        'error: 3 links checked: 1 broken\n1 of them not listed (--only moved)\n',
      );
      expect((await only('--only', 'broken')).stderr).toBe('error: 3 links checked: 1 broken\n');
      const wrong = await linkctl(['check', '--only', 'dead']);
      expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('{ok|moved|skipped|')]);
    });

    test('B40, K5: a check that is complete has its exit code even if its reader left; nothing is left to resume', async ({
      linkctl,
      service,
      pages,
    }) => {
      await store(service, [
        { custom_hash: 'good', long_url: pages.urlOf('200') },
        { custom_hash: 'gone', long_url: pages.urlOf('404') },
      ]);
      const reader = () => Promise.reject(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      const good = await linkctl(['check', 'good', '--allow-private'], { reader });
      expect(good).toMatchObject({ code: 0, stderr: expect.not.stringContaining('pipe') });
      const both = await linkctl(['check', '--allow-private'], { reader });
      expect(both).toMatchObject({ code: 3, stderr: expect.stringContaining('error: 2 links checked: 1 broken\n') });
    });

    test('K5: a second check of the same links says that the first is at it, by the name of its run', async ({
      linkctl,
      service,
      pages,
      wire,
      folder,
    }) => {
      await store(service, [
        { custom_hash: 'one', long_url: pages.urlOf('200/one') },
        { custom_hash: 'two', long_url: pages.urlOf('200/two', 2) },
      ]);
      const argv = ['check', '--allow-private', '-q'];
      await wire.script([{ only: { path: '/urls' }, held: true }]);
      const second = linkctl(argv);
      await wire.held();
      pages.hold = (request) => request.endsWith('/two');
      const first = linkctl(argv);
      await until(() => recorded(folder) === 1, 'the first check is at it');
      await wire.release();
      const [run] = readdirSync(join(folder, '.local', 'state', 'linkctl', 'runs'));
      expect(await second).toEqual({
        code: 9,
        stdout: '',
        stderr: `error: another process is checking these links: run ${run}\nhint: when it has ended, run the same command again\n`,
      });
      pages.release();
      expect((await first).code).toBe(0);
    });

    test('K5: -o csv --only moved feeds edit -f', async ({ linkctl, service, pages, folder }) => {
      await store(service, [
        { custom_hash: 'away', long_url: pages.urlOf('301/a,b') },
        { custom_hash: 'good', long_url: pages.urlOf('200') },
      ]);
      const { code, stdout } = await linkctl(['check', '--allow-private', '-o', 'csv', '--only', 'moved']);
      expect(code).toBe(0);
      expect(stdout).toBe(`hash,long_url,old_long_url,reason\naway,"${pages.urlOf('ok-a,b')}","${pages.urlOf('301/a,b')}",\n`);
      const file = join(folder, 'moved.csv');
      writeFileSync(file, stdout);
      expect((await linkctl(['edit', '-f', file])).code).toBe(0);
      expect((await linkctl(['check', '--allow-private', '--fields', 'hash,status'])).stdout).toBe('good\tok\naway\tok\n');
      const results = join(folder, 'results.csv');
      writeFileSync(file, (await linkctl(['check', '--allow-private', '-o', 'csv', '--results', results])).stdout);
      for (const whole of [file, results]) {
        expect(await linkctl(['edit', '-f', whole, '-n'])).toMatchObject({ code: 0, stdout: '' });
      }
    });

    test('K5, E32: where the new address has a password, the file for edit -f gives a reason instead of the address', async ({
      linkctl,
      service,
      pages,
      folder,
    }) => {
      const inside = pages.urlOf('301/new').replace('//', '//ann:secret@');
      await store(service, [{ custom_hash: 'inside', long_url: inside }]);
      for (const [format, row] of [
        [
          'csv',
          `hash,long_url,old_long_url,reason\ninside,,${inside},"the new address has a user name or password, which is not shown"\n`,
        ],
        ['jsonl', expect.stringContaining('"long_url":null')],
      ] as const) {
        const { stdout } = await linkctl(['check', '--allow-private', '--only', 'moved', '-o', format]);
        expect(stdout).toEqual(row);
        const file = join(folder, `moved.${format}`);
        writeFileSync(file, stdout);
        expect((await linkctl(['edit', '-f', file])).stderr).toContain('1 row: 1 unchanged');
      }
      expect((await stored(service))[0]?.long_url).toBe(inside);
    });

    test('K5: the example of --help edits what has moved, and nothing on a day when nothing has', async ({
      linkctl,
      service,
      pages,
      folder,
    }) => {
      expect((await linkctl(['check', '--help'])).stdout).toContain(
        '  linkctl check -o jsonl --only moved > moved.jsonl\n  test ! -s moved.jsonl || linkctl edit -f moved.jsonl\n',
      );
      await store(service, [{ custom_hash: 'away', long_url: pages.urlOf('301/a,b') }]);
      const moved = async () => (await linkctl(['check', '--allow-private', '-o', 'jsonl', '--only', 'moved'])).stdout;
      const file = join(folder, 'moved.jsonl');
      writeFileSync(file, await moved());
      expect(await linkctl(['edit', '-f', file])).toMatchObject({ code: 0, stdout: 'away\n' });
      expect((await stored(service))[0]?.long_url).toBe(pages.urlOf('ok-a,b'));
      expect(await moved()).toBe('');
    });

    test('K3, K5: without --allow-private nothing on this computer is asked; exit 8 where nothing could be', async ({
      linkctl,
      service,
      pages,
    }) => {
      await store(service, [{ custom_hash: 'one', long_url: pages.urlOf('200') }]);
      const ran = await linkctl(['check']);
      expect([ran.code, ran.stdout]).toEqual([
        8,
        expect.stringMatching(/^one\tskipped\t\t.*127\.0\.0\.1 is a loopback address\n$/),
      ]);
      expect(ran.stderr).toContain(
        'error: nothing could be requested: every link is skipped\nhint: to request addresses that are not public, add --allow-private\n',
      );
      expect(pages.requests).toEqual([]);
    });

    test('K5, F7: where the server did not list all links, those were not checked: exit 8, or a word beside exit 3', async ({
      linkctl,
      service,
      pages,
      wire,
    }) => {
      await store(service, [
        { custom_hash: 'unlisted', long_url: pages.urlOf('200/unlisted') },
        { custom_hash: 'gone', long_url: pages.urlOf('410') },
        { custom_hash: 'good', long_url: pages.urlOf('200') },
      ]);
      await wire.behave({ pageCap: 1 });
      const end = { urls: [], page: { results_count: 0, total_count: 3, offset: 2 }, error: { code: 0, message: '' } };
      await wire.script([{ only: { path: 'offset=2' }, apply: false, times: 'all', answer: { body: end } }]);
      const check = async (...flags: string[]) =>
        await linkctl(['check', '--allow-private', '--fields', 'hash,status', '-q', ...flags]);
      const warning = (listed: number) => `warning: the server lists ${listed} of 3 rows; the listing may be incomplete\n`;
      const why = 'links that the server did not list were not checked\n';
      expect(await check('--fail-on', 'wrong')).toEqual({
        code: 8,
        stdout: 'good\tok\ngone\tbroken\n',
        stderr: `${warning(2)}error: ${why}`,
      });
      expect(await check()).toMatchObject({ code: 3, stderr: `${warning(2)}error: 2 links checked: 1 broken\n${why}` });
      await wire.script([{ only: { path: '/urls' }, apply: false, times: 'all', answer: { body: end } }]);
      expect(await check()).toMatchObject({ code: 8, stdout: '', stderr: `${warning(0)}nothing to check\nerror: ${why}` });
    });

    test('B43: a named link that does not exist is no finding: exit 3 beside others, else 5', async ({
      linkctl,
      service,
      pages,
    }) => {
      await store(service, [{ custom_hash: 'one', long_url: pages.urlOf('200') }]);
      const both = await linkctl(['check', '--allow-private', 'none', 'one', '--fields', 'hash,status']);
      expect([both.code, both.stdout]).toEqual([3, 'one\tok\n']);
      expect(both.stderr).toContain('error: no short URL "none"');
      expect(both.stderr).toContain('2 links: 1 ok, 1 missing (1 destination, ');
      expect((await linkctl(['check', 'none'])).code).toBe(5);
      const json = JSON.parse((await linkctl(['check', '--allow-private', 'none', 'one', '-o', 'json'])).stdout);
      expect(json.checks).toMatchObject([
        { hash: 'none', error: { code: 1306 } },
        { hash: 'one', status: 'ok', http_status: 200 },
      ]);
      expect(json.summary).toMatchObject({ links: 2, destinations: 1, ok: 1, skipped: 0, missing: 1 });
    });

    test('F1: links come from a file, a pipe, a search or a filter', async ({ linkctl, service, pages, folder }) => {
      await store(service, [
        { custom_hash: 'one', long_url: pages.urlOf('200/one') },
        { custom_hash: 'hash', long_url: pages.urlOf('200/two') },
        { custom_hash: 'two', long_url: pages.urlOf('404') },
      ]);
      const file = join(folder, 'hashes.txt');
      writeFileSync(file, 'one\nhash\n');
      const check = async (flags: readonly string[], stdin?: string) => {
        const ran = await linkctl(['check', '--allow-private', '--fields', 'hash,status', ...flags], { stdin });
        return ran.stdout
          .trimEnd()
          .split(/[\t\n]/)
          .join(' ');
      };
      expect(await check(['--hashes-from', file])).toBe('one ok hash ok');
      expect(await check(['--hashes-from', '-'], 'two\nhash\n')).toBe('two broken hash ok');
      expect(await check(['--search', '/two'])).toBe('hash ok');
      expect(await check(['--filter', `url^=${pages.urlOf('404')}`])).toBe('two broken');
      expect(await check(['--hashes-from', file, '--filter', 'hash=one'])).toBe('one ok');
    });

    test('K4: --links asks the short URLs, and not where they lead', async ({
      linkctl,
      service,
      pages,
      wire,
      written,
      folder,
    }) => {
      await store(service, [{ custom_hash: 'one', long_url: pages.urlOf('200') }]);
      const one = `${service.origin.replace('127.0.0.1', 'localhost')}/one`;
      const record = (long_url: string) => ({
        hash: 'one',
        short_url: one.replace('http://', ''),
        short_url_with_protocol: one,
        long_url,
      });
      const answer = (long_url: string) => ({
        answer: {
          body: {
            error: { code: 0, message: '' },
            urls: [record(long_url)],
            page: { results_count: 1, total_count: 1, offset: 0 },
          },
        },
      });
      await wire.script([answer(pages.urlOf('200')), answer('https://elsewhere.example/')]);
      const check = () => linkctl(['check', '--links', '--allow-private', 'one', '--fields', 'hash,status,final_url']);
      expect(await check()).toMatchObject({ code: 0, stdout: 'one\tok\t\n' });
      expect(await check()).toMatchObject({ code: 3, stdout: `one\twrong\t${pages.urlOf('200')}\n` });
      // Only the fragment differs, so the URL to which it redirects must not get that of the destination.
      const [lacking, results] = [pages.urlOf('200'), join(folder, 'checked.csv')];
      await wire.script([answer(`${lacking}#part`)]);
      const ran = await linkctl([
        'check',
        '--links',
        '--allow-private',
        'one',
        '--results',
        results,
        '-o',
        'table',
        '--no-truncate',
      ]);
      expect(ran.stdout).toContain(`${lacking}#part  redirects to another URL: ${lacking}\n`);
      expect(written(results)).toContain(`,${lacking}#part,200,${lacking},`);
      await linkctl(['delete', 'one', '--yes']);
      await wire.script([answer(pages.urlOf('200'))]);
      expect(await check()).toMatchObject({ code: 3, stdout: 'one\tbroken\t\n' });
    });

    test('D36, B24: on a terminal a long check lists what is not well, in 80 columns', async ({ linkctl, service, pages }) => {
      const links = Array.from({ length: 25 }, (_, nth) => ({
        custom_hash: `h${nth}`,
        long_url: pages.urlOf(`200/${nth}`, nth + 1),
      }));
      await store(service, [...links, { custom_hash: 'gone', long_url: pages.urlOf(`404/${'x'.repeat(100)}`) }]);
      const ran = await linkctl(['check', '--allow-private'], terminal);
      const lines = ran.stdout.trimEnd().split('\n');
      expect(lines).toHaveLength(2);
      expect(lines[0]).toMatch(/^HASH {2}STATUS {2}HTTP {2}LONG URL +REASON$/);
      expect(lines[1]).toMatch(/^gone {2}broken {3}404 {2}http:\/\/127.* not found$/);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
      expect(ran.stderr).toContain('25 links are ok and not listed; to list them, use -o table\n');
      const all = await linkctl(['check', '--allow-private', '-o', 'table'], terminal);
      expect(all.stdout.trimEnd().split('\n')).toHaveLength(27);
    });

    test('R 1.4: an interrupted check is resumed by the same command, which asks what is not known', async ({
      env,
      service,
      pages,
      folder,
    }) => {
      const links = Array.from({ length: 40 }, (_, nth) => ({
        custom_hash: `h${nth}`,
        long_url: pages.urlOf(`200/${nth}`, nth + 1),
      }));
      await store(service, links);
      const results = join(folder, 'results.csv');
      const argv = ['check', '--allow-private', '--results', results];
      const system = createTestSystem({ env, haste: 1000 });
      let asked = 0;
      pages.hold = () => ++asked > 10;
      const ran = main(argv, system);
      await until(() => recorded(folder) === 10, '10 verdicts are recorded');
      // Later none of its requests can arrive.
      await until(() => pages.requests.length === 40, 'all destinations are asked');
      system.raise('SIGINT');
      expect(await ran).toBe(130);
      expect(system.deaths).toEqual(['SIGINT']);
      expect(system.printed().stderr).toContain('interrupted: waiting for the requests in progress');
      expect(system.printed().stderr).toMatch(/40 links: 10 ok, 30 not checked/);
      expect(await readFile(results, 'utf8')).toMatch(/^row,status,.*\n1,ok,|\n1,not_sent,/);
      pages.release();
      const before = pages.requests.length;
      const again = createTestSystem({ env });
      expect(await main(argv, again)).toBe(0);
      expect(again.printed().stderr).toMatch(
        /^resuming run \S+: 10 of 40 destinations are done\nchecking 40 links: 30 destinations/,
      );
      expect(pages.requests.slice(before)).toHaveLength(30);
      const lines = (await readFile(results, 'utf8')).trimEnd().split('\n');
      expect(lines.map((line) => line.split(',').slice(0, 3).join(' '))).toEqual([
        'row status hash',
        ...links.map((_, nth) => `${nth + 1} ok h${39 - nth}`),
      ]);
    });

    test('K5: the run is listed, and reports find what it found; a finished one is begun anew', async ({
      env,
      linkctl,
      service,
      pages,
    }) => {
      await store(service, [
        { custom_hash: 'gone', long_url: pages.urlOf('404') },
        { custom_hash: 'good', long_url: pages.urlOf('200') },
      ]);
      await linkctl(['check', '--allow-private', '--by-tags', 'none']);
      await linkctl(['check', '--allow-private']);
      await linkctl(['check', '--allow-private', '--filter', 'hash=gone']);
      const runs = await linkctl(['runs', '--fields', 'operation,rows,what,undo,state']);
      expect(runs.stdout.split('\n')).toEqual([
        'check\t1\tcheck --allow-private --filter hash=gone\tno\tfinished',
        'check\t2\tcheck --allow-private\tno\tfinished',
        '',
      ]);
      const undone = await undoLast(linkctl);
      expect([undone.code, undone.stderr]).toEqual([5, expect.stringContaining('no run "none"')]);
      const identity = { server: env.LINKCTL_BASE_URL ?? '', username };
      const kept = foldersOf({ system: createTestSystem({ env }) });
      const found: unknown[] = [];
      for await (const _ of checkRecords(kept, { ...identity, username: 'somebody' })) found.push('foreign');
      for await (const { what, complete, options, statusOf, verdictOf, close } of checkRecords(kept, identity)) {
        found.push({ what, complete, options, status: statusOf(0), ...(await verdictOf(0)) });
        await close();
        break;
      }
      expect(found).toMatchObject([
        {
          what: 'check --allow-private --filter hash=gone',
          complete: true,
          options: { filter: ['hash=gone'] },
          status: 'broken',
          httpStatus: 404,
        },
      ]);
      const asked = pages.requests.length;
      await linkctl(['check', '--allow-private']);
      expect(pages.requests.length).toBeGreaterThan(asked);
    });
  });
}

test('J3, K2: killed at any moment, the same command asks each destination at most once more', async ({
  env,
  service,
  pages,
  folder,
}) => {
  const links = Array.from({ length: 60 }, (_, nth) => ({
    custom_hash: `h${nth}`,
    long_url: pages.urlOf(`200/${nth}`, nth + 1),
  }));
  await store(service, links);
  let asked = 0;
  pages.hold = () => ++asked > 20;
  const killed = startProgram(['check', '--allow-private'], env);
  await until(() => asked >= 40 && recorded(folder) === 20, '20 verdicts are recorded, and 20 are to come');
  // A thread for each look-up of a name, where they can be counted.
  const threads = `/proc/${killed.process.pid}/task`;
  if (existsSync(threads)) expect(readdirSync(threads).length).toBeGreaterThan(36);
  killed.process.kill('SIGKILL');
  await killed.ended;
  pages.release();
  const resumed = await startProgram(['check', '--allow-private', '--fields', 'hash,status'], env).ended;
  expect(resumed.code).toBe(0);
  expect(resumed.stderr).toMatch(/^resuming run/);
  expect(resumed.stdout).toBe(links.map((_, nth) => `h${59 - nth}\tok\n`).join(''));
  const times = new Map<string, number>();
  for (const request of pages.requests) times.set(request, (times.get(request) ?? 0) + 1);
  expect(Math.max(...times.values())).toBeLessThanOrEqual(2);
  expect(times.size).toBe(60);
  const runs = await readdir(join(folder, '.local', 'state', 'linkctl', 'runs'));
  expect(runs).toHaveLength(1);
});

describe('two domains', () => {
  test.override({ domains: [{ name: 'a.example' }, { name: 'b.example' }] });

  test('F5, F6: on several domains rows lead with the short URL, and what is left out is said', async ({ linkctl, pages }) => {
    for (const domain of ['a.example', 'b.example']) {
      await linkctl(['shorten', pages.urlOf(`200/${domain}`), '--hash', 'promo', '--domain', domain]);
    }
    const one = await linkctl(['check', '--allow-private', '--fields', 'short_url,status']);
    expect(one.stdout).toBe('a.example/promo\tok\n');
    expect(one.stderr).toContain('Covers only a.example, not b.example. To include all domains, use --all-domains.');
    const all = await linkctl(['check', '--allow-private', '--all-domains']);
    expect(all.stdout.split('\n').map((line) => line.split('\t').slice(0, 2))).toEqual([
      ['a.example/promo', 'ok'],
      ['b.example/promo', 'ok'],
      [''],
    ]);
    expect(all.stderr).not.toContain('Covers');
    await linkctl(['check', '--domain', 'b.example', '--links']);
    expect((await linkctl(['runs', '--fields', 'what'])).stdout).toContain(
      'check --links --domain b.example\ncheck --allow-private --all-domains\ncheck --allow-private\n',
    );
  });
});

test.for([
  ['is too old to be resumed', 0, 25 * 3_600_000],
  ['is dated in the future, so its age is unknown', 30 * 86_400_000, 5 * 86_400_000],
] as const)(
  'K5: an interrupted check that %s is begun anew, because its verdicts are none of now',
  async ([why, began, again], { env, linkctl, service, pages, folder }) => {
    const links = [1, 2, 3].map((nth) => ({ custom_hash: `h${nth}`, long_url: pages.urlOf(`200/${nth}`, nth) }));
    await store(service, links);
    const argv = ['check', '--allow-private', '--fields', 'hash,status'];
    const system = createTestSystem({ env, haste: 1000, now: () => Date.now() + began });
    pages.hold = (request) => !request.endsWith('/1');
    const ran = main(argv, system);
    await until(() => recorded(folder) === 1, 'a verdict is recorded');
    system.raise('SIGINT');
    await ran;
    pages.release();
    const later = await linkctl(argv, { now: () => Date.now() + again });
    expect([later.code, later.stdout]).toEqual([0, 'h3\tok\nh2\tok\nh1\tok\n']);
    expect(later.stderr).toMatch(new RegExp(`^run \\S+ of \\S+ ${why}; starting again\nchecking 3 links: 3 destinations`));
    expect(pages.requests.filter((request) => request.endsWith('/1'))).toHaveLength(2);
    expect((await linkctl(['runs', '--fields', 'what'])).stdout).toBe('check --allow-private\n');
  },
);

test('K2: a check goes on at once when the clock is set back meanwhile', async ({ env, service, pages }) => {
  await store(
    service,
    Array.from({ length: 10 }, (_, nth) => ({ custom_hash: `h${nth}`, long_url: pages.urlOf(`200/${nth}`) })),
  );
  const now = (): number => Date.now() - (pages.requests.length > 3 ? 3_600_000 : 0);
  const system = createTestSystem({ env, now });
  const ran = main(['check', '--allow-private'], system);
  const ended = await Promise.race([ran, delay(10_000, 'still waiting')]);
  system.raise('SIGINT');
  await ran;
  expect(ended).toBe(0);
});

test('K2, K5: one server that wants to be left alone takes no other with it; what is not asked exits 8, and is asked later', async ({
  linkctl,
  service,
  pages,
}) => {
  const waiting = Array.from({ length: 8 }, (_, nth) => ({ custom_hash: `w${nth}`, long_url: pages.urlOf(`429/${nth}`) }));
  const good = Array.from({ length: 6 }, (_, nth) => ({ custom_hash: `g${nth}`, long_url: pages.otherUrlOf(`200/${nth}`) }));
  await store(service, [...waiting, ...good]);
  const host = new URL(pages.urlOf('')).host;
  const ran = await linkctl(['check', '--allow-private', '-q', '--fields', 'hash,status,reason']);
  const rows = ran.stdout.trimEnd().split('\n');
  expect(rows.filter((row) => /^g\d\tok/.test(row))).toHaveLength(6);
  const skipped = rows.filter((row) => row.includes('\tskipped\t'));
  expect(skipped.length).toBeGreaterThan(0);
  expect(ran.code).toBe(8);
  const links = `${skipped.length} ${skipped.length === 1 ? 'link was' : 'links were'}`;
  expect(ran.stderr).toMatch(
    new RegExp(
      `^error: ${links} not checked: Retry-After of ${host} is longer than --max-wait\nhint: to resume run \\S+, run the same command again later\n$`,
    ),
  );
  pages.retryAfter = 0;
  const before = pages.requests.length;
  const later = await linkctl(['check', '--allow-private', '--fields', 'hash,status']);
  expect([later.code, later.stderr]).toEqual([0, expect.stringContaining('resuming run')]);
  expect(pages.requests).toHaveLength(before + skipped.length);
  expect(later.stdout).not.toContain('skipped');
});

test('K5: what is broken counts more than what was not asked, and both are said', async ({ linkctl, service, pages }) => {
  const waiting = Array.from({ length: 8 }, (_, nth) => ({ custom_hash: `w${nth}`, long_url: pages.urlOf(`429/${nth}`) }));
  await store(service, [...waiting, { custom_hash: 'gone', long_url: pages.otherUrlOf('404') }]);
  const ran = await linkctl(['check', '--allow-private', '-q', '--only', 'broken', '--fields', 'hash']);
  expect([ran.code, ran.stdout]).toEqual([3, 'gone\n']);
  expect(ran.stderr).toMatch(
    /^error: \d links checked: 1 broken\n.*not checked: Retry-After of .* is longer than --max-wait\nhint: to resume run/,
  );
});

test('K2: what is not asked is not paced: short URLs of a name that is not public', async ({ linkctl, service, pages }) => {
  const links = Array.from({ length: 60 }, (_, nth) => ({ custom_hash: `h${nth}`, long_url: pages.urlOf(`200/${nth}`) }));
  await store(service, links);
  // Of a clock that only waits let run.
  let waited = 0;
  const sleep = async (milliseconds: number): Promise<void> => {
    waited += milliseconds;
  };
  const { code, stderr } = await linkctl(['check', '--links'], { now: () => waited, sleep });
  expect([code, stderr]).toEqual([8, expect.stringContaining('60 skipped')]);
  // At 50 ms each these would be three seconds.
  expect(Number(/destinations, (\S+) s\)/.exec(stderr)?.[1])).toBeLessThan(1.5);
});

describe('on the domain of a local service, whose port may change', () => {
  test.override({ domains: [{ name: 'localhost:8787' }] });

  test('R 1.4: an interrupted check is resumed by the same command', async ({ env, linkctl, service, pages, folder }) => {
    const links = [1, 2].map((nth) => ({ custom_hash: `lo${nth}`, long_url: pages.urlOf(`200/${nth}`, nth) }));
    await store(service, links);
    const argv = ['check', '--allow-private', '--domain', 'localhost:8787'];
    const system = createTestSystem({ env, haste: 1000 });
    pages.hold = (request) => request.endsWith('/2');
    const ran = main(argv, system);
    await until(() => recorded(folder) === 1, 'a verdict is recorded');
    system.raise('SIGINT');
    await ran;
    pages.release();
    const resumed = await linkctl(argv);
    expect([resumed.code, resumed.stderr]).toEqual([
      0,
      expect.stringMatching(/^resuming run \S+: 1 of 2 destinations are done\n/),
    ]);
  });
});

test('R 1.4: a resumed check has the links of now: what was changed meanwhile, what was added, and not what is gone', async ({
  env,
  linkctl,
  service,
  pages,
  folder,
}) => {
  const urls = [1, 2, 3, 4, 5].map((nth) => pages.urlOf(nth === 2 ? `301/${nth}` : `200/${nth}`, nth));
  await store(
    service,
    urls.map((long_url, nth) => ({ custom_hash: `st${nth + 1}`, long_url })),
  );
  const argv = ['check', '--allow-private', '-o', 'csv', '--only', 'moved,ok', '--fields', 'hash,status,long_url'];
  const system = createTestSystem({ env, haste: 1000 });
  pages.hold = (request) => request.endsWith('/5');
  const ran = main(argv, system);
  await until(() => recorded(folder) === 4, '4 verdicts are recorded');
  system.raise('SIGINT');
  await ran;
  pages.release();
  const [run] = await readdir(join(folder, '.local', 'state', 'linkctl', 'runs'));
  const colleague = pages.urlOf('200/colleague', 8);
  expect((await linkctl(['edit', 'st2', '--url', colleague])).code).toBe(0);
  expect((await linkctl(['edit', 'st4', '--url', `${urls[0]}#part`])).code).toBe(0);
  expect((await linkctl(['delete', 'st3', '--yes'])).code).toBe(0);
  await store(service, [{ custom_hash: 'added', long_url: pages.urlOf('200/added', 9) }]);
  const before = pages.requests.length;
  const resumed = await linkctl(argv);
  expect(resumed).toMatchObject({
    code: 0,
    stdout: `hash,status,long_url\nadded,ok,${pages.urlOf('200/added', 9)}\nst5,ok,${urls[4]}\nst4,ok,${urls[0]}#part\nst2,ok,${colleague}\nst1,ok,${urls[0]}\n`,
  });
  expect(resumed.stderr).toMatch(
    new RegExp(`^resuming run ${run}: 1 of 4 destinations are done\nchecking 5 links: 3 destinations on 3 hosts `),
  );
  expect(pages.requests.slice(before).toSorted()).toEqual([
    'HEAD 127.0.0.5/200/5',
    'HEAD 127.0.0.8/200/colleague',
    'HEAD 127.0.0.9/200/added',
  ]);
  expect((await linkctl(['runs', '--fields', 'run,rows,state'])).stdout).toContain(`${run}\t5\tfinished\n`);
});

/** Names that lead to the pages, until so many of destinations were looked up; then the name server gives no answer but `code`. */
function namesUntil(count: number, code: string): System['lookup'] {
  let left = count;
  return async (name) => {
    if (left <= 0) throw Object.assign(new Error(`getaddrinfo ${code} ${name}`), { code });
    if (name !== 'localhost') left -= 1;
    return [{ address: '127.0.0.1', family: 4 }];
  };
}

const named = (url: string, name: string): string => url.replace('127.0.0.1', name);

test.for(['EAI_AGAIN', 'ESERVFAIL', 'ENOTFOUND'])(
  'E31: a name server that fails with %s in mid-check breaks no link: exit 8, and the same command asks again',
  async (answer, { linkctl, service, pages, env }) => {
    const hosts = Array.from({ length: 6 }, (_, nth) => `h${nth}`);
    await store(
      service,
      hosts.map((host) => ({ custom_hash: host, long_url: named(pages.urlOf('200'), `${host}.test`) })),
    );
    const world = { haste: 1000, env: { LINKCTL_BASE_URL: named(env.LINKCTL_BASE_URL ?? '', 'localhost') } };
    const argv = ['check', '--allow-private', '--fields', 'hash,status,reason'];
    const ran = await linkctl(argv, { ...world, lookup: namesUntil(2, answer) });
    expect(ran.stdout).not.toMatch(/unreachable|broken/);
    expect(ran.stdout.match(/\tskipped\tthe name server of this computer does not answer/g)).toHaveLength(4);
    expect(ran.code).toBe(8);
    expect(ran.stderr).toMatch(
      /error: 4 links were not checked: the network of this computer, or its name server, does not answer\nhint: to resume run \S+, run the same command again later\n$/,
    );
    const later = await linkctl(argv, { ...world, lookup: namesUntil(99, answer) });
    expect(later.stdout).toBe(
      hosts
        .map((host) => `${host}\tok\t\n`)
        .toReversed()
        .join(''),
    );
    expect([later.code, later.stderr]).toEqual([0, expect.stringContaining('resuming run')]);
  },
);

test('E31: a name that does not exist is unreachable, and counts more than what was not asked', async ({
  linkctl,
  service,
  pages,
}) => {
  await store(service, [
    { custom_hash: 'typo', long_url: 'http://typo.invalid/' },
    { custom_hash: 'late', long_url: named(pages.urlOf('200'), 'late.test') },
  ]);
  const lookup: System['lookup'] = async (name) => {
    throw Object.assign(new Error(name), { code: name === 'typo.invalid' ? 'ENOTFOUND' : 'EAI_AGAIN' });
  };
  const ran = await linkctl(['check', '--allow-private', '--fields', 'hash,status', '-q'], { lookup, haste: 1000 });
  expect([ran.code, ran.stdout]).toEqual([3, 'late\tskipped\ntypo\tunreachable\n']);
  expect(ran.stderr).toMatch(/^error: 1 link checked: 1 unreachable\n.*1 link was not checked: the network.*\nhint: to resume/);
});

test('E32: --timeout is for each request to a destination, and LINKCTL_TIMEOUT, too', async ({ linkctl, service, pages }) => {
  await store(service, [{ custom_hash: 'slow', long_url: pages.urlOf('200') }]);
  pages.hold = () => true;
  const argv = ['check', '--allow-private', '--fields', 'status,reason'];
  const reason = `unreachable\tno response from ${new URL(pages.urlOf('')).host} within 0.05 s\n`;
  expect(await linkctl([...argv, '--timeout', '0.05'], { haste: 1000 })).toMatchObject({ code: 3, stdout: reason });
  expect((await linkctl(argv, { haste: 1000, env: { LINKCTL_TIMEOUT: '0.05' } })).stdout).toBe(reason);
  expect((await linkctl(['check', '--help'])).stdout.replace(/\s+/g, ' ')).toContain(
    '50 ms apart; 20 s per request (--timeout).',
  );
});

test.for([true, false])(
  'E32a: --links asks with the scheme of the domain, https: %s',
  async (useHttps, { linkctl, service, wire }) => {
    await store(service, [{ custom_hash: 'one', long_url: 'https://a.example/' }]);
    const record = { hash: 'one', short_url: 'x.test:1/one', long_url: 'https://a.example/' };
    const domain = { domain: 'x.test:1', status: 'default', use_https: useHttps };
    const answered = (members: object) => ({ answer: { body: { error: { code: 0, message: '' }, ...members } } });
    await wire.script([
      answered({ urls: [record], page: { results_count: 1, total_count: 1, offset: 0 } }),
      answered({ domains: [domain] }),
    ]);
    const lookup: System['lookup'] = async () => [{ address: '127.0.0.1', family: 4 }];
    const ran = await linkctl(['check', '--links', '--allow-private', 'one', '-v'], { lookup, haste: 1000 });
    expect(ran.stderr).toContain(`HEAD ${useHttps ? 'https' : 'http'}://x.test:1/one connection refused`);
  },
);

test('K4: --links skips a link with max_clicks that hides its destination from HEAD, uses no click, and exits 0', async ({
  linkctl,
  service,
  wire,
}) => {
  const once = { hash: 'once', long_url: 'https://a.example/', max_clicks: 1 };
  await store(service, [{ custom_hash: 'once', long_url: once.long_url, max_clicks: 1 }]);
  const address = `${service.origin.replace('127.0.0.1', 'localhost')}/once`;
  const record = { ...once, short_url: address.replace('http://', ''), short_url_with_protocol: address };
  const page = { results_count: 1, total_count: 1, offset: 0 };
  const answer = { answer: { body: { error: { code: 0, message: '' }, urls: [record], page } } };
  await wire.script([answer, answer]);
  const check = () => linkctl(['check', '--links', '--allow-private', 'once', '--fields', 'hash,status,http_status,reason']);
  const ran = await check();
  const reason = 'only a visit shows where a link with max_clicks leads, and would use up a click';
  expect([ran.code, ran.stdout]).toEqual([0, `once\tskipped\t200\t${reason}\n`]);
  expect(ran.stderr).toContain('1 link: 1 skipped');
  const visit = () => fetch(address, { redirect: 'manual' });
  expect([(await visit()).status, (await visit()).status]).toEqual([303, 410]);
  expect(await check()).toMatchObject({ code: 3, stdout: 'once\tbroken\t410\tgone\n' });
});

test('B19, B22: a check of no links has the columns and the members of others', async ({ linkctl, service, pages }) => {
  await store(service, [{ custom_hash: 'one', long_url: pages.urlOf('200') }]);
  const outputs = async (format: string): Promise<string[]> => {
    const commands = [
      ['check', 'one', '--allow-private'],
      ['check', '--by-tags', 'nosuch'],
    ];
    return await Promise.all(commands.map(async (words) => (await linkctl([...words, '-o', format])).stdout));
  };
  const [one, none] = await outputs('csv');
  expect(none).toBe(one?.slice(0, one.indexOf('\n') + 1));
  const [some, empty] = (await outputs('json')).map((text) => Object.keys(JSON.parse(text).summary));
  expect(empty).toEqual(some);
});

test('B60, B70: a dry run asks nothing, and needs no folder that it can write to', async ({
  linkctl,
  service,
  pages,
  folder,
}) => {
  await store(service, [{ custom_hash: 'one', long_url: pages.urlOf('200') }]);
  const state = join(folder, 'state');
  writeFileSync(state, '');
  const ran = await linkctl(['check', '--allow-private', '-n'], { env: { XDG_STATE_HOME: state } });
  expect(ran).toEqual({ code: 0, stdout: '', stderr: 'dry run: 1 link would be checked; nothing was requested\n' });
  expect(pages.requests).toEqual([]);
});

test('K2: -v is one line a request', async ({ linkctl, service, pages }) => {
  await store(service, [{ custom_hash: 'one', long_url: pages.urlOf('301/new') }]);
  const { stderr } = await linkctl(['check', '--allow-private', '-v']);
  expect(stderr).toMatch(new RegExp(`HEAD ${pages.urlOf('301/new')} 301 \\d+ ms\nHEAD ${pages.urlOf('ok-new')} 200 \\d+ ms\n`));
});
