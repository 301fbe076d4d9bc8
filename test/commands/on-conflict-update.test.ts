import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { startProgram } from '../support/built-program.ts';
import { faults } from '../support/faulty-steps.ts';
import { arrived, sent, test } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { foreign, undoLast } from './undo-world.ts';

const links = [
  { custom_hash: 'hash', long_url: 'https://theirs.example/', note: 'theirs', tags: ['a', 'b'] },
  { custom_hash: 'same', long_url: 'https://example.com/same' },
  { custom_hash: 'other', long_url: 'https://theirs.example/other', note: 'untouched' },
];

const csv = [
  'long_url,custom_hash,note,tags',
  'https://example.com/new,new,n,',
  'https://example.com/hash,hash,,"b,c"',
  'https://example.com/same,same,,',
].join('\n');

const jsonl = csv
  .split('\n')
  .slice(1)
  .map((line) => line.split(',', 2))
  .map(([long_url, custom_hash]) =>
    JSON.stringify({
      long_url,
      custom_hash,
      ...(custom_hash === 'new' && { note: 'n' }),
      ...(custom_hash === 'hash' && { tags: ['b', 'c'] }),
    }),
  )
  .join('\n');

const update = ['--on-conflict', 'update'];
const watched = { terminal: { stdin: true, stdout: true, stderr: true }, columns: 100, env: { NO_COLOR: '1' } };

type Served = Parameters<typeof stored>[0];

async function values(service: Served, domain?: string): Promise<object> {
  const records = (await stored(service, domain)).map(
    ({ hash, long_url, note, tags }) => [hash, [long_url, note, tags.toSorted().join()]] as const,
  );
  return Object.fromEntries(records.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

async function changes(wire: Parameters<typeof sent>[0]): Promise<string[]> {
  return (await sent(wire)).map(({ call }) => call.split(' ')[0] ?? '').filter((method) => method !== 'GET');
}

/** The note of a row that leaves it out stays, and a tag that it does not name goes. */
const after = {
  hash: ['https://example.com/hash', 'theirs', 'b,c'],
  new: ['https://example.com/new', 'n', ''],
  other: ['https://theirs.example/other', 'untouched', ''],
  same: ['https://example.com/same', '', ''],
};

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test('R-40: the title of a typed update shows no part of the URL that may be secret', async ({ linkctl }) => {
    expect((await linkctl(['shorten', 'https://me:pass@x.example/a?key=secret#part', '--hash', 'x', ...update])).code).toBe(0);
    expect((await linkctl(['runs', '--fields', 'what'])).stdout).toBe('shorten https://x.example/a --hash x\n');
  });

  test.for([
    ['csv', csv],
    ['jsonl', jsonl],
  ])(
    'I6, U2, U4: %s: a link that leads elsewhere is edited; a second run changes nothing; undo takes it back',
    async ([form, text], { linkctl, service, folder, written, wire }) => {
      await store(service, links);
      const before = await values(service);
      const [file, results] = [join(folder, `links.${form}`), join(folder, 'results.csv')];
      writeFileSync(file, text ?? '');
      const words = ['shorten', '-f', file, ...update, '--results', results, '-o', 'json'];
      const ran = await linkctl(words);
      expect(ran.code).toBe(0);
      const { urls, summary } = JSON.parse(ran.stdout);
      expect(urls.map(({ status, hash }: { status: string; hash: string }) => [hash, status])).toEqual([
        ['new', 'created'],
        ['hash', 'changed'],
        ['same', 'existing'],
      ]);
      expect(summary).toMatchObject({ created: 1, changed: 1, existing: 1, failed: 0 });
      expect(written(results)).toMatch(
        /^row,status,hash,short_url,long_url,old_long_url,code,message,line\r?\n1,created,new,[^\n]*\n2,changed,hash,\S+\/hash,https:\/\/example\.com\/hash,https:\/\/theirs\.example\/,0,,[23]\r?\n/,
      );
      expect(await values(service)).toEqual(after);
      const done = (await changes(wire)).length;
      expect(await linkctl(words)).toMatchObject({ code: 2, stderr: expect.stringContaining('already completed') });
      const again = await linkctl([...words, '--again', '--yes']);
      expect(JSON.parse(again.stdout).summary).toMatchObject({ existing: 3, changed: 0, created: 0 });
      expect((await changes(wire)).length).toBe(done);
      const { runs } = JSON.parse((await linkctl(['runs', 'list', '-o', 'json'])).stdout);
      expect(await linkctl(['undo', runs.at(-1).run, '--yes'])).toMatchObject({ code: 0 });
      expect(await values(service)).toEqual(before);
    },
  );

  test('I6, U2: what changed since an update is left alone by undo', async ({ linkctl, service, folder }) => {
    await store(service, [...links, { custom_hash: 'mine', long_url: 'https://theirs.example/mine' }]);
    const file = join(folder, 'links.csv');
    writeFileSync(file, `${csv}\nhttps://example.com/mine,mine,,\n`);
    expect((await linkctl(['shorten', '-f', file, ...update])).code).toBe(0);
    await foreign(service, 'PATCH', '/urls/hash', { long_url: 'https://since.example/' });
    const undone = await undoLast(linkctl);
    expect(undone).toMatchObject({ code: 3, stderr: expect.stringContaining('changed since: long_url') });
    expect(await values(service)).toMatchObject({
      hash: ['https://since.example/', 'theirs', 'b,c'],
      mine: ['https://theirs.example/mine', '', ''],
    });
    expect(await values(service)).not.toHaveProperty('new');
  });

  const post = { only: { method: 'POST' } };
  const patch = { only: { method: 'PATCH' } };
  // The hashes are read in two calls: first those that are found.
  const reads = { only: { method: 'GET', path: 'hashes=' } };
  const noMore = [
    { ...reads, times: 2 },
    { ...faults.refuse(1303), ...reads, times: 'all' },
  ] as const;

  test.for([
    ['between the calls of a batch', 7, [{ ...faults.refuse(1303), ...patch, times: 'all' }]],
    ['where links that were made are in doubt', 10, [{ ...faults.dropAfter, ...post }, ...noMore]],
    ['where an edit is in doubt', 10, [{ ...faults.dropAfter, ...patch }, ...noMore]],
    ['where an edit in doubt was not made', 10, [{ ...faults.dropBefore, ...patch }, ...noMore]],
  ] as const)(
    'I6, U2: a run that stopped %s is undone: all is as it was',
    async ([, code, steps], { linkctl, service, folder, wire }) => {
      await store(service, links);
      const before = await values(service);
      const file = join(folder, 'links.csv');
      writeFileSync(file, csv);
      await wire.script(steps);
      const words = ['shorten', '-f', file, ...update, '--retries', '0'];
      expect((await linkctl(words)).code).toBe(code);
      await wire.script([]);
      // Of rows in doubt nobody knows whether they are still to come.
      expect([0, 10]).toContain((await undoLast(linkctl)).code);
      expect(await values(service)).toEqual(before);
      // What was taken back is done anew.
      expect((await linkctl(words)).code).toBe(0);
      expect(await values(service)).toEqual(after);
    },
  );

  test.for([
    ['POST', 'before it took effect', faults.silentBefore],
    ['PATCH', 'before it took effect', faults.silentBefore],
    ['PATCH', 'after it took effect', faults.silentAfter],
  ] as const)(
    'I6, F61: killed (-9) at a %s %s, the same command ends with the same results, and undo takes it back',
    async ([method, , fault], { linkctl, service, folder, written, wire, env }) => {
      await store(service, links);
      const before = await values(service);
      const [file, results] = [join(folder, 'links.csv'), join(folder, 'results.csv')];
      writeFileSync(file, csv);
      const words = ['shorten', '-f', file, ...update, '--results', results];
      await wire.script([{ ...fault, only: { method } }]);
      const { process: child, ended } = startProgram(words, env);
      await arrived(wire, 1, method);
      child.kill('SIGKILL');
      expect((await ended).signal).toBe('SIGKILL');
      await wire.script([]);
      expect(await linkctl(words)).toMatchObject({
        code: 0,
        stderr: expect.stringContaining('1 created, 1 existing, 1 changed'),
      });
      expect(await values(service)).toEqual(after);
      expect(written(results)).toMatch(
        /\n2,changed,hash,\S+\/hash,https:\/\/example\.com\/hash,https:\/\/theirs\.example\/,0,,[23]\r?\n/,
      );
      expect((await undoLast(linkctl)).code).toBe(0);
      expect(await values(service)).toEqual(before);
    },
  );

  test('E20: a link that has the destination and another note is edited, once, and undo gives it the old one', async ({
    linkctl,
    service,
    folder,
    wire,
  }) => {
    await store(service, [{ custom_hash: 'same', long_url: 'https://example.com/same', note: 'old', tags: ['a'] }]);
    const before = await values(service);
    const file = join(folder, 'links.csv');
    writeFileSync(file, 'long_url,custom_hash,note\nhttps://example.com/same,same,new\n');
    const words = ['shorten', '-f', file, ...update];
    expect(JSON.parse((await linkctl([...words, '-n', '-o', 'json'])).stdout).requests).toMatchObject([{ method: 'PATCH' }]);
    expect(await linkctl([...words, '-o', 'json'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"status":"changed"'),
    });
    expect(await values(service)).toEqual({ same: ['https://example.com/same', 'new', 'a'] });
    const again = await linkctl([...words, '--again', '-o', 'json']);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('"status":"existing"') });
    expect((await changes(wire)).length).toBe(1);
    const [name] = (await linkctl(['runs', '--fields', 'run'])).stdout.split('\n').slice(1);
    expect((await linkctl(['undo', name ?? '', '--yes'])).code).toBe(0);
    expect(await values(service)).toEqual(before);
    const typed = await linkctl(['shorten', 'https://example.com/same', '--hash', 'same', '--note', 'typed', ...update]);
    expect(typed).toMatchObject({ code: 0, stderr: expect.stringContaining('changed') });
    expect(await values(service)).toEqual({ same: ['https://example.com/same', 'typed', 'a'] });
  });

  test('E20: where the answer to such an edit is lost and the command is run again, it is changed, and what was as it should be is existing', async ({
    linkctl,
    service,
    folder,
    wire,
  }) => {
    const two = numbered(2).map((link, nth) => ({ ...link, note: nth === 0 ? 'old' : 'new' }));
    await store(service, two);
    const file = join(folder, 'links.csv');
    writeFileSync(
      file,
      ['long_url,custom_hash,note', ...numbered(2).map(({ long_url, custom_hash }) => `${long_url},${custom_hash},new`)].join(
        '\n',
      ),
    );
    await wire.script([
      { only: { method: 'GET', path: 'hashes' } },
      { only: { method: 'PATCH' }, end: 'reset' },
      { only: { method: 'GET', path: 'hashes' }, ...faults.refuse(1303) },
    ]);
    const words = ['shorten', '-f', file, ...update, '-o', 'json', '--retries', '0'];
    const stopped = await linkctl(words);
    expect(stopped.code, stopped.stderr).not.toBe(0);
    const ran = await linkctl(words);
    expect(ran.code, ran.stderr).toBe(0);
    const statuses = JSON.parse(ran.stdout).urls.map(({ hash, status }: { hash: string; status: string }) => [hash, status]);
    expect(statuses).toEqual([
      ['h0', 'changed'],
      ['h1', 'existing'],
    ]);
  });

  test('I6, B60: a dry run says which hashes lead elsewhere and what would be done; nothing is sent', async ({
    linkctl,
    service,
    folder,
    wire,
  }) => {
    await store(service, links);
    const file = join(folder, 'links.csv');
    writeFileSync(file, csv);
    const dry = ['shorten', '-f', file, '-n', '--on-conflict'];
    expect((await linkctl([...dry, 'update', '-v'])).stderr).toMatch(
      /^1 URL would be shortened, 1 existing\n1 custom hash has a link with other values: the existing link would be edited\n1 link would be changed\n(?:.*\n)*.*- https:\/\/theirs\.example\/\n/m,
    );
    expect((await linkctl([...dry, 'skip'])).stderr).toContain('1 custom hash has another destination: would be skipped\n');
    expect((await linkctl([...dry, 'rename'])).stderr).toContain('1 custom hash has another destination: would get a number\n');
    expect(JSON.parse((await linkctl([...dry, 'update', '-o', 'json'])).stdout).requests).toMatchObject([
      { method: 'POST', body: { urls: [{ custom_hash: 'new' }] } },
      { method: 'PATCH', body: { urls: [{ hash: 'hash', long_url: 'https://example.com/hash', tags: ['+c', '-a'] }] } },
    ]);
    expect(await changes(wire)).toEqual([]);
  });

  test('I6, W3, B59: on a terminal the links that would be edited are shown first, and a no changes nothing', async ({
    linkctl,
    service,
    folder,
    wire,
  }) => {
    await store(service, links);
    const before = await values(service);
    const file = join(folder, 'links.csv');
    writeFileSync(file, csv);
    const no = await linkctl(['shorten', '-f', file, ...update], { ...watched, stdin: 'n\n' });
    expect(no).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/Edit .*\? \[y\/N\] error: aborted/s) });
    expect(await values(service)).toEqual(before);
    const from = (await sent(wire)).length;
    const yes = await linkctl(['shorten', '-f', file, ...update], { ...watched, stdin: 'y\n' });
    expect(yes).toMatchObject({ code: 0, stderr: expect.stringContaining('to undo it: linkctl undo') });
    expect(await values(service)).toEqual(after);
    // What the plan read is not read twice (U1); links that were found are followed by a question for the rest.
    const calls = (await sent(wire)).slice(from).filter(({ call }) => call.includes('/urls'));
    expect(calls.map(({ call }) => call.split(' ')[0])).toEqual(['GET', 'GET', 'POST', 'PATCH']);
    // Nothing is edited, so nothing is asked.
    expect((await linkctl(['shorten', '-f', file, ...update, '--again'], { ...watched, stdin: '' })).code).toBe(0);
  });

  test('I6: a row without a custom hash is refused before anything is sent, unless hashes are generated', async ({
    linkctl,
    service,
    folder,
    wire,
  }) => {
    await store(service, links);
    const before = await values(service);
    const file = join(folder, 'links.csv');
    writeFileSync(file, `${csv}\nhttps://example.com/any,,,\n`);
    for (const more of [[], ['--dedupe', 'account'], ['-n']]) {
      expect(await linkctl(['shorten', '-f', file, ...update, ...more])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('every row needs a custom hash\nhint: add --generate-hashes'),
      });
    }
    expect(await changes(wire)).toEqual([]);
    // The answer to the links that are made is lost, and what follows refused: undo finds them by their hashes.
    await wire.script([
      { ...faults.dropAfter, only: { method: 'POST' } },
      { ...faults.refuse(1303), only: { method: 'POST' }, times: 'all' },
    ]);
    const words = ['shorten', '-f', file, ...update, '--generate-hashes'];
    expect(await linkctl(words)).toMatchObject({ code: 10 });
    await wire.script([]);
    expect(await stored(service)).toHaveLength(links.length + 2);
    expect((await undoLast(linkctl)).code).toBe(0);
    expect(await values(service)).toEqual(before);
    expect((await linkctl(words)).code).toBe(0);
    expect(await stored(service)).toHaveLength(links.length + 2);
    expect(await values(service)).toMatchObject(after);
  });

  test('I6, R 1.5.1: a hash twice in a file is refused; --dedupe of rows with a hash is explained', async ({
    linkctl,
    service,
    folder,
    wire,
  }) => {
    await store(service, links);
    const file = join(folder, 'links.csv');
    writeFileSync(file, `${csv}\nhttps://example.com/twice,hash,,\n`);
    expect((await linkctl(['shorten', '-f', file, ...update])).code).toBe(2);
    expect(await changes(wire)).toEqual([]);
    writeFileSync(file, csv);
    expect(await linkctl(['shorten', '-f', file, ...update, '--dedupe', 'account'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('warning: with a custom hash, --dedupe reuses only'),
    });
    expect(await values(service)).toEqual(after);
  });

  test('I6, R-13: of many rows some conflict: the calls are counted by batches', async ({ linkctl, service, folder, wire }) => {
    await store(
      service,
      numbered(10).map((link) => ({ ...link, long_url: 'https://theirs.example/' })),
    );
    const file = join(folder, 'links.csv');
    const rows = numbered(2000).map(({ custom_hash, long_url }) => `${long_url},${custom_hash}\n`);
    writeFileSync(file, `long_url,custom_hash\n${rows.join('')}`);
    const ran = await linkctl(['shorten', '-f', file, ...update, '-o', 'json']);
    expect(JSON.parse(ran.stdout).summary).toMatchObject({ created: 1990, changed: 10 });
    expect((await sent(wire)).length).toBeLessThan(16);
  });

  test('I6, U1: one typed link is edited where its hash leads elsewhere, and can be undone; the other actions apply too', async ({
    linkctl,
    service,
  }) => {
    await store(service, links);
    const before = await values(service);
    const words = ['shorten', 'https://example.com/typed', '--hash', 'hash', '--note', 'n'];
    expect((await linkctl(words)).code).toBe(6);
    expect(await linkctl([...words, '--on-conflict', 'skip', '-o', 'json'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"status":"skipped"'),
    });
    expect(await linkctl([...words, '--on-conflict', 'skip'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '1 link skipped: the hash has another destination\n',
    });
    const ran = await linkctl([...words, ...update], watched);
    expect(ran).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/changed: the destination was https:\/\/theirs.example\/\nto undo it: linkctl undo \S+\n$/),
    });
    expect(ran.stdout).toContain('/hash → https://example.com/typed');
    expect(await values(service)).toMatchObject({ hash: ['https://example.com/typed', 'n', 'a,b'] });
    expect(JSON.parse((await linkctl([...words, ...update, '-o', 'json'])).stdout)).toMatchObject({
      urls: [{ status: 'existing' }],
    });
    // What changed nothing left no record.
    expect(await undoLast(linkctl)).toMatchObject({ code: 0, stdout: 'hash\n' });
    expect(await values(service)).toEqual(before);
    expect(await linkctl([...words, '--on-conflict', 'rename'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\/hash-2\n$/),
    });
  });
});

describe('two domains', () => {
  test.override({ edition: 'a', domains: [{ name: 'one.example' }, { name: 'two.example' }] });

  test('I6: the same hash on another domain stays, with --domain and without', async ({ linkctl, service, folder }) => {
    const [one, other] = ['one.example', 'two.example'];
    await store(service, links, one);
    await store(service, links, other);
    const before = await values(service, other);
    const file = join(folder, 'links.csv');
    writeFileSync(file, csv);
    expect((await linkctl(['shorten', '-f', file, ...update])).code).toBe(0);
    expect(await values(service, one)).toEqual(after);
    expect(await values(service, other)).toEqual(before);
    expect((await linkctl(['shorten', '-f', file, ...update, '--domain', other])).code).toBe(0);
    expect(await values(service, other)).toEqual(after);
    expect((await undoLast(linkctl)).code).toBe(0);
    expect(await values(service, other)).toEqual(before);
    expect(await values(service, one)).toEqual(after);
  });
});
