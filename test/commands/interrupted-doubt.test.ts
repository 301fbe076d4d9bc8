import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { startProgram } from '../support/built-program.ts';
import { faults, type Step } from '../support/faulty-steps.ts';
import { test as base, type Linkctl } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { createTestSystem } from '../support/test-system.ts';
import { until } from '../support/until.ts';
import { changes, newestFile, runs } from './undo-world.ts';

const haste = { haste: 100 };
/** Milliseconds before a listing is read back, and after which a signal ends the calls in progress. */
const long = 10_000;

const test = base.extend<{ words: string[] }>({
  words: async ({ folder }, use) => {
    const file = join(folder, 'urls.txt');
    writeFileSync(file, [1, 2, 3, 4].map((nth) => `https://a.example/${nth}\n`).join(''));
    await use(['shorten', '-f', file, '--batch-size', '2']);
  },
});

async function lineTypes(linkctl: Linkctl, folder: string): Promise<string> {
  return readFileSync(await newestFile(linkctl, folder, 'journal.log'), 'utf8').replace(/^.*?"type":"(\w+)".*$/gm, '$1');
}

describe('R-18, B41: a signal while a checked run reads back ends it at once, as nothing is in flight', () => {
  const hint =
    'hint: the same command settles these rows and resumes; to check them: linkctl list --search https://a.example/ --all\n';

  test.override({ edition: 'b' });

  const post = { only: { method: 'POST' } };
  const list = { only: { method: 'GET', path: '/urls' } };
  test.for<[what: string, script: Step[], hasteBefore: number]>([
    ['during the wait before the first reading', [{ ...faults.dropBefore, ...post }], 1],
    ['while the answer is awaited that never comes', [{ held: true, end: 'reset', ...post }], 1],
    ['during the first reading', [{ ...faults.dropBefore, ...post }, list, { held: true, ...list }], 1000],
  ])(
    '%s: its rows stay open, and the same command settles them',
    async ([, script, hasteBefore], { env, linkctl, words, wire, folder, service }) => {
      await wire.script(script);
      let [isWaiting, speed] = [false, hasteBefore];
      const sleep = async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
        isWaiting = milliseconds === long;
        await delay(milliseconds / speed, undefined, { signal });
      };
      const system = createTestSystem({ env, sleep });
      const running = main(words, system);
      const isHeld = script.some(({ held }) => held);
      await (isHeld ? wire.held() : until(() => isWaiting, 'the run waits'));
      speed = 1;
      const requests = (await wire.requests()).length;
      const since = performance.now();
      system.raise('SIGTERM');
      if (isHeld) await wire.release();
      expect(await running).toBe(10);
      expect(performance.now() - since).toBeLessThan(2000);
      expect(await wire.requests()).toHaveLength(requests);
      const { stderr } = system.printed();
      expect(stderr).toMatch(
        /^4 rows: 2 unknown, 2 not sent .*\n.*\nto resume run .*\nerror: outcome unknown: the links may have been created: .*\nhint: /m,
      );
      expect(stderr).toContain(hint);
      expect(await lineTypes(linkctl, folder)).toMatch(/\nambiguous\n(signal\n)?end\n$/);
      await wire.script([]);
      expect(await linkctl(words, haste)).toMatchObject({ code: 0, stderr: expect.stringContaining('4 rows: 4 created') });
      expect(await stored(service)).toHaveLength(4);
    },
  );

  test('while the listing cannot be read: the same command settles the rows, and says so', async ({
    linkctl,
    words,
    wire,
    service,
  }) => {
    await wire.script([
      { ...faults.dropBefore, only: { method: 'POST' } },
      { only: { method: 'GET', path: '/urls' } },
      { ...faults.badGatewayBefore, only: { method: 'GET', path: '/urls' }, times: 'all' },
    ]);
    const ran = await linkctl([...words, '--retries', '0'], haste);
    expect(ran).toMatchObject({ code: 10, stderr: expect.stringContaining(hint) });
    expect(ran.stderr).toMatch(/\nerror: outcome of 2 rows unknown: the listing could not be read\n.*HTTP 502.*\nhint: /);
    await wire.script([]);
    expect((await linkctl(words, haste)).code).toBe(0);
    expect(await stored(service)).toHaveLength(4);
  });

  test.for([
    ['lost', faults.dropBefore],
    ['applied', faults.dropAfter],
  ] as const)(
    'by --max-time: commands that have less time than the wait takes settle the rows, where the request was %s',
    async ([, fault], { linkctl, words, wire, service }) => {
      await wire.script([{ ...fault, only: { method: 'POST' } }]);
      const codes: number[] = [];
      for (let hours = 0; hours < 4 && codes.at(-1) !== 0; hours += 1) {
        const elapsed = () => performance.now() + hours * 3_600_000;
        codes.push((await linkctl([...words, '--max-time', '6'], { haste: 4, elapsed })).code);
      }
      expect(codes[0]).toBe(10);
      expect(codes.at(-1), codes.join()).toBe(0);
      expect(await stored(service)).toHaveLength(4);
    },
  );

  test('R 1.6: a clock that is set forward between two commands does not shorten the wait', async ({
    linkctl,
    words,
    wire,
    service,
  }) => {
    await wire.script([{ ...faults.late('release'), only: { method: 'POST' } }]);
    expect((await linkctl([...words, '--max-time', '6'], { haste: 4 })).code).toBe(10);
    let waits = 0;
    const sleep = async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
      if (milliseconds > long / 2) {
        waits += 1;
        await wire.release();
      }
      await delay(milliseconds / 100, undefined, { signal });
    };
    const ran = await linkctl(words, { sleep, now: () => Date.now() + 3_600_000 });
    await wire.release();
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('4 rows: 4 created') });
    expect(waits).toBeGreaterThan(0);
    expect(await stored(service)).toHaveLength(4);
  });

  test('while it looks for late duplicates: that check is still due', async ({ env, linkctl, words, wire, service }) => {
    await wire.script([{ ...faults.dropBefore, only: { method: 'POST' } }]);
    let isWaiting = false;
    const sleep = async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
      const isLast = (await changes(wire)).length === 3;
      isWaiting ||= isLast && milliseconds === long;
      await delay(isLast ? milliseconds : milliseconds / 100, undefined, { signal });
    };
    const system = createTestSystem({ env, sleep });
    const running = main(words, system);
    await until(() => isWaiting, 'the run waits');
    const since = performance.now();
    system.raise('SIGTERM');
    expect(await running).toBe(143);
    expect(performance.now() - since).toBeLessThan(2000);
    expect(system.printed().stderr).toMatch(/^4 rows: 4 created .*\n.*\nto resume run /m);
    expect((await linkctl(words, haste)).code).toBe(0);
    expect((await linkctl(words)).code).toBe(2);
    expect(await stored(service)).toHaveLength(4);
  });
});

describe('B45, R-18: a run that is ended before an answer comes advises what is harmless', () => {
  test.for([
    ['shorten', 'POST', 'custom_hash,long_url\nk0,https://a.example/\nk1,https://b.example/\n', '-- k0', 4],
    ['edit', 'PATCH', 'hash,note\nh0,x\nh1,x\n', '-- h0 h1', 2],
  ] as const)(
    '%s -f: the same command settles the rows',
    async ([verb, method, text, names, links], { env, linkctl, wire, folder, service }) => {
      await store(service, numbered(2));
      const file = join(folder, 'rows.csv');
      writeFileSync(file, text);
      const words = [verb, '-f', file];
      await wire.script([{ only: { method }, held: true }]);
      const sleep = async (milliseconds: number, signal?: AbortSignal): Promise<void> =>
        void (await delay(milliseconds === long ? 0 : milliseconds, undefined, { signal }));
      const system = createTestSystem({ env, sleep });
      const running = main(words, system);
      await wire.held();
      system.raise('SIGTERM');
      expect(await running).toBe(10);
      const { stderr } = system.printed();
      expect(stderr).toMatch(/^to resume run \S+, run the same command again$/m);
      expect(stderr).toMatch(/\nerror: outcome .*: interrupted\n/);
      const check = new RegExp(
        `\nhint: the same command settles these rows and resumes; to check them: linkctl (list .*${names})\n$`,
      );
      expect(stderr).toMatch(check);
      await wire.release();
      await wire.script([]);
      expect((await linkctl((check.exec(stderr)?.[1] ?? '').split(' '))).code).toBe(0);
      expect((await linkctl(words)).code).toBe(0);
      expect(await stored(service)).toHaveLength(links);
    },
  );
});

describe.for(['a', 'b'] as const)('B41, exit 10 before the signal: a typed change that is in doubt, edition %s', (edition) => {
  test.override({ edition });

  test.for([
    [
      ['shorten', 'https://a.example/1'],
      'POST',
      'the link may have been created',
      / list --search https:..a.example.1\n$/,
      'SIGINT',
    ],
    [
      ['shorten', 'https://a.example/1', 'https://a.example/2'],
      'POST',
      'the links may have been created',
      / list --search https:..a.example. --all\n$/,
      'SIGTERM',
    ],
    [
      ['shorten', 'https://a.example/1', '--hash', 'mine'],
      'POST',
      'the link may have been created',
      / list --search https:..a.example.1\n$/,
      'SIGTERM',
    ],
    [['edit', 'h0', '--note', 'x'], 'PATCH', 'the links? may have been changed', / list .*h0/, 'SIGINT'],
    [['delete', 'h0', '--yes'], 'DELETE', 'the links? may have been deleted', / list .*h0/, 'SIGHUP'],
    [['tags', 'add', 'new'], 'POST', 'tag "new" may have been added', /: linkctl tags\n$/, 'SIGTERM'],
    [['stats', '--reset', 'h0', '--yes'], 'DELETE', 'the counters may have been reset', / stats .*h0/, 'SIGTERM'],
  ] as const)(
    '%j: the message says what may have been done, as without an answer',
    async ([words, method, deed, check, signal], { env, service, wire }) => {
      await store(service, numbered(1));
      await wire.script([{ only: { method }, held: true }]);
      const system = createTestSystem({ env });
      const running = main(words, system);
      await wire.held();
      const requests = (await wire.requests()).length;
      const since = performance.now();
      system.raise(signal);
      expect(await running).toBe(10);
      expect(performance.now() - since).toBeLessThan(2000);
      const { stdout, stderr } = system.printed();
      expect(stdout).toBe('');
      expect(stderr).toMatch(new RegExp(`^interrupted\n(.*\n)*error: outcome unknown: ${deed}: interrupted\nhint: `, 'm'));
      expect(stderr).toMatch(check);
      expect(await wire.requests()).toHaveLength(requests);
      await wire.release();
    },
  );
});

describe('B41, R-18: a signal ends a typed change at once where nothing is in doubt', () => {
  const shorten = ['shorten', 'https://a.example/1'];

  test.for([shorten, ['api', 'POST', '/tags', '--body', '{"label":"q"}']])(
    'U5: while the key is read, before anything is sent or recorded: %j',
    async (words, { env, folder, wire, linkctl }) => {
      const {
        LINKCTL_API_KEY: _,
        LINKCTL_EDITION: edition,
        LINKCTL_BASE_URL: base_url,
        LINKCTL_USERNAME: username,
        ...others
      } = env;
      const begun = join(folder, 'begun');
      const api_key_command = ['sh', '-c', `echo > ${begun}; exec sleep 60`];
      const config = { current_profile: 'work', profiles: { work: { base_url, username, edition, api_key_command } } };
      mkdirSync(join(folder, '.config', 'linkctl'), { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, '.config', 'linkctl', 'config.json'), JSON.stringify(config), { mode: 0o600 });
      const program = startProgram(words, others);
      await until(() => existsSync(begun), 'the key is read');
      program.process.kill('SIGTERM');
      expect(await program.ended).toMatchObject({ signal: 'SIGTERM', stdout: '', stderr: 'interrupted\n' });
      expect(await wire.requests()).toEqual([]);
      expect(await runs(linkctl)).toEqual([]);
    },
  );

  test('while the server asks it to wait', async ({ env, wire }) => {
    await wire.script([{ apply: false, answer: { status: 429, headers: { 'retry-after': '20' }, body: '' } }]);
    let isWaiting = false;
    const sleep = async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
      isWaiting = true;
      await delay(milliseconds, undefined, { signal });
    };
    const system = createTestSystem({ env, sleep });
    const running = main(shorten, system);
    await until(() => isWaiting, 'it waits');
    system.raise('SIGTERM');
    expect(await running).toBe(143);
    expect(system.deaths).toEqual(['SIGTERM']);
    expect(system.printed()).toEqual({ stdout: '', stderr: 'interrupted\n1 link not sent\n' });
  });

  test('a second signal does not wait for the report', async ({ env, wire }) => {
    await wire.script([{ only: { method: 'POST' }, held: true }]);
    const system = createTestSystem({ env });
    const running = main(shorten, system);
    await wire.held();
    system.raise('SIGINT');
    system.raise('SIGTERM');
    expect(system.deaths).toEqual(['SIGTERM']);
    await running;
    await wire.release();
  });
});
