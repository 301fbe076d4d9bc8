import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { faults, type Step } from '../support/faulty-steps.ts';
import { test as base, type Linkctl } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { createTestSystem } from '../support/test-system.ts';
import { until } from '../support/until.ts';
import { changes, newestFile } from './undo-world.ts';

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
