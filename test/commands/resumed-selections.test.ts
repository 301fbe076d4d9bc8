import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { startProgram } from '../support/built-program.ts';
import type { FaultyServer } from '../support/faulty-server.ts';
import { faults } from '../support/faulty-steps.ts';
import { arrived, runnerIn, sent, sure, test } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import type { World } from '../support/test-system.ts';

const watched = { terminal: { stdin: true, stdout: true, stderr: true }, columns: 100, env: { NO_COLOR: '1' } };
const inTwos = ['--batch-size', '2', '--concurrency', '1'];
const day = 24 * 60 * 60_000;

async function edited(wire: FaultyServer): Promise<string[]> {
  const bodies = (await sent(wire)).filter(({ call }) => call.startsWith('PATCH')).map(({ body }) => body);
  return bodies.flatMap((body) => (body as { urls: { hash: string }[] }).urls.map(({ hash }) => hash));
}

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test('F1, R 1.4: killed and run again, a change of 1,200 listed links makes each once, and none of those that match since', async ({
    linkctl,
    wire,
    service,
    env,
  }) => {
    await store(service, numbered(1200, { tags: ['t'] }));
    // The third batch is applied, and its answer never comes.
    await wire.script([
      { only: { method: 'PATCH' }, times: 2 },
      { only: { method: 'PATCH' }, ...faults.silentAfter },
    ]);
    const words = ['edit', '--by-tags', 't', '--note', 'n', '--batch-size', '200', '--concurrency', '1', ...sure];
    const { process: child, ended } = startProgram(words, env);
    await arrived(wire, 3, 'PATCH');
    child.kill('SIGKILL');
    await ended;
    await wire.script([]);
    await store(service, [{ custom_hash: 'late', long_url: 'https://example.com/', tags: ['t'] }]);
    const again = await linkctl(words);
    expect(again).toMatchObject({ code: 0, stderr: expect.stringMatching(/^resuming run .*: 400 of 1200 links are done$/m) });
    expect(again.stdout.trimEnd().split('\n')).toHaveLength(1200);
    const hashes = await edited(wire);
    expect([hashes.length, new Set(hashes).size, hashes.includes('late')]).toEqual([1200, 1200, false]);
    const links = await stored(service);
    expect(links.filter(({ note }) => note !== 'n').map(({ hash }) => hash)).toEqual(['late']);
    // The same command once more is another change.
    expect(await linkctl(words)).toMatchObject({ code: 0, stdout: 'late\n' });
  });

  test('B56, B57: what is left of a run is asked for, and bounded by --max-affected', async ({ linkctl, wire, service }) => {
    await store(service, numbered(7, { tags: ['t'] }));
    const words = ['delete', '--by-tags', 't', ...inTwos];
    await wire.script([{ only: { method: 'DELETE' } }, { only: { method: 'DELETE' }, ...faults.refuse(1303) }]);
    expect((await linkctl([...words, ...sure])).code).toBe(7);
    const question =
      /^Resume run \S+ and delete the remaining 5 links of account "ann" on\s\S+(\sdomain localhost)?\?\sType 5 to continue: /m;
    for (const stdin of ['y\n', '7\n']) {
      const asked = await linkctl(words, { ...watched, stdin });
      expect(asked).toMatchObject({ code: 1, stderr: expect.stringMatching(question) });
    }
    const bounded = await linkctl([...words, '--yes', '--max-affected', '4']);
    expect(bounded).toMatchObject({ code: 2, stderr: expect.stringContaining('5 links would be affected') });
    expect(await stored(service)).toHaveLength(5);
    expect((await linkctl(words, { ...watched, stdin: '5\n' })).code).toBe(0);
    expect(await stored(service)).toEqual([]);
  });

  test('D24: --expires +30d and filters that count from today mean what they meant when the run began', async ({
    linkctl,
    wire,
    service,
  }) => {
    const began = Date.parse('2031-01-01T12:00:00Z');
    await store(service, numbered(6, { expiration_date: '2031-01-03' }));
    const words = ['edit', '--all', '--filter', 'expiration_date<+7d', '--expires', '+30d', ...inTwos, ...sure];
    await wire.script([{ only: { method: 'PATCH' } }, { only: { method: 'PATCH' }, ...faults.refuse(1303) }]);
    expect((await linkctl(words, { now: () => began })).code).toBe(7);
    const again = await linkctl(words, { now: () => began + 20 * day });
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('resuming run') });
    expect(again.stderr).not.toContain('past');
    expect((await stored(service)).map(({ expiration_date }) => expiration_date)).toEqual(new Array(6).fill('2031-01-31'));
  });

  test('C18: resumed months later, a day that is over by now is named before anything is sent', async ({
    linkctl,
    wire,
    service,
  }) => {
    const began = Date.parse('2031-01-01T12:00:00Z');
    await store(service, numbered(6));
    const words = ['edit', '--all', '--expires', '+30d', ...inTwos, ...sure];
    await wire.script([{ only: { method: 'PATCH' } }, { only: { method: 'PATCH' }, ...faults.refuse(1303) }]);
    expect((await linkctl(words, { now: () => began })).code).toBe(7);
    expect(await linkctl(words, { now: () => began + 31 * day })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        'warning: --expires +30d: 2031-01-31 is in the past, because it counts from 2031-01-01, when the run began\n',
      ),
    });
  });

  test.for([
    ['', []],
    [', with --no-undo, too', ['--no-undo']],
  ] as const)(
    'W2: what was listed long before it is sent is read again, and left alone if it changed since%s',
    async ([, how], { linkctl, wire, service, env }) => {
      await store(service, numbered(4, { note: 'old', tags: ['t'] }));
      const foreign = runnerIn({ ...env, LINKCTL_BASE_URL: service.baseUrl });
      let late = 0;
      const elapsed = () => performance.now() + late;
      await wire.script([{ only: { method: 'GET', path: 'offset=4' }, held: true }]);
      const words = ['edit', '--by-tags', 't', '--filter', 'note=old', '--expires', '2031-01-31', ...how, ...sure];
      const running = linkctl(words, { elapsed });
      await wire.held();
      await foreign(['edit', 'h0', '--note', 'foreign']);
      await foreign(['edit', 'h1', '--url', 'https://foreign.example/']);
      await foreign(['delete', 'h2', '--yes']);
      late = 10 * 60_000;
      await wire.release();
      const ran = await running;
      expect(ran).toMatchObject({ code: 3, stdout: 'h3\n' });
      for (const message of ['changed since it was listed: note', 'changed since it was listed: long_url', 'no short URL "'])
        expect(ran.stderr).toContain(message);
      expect((await stored(service)).map(({ hash, expiration_date }) => [hash, expiration_date])).toEqual([
        ['h0', null],
        ['h1', null],
        ['h3', '2031-01-31'],
      ]);
    },
  );

  test('W2: what somebody else changes within ten seconds of the listing is not seen: a field that is set is set all the same', async ({
    linkctl,
    wire,
    service,
    env,
  }) => {
    await store(service, numbered(2, { note: 'old', tags: ['t'] }));
    const foreign = runnerIn({ ...env, LINKCTL_BASE_URL: service.baseUrl });
    await wire.script([{ only: { method: 'GET', path: 'offset=2' }, held: true }]);
    const running = linkctl(['edit', '--by-tags', 't', '--note', 'n', ...sure]);
    await wire.held();
    await foreign(['edit', 'h0', '--note', 'foreign', '--expires', '2031-01-31']);
    await wire.release();
    expect(await running).toMatchObject({ code: 0, stdout: 'h1\nh0\n' });
    const [link] = await stored(service);
    expect(link).toMatchObject({ hash: 'h0', note: 'n', expiration_date: '2031-01-31' });
  });

  test('R 1.4: a run of which nothing was sent is not resumed: its selection is listed anew', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(3, { tags: ['t'] }));
    const words = ['delete', '--by-tags', 't', ...inTwos, ...sure];
    await wire.script([{ only: { method: 'DELETE' }, ...faults.refuse(1303) }]);
    expect((await linkctl(words)).code).toBe(7);
    await store(service, [{ custom_hash: 'late', long_url: 'https://example.com/', tags: ['t'] }]);
    await wire.script([{ only: { method: 'DELETE' } }, { only: { method: 'DELETE' }, ...faults.refuse(1303) }]);
    expect(await linkctl(words)).toMatchObject({ code: 7, stdout: 'late\nh2\n' });
    expect(await linkctl(words)).toMatchObject({ code: 0, stdout: 'late\nh2\nh1\nh0\n' });
    expect(await stored(service)).toEqual([]);
  });

  test('F66: of two processes with the same command one makes the change, and the other changes nothing', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(6, { tags: ['t'] }));
    const words = ['edit', '--by-tags', 't', '--note', 'n', ...inTwos, ...sure];
    // The first process lists, and waits; the second lists, begins, and is stopped in the middle.
    await wire.script([
      { only: { method: 'GET', path: 'offset=6' }, held: true },
      { only: { method: 'PATCH' } },
      { only: { method: 'PATCH' }, ...faults.refuse(1303) },
    ]);
    const first = linkctl(words);
    await wire.held();
    expect((await linkctl(words)).code).toBe(7);
    await wire.release();
    expect(await first).toMatchObject({
      code: 9,
      stderr: expect.stringContaining('another process has started or finished the same change'),
    });
    expect(await linkctl(words)).toMatchObject({ code: 0, stderr: expect.stringContaining('2 of 6 links are done') });
    const hashes = await edited(wire);
    // The batch that was refused was sent again.
    expect([hashes.length, new Set(hashes).size]).toEqual([8, 6]);
  });
});

describe('edition a, whose default domain changes after an interruption', () => {
  test.override({ domains: [{ name: 'a.example' }, { name: 'b.example' }] });

  /** From now on b.example is the default: it is listed as such, and its links are those without a domain. */
  async function changeDefault(wire: FaultyServer, service: { readonly baseUrl: string }): Promise<void> {
    const domains = ['a.example', 'b.example'].map((domain, nth) => ({ domain, status: nth === 1 ? 'default' : 'active' }));
    const error = { code: 0, message: '' };
    const urls = await stored(service, 'b.example');
    const answered = (path: string, body: object) =>
      ({
        only: { method: 'GET', path },
        apply: false,
        answer: { body: { error, version: '3.1', ...body } },
        times: 'all',
      }) as const;
    const page = { total_count: urls.length, limit: 1000 };
    await wire.script([
      answered('/domains', { domains }),
      answered(`offset=${urls.length}`, { page: { ...page, offset: urls.length }, urls: [] }),
      answered('/urls?', { page: { ...page, offset: 0 }, urls: urls.toReversed() }),
    ]);
  }

  const onCommand = ['--domain', 'a.example'];
  const inEnvironment = { env: { LINKCTL_DOMAIN: 'a.example' } };

  test.for<[string, 'PATCH' | 'DELETE', string[], string[], World]>([
    ['rewrite', 'PATCH', ['rewrite', 'https://example.com', 'https://to.example'], onCommand, {}],
    ['edit --filter', 'PATCH', ['edit', '--all', '--filter', 'note=old', '--note', 'new'], onCommand, {}],
    ['delete --by-tags', 'DELETE', ['delete', '--by-tags', 't'], [], inEnvironment],
  ])(
    'J8: %s is refused, and resumed with its own domain',
    async ([, method, words, flags, world], { linkctl, wire, service }) => {
      await store(service, numbered(6, { note: 'old', tags: ['t'] }), 'a.example');
      await store(service, numbered(6, { note: 'old' }), 'b.example');
      const given = [...words, ...inTwos, ...sure];
      await wire.script([{ only: { method } }, { only: { method }, ...faults.refuse(1303) }]);
      expect((await linkctl(given)).code).toBe(7);
      await changeDefault(wire, service);
      const before = (await sent(wire)).length;
      const refused = await linkctl(given);
      expect(refused.code, refused.stderr).toBe(9);
      expect(refused.stderr).toMatch(
        /run \S+ of .* started on a\.example, which is no longer the default domain\n.*--domain a\.example/,
      );
      expect((await sent(wire)).slice(before).filter(({ call }) => call.startsWith(method))).toEqual([]);
      await wire.script([]);
      const resumed = await linkctl([...given, ...flags], world);
      expect(resumed).toMatchObject({ code: 0, stderr: expect.stringMatching(/^resuming run .*: 2 of 6 links are done$/m) });
    },
  );
});

test('R-16, U1: without room for the list nothing is sent', async ({ env, folder, wire, service }) => {
  await store(service, numbered(3, { tags: ['t'] }));
  const state = join(folder, 'state');
  mkdirSync(state);
  writeFileSync(join(state, 'linkctl'), '');
  const linkctl = runnerIn({ ...env, XDG_STATE_HOME: state });
  for (const words of [['--all'], ['--by-tags', 't', '--filter', 'tags=t']])
    expect((await linkctl(['delete', ...words, ...sure])).code).toBe(9);
  expect((await sent(wire)).filter(({ call }) => !call.startsWith('GET'))).toEqual([]);
});
