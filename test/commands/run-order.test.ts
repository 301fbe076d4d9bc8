import { execFile } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { decodeLine, encodeLine } from '../../src/bulk/journal/lines.ts';
import { main } from '../../src/cli/main.ts';
import { programPath, startProgram } from '../support/built-program.ts';
import { faults } from '../support/faulty-steps.ts';
import { arrived, type Linkctl, sure, test } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { createTestSystem } from '../support/test-system.ts';
import { changes, foreign, hideResult, newestFor, runs, undoLast, values } from './undo-world.ts';

const onPost = { only: { method: 'POST' } };
const watched = { terminal: { stdin: true, stdout: true, stderr: true }, columns: 100, env: { NO_COLOR: '1' } };
const yes = { ...watched, stdin: 'y\n' };

function recordsIn(folder: string): string[] {
  const path = join(folder, '.local', 'state', 'linkctl', 'runs');
  return readdirSync(path).filter((name) => !name.startsWith('.'));
}

/** Gives all links the same note; returns the run, and how to read their notes. */
async function noted(count: number, linkctl: Linkctl, service: Parameters<typeof stored>[0]) {
  const links = numbered(count);
  await store(service, links);
  await linkctl(['edit', ...links.map(({ custom_hash }) => custom_hash), '--note', 'new']);
  const notes = async (): Promise<string[]> => (await stored(service)).map(({ note }) => note);
  return { run: await newestFor('undo', linkctl), notes };
}

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test('U6, E7: a typed creation, edit and deletion are undone one after the other, and redone', async ({ linkctl, service }) => {
    const states: object[] = [await values(service)];
    const commands = [
      ['shorten', 'https://example.com/one', '--hash', 'one'],
      ['edit', 'one', '--note', 'n'],
      ['delete', 'one', '--yes'],
    ];
    for (const words of commands) {
      const ran = await linkctl(words, watched);
      expect(ran).toMatchObject({ code: 0, stderr: expect.stringMatching(/to undo it: linkctl undo \d{8}-\d{6}-\w{8}\n$/) });
      states.push(await values(service));
    }
    for (const state of states.slice(0, -1).reverse()) {
      expect(await linkctl(['undo'], yes)).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('to redo it: linkctl redo '),
      });
      expect(await values(service)).toEqual(state);
    }
    expect(await linkctl(['undo'], yes)).toMatchObject({ code: 5, stderr: expect.stringContaining('nothing to undo') });
    for (const state of states.slice(1)) {
      expect((await linkctl(['redo'], yes)).code).toBe(0);
      expect(await values(service)).toEqual(state);
    }
    expect(await linkctl(['redo'], yes)).toMatchObject({ code: 5, stderr: expect.stringContaining('nothing to redo') });
    expect((await linkctl(['undo'], yes)).code).toBe(0);
    expect(await values(service)).toEqual(states.at(-2));
  });

  test('U6: an undo that was killed before it wrote a line is none: the same command begins it', async ({ linkctl, folder }) => {
    await linkctl(['tags', 'add', 'one']);
    expect((await linkctl(['tags', 'rename', 'one', 'two'])).code).toBe(0);
    const [{ run = '' } = {}] = await runs(linkctl);
    const records = join(folder, '.local', 'state', 'linkctl', 'runs');
    const killed = '20310131-120905-897533f8';
    writeFileSync(join(records, `${killed}.log`), '');
    const [record = ''] = readdirSync(records).filter((name) => name.startsWith(run));
    const journal = record.endsWith('.log') ? join(records, record) : join(records, record, 'journal.log');
    appendFileSync(journal, encodeLine({ type: 'undone', by: killed, at: '2031-01-31T12:09:05.000Z' }));
    expect((await runs(linkctl)).map((each) => each.run)).not.toContain(killed);
    expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0 });
    expect((await linkctl(['tags'])).stdout).toBe('one\n');
  });

  test('U6: off a terminal a run is named, and the refusal names the newest; to undo or redo it twice sends nothing', async ({
    linkctl,
    service,
    wire,
  }) => {
    await store(service, numbered(2));
    expect((await linkctl(['edit', 'h0', 'h1', '--note', 'n'])).code).toBe(0);
    const [{ run = '' } = {}] = await runs(linkctl);
    for (const words of [
      ['undo', '--yes'],
      ['undo', 'last', '--yes'],
      ['undo', 'last'],
    ]) {
      expect(await linkctl(words)).toMatchObject({ code: 2, stderr: expect.stringContaining(`linkctl undo ${run} --yes`) });
    }
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
    const from = (await wire.requests()).length;
    const again = await linkctl(['undo', run, '--yes']);
    expect(again).toMatchObject({ code: 0, stdout: '', stderr: expect.stringMatching(`run ${run} is already undone, by run `) });
    expect((await wire.requests()).length).toBe(from);
    for (const words of [
      ['redo', '--yes'],
      ['redo', 'last', '--yes'],
    ])
      expect((await linkctl(words)).code).toBe(2);
    expect((await linkctl(['redo', run, '--yes'])).code).toBe(0);
    expect((await stored(service)).map(({ note }) => note)).toEqual(['n', 'n']);
    const redone = (await wire.requests()).length;
    expect(await linkctl(['redo', run, '--yes'])).toMatchObject({ code: 0, stderr: `run ${run} is not undone\n` });
    expect((await wire.requests()).length).toBe(redone);
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
    expect((await stored(service)).map(({ note }) => note)).toEqual(['', '']);
  });

  test('U2, U6: a run that was undone in two parts is redone in two parts, each by the same command', async ({
    linkctl,
    service,
  }) => {
    const { run, notes } = await noted(3, linkctl, service);
    await foreign(service, 'PATCH', '/urls/h1', { note: 'foreign' });
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(3);
    expect((await linkctl(['undo', run, '--yes', '--force'])).code).toBe(0);
    expect(await notes()).toEqual(['', '', '']);
    expect(await linkctl(['redo', run, '--yes'])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('to redo: an earlier'),
    });
    expect(await notes()).toEqual(['', 'foreign', '']);
    expect(await newestFor('redo', linkctl)).not.toBe('none');
    const rest = await linkctl(['redo', run, '--yes']);
    expect(rest).toMatchObject({ code: 0, stderr: expect.stringContaining('\nredoing the changes to 2 links in 1 batch') });
    expect(await notes()).toEqual(['new', 'foreign', 'new']);
    expect(await linkctl(['redo', run, '--yes'])).toMatchObject({ code: 0, stderr: expect.stringContaining('is not undone') });
  });

  test('U2, U6: what a redo left as it was can still be redone, by its name', async ({ linkctl, service }) => {
    const { run, notes } = await noted(2, linkctl, service);
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
    await foreign(service, 'PATCH', '/urls/h1', { note: 'foreign' });
    expect((await linkctl(['redo', run, '--yes'])).code).toBe(3);
    expect(await notes()).toEqual(['new', 'foreign']);
    expect(await linkctl(['redo', run, '--yes'])).toMatchObject({ code: 3, stderr: expect.stringContaining('changed since') });
    expect((await linkctl(['redo', run, '--yes', '--force'])).code).toBe(0);
    expect(await notes()).toEqual(['new', 'new']);
    expect(await linkctl(['redo', run, '--yes'])).toMatchObject({ code: 0, stderr: expect.stringContaining('is not undone') });
  });

  test('U6: an undo whose result was not shown is over after a later change', async ({ linkctl, service }) => {
    const { run, notes } = await noted(2, linkctl, service);
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
    await hideResult(linkctl);
    await linkctl(['edit', 'h0', '--note', 'new']);
    expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0, stderr: expect.stringContaining('already undone') });
    expect(await notes()).toEqual(['new', '']);
  });

  test('U2, U6: an undo in part, a redo and an undo leave nothing of the run', async ({ linkctl, service }) => {
    const { run, notes } = await noted(2, linkctl, service);
    await foreign(service, 'PATCH', '/urls/h1', { note: 'foreign' });
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(3);
    expect((await linkctl(['redo', run, '--yes'])).code).toBe(0);
    await foreign(service, 'PATCH', '/urls/h1', { note: 'new' });
    for (const code of [3, 0]) expect((await linkctl(['undo', run, '--yes'])).code).toBe(code);
    expect(await notes()).toEqual(['', '']);
    expect((await linkctl(['undo', run, '--yes'])).stderr).toContain('already undone');
  });

  test('U2, U6: a run that was undone and redone in two parts is undone in two parts', async ({ linkctl, service }) => {
    const { run, notes } = await noted(2, linkctl, service);
    await foreign(service, 'PATCH', '/urls/h1', { note: 'foreign' });
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(3);
    await foreign(service, 'PATCH', '/urls/h1', { note: 'new' });
    expect((await linkctl(['undo', run, '--yes'])).code).toBe(0);
    for (const code of [3, 0]) expect((await linkctl(['redo', run, '--yes'])).code).toBe(code);
    expect(await notes()).toEqual(['new', 'new']);
    for (const code of [3, 0]) expect((await linkctl(['undo', run, '--yes'])).code).toBe(code);
    expect(await notes()).toEqual(['', '']);
    expect((await linkctl(['undo', run, '--yes'])).stderr).toContain('already undone');
  });

  test('U6: after another change nothing is redone without a name', async ({ linkctl, service }) => {
    await store(service, numbered(2));
    expect((await linkctl(['edit', 'h0', '--note', 'n'])).code).toBe(0);
    const [{ run = '' } = {}] = await runs(linkctl);
    expect((await undoLast(linkctl)).code).toBe(0);
    expect((await linkctl(['edit', 'h1', '--note', 'm'])).code).toBe(0);
    expect((await linkctl(['redo'], yes)).code).toBe(5);
    expect((await linkctl(['redo', run], yes)).code).toBe(0);
    expect((await stored(service)).map(({ note }) => note)).toEqual(['n', 'm']);
  });

  test('U6: a redo stays a redo where the record of the undo is deleted: it is no undo to be redone', async ({
    linkctl,
    service,
  }) => {
    await store(service, numbered(1));
    expect((await linkctl(['edit', 'h0', '--note', 'n'])).code).toBe(0);
    expect((await linkctl(['undo'], yes)).code).toBe(0);
    expect((await linkctl(['redo'], yes)).code).toBe(0);
    const [{ run: redone = '' } = {}, { run: undone = '' } = {}] = await runs(linkctl);
    expect((await linkctl(['runs', 'forget', undone, '--yes'])).code).toBe(0);
    expect(await linkctl(['redo'], yes)).toMatchObject({ code: 5, stderr: expect.stringContaining('nothing to redo') });
    expect(await linkctl(['redo', redone], yes)).toMatchObject({ code: 0, stderr: `run ${redone} is not undone\n` });
    expect((await stored(service)).map(({ note }) => note)).toEqual(['n']);
    expect(await linkctl(['undo', redone], yes)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`undoing run ${redone}: redo edit`),
    });
    expect((await stored(service)).map(({ note }) => note)).toEqual(['']);
  });
});

test('U5, U6: a redo is the last change, whatever older run it redid, and an unfinished undo of an older run is continued first', async ({
  linkctl,
  service,
  wire,
}) => {
  await store(service, numbered(2));
  const edit = async (hash: string): Promise<string> => {
    expect((await linkctl(['edit', hash, '--note', 'n'])).code).toBe(0);
    return (await runs(linkctl))[0]?.run ?? '';
  };
  const [older, newer] = [await edit('h0'), await edit('h1')];
  const notes = async (): Promise<string[]> => (await stored(service)).map(({ note }) => note).sort();
  for (const command of ['undo', 'redo']) expect((await linkctl([command, older, '--yes'])).code).toBe(0);
  const [{ run: redone = '' } = {}] = await runs(linkctl);
  expect((await linkctl(['undo', '--yes'])).stderr).toContain(`linkctl undo ${redone} --yes`);
  expect((await linkctl(['undo'], yes)).stderr).toContain(`undoing run ${redone}: redo edit h0`);
  expect((await linkctl(['undo'], yes)).stderr).toContain(`undoing run ${newer}: edit h1`);
  expect(await notes()).toEqual(['', '']);
  for (const run of [newer, older]) expect((await linkctl(['redo', run, '--yes'])).code).toBe(0);
  await wire.script([{ only: { method: 'PATCH' }, times: 'all', apply: false, answer: { status: 503, body: '' } }]);
  expect((await linkctl(['undo', newer, '--yes', '--retries', '0'])).code).toBe(10);
  await wire.script([]);
  expect((await linkctl(['undo'], yes)).stderr).toContain('edit h1');
  expect((await linkctl(['undo'], yes)).stderr).toContain('edit h0');
  expect(await notes()).toEqual(['', '']);
});

test('E6: a link that was there before the run and equals its row, but was not listed, is not deleted by undo, unless forced', async ({
  linkctl,
  service,
  folder,
}) => {
  await store(service, [{ custom_hash: 'theirs', long_url: 'https://a.example/' }]);
  // The newest links, which the run lists first, tell nothing of it.
  await store(service, numbered(200));
  const hashes = async (): Promise<string[]> =>
    (await stored(service)).map(({ hash }) => hash).filter((hash) => !/^h\d/.test(hash));
  const input = join(folder, 'links.csv');
  writeFileSync(input, 'custom_hash,long_url\ntheirs,https://a.example/\nours,https://b.example/\n');
  expect((await linkctl(['shorten', '-f', input])).code).toBe(0);
  const undone = await undoLast(linkctl);
  expect(undone).toMatchObject({ code: 3, stdout: 'ours\n' });
  expect(undone.stderr).toMatch(/it may have existed before the run \(1\): .*theirs/);
  expect(await hashes()).toEqual(['theirs']);
  const typed = await linkctl(['shorten', 'https://a.example/', '--hash', 'theirs', '-o', 'json']);
  expect(typed.code).toBe(0);
  // It made nothing, so the last change is that of the file.
  expect(await linkctl(['undo'], yes)).toMatchObject({ code: 5 });
  const [{ run = '' } = {}] = (await runs(linkctl)).filter(({ what }) => what.startsWith('shorten'));
  expect(await linkctl(['undo', run, '--yes', '--force'])).toMatchObject({ code: 0 });
  expect(await hashes()).toEqual([]);
});

test.for([
  ['in the same second', 0],
  ['by a clock that was a day ahead', 86_400_000],
] as const)(
  'U2, U5, U7: of links that were deleted before an import, %s, its undo deletes those that it made',
  async ([, ahead], { linkctl, service, folder }) => {
    await store(service, numbered(200));
    const now = Date.now();
    const input = join(folder, 'links.csv');
    for (const host of ['a', 'b']) {
      writeFileSync(input, `custom_hash,long_url\nours,https://${host}.example/\n`);
      expect((await linkctl(['shorten', '-f', input], { now: () => now })).code).toBe(0);
      expect(await undoLast(linkctl, [], { now: () => now + ahead })).toMatchObject({ code: 0, stdout: 'ours\n' });
    }
    expect(await stored(service)).toHaveLength(200);
  },
);

const restored = [['delete', 'theirs', '--yes'], ['undo']] as const;
const madeAgain = [
  ['delete', 'theirs', '--yes', '--no-undo'],
  ['shorten', 'https://a.example/', '--hash', 'theirs'],
] as const;

test.for([
  ['deleted and restored since', restored, false],
  ['deleted and restored before the run was resumed', restored, true],
  ['deleted and made again since', madeAgain, false],
] as const)(
  'U2, U7: a link that was there before the run is not deleted by its undo, although it was %s',
  async ([, since, isResumed], { linkctl, service, wire, folder }) => {
    await store(service, [{ custom_hash: 'theirs', long_url: 'https://a.example/' }]);
    await store(service, numbered(200));
    const input = join(folder, 'links.csv');
    writeFileSync(input, 'custom_hash,long_url\ntheirs,https://a.example/\nours,https://b.example/\n');
    const shorten = ['shorten', '-f', input, '--batch-size', '1', '--concurrency', '1'];
    // The first row is sent twice, because that shows whether the server repeats it.
    if (isResumed)
      await wire.script([
        { ...onPost, times: 2 },
        { ...faults.refuse(1303), ...onPost },
      ]);
    expect((await linkctl(shorten)).code).toBe(isResumed ? 7 : 0);
    const [{ run = '' } = {}] = await runs(linkctl);
    for (const words of since) {
      expect((await (words[0] === 'undo' ? undoLast(linkctl) : linkctl(words))).code).toBe(0);
    }
    if (isResumed) expect((await linkctl(shorten)).code).toBe(0);
    const undone = await linkctl(['undo', run, '--yes']);
    expect(undone).toMatchObject({ code: 3, stdout: 'ours\n' });
    expect(undone.stderr).toMatch(/it may have existed before the run \(1\): .*theirs/);
    expect((await stored(service)).map(({ hash }) => hash)).toContain('theirs');
  },
);

test('U7: the watermark costs a file one call, generated hashes cost none, a typed custom hash one', async ({
  linkctl,
  wire,
  folder,
}) => {
  const input = join(folder, 'links.csv');
  writeFileSync(input, 'custom_hash,long_url\none,https://a.example/\ntwo,https://b.example/\n');
  const readings = async (words: readonly string[]): Promise<number> => {
    const from = (await wire.requests()).length;
    expect((await linkctl(words)).code).toBe(0);
    return (await wire.requests()).slice(from).filter(({ method, url }) => method === 'GET' && url.includes('/urls')).length;
  };
  // The first proves the server, which takes two readings.
  expect(await readings(['shorten', '-f', input])).toBe(3);
  expect(await readings(['shorten', '-f', input, '--again'])).toBe(1);
  const urls = join(folder, 'urls.txt');
  writeFileSync(urls, 'https://e.example/\nhttps://f.example/\n');
  // These are the proof of the hashes that are made here.
  expect(await readings(['shorten', '-f', urls, '--generate-hashes'])).toBe(2);
  expect(await readings(['shorten', '-f', urls, '--generate-hashes', '--again'])).toBe(0);
  expect(await readings(['shorten', 'https://c.example'])).toBe(0);
  expect(await readings(['shorten', 'https://c.example', '--generate-hashes'])).toBe(0);
  expect(await readings(['shorten', 'https://d.example', '--hash', 'three'])).toBe(1);
});

describe('U5, F63: a damaged record that may be of the last change stops a nameless undo: exit 9', () => {
  const overwritten = (text: string): string => `${text.slice(0, 30)}XXXX${text.slice(34)}`;
  test.for([
    ['typed links, an overwritten first line', overwritten],
    ['typed links, another digit', (text: string) => text.replace(/"order":(\d+)/, '"order":$11')],
    ['typed links, emptied', () => ''],
    ['a file, an overwritten first line', overwritten],
    ['a file, another account', (text: string) => text.replace('"account":"ann"', '"account":"amn"')],
    ['a file, emptied', () => ''],
  ] as const)('%s', async ([name, damage], { linkctl, service, wire, folder }) => {
    await store(service, numbered(2));
    const file = join(folder, 'edits.csv');
    writeFileSync(file, 'hash,note\nh1,new\n');
    expect((await linkctl(['edit', 'h0', '--note', 'new'])).code).toBe(0);
    expect((await linkctl(name.startsWith('typed') ? ['edit', 'h1', '--note', 'new'] : ['edit', '-f', file])).code).toBe(0);
    const [{ run: last = '' } = {}, { run: earlier = '' } = {}] = await runs(linkctl);
    const { journal } = JSON.parse((await linkctl(['runs', 'show', last, '-o', 'json'])).stdout);
    writeFileSync(journal, damage(readFileSync(journal, 'utf8')));
    const from = (await wire.requests()).length;
    for (const words of [['undo'], ['undo', 'last', '--yes'], ['undo', '-n'], ['redo']]) {
      const stopped = await linkctl(words, yes);
      expect(stopped).toMatchObject({ code: 9, stderr: expect.stringContaining(`the record of run ${last} is damaged`) });
      expect(stopped.stderr).toContain(`linkctl runs forget ${last}\n`);
    }
    expect((await runs(linkctl)).find(({ run }) => run === last)).toMatchObject({ state: 'damaged' });
    expect(await changes(wire, from)).toEqual([]);
    expect((await linkctl(['undo', earlier, '--yes'])).code).toBe(0);
    expect((await linkctl(['redo', earlier, '--yes'])).code).toBe(0);
    expect((await linkctl(['runs', 'forget', last, '--yes'])).code).toBe(0);
    expect((await linkctl(['undo'], yes)).code).toBe(0);
    expect((await stored(service)).map(({ note }) => note)).toEqual(['', 'new']);
  });

  test('one that is certainly older stops only the undo that comes to it; one that is not written yet stops none', async ({
    linkctl,
    service,
    folder,
  }) => {
    await store(service, numbered(1));
    const anHourAgo = { ...yes, now: () => Date.now() - 3_600_000 };
    expect((await linkctl(['edit', 'h0', '--note', 'first'], anHourAgo)).code).toBe(0);
    const [first = ''] = recordsIn(folder);
    expect((await linkctl(['edit', 'h0', '--note', 'second'])).code).toBe(0);
    const records = join(folder, '.local', 'state', 'linkctl', 'runs');
    writeFileSync(join(records, first), '');
    writeFileSync(join(records, '20990131-120905-897533f8.log'), '');
    expect((await linkctl(['undo'], yes)).code).toBe(0);
    expect((await stored(service)).map(({ note }) => note)).toEqual(['first']);
    expect(await linkctl(['undo'], yes)).toMatchObject({ code: 9, stderr: expect.stringContaining(first.replace('.log', '')) });
  });
});

test('U5, F64: a typed change whose record cannot be written is not sent, and leaves nothing that would stop undo', async ({
  linkctl,
  service,
  env,
  folder,
}) => {
  await store(service, numbered(1));
  expect((await linkctl(['edit', 'h0', '--note', 'first'])).code).toBe(0);
  const before = recordsIn(folder);
  const words = ['-c', 'ulimit -f 0; exec "$@"', '-', process.execPath, programPath, 'edit', 'h0', '--note', 'second'];
  const failed = promisify(execFile)('sh', words, { env });
  await expect(failed).rejects.toMatchObject({ code: 9, stderr: expect.stringContaining('cannot write the journal') });
  expect(recordsIn(folder)).toEqual(before);
  expect((await linkctl(['undo'], yes)).code).toBe(0);
  expect(await stored(service)).toMatchObject([{ note: '' }]);
});

test('E11: a clock that goes back does not change which run is the last', async ({ linkctl, service }) => {
  await store(service, numbered(2));
  expect((await linkctl(['edit', 'h0', '--note', 'first'])).code).toBe(0);
  const anHourAgo = { now: () => Date.now() - 3_600_000 };
  expect((await linkctl(['edit', 'h1', '--note', 'second'], anHourAgo)).code).toBe(0);
  expect((await runs(linkctl)).map(({ what }) => what)).toEqual(['edit h1', 'edit h0']);
  expect((await undoLast(linkctl, [], anHourAgo)).code).toBe(0);
  expect((await stored(service)).map(({ note }) => note)).toEqual(['first', '']);
});

test('U5, U6: a run that is resumed after another change is the last change', async ({ linkctl, service, wire, folder }) => {
  await store(service, [{ custom_hash: 'x', long_url: 'https://example.com/x' }]);
  const file = join(folder, 'links.csv');
  writeFileSync(
    file,
    `long_url,custom_hash\n${numbered(6)
      .map((link) => `${link.long_url},${link.custom_hash}\n`)
      .join('')}`,
  );
  const words = ['shorten', '-f', file, '--batch-size', '2', '--concurrency', '1'];
  await wire.script([
    { only: { method: 'POST' }, times: 2 },
    { only: { method: 'POST' }, ...faults.refuse(1303) },
  ]);
  expect((await linkctl(words)).code).toBe(7);
  expect((await linkctl(['edit', 'x', '--note', 'later'])).code).toBe(0);
  const titles = async () => (await runs(linkctl)).map(({ what }) => what.split(' ')[0]);
  expect(await titles()).toEqual(['edit', 'shorten']);
  expect((await linkctl(words)).code).toBe(0);
  expect(await titles()).toEqual(['shorten', 'edit']);
  expect((await undoLast(linkctl)).code).toBe(0);
  expect((await stored(service)).map(({ hash, note }) => [hash, note])).toEqual([['x', 'later']]);
});

test('U5: a run that is killed long after it was resumed is the last change, whatever came between', async ({
  linkctl,
  service,
  wire,
  folder,
  env,
}) => {
  await store(service, [...numbered(40), { custom_hash: 'x', long_url: 'https://example.com/x' }]);
  const file = join(folder, 'edits.csv');
  writeFileSync(
    file,
    `hash,note\n${numbered(40)
      .map(({ custom_hash }) => `${custom_hash},new\n`)
      .join('')}`,
  );
  const words = ['edit', '-f', file, '--yes', '--batch-size', '1', '--concurrency', '1'];
  expect((await linkctl([...words, '--budget', '6'])).code).toBe(7);
  const [{ run = '' } = {}] = await runs(linkctl);
  expect((await linkctl(['edit', 'x', '--note', 'between'])).code).toBe(0);
  const from = (await changes(wire)).length;
  await wire.script([
    { only: { method: 'PATCH' }, times: 25 },
    { only: { method: 'PATCH' }, ...faults.silentAfter },
  ]);
  const { process: child, ended } = startProgram(words, env);
  await arrived(wire, from + 26, 'PATCH');
  child.kill('SIGKILL');
  await ended;
  await wire.script([]);
  const { what, run: last } = (await runs(linkctl))[0] ?? {};
  expect({ what, last }).toEqual({ what: expect.stringContaining('edit'), last: run });
  expect(await newestFor('undo', linkctl)).toBe(run);
  // Only a refused resume leaves the order as it was.
  expect((await linkctl(['edit', 'x', '--note', 'after'])).code).toBe(0);
  expect((await linkctl([...words, '--budget', '1'])).code).toBe(2);
  expect(await newestFor('undo', linkctl)).not.toBe(run);
});

test('E10: a run that was killed when all was done is shown by the same command, not begun anew', async ({
  linkctl,
  service,
  wire,
  folder,
}) => {
  await store(service, numbered(4));
  const hashes = join(folder, 'hashes.txt');
  writeFileSync(hashes, 'h0\nh1\n');
  const edits = join(folder, 'edits.csv');
  writeFileSync(edits, 'hash,note\nh2,n\nh3,n\n');
  const commands = [
    ['edit', '-f', edits],
    ['edit', 'h2', '--note', 'm'],
    ['rewrite', 'https://example.com', 'https://new.example', ...sure],
    ['delete', '--hashes-from', hashes, '--yes', '--results', join(folder, 'results.csv')],
    ['delete', 'h2', '--yes'],
  ];
  for (const words of commands) {
    const first = await linkctl(words);
    expect(first.code).toBe(0);
    const results = words.includes('--results') ? readFileSync(join(folder, 'results.csv'), 'utf8') : '';
    await hideResult(linkctl);
    const from = (await wire.requests()).length;
    const count = (await runs(linkctl)).length;
    const again = await linkctl(words);
    expect(again).toMatchObject({ code: 0, stdout: first.stdout });
    expect(await changes(wire, from)).toEqual([]);
    expect(await runs(linkctl)).toHaveLength(count);
    if (results !== '') expect(readFileSync(join(folder, 'results.csv'), 'utf8')).toBe(results);
  }
});

test('E10: a result that was not shown is not told after a later change: the same command begins anew', async ({
  linkctl,
  service,
  folder,
}) => {
  await store(service, numbered(3));
  const hashes = join(folder, 'hashes.txt');
  writeFileSync(hashes, 'h0\n');
  const deletion = ['delete', '--hashes-from', hashes, '--yes'];
  expect((await linkctl(deletion)).code).toBe(0);
  await hideResult(linkctl);
  expect((await linkctl(['shorten', 'https://later.example/', '--hash', 'h0'])).code).toBe(0);
  expect(await linkctl(deletion)).toMatchObject({ code: 0, stdout: 'h0\n' });
  expect((await stored(service)).map(({ hash }) => hash)).toEqual(['h1', 'h2']);
  const edit = (note: string) => linkctl(['edit', 'h1', '--note', note]);
  expect((await edit('first')).code).toBe(0);
  await hideResult(linkctl);
  expect((await edit('second')).code).toBe(0);
  expect((await edit('first')).code).toBe(0);
  expect((await stored(service)).map(({ note }) => note)).toEqual(['first', '']);
});

test('E10: with --again, a listed change is begun anew, whether or not its result was shown', async ({ linkctl, service }) => {
  await store(service, numbered(2));
  const words = ['rewrite', 'https://example.com', 'https://new.example', ...sure, '--again'];
  expect((await linkctl(words)).code).toBe(0);
  await hideResult(linkctl);
  expect(await linkctl(words)).toMatchObject({ code: 0, stderr: expect.stringContaining('nothing to change') });
});

test('E5: an undo or redo that was killed when all was done is shown by the same command, and not turned round', async ({
  linkctl,
  service,
  wire,
}) => {
  await store(service, numbered(3));
  expect((await linkctl(['edit', 'h0', 'h1', 'h2', '--note', 'n'])).code).toBe(0);
  expect((await linkctl(['undo'], yes)).code).toBe(0);
  for (const [command, note] of [
    ['undo', ''],
    ['redo', 'n'],
  ] as const) {
    if (command === 'redo') expect((await linkctl(['redo'], yes)).code).toBe(0);
    await hideResult(linkctl);
    const from = (await wire.requests()).length;
    expect(await linkctl([command], watched)).toMatchObject({ code: 0 });
    expect(await changes(wire, from)).toEqual([]);
    expect((await stored(service)).map((link) => link.note)).toEqual([note, note, note]);
  }
});

describe('E5: after the last answer a signal changes neither the outcome nor the exit code', () => {
  const signals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;
  test.for(signals)('%s', async (signal, { linkctl, service, env }) => {
    await store(service, numbered(3));
    expect((await linkctl(['edit', 'h0', 'h1', 'h2', '--note', 'n'])).code).toBe(0);
    const run = await newestFor('undo', linkctl);
    for (const words of [
      ['undo', run, '--yes'],
      ['redo', run, '--yes'],
      ['edit', 'h0', '--note', 'x'],
      ['delete', 'h1', '--yes'],
      ['shorten', 'https://example.com/s'],
    ]) {
      // What is printed comes after the last answer; the signal comes then.
      const system = createTestSystem({ env, reader: async () => system.raise(signal) });
      expect(await main(words, system)).toBe(0);
      expect(system.deaths).toEqual([]);
      expect(system.printed().stdout).not.toBe('');
    }
    expect((await runs(linkctl)).every(({ state }) => state === 'finished')).toBe(true);
  });
});

test('E16: an undo of rows in doubt says so: exit 10', async ({ linkctl, service, wire }) => {
  await store(service, numbered(2));
  await wire.script([
    { only: { method: 'PATCH' }, ...faults.dropBefore, times: 'all' },
    { only: { path: 'hashes=' }, ...faults.dropBefore, times: 'all' },
  ]);
  const words = ['edit', 'h0', 'h1', '--note', 'n', '--retries', '0', '--timeout', '1'];
  await wire.script([
    { only: { path: 'hashes=' } },
    { only: { method: 'PATCH' }, ...faults.dropBefore },
    { only: { path: 'hashes=' }, ...faults.dropBefore, times: 'all' },
  ]);
  expect((await linkctl(words)).code).not.toBe(0);
  await wire.script([]);
  const undone = await undoLast(linkctl);
  expect(undone).toMatchObject({ code: 10, stderr: expect.stringContaining('outcome unknown for 2 rows') });
});

test('E23: what cannot come back is said with --yes, too', async ({ linkctl, service }) => {
  await store(service, numbered(3));
  const lost = 'clicks and creation order of deleted links cannot be restored';
  expect((await linkctl(['delete', 'h0', 'h1', '--yes'])).stderr).toContain(lost);
  expect((await linkctl(['stats', '--reset', 'h2', '--yes'])).stderr).toContain('will be erased');
});

test('E23: the plan of an undo of links that apply made says deleted', async ({ linkctl, folder }) => {
  const input = join(folder, 'links.csv');
  writeFileSync(input, 'hash,long_url\none,https://a.example/\n');
  expect((await linkctl(['apply', '-f', input, '--yes'])).code).toBe(0);
  const plan = await linkctl(['undo', '-n'], watched);
  expect(plan.stderr).toContain('1 to be deleted');
  expect(plan.stderr).not.toContain('restored,');
});

test('E34: runs and undo are about the profile that is named', async ({ homeEnv, wire, service }) => {
  const { runnerIn } = await import('../support/linkctl.ts');
  const run = runnerIn(homeEnv);
  await store(service, numbered(2));
  for (const profile of ['p1', 'p2']) {
    const { apiKey, username } = await import('../support/linkctl.ts');
    const login = [
      'auth',
      'login',
      '--profile',
      profile,
      '--base-url',
      wire.baseUrl,
      '--username',
      username,
      '--with-key',
      '--edition',
      'a',
    ];
    expect((await run(login, { stdin: `${apiKey}\n` })).code).toBe(0);
  }
  expect((await run(['edit', 'h0', '--note', 'n', '-p', 'p1'])).code).toBe(0);
  expect((await run(['edit', 'h1', '--note', 'n', '-p', 'p2'])).code).toBe(0);
  const listed = async (words: readonly string[]) =>
    JSON.parse((await run(['runs', ...words, '-o', 'json'])).stdout).runs.map(({ profile }: { profile: string }) => profile);
  expect(await listed([])).toEqual(['p2', 'p1']);
  expect(await listed(['-p', 'p1'])).toEqual(['p1']);
  expect((await run(['undo', '-p', 'p1'], yes)).code).toBe(0);
  expect((await stored(service)).map(({ note }) => note)).toEqual(['', 'n']);
});

describe('U5', () => {
  test('U5: every change leaves a record, whatever its form; what changes nothing leaves none', async ({ linkctl, service }) => {
    await store(service, numbered(3));
    const none = [
      ['edit', 'h0', '--note', ''],
      ['edit', 'none', '--note', 'x'],
      ['delete', 'none', '--yes'],
      ['edit', 'h0', '--note', 'x', '-n'],
      ['api', 'GET', '/account'],
      ['api', 'DELETE', '/urls/none'],
    ];
    for (const words of none) await linkctl(words);
    expect(await runs(linkctl)).toEqual([]);
    const changing = [
      ['shorten', 'https://example.com/new'],
      ['edit', 'h0', '--note', 'x'],
      ['edit', 'h0', '--note', 'y', '--no-undo'],
      ['delete', 'h1', '--yes'],
      ['stats', '--reset', 'h0', '--yes'],
      ['tags', 'add', 'fresh'],
      ['tags', 'rename', 'fresh', 'stale'],
      ['tags', 'delete', 'stale', ...sure],
      ['tags', 'add', 'other'],
      ['tags', 'delete', 'other', ...sure, '--no-undo'],
      ['edit', '--by-tags', 'none', '--add-tag', 't', '--yes', '--max-affected', '9'],
      ['api', 'PATCH', '/urls/h2', '--body', '{"urls":[{"note":"x"}]}'],
    ];
    for (const words of changing) expect(await linkctl(words)).toMatchObject({ code: expect.toBeOneOf([0, 5]) });
    expect((await runs(linkctl)).map(({ what, undo }) => [what, undo]).reverse()).toEqual([
      ['shorten https://example.com/new', 'yes'],
      ['edit h0', 'yes'],
      ['edit h0', 'no'],
      ['delete h1', 'yes'],
      ['reset h0', 'no'],
      ['tags add fresh', 'yes'],
      ['tags rename fresh stale', 'yes'],
      ['tags delete stale', 'yes'],
      ['tags add other', 'yes'],
      ['tags delete other --no-undo', 'no'],
      ['api PATCH /urls/h2', 'no'],
    ]);
    const stopped = await linkctl(['undo'], watched);
    expect(stopped).toMatchObject({ code: 1 });
    expect(stopped.stderr).toContain('(api PATCH /urls/h2) cannot be undone');
    expect(stopped.stderr).toMatch(/the run before it that can be undone \(tags add other.*\):\nlinkctl undo \S+\n/);
  });

  test('U5: the record of a typed link is one small file, written before the first byte is sent', async ({
    linkctl,
    wire,
    folder,
  }) => {
    await wire.script([{ only: { method: 'POST' }, held: true }]);
    const ran = linkctl(['shorten', 'https://example.com/new']);
    await wire.held();
    const [name = '', ...others] = recordsIn(folder);
    expect(others).toEqual([]);
    const text = readFileSync(join(folder, '.local', 'state', 'linkctl', 'runs', name), 'utf8');
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => decodeLine(line)?.type),
    ).toEqual(['begin', 'intent']);
    wire.release();
    expect((await ran).code).toBe(0);
  });

  test('U5: the newest 200 records of typed links are kept', async ({ linkctl, service, folder }) => {
    expect((await linkctl(['shorten', 'https://example.com/first'])).code).toBe(0);
    const path = join(folder, '.local', 'state', 'linkctl', 'runs');
    const [name = ''] = recordsIn(folder);
    const [line = '', ...rest] = readFileSync(join(path, name), 'utf8').split('\n');
    expect(line).toContain('"order":1,');
    for (let nth = 0; nth < 280; nth += 1) {
      const run = `20200101-000000-${nth.toString(16).padStart(8, '0')}`;
      writeFileSync(join(path, `${run}.log`), [line.replace('"order":1,', `"order":${nth + 2},`), ...rest].join('\n'));
    }
    expect((await linkctl(['shorten', 'https://example.com/next'])).code).toBe(0);
    const kept = recordsIn(folder);
    expect(kept).toHaveLength(201);
    expect(kept).not.toContain(name);
    expect(kept).toContain('20200101-000000-00000117.log');
    expect(await stored(service)).toHaveLength(2);
  });
});
