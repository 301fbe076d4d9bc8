import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { type Ran, sure, test } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { foreign, killed, newestFor, repeated, runs, singly, stopped, values, type Worked } from './undo-world.ts';

const count = 4;

interface Kind {
  readonly name: string;
  readonly method: string;
  /** Makes the links that the run changes. */
  readonly isOfExisting: boolean;
  /** The request that undoes it. */
  readonly back: string;
  readonly words: readonly string[];
  readonly lines: readonly string[];
  /** What somebody does to `h1` by hand: the same as the run, or the same as its undo. */
  byHand(service: Service, what: 'run' | 'undo'): Promise<void>;
}

type Service = Parameters<typeof values>[0];

const each = (line: (nth: number) => string): string[] => Array.from({ length: count }, (_, nth) => line(nth));
const kinds: readonly Kind[] = [
  {
    name: 'an edit',
    method: 'PATCH',
    isOfExisting: true,
    back: 'PATCH',
    words: ['edit', '-f'],
    lines: ['hash,note', ...each((nth) => `h${nth},after`)],
    byHand: (service, what) => foreign(service, 'PATCH', '/urls/h1', { note: what === 'run' ? 'after' : 'before' }),
  },
  {
    name: 'a deletion',
    method: 'DELETE',
    isOfExisting: true,
    back: 'POST',
    words: ['delete', '--hashes-from'],
    lines: each((nth) => `h${nth}`),
    byHand: (service, what) =>
      what === 'run' ? foreign(service, 'DELETE', '/urls/h1') : store(service, numbered(2, { note: 'before' }).slice(1)),
  },
  {
    name: 'a shortening',
    method: 'POST',
    isOfExisting: false,
    back: 'DELETE',
    words: ['shorten', '-f'],
    lines: ['custom_hash,long_url', ...each((nth) => `h${nth},https://example.com/${nth}`)],
    byHand: (service, what) =>
      what === 'run'
        ? store(service, [{ custom_hash: 'h1', long_url: 'https://example.com/1' }])
        : foreign(service, 'DELETE', '/urls/h1'),
  },
];

const swap: Omit<Kind, 'byHand'> = {
  name: 'a swap',
  method: 'PATCH',
  isOfExisting: true,
  back: 'PATCH',
  words: ['edit', '-f'],
  lines: ['hash,custom_hash', 'h0,t', 'h1,h0', 't,h1', 'h2,r2'],
};

const tagDeletion: Omit<Kind, 'byHand'> = {
  name: 'a deletion of a tag',
  method: 'PATCH',
  isOfExisting: true,
  back: 'PATCH',
  words: ['tags', 'delete', 'y', ...sure],
  lines: [],
};

function saysMore(ran: Ran, command: string, run: string): void {
  expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining(`linkctl ${command} ${run}`) });
  expect(ran.stderr).toContain(`there is more of run ${run} to ${command}`);
}

/** Undo and redo of a run, of which one reached only some of the links. */
describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  function wordsOf({ words, lines }: Pick<Kind, 'words' | 'lines'>, folder: string): string[] {
    if (lines.length === 0) return [...words];
    const file = join(folder, 'rows.csv');
    writeFileSync(file, `${lines.join('\n')}\n`);
    return [...words, file, ...singly];
  }

  /** Makes the run. Returns its name, and the values of all links before and after it. */
  async function ran(kind: Omit<Kind, 'byHand'>, { linkctl, service, folder }: Worked & { readonly folder: string }) {
    const tags = kind.words[0] === 'tags' ? ['y'] : [];
    if (kind.isOfExisting) await store(service, numbered(count, { note: 'before', tags }));
    const before = await values(service);
    expect((await linkctl(wordsOf(kind, folder))).code).toBe(0);
    return { run: await newestFor('undo', linkctl), before, after: await values(service) };
  }

  test.for(kinds)(
    'U2, U3: $name whose undo stopped: after a redo, undo says that there is more, and then undoes it',
    async (kind, { linkctl, service, wire, folder }) => {
      const { run, before, after } = await ran(kind, { linkctl, service, folder });
      await stopped(['undo', run, ...singly], kind.back, { linkctl, wire });
      expect((await linkctl(['redo', run, '--yes'])).code).toBe(0);
      expect(await values(service)).toEqual(after);
      saysMore(await linkctl(['undo', run, '--yes']), 'undo', run);
      expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
      expect(await values(service)).toEqual(before);
      saysMore(await linkctl(['redo', run, '--yes']), 'redo', run);
      expect((await linkctl(['redo', run, '--yes'])).code).toBe(0);
      expect(await values(service)).toEqual(after);
    },
  );

  test.for(kinds)(
    'U2, U3: $name that was resumed after an undo and a redo: undo says that there is more, and then undoes it',
    async (kind, { linkctl, service, wire, folder }) => {
      if (kind.isOfExisting) await store(service, numbered(count, { note: 'before' }));
      const before = await values(service);
      const words = wordsOf(kind, folder);
      await stopped(words, kind.method, { linkctl, wire });
      const run = await newestFor('undo', linkctl);
      expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
      expect(await values(service)).toEqual(before);
      expect((await linkctl(['redo', run, '--yes'])).code).toBe(0);
      expect((await linkctl(words)).stderr).toContain('resuming');
      saysMore(await linkctl(['undo', run, '--yes']), 'undo', run);
      expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
      expect(await values(service)).toEqual(before);
    },
  );

  test('U2, U3: a link that undo or redo left because of somebody else is named again later', async ({
    linkctl,
    service,
    folder,
  }) => {
    const [kind] = kinds as [Kind];
    const { run } = await ran(kind, { linkctl, service, folder });
    await foreign(service, 'PATCH', '/urls/h1', { note: 'theirs' });
    const isLeft = { code: 3, stderr: expect.stringMatching(/changed since: note.*h1/) };
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(3);
    expect((await linkctl(['redo', run, '--yes'])).code).toBe(0);
    saysMore(await linkctl(['undo', run, '--yes']), 'undo', run);
    expect(await linkctl(['undo', run, '--yes'])).toMatchObject(isLeft);
    expect(await values(service)).toMatchObject({ h0: { note: 'before' }, h1: { note: 'theirs' } });
  });

  /** R: the run, U: undo, D: redo; with a number: stopped after so many links. */
  const stories = ['R U1 U1 D1 U2', 'R2 R U1 U2 D', 'R3 U1 U0 D R', 'R2 U D R U0', 'R U2 D U', 'R U D2 U', 'R2 D U1 D U2'];
  const ofEdition = stories.filter((_, nth) => (nth % 2 === 0) === (edition === 'a'));
  // Where CI is set, every kind has every story. Elsewhere a swap has all, which is the hardest, and each other kind some of them.
  const kindsOf = (nth: number) => [...(process.env.CI ? kinds : [kinds[nth % kinds.length] as Kind]), swap];
  // Such a run changes all links at once.
  const ofTag = stories.filter((story) => story.startsWith('R '));
  test.for([
    ...ofEdition.flatMap((story) => kindsOf(stories.indexOf(story)).map((kind) => ({ ...kind, story }))),
    ...ofTag.map((story) => ({ ...tagDeletion, story })),
  ])(
    'U2, U3: $name, $story: repeated, undo and redo reach every link, and then say that it is done',
    async ({ story, ...kind }, { linkctl, service, wire, folder }) => {
      if (kind.isOfExisting) await store(service, numbered(count, { note: 'before', tags: ['y'] }));
      const before = await values(service);
      const run = wordsOf(kind, folder);
      let name = '';
      let whole: object | undefined;
      for (const step of story.split(' ')) {
        const words = { R: run, U: ['undo', name, ...singly], D: ['redo', name, ...singly] }[step[0] ?? ''] ?? [];
        const method = step.startsWith('U') ? kind.back : kind.method;
        await stopped(words, method, { linkctl, wire }, Number(step[1] ?? 99));
        if (name === '' && step === 'R') whole = await values(service);
        name ||= await newestFor('undo', linkctl);
      }
      const [undo, redo] = [
        ['undo', name, '--yes'],
        ['redo', name, '--yes'],
      ];
      await repeated(undo, { linkctl, service }, before);
      await repeated(redo, { linkctl, service }, whole);
      const after = await values(service);
      await repeated(undo, { linkctl, service }, before);
      // Where the run was never whole, what it would have made is known by now.
      if (!whole) await repeated(redo, { linkctl, service }, after);
    },
  );

  test('U2: what somebody did to a link that an undo had restored stays, also when the rest is undone', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    const kind = kinds[2] as Kind;
    expect((await linkctl(wordsOf(kind, folder))).code).toBe(0);
    const run = await newestFor('undo', linkctl);
    const undo = ['undo', run, '--yes'];
    await stopped(['undo', run, ...singly], kind.back, { linkctl, wire }, 2);
    await foreign(service, 'POST', '/urls', { custom_hash: 'h3', long_url: 'https://example.com/3' });
    await repeated(undo, { linkctl, service });
    expect(await linkctl(undo)).toMatchObject({ code: 0, stderr: expect.stringContaining('already undone') });
    expect(Object.keys(await values(service))).toEqual(['h3']);
  });

  test.for(kinds)(
    'U2, U6: $name undone in parts, a link of which somebody had restored by hand: what becomes of this link later stays',
    async (kind, { linkctl, service, wire, folder }) => {
      const { run, before, after } = await ran(kind, { linkctl, service, folder });
      const undo = ['undo', run, '--yes'];
      await stopped(['undo', run, ...singly], kind.back, { linkctl, wire }, 2);
      expect((await linkctl(['redo', run, '--yes'])).code).toBe(0);
      await kind.byHand(service, 'undo');
      await repeated(undo, { linkctl, service }, before);
      await kind.byHand(service, 'run');
      for (const flags of [[], ['--force']]) {
        expect(await linkctl([...undo, ...flags])).toMatchObject({ code: 0, stderr: expect.stringContaining('already undone') });
      }
      expect((await values(service)).h1).toEqual(after.h1);
    },
  );

  test.for(kinds)(
    'U2, U6: $name, of which undo left a link out: what becomes of a link that it found restored stays',
    async (kind, { linkctl, service, folder }) => {
      const { run, after } = await ran(kind, { linkctl, service, folder });
      await kind.byHand(service, 'undo');
      if (kind.back === 'POST') await foreign(service, 'POST', '/urls', { custom_hash: 'h2', long_url: 'https://else.example' });
      else await foreign(service, 'PATCH', '/urls/h2', { note: 'theirs' });
      expect((await linkctl(['undo', run, '--yes'])).code).toBe(3);
      await kind.byHand(service, 'run');
      expect((await linkctl(['undo', run, '--yes'])).code).toBe(3);
      expect((await values(service)).h1).toEqual(after.h1);
    },
  );

  test.for(kinds)(
    'U2, U6: $name that undo found taken back by hand is undone: what becomes of its links later stays',
    async ({ lines, ...kind }, { linkctl, service, folder }) => {
      const ofOne = lines.filter((line) => line.startsWith('h1') || line.includes('hash'));
      const { run, after } = await ran({ ...kind, lines: ofOne }, { linkctl, service, folder });
      const undo = ['undo', run, '--yes'];
      await kind.byHand(service, 'undo');
      expect((await linkctl([...undo, '-n'])).stderr).toContain('1 unchanged');
      expect(await linkctl(undo)).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing to change') });
      await kind.byHand(service, 'run');
      expect(await linkctl(undo)).toMatchObject({ code: 0, stderr: expect.stringContaining('already undone') });
      expect((await values(service)).h1).toEqual(after.h1);
    },
  );

  test.for(kinds)(
    'U2, U3: $name, of which one link is already as redo would make it, is redone and undone as a whole',
    async (kind, { linkctl, service, folder }) => {
      const { run, before, after } = await ran(kind, { linkctl, service, folder });
      const redo = ['redo', run, '--yes'];
      expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
      await kind.byHand(service, 'run');
      expect((await linkctl(redo)).code).toBe(0);
      expect(await values(service)).toEqual(after);
      expect(await linkctl(redo)).toMatchObject({ code: 0, stderr: expect.stringContaining('is not undone') });
      await repeated(['undo', run, '--yes'], { linkctl, service }, before);
    },
  );

  test.for(kinds)(
    'U2: $name: a redo whose answers were lost is resumed by the same command',
    async (kind, { linkctl, service, wire, folder }) => {
      const { run, before, after } = await ran(kind, { linkctl, service, folder });
      expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
      await wire.script([{ only: { method: kind.method }, ...faults.dropBefore, times: 'all' }]);
      expect((await linkctl(['redo', run, '--yes', '--retries', '0'])).code).toBe(10);
      await wire.script([]);
      expect(await values(service)).toEqual(before);
      expect(await linkctl(['redo', run, '--yes'])).toMatchObject({ code: 0, stderr: expect.stringContaining('resuming') });
      expect(await values(service)).toEqual(after);
      expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
      expect(await values(service)).toEqual(before);
    },
  );

  test.for(kinds)(
    'U2: $name: what an undo did that was killed before its answer came is redone',
    async (kind, { linkctl, service, wire, env, folder }) => {
      const { run, before, after } = await ran(kind, { linkctl, service, folder });
      await killed(['undo', run, '--yes'], { only: { method: kind.back }, ...faults.silentAfter }, { wire, env });
      expect(await values(service)).toEqual(before);
      expect((await linkctl(['redo', run, '--yes'])).code).toBe(0);
      expect(await values(service)).toEqual(after);
      expect((await linkctl(['redo', run, '--yes'])).stderr).toContain('is not undone');
      expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
      expect(await values(service)).toEqual(before);
    },
  );

  test.for(kinds)(
    'U2, E16: $name: redo says what may still be undone by an undo that was killed',
    async (kind, { linkctl, service, wire, env, folder }) => {
      const { run, before, after } = await ran(kind, { linkctl, service, folder });
      const late = { only: { method: kind.back }, apply: { late: 'release' }, end: 'silent' } as const;
      await killed(['undo', run, '--yes'], late, { wire, env });
      const left = { code: 10, stderr: expect.stringContaining(`outcome unknown for ${count} rows of run`) };
      expect(await linkctl(['redo', run, '--yes'])).toMatchObject(left);
      expect(await values(service)).toEqual(after);
      await wire.release();
      expect(await values(service)).toEqual(before);
      // Links that were not found at first may be those of somebody else.
      const isProven = kind.back !== 'POST';
      expect((await linkctl(['redo', run, '--yes'])).code).toBe(isProven ? 0 : 3);
      if (!isProven) expect((await linkctl(['redo', run, '--yes', '--force'])).code).toBe(0);
      expect(await values(service)).toEqual(after);
    },
  );

  test.for([
    ...[...kinds, tagDeletion].flatMap((kind) => [1, 2].map((nth) => ['undo', nth, kind.name, kind] as const)),
    ['redo', 1, 'an edit', kinds[0] as Kind],
  ] as const)(
    'U2, U6, E16: where %s was killed in call %i for %s, the commands in the hint settle what may still be applied',
    async ([command, nth, , kind], { linkctl, service, wire, env, folder }) => {
      const { run, before, after } = await ran(kind, { linkctl, service, folder });
      const revert = command === 'undo' ? 'redo' : 'undo';
      if (command === 'redo') expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
      const method = command === 'undo' ? kind.back : kind.method;
      const earlier = Array.from({ length: nth - 1 }, () => ({ only: { method } }));
      await killed([command, run, ...singly], { only: { method }, ...faults.silentBefore }, { wire, env }, earlier);
      await linkctl([revert, run, '--yes']);
      const left = await linkctl([revert, run, '--yes']);
      expect(left).toMatchObject({ code: 10, stderr: expect.stringContaining('may still be applied') });
      const [, settle = '', again = ''] =
        /^hint: linkctl (.+), then: linkctl (.+); to give them up: linkctl \2 --force$/m.exec(left.stderr) ?? [];
      if (command === 'undo') expect([settle, again]).toEqual([`undo ${run}`, `redo ${run}`]);
      await repeated([...settle.split(' '), '--yes'], { linkctl, service }, command === 'undo' ? before : after);
      await repeated([...again.split(' '), '--yes'], { linkctl, service }, command === 'undo' ? after : before);
    },
  );

  test.for([
    ['delete', ['y']],
    ['merge', ['y', '--into', 'neu']],
  ] as const)(
    'U2: a redo of tags %s that keeps the tag for links which are still to be redone says that there is more, not who has it',
    async ([verb, labels], { linkctl, service, wire, env, folder }) => {
      const kind = { ...tagDeletion, words: ['tags', verb, ...labels, ...sure] };
      const { run, after } = await ran(kind, { linkctl, service, folder });
      expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
      const onPatch = { only: { method: 'PATCH' } };
      await killed(['redo', run, ...singly], { ...onPatch, ...faults.silentAfter }, { wire, env }, [onPatch]);
      await repeated(['undo', run, '--yes'], { linkctl, service });
      saysMore(await linkctl(['redo', run, '--yes']), 'redo', run);
      await repeated(['redo', run, '--yes'], { linkctl, service }, after);
    },
  );

  test.for([1, 2])(
    'U2: a swap whose undo was killed in its call %i is redone',
    async (nth, { linkctl, service, wire, env, folder }) => {
      const { run, after } = await ran(swap, { linkctl, service, folder });
      const onPatch = { only: { method: 'PATCH' } };
      const before = Array.from({ length: nth - 1 }, () => onPatch);
      await killed(['undo', run, '--yes'], { ...onPatch, ...faults.silentAfter }, { wire, env }, before);
      expect(await values(service)).not.toEqual(after);
      await repeated(['redo', run, '--yes'], { linkctl, service });
      expect(await values(service)).toEqual(after);
    },
  );

  test('U2: where somebody took a part back by hand, undo goes on with the rest', async ({ linkctl, service, wire, folder }) => {
    const [kind] = kinds as [Kind];
    const { run, before } = await ran(kind, { linkctl, service, folder });
    await stopped(['undo', run, ...singly], kind.back, { linkctl, wire }, 2);
    expect((await linkctl(['redo', run, '--yes'])).code).toBe(0);
    for (const hash of ['h2', 'h3']) await foreign(service, 'PATCH', `/urls/${hash}`, { note: 'before' });
    expect((await linkctl(['undo', run, '-n'])).stderr).toContain('2 of 4 links would be changed, 2 unchanged');
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
    expect(await values(service)).toEqual(before);
  });
});

test('U2: undo and redo by force name a command that goes on by force', async ({ linkctl, service, folder }) => {
  const file = join(folder, 'links.csv');
  writeFileSync(file, 'long_url\nhttps://example.com/0\nhttps://example.com/1\nhttps://example.com/2\n');
  expect((await linkctl(['shorten', '-f', file, '--dedupe', 'account'])).code).toBe(0);
  const [{ run = '' } = {}] = await runs(linkctl);
  const forced = (command: string, ...flags: string[]) => linkctl([command, run, '--yes', '--force', ...flags]);
  expect((await forced('undo', '--batch-size', '1', '--concurrency', '1', '--budget', '3')).code).toBe(7);
  for (const command of ['redo', 'undo', 'redo']) {
    let ran = await forced(command);
    for (; ran.code === 3; ran = await forced(command)) expect(ran.stderr).toContain(`hint: linkctl ${command} ${run} --force\n`);
    expect(ran.code, ran.stderr).toBe(0);
    expect(await stored(service)).toHaveLength(command === 'redo' ? 3 : 0);
  }
});

test('U2, U6: an undo that was resumed after another one is redone and undone as a whole', async ({
  linkctl,
  service,
  folder,
}) => {
  const file = join(folder, 'links.csv');
  const lines = Array.from({ length: 8 }, (_, nth) => `k${nth},https://new.example/${nth}`);
  writeFileSync(file, `custom_hash,long_url\n${lines.join('\n')}\n`);
  expect((await linkctl(['shorten', '-f', file])).code).toBe(0);
  const [{ run = '' } = {}] = await runs(linkctl);
  const elsewhere = { env: { XDG_STATE_HOME: join(folder, 'colleague') } };
  expect((await linkctl(['edit', 'k0', '--note', 'theirs'], elsewhere)).code).toBe(0);
  const undo = ['undo', run, '--yes'];
  const forced = [...undo, '--force', '--batch-size', '4', '--concurrency', '1'];
  expect((await linkctl([...forced, '--budget', '3'])).code).toBe(7);
  expect((await linkctl(undo)).code).toBe(3);
  expect((await linkctl(forced)).code).toBe(0);
  expect(await stored(service)).toEqual([]);
  for (let code = 3; code === 3; ) code = (await linkctl(['redo', run, '--yes'])).code;
  expect(await stored(service)).toHaveLength(8);
  let ended: number;
  do ended = (await linkctl(undo)).code;
  while (ended === 3);
  expect(ended).toBe(0);
  expect(await stored(service)).toEqual([]);
});
