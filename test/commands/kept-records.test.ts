import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { decodeLine, encodeLine } from '../../src/bulk/journal/lines.ts';
import { runProgram } from '../support/built-program.ts';
import { arrived, type Linkctl, test } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { foreign, repeated, runs } from './undo-world.ts';

const watched = { terminal: { stdin: true, stdout: true, stderr: true }, columns: 300, env: { NO_COLOR: '1' } };

/** So many days before now; without them, records are as old as they are. */
function ago(days: number) {
  return { now: () => Date.now() - days * 86_400_000 };
}

/** `edit -f` of these links; its record is a folder. */
async function editedFile(linkctl: Linkctl, folder: string, hashes: readonly string[], note: string, world: object = {}) {
  const file = join(folder, `${note}.csv`);
  writeFileSync(file, `hash,note\n${hashes.map((hash) => `${hash},${note}\n`).join('')}`);
  const ran = await linkctl(['edit', '-f', file, '--yes'], world);
  expect(ran).toMatchObject({ code: 0 });
  return newest(linkctl, world);
}

/** Runs of another account in each of the last weeks, because time without a run counts as a week at most. */
async function runEachWeek(linkctl: Linkctl): Promise<void> {
  for (const days of [28, 21, 14, 7]) {
    expect((await linkctl(['-p', 'sandbox', 'shorten', 'https://example.com/'], ago(days))).code).toBe(0);
  }
}

/** The runs of the account, newest first. */
async function ownRuns(linkctl: Linkctl): ReturnType<typeof runs> {
  return (await runs(linkctl)).filter(({ what }) => what !== 'shorten https://example.com/');
}

/** The newest run. Nothing is pruned by looking. */
async function newest(linkctl: Linkctl, world: object = {}): Promise<string> {
  return JSON.parse((await linkctl(['runs', 'show', 'last', '-o', 'json'], world)).stdout).run;
}

/** A typed edit, the commands that undo and redo it by its name, and then no record of the newest or of the first of them. */
async function without(gone: 'first' | 'last', commands: readonly string[], linkctl: Linkctl): Promise<string> {
  expect((await linkctl(['edit', 'h1', '--note', 'typed'])).code).toBe(0);
  const run = await newest(linkctl);
  const made: string[] = [];
  for (const command of commands) {
    expect((await linkctl([command, run, '--yes'])).code).toBe(0);
    made.push(await newest(linkctl));
  }
  expect((await linkctl(['runs', 'forget', made.at(gone === 'first' ? 0 : -1) ?? '', '--yes'])).code).toBe(0);
  return run;
}

async function notes(service: Parameters<typeof stored>[0]): Promise<string[]> {
  return (await stored(service)).map(({ note }) => note);
}

test('U2, U6: an undo of an old run that is interrupted is resumed by the same command, and repeating it does nothing', async ({
  linkctl,
  service,
  folder,
}) => {
  await store(service, numbered(4));
  const run = await editedFile(linkctl, folder, ['h0', 'h1', 'h2', 'h3'], 'new', ago(31));
  const undo = ['undo', run, '--yes', '--batch-size', '1', '--concurrency', '1'];
  expect(await linkctl([...undo, '--budget', '3'])).toMatchObject({ code: 7 });
  expect(new Set(await notes(service))).toEqual(new Set(['', 'new']));
  await linkctl(['runs']);
  expect(await linkctl(undo)).toMatchObject({ code: 0, stderr: expect.stringContaining('4 links: 4 changed') });
  expect(await notes(service)).toEqual(['', '', '', '']);
  expect(await linkctl(undo)).toMatchObject({ code: 0, stderr: expect.stringContaining('already undone') });
  expect((await linkctl(['redo', run, '--yes'])).code).toBe(0);
  expect(new Set(await notes(service))).toEqual(new Set(['new']));
});

test('U6: a typed change that was undone and redone long ago is still applied, and the next to be undone', async ({
  linkctl,
  service,
}) => {
  await store(service, numbered(2));
  expect((await linkctl(['edit', 'h0', '--note', 'older'], ago(33))).code).toBe(0);
  expect((await linkctl(['edit', 'h1', '--note', 'typed'], ago(32))).code).toBe(0);
  const run = await newest(linkctl, ago(32));
  for (const command of ['undo', 'redo']) expect((await linkctl([command, run, '--yes'], ago(31))).code).toBe(0);
  expect((await runs(linkctl)).map(({ what, undo }) => [what, undo.split(' ')[0]])).toEqual([
    ['redo edit h1', 'yes'],
    ['undo edit h1', 'undone'],
    ['edit h1', 'yes'],
    ['edit h0', 'yes'],
  ]);
  expect(await linkctl(['redo', run, '--yes'])).toMatchObject({ code: 0, stderr: expect.stringContaining('is not undone') });
  expect((await linkctl(['undo'], { ...watched, stdin: 'y\n' })).code).toBe(0);
  expect(await notes(service)).toEqual(['older', '']);
});

test('U6: the first run of a chain stays as long as its redo, so that undo takes the redo and nothing older', async ({
  linkctl,
  service,
  folder,
}) => {
  await store(service, numbered(2));
  expect((await linkctl(['edit', 'h0', '--note', 'older'], ago(40))).code).toBe(0);
  const run = await editedFile(linkctl, folder, ['h1'], 'new', ago(32));
  expect((await linkctl(['undo', run, '--yes'], ago(31))).code).toBe(0);
  expect((await linkctl(['redo', run, '--yes'], ago(6))).code).toBe(0);
  expect(await runs(linkctl)).toHaveLength(4);
  expect((await linkctl(['undo'], { ...watched, stdin: 'y\n' })).code).toBe(0);
  expect(await notes(service)).toEqual(['older', '']);
});

test('U5: the records of a change that was undone go together, when the last of them is old', async ({
  linkctl,
  service,
  folder,
}) => {
  await store(service, numbered(1));
  const run = await editedFile(linkctl, folder, ['h0'], 'new', ago(90));
  for (const [command, days] of [
    ['undo', 80],
    ['redo', 60],
    ['undo', 33],
  ] as const) {
    expect((await linkctl([command, run, '--yes'], ago(days))).code).toBe(0);
    expect(await linkctl(['runs', 'show', run], ago(days))).toMatchObject({ code: 0 });
  }
  await runEachWeek(linkctl);
  expect(await ownRuns(linkctl)).toEqual([]);
});

test('U6: without the record of its undo, a redone run is applied, and undo takes the redo', async ({ linkctl, service }) => {
  await store(service, numbered(2));
  expect((await linkctl(['edit', 'h0', '--note', 'older'])).code).toBe(0);
  const run = await without('first', ['undo', 'redo'], linkctl);
  expect((await runs(linkctl)).map(({ what, undo }) => [what, undo])).toEqual([
    ['redo edit h1', 'yes'],
    ['edit h1', 'yes'],
    ['edit h0', 'yes'],
  ]);
  expect(await linkctl(['redo', run, '--yes'])).toMatchObject({ code: 0, stderr: expect.stringContaining('is not undone') });
  // Which link the redo changed again is not known without the undo, so the link is looked at once more.
  expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 3, stderr: expect.stringContaining('1 changed') });
  expect(await notes(service)).toEqual(['older', '']);
  expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing to change') });
  expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0, stderr: expect.stringContaining('already undone') });
});

test('U6: without the record of its undo, a run is undone and redone any number of times, and never said to be undone while it is not', async ({
  linkctl,
  service,
}) => {
  await store(service, numbered(2));
  const run = await without('first', ['undo', 'redo'], linkctl);
  const all = { undo: ['', ''], redo: ['', 'typed'] };
  for (const command of ['undo', 'redo', 'undo', 'redo', 'undo'] as const) {
    await repeated([command, run, '--yes'], { linkctl, service });
    expect(await notes(service)).toEqual(all[command]);
  }
});

test('U6: without the record of its first undo, a run that was undone again is redone', async ({ linkctl, service }) => {
  await store(service, numbered(2));
  const run = await without('first', ['undo', 'redo', 'undo'], linkctl);
  await repeated(['redo', run, '--yes'], { linkctl, service });
  expect(await notes(service)).toEqual(['', 'typed']);
});

test('U6: without the record of its redo, a run is looked at again', async ({ linkctl, service }) => {
  await store(service, numbered(2));
  const run = await without('last', ['undo', 'redo'], linkctl);
  await repeated(['undo', run, '--yes'], { linkctl, service });
  expect(await notes(service)).toEqual(['', '']);
  expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0, stderr: expect.stringContaining('already undone') });
});

test('D39: the record of a run may be deleted while it is redone, or undone again: that ends as ever', async ({
  linkctl,
  service,
  folder,
  wire,
}) => {
  await store(service, numbered(2));
  const all = { undo: ['', ''], redo: ['new', 'new'] };
  for (const command of ['redo', 'undo'] as const) {
    const run = await editedFile(linkctl, folder, ['h0', 'h1'], 'new');
    for (const before of command === 'redo' ? ['undo'] : ['undo', 'redo'])
      expect((await linkctl([before, run, '--yes'])).code).toBe(0);
    const earlier = (await wire.requests()).filter(({ method }) => method === 'PATCH').length;
    await wire.script([{ only: { method: 'PATCH' }, held: true }]);
    const going = linkctl([command, run, '--yes']);
    await arrived(wire, earlier + 1, 'PATCH');
    expect((await linkctl(['runs', 'forget', run, '--yes'])).code).toBe(0);
    await wire.release();
    expect(await going).toMatchObject({ code: 0, stderr: expect.stringContaining('2 links: 2 changed') });
    expect(await notes(service)).toEqual(all[command]);
    await foreign(service, 'PATCH', '/urls/h0', { note: '' });
    await foreign(service, 'PATCH', '/urls/h1', { note: '' });
  }
});

test('U6: an undo whose record is gone cannot be redone, and the message says so', async ({ linkctl, service }) => {
  await store(service, numbered(1));
  expect((await linkctl(['edit', 'h0', '--note', 'typed'])).code).toBe(0);
  const run = await newest(linkctl);
  expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
  const undone = await newest(linkctl);
  expect((await linkctl(['runs', 'forget', undone, '--yes'])).code).toBe(0);
  const redone = await linkctl(['redo', run, '--yes']);
  expect(redone).toMatchObject({ code: 5, stderr: expect.stringContaining(`the record of run ${undone} is gone`) });
});

test('U6: redo of an undo that was stopped redoes what it undid, by either name', async ({ linkctl, service, folder }) => {
  await store(service, numbered(2));
  const run = await editedFile(linkctl, folder, ['h0', 'h1'], 'new');
  const undo = ['undo', run, '--yes', '--batch-size', '1', '--concurrency', '1', '--budget', '3'];
  expect((await linkctl(undo)).code).toBe(7);
  expect((await notes(service)).toSorted()).toEqual(['', 'new']);
  const redone = await linkctl(['redo', await newest(linkctl), '--yes']);
  expect(redone).toMatchObject({ code: 0, stderr: expect.stringContaining(`redoing run ${run}`) });
  expect(await notes(service)).toEqual(['new', 'new']);
});

test('U5: without the record of its first run, a redo is still the last change, and an undo is none', async ({
  linkctl,
  service,
}) => {
  await store(service, numbered(2));
  expect((await linkctl(['edit', 'h0', '--note', 'older'])).code).toBe(0);
  expect((await linkctl(['edit', 'h1', '--note', 'typed'])).code).toBe(0);
  const run = await newest(linkctl);
  for (const command of ['undo', 'redo']) expect((await linkctl([command, run, '--yes'])).code).toBe(0);
  expect((await linkctl(['runs', 'forget', run, '--yes'])).code).toBe(0);
  const answered = { ...watched, stdin: 'y\n' };
  expect((await linkctl(['undo'], answered)).code).toBe(0);
  expect(await notes(service)).toEqual(['older', '']);
  expect((await linkctl(['undo'], answered)).code).toBe(0);
  expect(await notes(service)).toEqual(['', '']);
});

test('U5: a run is not old because the clock was behind when it was made', async ({ linkctl, service, folder }) => {
  await store(service, numbered(2));
  expect((await linkctl(['edit', 'h0', '--note', 'older'])).code).toBe(0);
  const run = await editedFile(linkctl, folder, ['h1'], 'new', ago(60));
  expect((await runs(linkctl)).map((each) => each.run)[0]).toBe(run);
  expect((await linkctl(['undo'], { ...watched, stdin: 'y\n' })).code).toBe(0);
  expect(await notes(service)).toEqual(['older', '']);
});

test('U5: records are not kept because the clock was ahead once', async ({ linkctl, service, folder }) => {
  await store(service, numbered(1));
  expect((await linkctl(['edit', 'h0', '--note', 'future'], ago(-5000))).code).toBe(0);
  await editedFile(linkctl, folder, ['h0'], 'new', ago(33));
  await runEachWeek(linkctl);
  // Of the newer one, only its trace is left.
  expect((await ownRuns(linkctl)).map(({ what, undo }) => [what.split(' ')[1], undo])).toEqual([
    ['-f', 'no'],
    ['h0', 'yes'],
  ]);
});

test('U5: a clock that is a year ahead for two nights deletes no record', async ({ linkctl, service, folder }) => {
  await store(service, numbered(2));
  const run = await editedFile(linkctl, folder, ['h0'], 'new', ago(1));
  for (const hour of [0, 1, 2, 24, 25]) await editedFile(linkctl, folder, ['h1'], `hour ${hour}`, ago(-366 - hour / 24));
  expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0 });
  expect(await notes(service)).toEqual(['', 'hour 25']);
});

test('U5: undo stops at a change whose record was deleted, if an older one is recorded, and names that', async ({
  linkctl,
  service,
  folder,
}) => {
  await store(service, numbered(3));
  expect((await linkctl(['edit', 'h0', '--note', 'older'], ago(40))).code).toBe(0);
  const older = await newest(linkctl, ago(40));
  await editedFile(linkctl, folder, ['h1'], 'first', ago(35));
  const run = await editedFile(linkctl, folder, ['h1'], 'second', ago(34));
  expect((await linkctl(['edit', 'h2', '--note', 'last'])).code).toBe(0);
  await runEachWeek(linkctl);
  const rows = (await ownRuns(linkctl)).map(({ run: name, undo }) => [name, undo]);
  expect(rows.slice(1)).toEqual([
    [run, 'no'],
    [older, 'yes'],
  ]);
  const answered = { ...watched, stdin: 'y\n' };
  expect((await linkctl(['undo'], answered)).code).toBe(0);
  const stopped = await linkctl(['undo'], answered);
  expect(stopped).toMatchObject({ code: 1 });
  expect(stopped.stderr).toMatch(`run ${run} (edit -f ${join(folder, 'second.csv')}) cannot be undone: its record was deleted`);
  expect(stopped.stderr).toContain(`linkctl undo ${older}`);
  expect(await notes(service)).toEqual(['older', 'second', '']);
  // The same command begins anew.
  await editedFile(linkctl, folder, ['h1'], 'second');
  expect((await linkctl(['undo', older, '--yes'])).code).toBe(0);
});

test('U5: a change that was undone leaves nothing, nor does one without an older record', async ({
  linkctl,
  service,
  folder,
}) => {
  await store(service, numbered(2));
  await editedFile(linkctl, folder, ['h0'], 'oldest', ago(50));
  const typed = ['edit', 'h0', '--note', 'older'];
  expect((await linkctl(typed, ago(40))).code).toBe(0);
  const run = await editedFile(linkctl, folder, ['h1'], 'new', ago(34));
  expect((await linkctl(['undo', run, '--yes'], ago(33))).code).toBe(0);
  await runEachWeek(linkctl);
  expect((await ownRuns(linkctl)).map(({ what }) => what)).toEqual(['edit h0']);
  expect((await linkctl(['undo'], { ...watched, stdin: 'y\n' })).code).toBe(0);
  expect(await notes(service)).toEqual(['oldest', '']);
});

/** Where the records lie. */
function recordsOf(folder: string): string {
  return join(folder, '.local', 'state', 'linkctl', 'runs');
}

/** Shortens a URL. Returns where its record lies, and what makes copies of it that began in 2020. */
async function typedRecord(linkctl: Linkctl, folder: string) {
  expect((await linkctl(['shorten', 'https://example.com/first'])).code).toBe(0);
  const records = recordsOf(folder);
  const [name = ''] = readdirSync(records).filter((each) => each.endsWith('.log'));
  const [line = '', ...rest] = readFileSync(join(records, name), 'utf8').split('\n');
  const begin = decodeLine(line);
  if (begin?.type !== 'begin') throw new Error('a journal begins with what the run is');
  const copy = (nth: number, changed: { readonly account?: string; readonly order?: number } = {}): string => {
    const run = `20200101-000000-${nth.toString(16).padStart(8, '0')}`;
    writeFileSync(join(records, `${run}.log`), `${encodeLine({ ...begin, ...changed, run })}${rest.join('\n')}`);
    return `${run}.log`;
  };
  return { records, copy };
}

test('U5: of the records of typed links, the newest 200 of each account are kept', async ({ linkctl, folder }) => {
  const { records, copy } = await typedRecord(linkctl, folder);
  const others = [0, 1, 2].map((nth) => copy(nth, { account: 'somebody else', order: nth + 2 }));
  const own = Array.from({ length: 273 }, (_, nth) => copy(nth + 3, { order: nth + 5 }));
  expect((await linkctl(['shorten', 'https://example.com/next'])).code).toBe(0);
  const kept = readdirSync(records).filter((each) => each.endsWith('.log'));
  expect(kept.filter((each) => others.includes(each))).toEqual(others);
  expect(own.filter((each) => kept.includes(each))).toEqual(own.slice(-200));
});

test('U5: of records of typed links that are over 30 days old, the newest 200 of all accounts are kept', async ({
  linkctl,
  folder,
}) => {
  const { records, copy } = await typedRecord(linkctl, folder);
  const copies = Array.from({ length: 220 }, (_, nth) => copy(nth, { account: `somebody ${nth % 4}`, order: nth - 220 }));
  await runEachWeek(linkctl);
  expect((await linkctl(['shorten', 'https://example.com/next'])).code).toBe(0);
  const kept = readdirSync(records).filter((each) => each.endsWith('.log'));
  // And that of the command.
  expect(kept).toHaveLength(201);
  const left = copies.filter((each) => kept.includes(each));
  expect(left).toEqual(copies.slice(-left.length));
});

test('B70, B88: commands that delete old records at the same time fail none of each other, and keep all new ones', async ({
  linkctl,
  service,
  folder,
  env,
}) => {
  await store(service, numbered(1));
  // An older change that stays, so that each deleted record is replaced by its trace.
  await editedFile(linkctl, folder, ['h0'], 'older');
  const { copy } = await typedRecord(linkctl, folder);
  for (let nth = 0; nth < 276; nth += 1) copy(nth);
  const commands = Array.from({ length: 6 }, (_, nth) => ['shorten', `https://example.com/${nth}`, '--hash', `new${nth}`]);
  const ended = await Promise.all([...commands, ['runs']].map((words) => runProgram(words, env)));
  expect(ended.filter(({ code }) => code !== 0)).toEqual([]);
  const kept = (await runs(linkctl)).map(({ what }) => what);
  for (const [, url = ''] of commands) expect(kept).toContain(`shorten ${url}`);
  expect(kept.length).toBeLessThan(250);
});
