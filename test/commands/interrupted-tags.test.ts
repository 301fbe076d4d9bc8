import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { faults, type Step } from '../support/faulty-steps.ts';
import { sent, sure, test } from '../support/linkctl.ts';
import { call, type Served, store, stored } from '../support/stored-links.ts';
import { createTestSystem } from '../support/test-system.ts';
import { until } from '../support/until.ts';
import { runs } from './undo-world.ts';

/** Milliseconds after which a signal ends the calls in progress. */
const grace = 10_000;
const tagCall = (method: string) => ({ only: { method, path: '/tags' } });
const remove = ['tags', 'delete', 'one', ...sure];
const merge = ['tags', 'merge', 'one', '--into', 'new', ...sure];
const link = { custom_hash: 'x', long_url: 'https://x.example/', tags: ['one'] };

/** Waits for the end of the calls in progress take no time; all others take as long as they say. */
const sleep = async (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  void (await delay(milliseconds === grace ? 0 : milliseconds, undefined, { signal }));

async function hasTag(service: Served, label: string): Promise<boolean> {
  const { tags } = await call<{ tags: { label: string }[] }>(service, { path: '/tags' });
  return tags.some((tag) => tag.label === label);
}

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test.for([
    ['tags delete', remove, 'DELETE', 'deleted'],
    ['tags merge', merge, 'DELETE', 'deleted'],
    ['tags merge into a new tag', merge, 'POST', 'added'],
    ['undo of tags delete', [], 'POST', 'added'],
  ] as const)(
    'R-18, B41: %s: a signal while the tag is changed ends it after 10 s: exit 10, and what may have been done',
    async ([, typed, method, deed], { env, linkctl, service, wire }) => {
      await store(service, [link]);
      if (typed.length === 0) expect((await linkctl(remove)).code).toBe(0);
      const [{ run = '' } = {}] = await runs(linkctl);
      const words = typed.length === 0 ? ['undo', run, '--yes'] : typed;
      await wire.script([{ ...tagCall(method), held: true }]);
      const system = createTestSystem({ env, sleep });
      const running = main(words, system);
      await wire.held();
      const requests = (await wire.requests()).length;
      const since = performance.now();
      system.raise('SIGTERM');
      expect(await running).toBe(10);
      expect(performance.now() - since).toBeLessThan(2000);
      expect(await wire.requests()).toHaveLength(requests);
      const { stderr } = system.printed();
      expect(stderr).toMatch(
        new RegExp(`error: outcome unknown: tag "(one|new)" may have been ${deed}: interrupted\nhint: .*linkctl tags\n`),
      );
      expect(await runs(linkctl)).toMatchObject([{ state: 'unfinished' }, ...(typed.length === 0 ? [{}] : [])]);
      await wire.release();
      await wire.script([]);
      if (method === 'DELETE') await until(async () => !(await hasTag(service, 'one')), 'the tag is deleted');
      expect((await linkctl([...words, '-n'])).code).toBe(0);
      expect((await linkctl(words)).code).toBe(0);
      expect(await stored(service)).toMatchObject([{ tags: typed === merge ? ['new'] : typed === remove ? [] : ['one'] }]);
    },
  );

  const reading = { only: { method: 'GET', path: '/urls' } };
  test.for<[what: string, script: Step[]]>([
    ['the server asks to wait', [{ ...tagCall('DELETE'), ...faults.tooMany('20') }]],
    [
      'the links of the tag are counted',
      [
        { ...reading, times: 2 },
        { ...reading, held: true },
      ],
    ],
  ])(
    'R-18: a signal while %s, ends tags delete at once, and the tag is kept',
    async ([, script], { env, linkctl, service, wire }) => {
      await store(service, [link]);
      await wire.script(script);
      let isWaiting = false;
      const waiting = async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
        isWaiting ||= milliseconds >= 20_000;
        await delay(milliseconds, undefined, { signal });
      };
      const system = createTestSystem({ env, sleep: waiting });
      const running = main(remove, system);
      const isHeld = script.some(({ held }) => held);
      await (isHeld ? wire.held() : until(() => isWaiting, 'it waits'));
      const since = performance.now();
      system.raise('SIGTERM');
      expect(await running).toBe(143);
      expect(performance.now() - since).toBeLessThan(2000);
      await wire.release();
      await wire.script([]);
      const deletions = (await sent(wire)).filter(({ call }) => call.startsWith('DELETE'));
      expect(deletions).toHaveLength(isHeld ? 0 : 1);
      expect(await runs(linkctl)).toMatchObject([{ state: 'unfinished' }]);
      expect(await linkctl(remove)).toMatchObject({ code: 0, stdout: 'one\n' });
      expect((await linkctl(['tags'])).stdout).toBe('');
    },
  );

  test.for([
    ['was answered', 143],
    ['was not', 10],
  ] as const)(
    'R-18, B41: a signal while the first of two tags is deleted, which %s, names the tag that was kept',
    async ([what, code], { env, linkctl, service, wire }) => {
      await store(service, [{ ...link, tags: ['even', 'odd'] }]);
      const words = ['tags', 'delete', 'even', 'odd', ...sure];
      await wire.script([{ ...tagCall('DELETE'), held: true }]);
      const isAnswered = what === 'was answered';
      const system = createTestSystem({ env, ...(!isAnswered && { sleep }) });
      const running = main(words, system);
      await wire.held();
      system.raise('SIGTERM');
      if (isAnswered) await wire.release();
      expect(await running).toBe(code);
      expect(system.printed().stderr).toContain('\nnot deleted: tag "odd"\n');
      await wire.release();
      await wire.script([]);
      expect(await linkctl(words)).toMatchObject({ code: 0 });
      expect((await linkctl(['tags'])).stdout).toBe('');
    },
  );

  test('B41, B45: a lost deletion of the second of three unused tags names it, and the tag that was kept', async ({
    linkctl,
    wire,
  }) => {
    await linkctl(['tags', 'add', 'one', 'two', 'three']);
    const deletion = tagCall('DELETE');
    await wire.script([deletion, { ...deletion, ...faults.dropBefore, times: 'all' }]);
    const words = ['tags', 'delete', 'one', 'two', 'three', ...sure];
    const { code, stdout, stderr } = await linkctl([...words, '--retries', '0'], { haste: 100 });
    expect({ code, stdout }).toEqual({ code: 10, stdout: 'one\n' });
    expect(stderr).toContain('error: outcome unknown: tag "two" may have been deleted: ');
    expect(stderr).toContain('not deleted: tag "three"\n');
  });
});
