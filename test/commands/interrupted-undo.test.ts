import { describe, expect } from 'vitest';
import { startProgram } from '../support/built-program.ts';
import { faults } from '../support/faulty-steps.ts';
import { arrived, type Linkctl, sent, sure, test } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { until } from '../support/until.ts';
import { foreign, hideResult, newestFor } from './undo-world.ts';

const rewrite = ['rewrite', 'https://example.com', 'https://new.example', ...sure];
/** The newest run is named: where nobody watches `undo` needs that. */
async function undoWords(linkctl: Linkctl): Promise<string[]> {
  return ['undo', await newestFor('undo', linkctl), '--yes'];
}

type Service = Parameters<typeof stored>[0];

async function destinations(service: Service): Promise<string[]> {
  return (await stored(service)).map(({ hash, long_url }) => `${hash} ${long_url}`);
}

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test('U2: what an interrupted undo left alone is left alone, and called so, when it is resumed', async ({
    linkctl,
    wire,
    service,
    env,
  }) => {
    await store(service, numbered(4));
    expect((await linkctl(rewrite)).code).toBe(0);
    const undo = await undoWords(linkctl);
    expect((await linkctl(['edit', 'h3', '--url', 'https://foreign.example/'])).code).toBe(0);
    // Of the first batch, h3 is one link; its answer never comes.
    const changes = (await sent(wire)).filter(({ call }) => call.startsWith('PATCH')).length;
    await wire.script([{ only: { method: 'PATCH' }, ...faults.silentAfter }]);
    const inTwos = [...undo, '--batch-size', '2', '--concurrency', '1'];
    const { process: child, ended } = startProgram(inTwos, env);
    await arrived(wire, changes + 1, 'PATCH');
    child.kill('SIGKILL');
    await ended;
    await wire.script([]);
    const resumed = await linkctl(inTwos);
    expect(resumed).toMatchObject({ code: 3 });
    expect(resumed.stderr).toContain('changed since: long_url');
    expect(resumed.stderr).toContain('\nundoing the changes to 3 links in 2 batches ');
    expect(resumed.stderr).toContain('4 links: 3 changed, 1 failed');
    const back = [0, 1, 2].map((nth) => `h${nth} https://example.com/${nth}`);
    expect(await destinations(service)).toEqual([...back, 'h3 https://foreign.example/']);
  });

  test.for([
    ['rewrite', 'not sent'],
    ['rewrite', 'in doubt'],
    ['undo', 'not sent'],
    ['undo', 'in doubt'],
  ] as const)(
    'U2, W2: what somebody else changed before an interrupted %s is resumed is left alone, also where it was %s',
    async ([name, state], { linkctl, wire, service, env }) => {
      await store(service, numbered(4));
      if (name === 'undo') expect((await linkctl(rewrite)).code).toBe(0);
      const words = name === 'undo' ? await undoWords(linkctl) : rewrite;
      const before = await destinations(service);
      const changes = (await sent(wire)).filter(({ call }) => call.startsWith('PATCH')).length;
      // The second batch is not sent.
      await wire.script([{ only: { method: 'PATCH' }, ...faults.silentAfter }]);
      const inTwos = [...words, '--batch-size', '2', '--concurrency', '1'];
      const { process: child, ended } = startProgram(inTwos, env);
      await arrived(wire, changes + 1, 'PATCH');
      child.kill('SIGKILL');
      await ended;
      await wire.script([]);
      const wasSent = JSON.stringify((await sent(wire)).at(-1)).includes('"h0"');
      const foreign = wasSent === (state === 'in doubt') ? 'h0' : 'h3';
      expect((await linkctl(['edit', foreign, '--url', 'https://foreign.example/'])).code).toBe(0);
      const resumed = await linkctl(inTwos);
      expect(resumed).toMatchObject({ code: 3 });
      expect(resumed.stderr).toContain('changed since it was listed: long_url');
      const [from, to] = ['https://example.com', 'https://new.example'];
      const changed = (text: string): string => {
        if (text.startsWith(foreign)) return `${foreign} https://foreign.example/`;
        return name === 'undo' ? text.replace(to, from) : text.replace(from, to);
      };
      expect(await destinations(service)).toEqual(before.map(changed));
    },
  );

  test('U7: what somebody else made again before an interrupted undo of a deletion is resumed is theirs: redo leaves it', async ({
    linkctl,
    wire,
    service,
    env,
  }) => {
    const links = numbered(6);
    await store(service, links);
    expect((await linkctl(['delete', ...links.map(({ custom_hash }) => custom_hash), '--yes'])).code).toBe(0);
    const from = (await sent(wire)).filter(({ call }) => call.startsWith('POST')).length;
    await wire.script([{ only: { method: 'POST' }, ...faults.silentAfter }]);
    const inTwos = [...(await undoWords(linkctl)), '--batch-size', '2', '--concurrency', '1'];
    const { process: child, ended } = startProgram(inTwos, env);
    await arrived(wire, from + 1, 'POST');
    await until(async () => (await stored(service)).length === 2, 'the first links are made again');
    child.kill('SIGKILL');
    await ended;
    await wire.script([]);
    const made = new Set((await stored(service)).map(({ hash }) => hash));
    const [same, other, ...free] = links.filter(({ custom_hash }) => !made.has(custom_hash));
    if (!same || !other) throw new Error('the undo stopped too late');
    await store(service, [same, { ...other, long_url: 'https://foreign.example/' }]);
    const resumed = await linkctl([...inTwos, '-o', 'json']);
    expect(resumed).toMatchObject({ code: 3 });
    const statuses = JSON.parse(resumed.stdout).urls.map((row: { hash: string; status: string }) => [row.hash, row.status]);
    const ours = [...made, ...free.map(({ custom_hash }) => custom_hash)];
    const theirs = [
      [same.custom_hash, 'existing'],
      [other.custom_hash, 'failed'],
    ];
    expect(Object.fromEntries(statuses)).toEqual(Object.fromEntries([...ours.map((hash) => [hash, 'created']), ...theirs]));
    expect(resumed.stdout).toContain('created since it was listed');
    const redo = ['redo', await newestFor('redo', linkctl), '--yes'];
    expect((await linkctl(redo)).code).toBe(0);
    expect(await destinations(service)).toEqual(
      [`${same.custom_hash} ${same.long_url}`, `${other.custom_hash} https://foreign.example/`].sort(),
    );
  });

  test('W2: a link in doubt that somebody else changed otherwise gets no tag by a change that selected it before', async ({
    linkctl,
    wire,
    service,
    env,
  }) => {
    await store(
      service,
      numbered(2).map((link) => ({ ...link, tags: ['promo'] })),
    );
    await wire.script([{ only: { method: 'PATCH' }, ...faults.silentAfter }]);
    const words = ['edit', '--by-tags', 'promo', '--add-tag', 'seen', '--yes', '--max-affected', '9'];
    const { process: child, ended } = startProgram(words, env);
    await arrived(wire, 1, 'PATCH');
    child.kill('SIGKILL');
    await ended;
    await wire.script([]);
    await foreign(service, 'PATCH', '/urls/h0', { long_url: 'https://foreign.example/', tags: ['-promo', '-seen'] });
    expect(await linkctl(words)).toMatchObject({ code: 3, stderr: expect.stringContaining('changed since it was listed') });
    expect((await stored(service)).map(({ hash, tags }) => [hash, tags.toSorted()])).toEqual([
      ['h0', []],
      ['h1', ['promo', 'seen']],
    ]);
  });

  test('U6, B45, E16: an undo takes up the rows in doubt that it left, by the command in its hint, until nothing is left', async ({
    linkctl,
    wire,
    service,
    env,
  }) => {
    await store(service, numbered(3));
    const before = await destinations(service);
    const onPatch = { only: { method: 'PATCH' } };
    // One change is applied without an answer, and one when the run is already undone.
    await wire.script([
      onPatch,
      { ...onPatch, ...faults.silentAfter },
      { ...onPatch, apply: { late: 'release' }, end: 'silent' },
    ]);
    const { process: child, ended } = startProgram([...rewrite, '--batch-size', '1', '--concurrency', '3'], env);
    await arrived(wire, 3, 'PATCH');
    await until(async () => (await destinations(service)).filter((text) => text.includes('new')).length === 2, 'two are changed');
    child.kill('SIGKILL');
    await ended;
    await wire.script([]);
    const undo = await undoWords(linkctl);
    const hint = `hint: check the links, then repeat: linkctl ${undo.slice(0, 2).join(' ')}`;
    const left = { code: 10, stderr: expect.stringMatching(new RegExp(`outcome unknown for 1 row (.|\\n)*${hint}`)) };
    expect(await linkctl(undo)).toMatchObject(left);
    expect(await linkctl(undo)).toMatchObject(left);
    await wire.release();
    expect(await linkctl(undo)).toMatchObject({ code: 0, stderr: expect.stringContaining('1 link: 1 changed') });
    expect(await destinations(service)).toEqual(before);
    expect(await linkctl(undo)).toMatchObject({ code: 0, stderr: expect.stringContaining('is already undone') });
  });

  test.for(['killed', 'refused half-way', 'killed when all was done'] as const)(
    'U2, U6, E16: an undo that was %s names the rows in doubt that it left when it is resumed, and the same command looks again',
    async (end, { linkctl, wire, service, env }) => {
      await store(service, numbered(4));
      const before = await destinations(service);
      const onPatch = { only: { method: 'PATCH' } };
      // Of four links two are changed, one only when the run is already undone, and one not at all.
      await wire.script([onPatch, onPatch, { ...onPatch, apply: { late: 'release' }, end: 'silent' }]);
      const inOnes = ['--batch-size', '1', '--concurrency', '1'];
      const changing = startProgram([...rewrite, ...inOnes], env);
      await arrived(wire, 3, 'PATCH');
      changing.process.kill('SIGKILL');
      await changing.ended;
      const undo = await undoWords(linkctl);
      const left = { code: 10, stderr: expect.stringContaining(`outcome unknown for 1 row of run ${undo[1]}`) };
      if (end === 'killed') {
        await wire.script([{ ...onPatch, ...faults.silentAfter }]);
        const undoing = startProgram(undo, env);
        await arrived(wire, 4, 'PATCH');
        undoing.process.kill('SIGKILL');
        await undoing.ended;
      } else if (end === 'refused half-way') {
        await wire.script([onPatch, { ...onPatch, ...faults.tooMany('3600') }]);
        expect((await linkctl([...undo, ...inOnes, '--max-wait', '1'])).code).toBe(7);
      } else {
        await wire.script([]);
        expect(await linkctl(undo)).toMatchObject(left);
        await hideResult(linkctl);
      }
      await wire.script([]);
      const resumed = await linkctl(undo);
      expect(resumed).toMatchObject(left);
      expect(resumed.stderr).toContain(`hint: check the links, then repeat: linkctl undo ${undo[1]}`);
      expect(await linkctl(undo)).toMatchObject(left);
      await wire.release();
      expect(await linkctl(undo)).toMatchObject({ code: 0, stderr: expect.stringContaining('1 link: 1 changed') });
      expect(await destinations(service)).toEqual(before);
      expect(await linkctl(undo)).toMatchObject({ code: 0, stderr: expect.stringContaining('is already undone') });
    },
  );

  test.for(['begun again and stopped', 'forgotten'] as const)(
    'U2, U6: a change is not undone by an undo that was stopped before it changed anything, and then was %s',
    async (end, { linkctl, wire, service }) => {
      await store(service, numbered(4));
      const before = await destinations(service);
      expect((await linkctl(rewrite)).code).toBe(0);
      const undo = await undoWords(linkctl);
      const later = (minutes: number) => ({ now: () => Date.now() + minutes * 60_000 });
      await wire.script([{ only: { method: 'PATCH' }, ...faults.tooMany('3600') }]);
      expect((await linkctl([...undo, '--max-wait', '1'], later(1))).code).toBe(7);
      await wire.script([]);
      if (end === 'forgotten') expect((await linkctl(['runs', 'forget', 'last', '--yes'], later(2))).code).toBe(0);
      else {
        const refused = await linkctl([...undo, '--budget', '1'], later(2));
        expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--budget') });
      }
      expect(await destinations(service)).not.toEqual(before);
      expect(await linkctl(undo, later(3))).toMatchObject({ code: 0, stderr: expect.stringContaining('4 links: 4 changed') });
      expect(await destinations(service)).toEqual(before);
    },
  );
});
