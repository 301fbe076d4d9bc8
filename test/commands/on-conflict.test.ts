import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { sent, test } from '../support/linkctl.ts';
import { store, stored } from '../support/stored-links.ts';
import { undoLast } from './undo-world.ts';

const links = [
  { custom_hash: 'hash', long_url: 'https://theirs.example/', note: 'theirs' },
  { custom_hash: 'same', long_url: 'https://example.com/same' },
];

const rows = [
  'long_url,custom_hash,note',
  'https://example.com/new,new,n',
  'https://example.com/hash,hash,n',
  'https://example.com/same,same,',
  'https://example.com/null,null,n',
];

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });
  const skip = ['--on-conflict', 'skip'];

  test.for([
    ['keyed', [], rows, 'add --again and'],
    ['checked', [], [...rows, 'https://example.com/any,,'], 'run a file of only the failed rows with'],
    ['dedupe', ['--dedupe', 'account'], [...rows, 'https://example.com/any,,'], 'run a file of only the failed rows with'],
  ] as const)(
    'I6: %s: a hash that leads elsewhere is skipped: exit 0, and its link stays',
    async ([, flags, text, how], { linkctl, service, folder, written }) => {
      await store(service, links);
      const [file, results] = [join(folder, 'links.csv'), join(folder, 'results.csv')];
      writeFileSync(file, text.join('\n'));
      const failing = await linkctl(['shorten', '-f', file, ...flags]);
      expect(failing.code).toBe(3);
      expect(failing.stderr).toContain(`hint: ${how} --on-conflict skip, update or rename; or choose another hash`);
      const ran = await linkctl(['shorten', '-f', file, ...flags, ...skip, '--again', '--results', results, '-o', 'json']);
      expect(ran.code).toBe(0);
      const { urls, summary } = JSON.parse(ran.stdout);
      expect(urls[1]).toMatchObject({ line: 3, status: 'skipped', hash: 'hash', long_url: 'https://theirs.example/' });
      expect(summary).toMatchObject({ rows: text.length - 1, skipped: 1, failed: 0 });
      expect(written(results)).toMatch(
        /\n2,skipped,hash,\S+\/hash,https:\/\/theirs\.example\/,0,the hash has another destination,3\r?\n/,
      );
      expect((await stored(service)).find(({ hash }) => hash === 'hash')).toMatchObject({
        long_url: 'https://theirs.example/',
        note: 'theirs',
      });
      const piped = await linkctl(['shorten', '-f', file, ...flags, ...skip, '--again']);
      expect(piped).toMatchObject({ code: 0, stdout: expect.not.stringContaining('/hash') });
      expect(piped.stderr).toContain('1 skipped');
    },
  );

  test.for(['skip', 'update', 'rename'])(
    'I6: the hint after a taken hash works: --on-conflict %s',
    async (word, { linkctl, service, folder }) => {
      await store(service, links);
      const [file, mixed, failed] = ['links.csv', 'mixed.csv', 'failed.csv'].map((name) => join(folder, name));
      writeFileSync(file ?? '', rows.slice(0, 3).join('\n'));
      writeFileSync(mixed ?? '', [...rows.slice(0, 1), 'https://example.com/2,hash,', 'https://example.com/any,,'].join('\n'));
      const keyed = ['shorten', '-f', file ?? ''];
      expect((await linkctl(keyed)).stderr).toContain('hint: add --again and --on-conflict skip, update or rename; or ');
      expect((await linkctl([...keyed, '--again'])).stderr).toContain('hint: add --on-conflict skip, update or rename; or ');
      const ran = await linkctl(['shorten', '-f', mixed ?? '', '--failed', failed ?? '']);
      expect(ran.stderr).toContain(`hint: run ${failed} with --on-conflict skip, update or rename; or `);
      const before = (await stored(service)).length;
      expect(await linkctl([...keyed, '--again', '--on-conflict', word])).toMatchObject({ code: 0 });
      expect(await linkctl(['shorten', '-f', failed ?? '', '--on-conflict', word])).toMatchObject({ code: 0 });
      expect(await stored(service)).toHaveLength(before + (word === 'rename' ? 2 : 0));
    },
  );

  test('I6, D2: skipped after a lost answer; a row of ours that was made by it is not', async ({
    linkctl,
    wire,
    service,
    folder,
  }) => {
    await store(service, links);
    const file = join(folder, 'links.csv');
    writeFileSync(file, rows.join('\n'));
    await wire.script([{ ...faults.dropAfter, only: { method: 'POST' } }]);
    const ran = await linkctl(['shorten', '-f', file, ...skip, '-o', 'json', '--batch-size', '2']);
    expect(ran.code).toBe(0);
    const states = JSON.parse(ran.stdout).urls.map(({ status }: { status: string }) => status);
    expect([states[1], states[3]]).toEqual(['skipped', 'created']);
    expect(await stored(service)).toHaveLength(4);
  });

  test('I6, J5: a run that stopped reports skipped rows the same when it is resumed; with another --on-conflict it is refused', async ({
    linkctl,
    wire,
    service,
    folder,
    written,
  }) => {
    await store(service, links);
    const [file, results] = [join(folder, 'links.csv'), join(folder, 'results.csv')];
    writeFileSync(file, rows.join('\n'));
    const words = ['shorten', '-f', file, ...skip, '--batch-size', '2', '--concurrency', '1', '--results', results];
    // The second batch is refused until the run gives up.
    await wire.script([
      { only: { method: 'POST' }, times: 3 },
      { ...faults.refuse(1303), only: { method: 'POST' } },
    ]);
    const first = await linkctl(words);
    expect(first.code).toBe(7);
    expect(written(results)).toContain('2,skipped,hash,');
    const before = written(results).split('\n')[2];
    expect(await linkctl(words.filter((word) => !skip.includes(word)))).toMatchObject({
      code: 9,
      stderr: expect.stringContaining('--on-conflict'),
    });
    const resumed = await linkctl([...words, '-o', 'json']);
    expect(resumed.code).toBe(0);
    expect(written(results).split('\n')[2]).toBe(before);
    expect(JSON.parse(resumed.stdout).urls[1]).toMatchObject({ status: 'skipped', long_url: 'https://theirs.example/' });
  });

  test('I6: a refusal of the whole call is read, too; a hash that no link of the account has stays failed', async ({
    linkctl,
    wire,
    service,
    folder,
  }) => {
    await store(service, links);
    const file = join(folder, 'links.csv');
    writeFileSync(file, 'long_url,custom_hash\nhttps://example.com/hash,hash\nhttps://example.com/x,reserved\n');
    const refusal = { only: { method: 'POST' }, apply: false, answer: { body: { error: { code: 1215, message: 'taken' } } } };
    await wire.script([refusal, refusal]);
    const ran = await linkctl(['shorten', '-f', file, ...skip, '-o', 'json', '--batch-size', '1', '--concurrency', '1']);
    expect(ran.code).toBe(3);
    expect(JSON.parse(ran.stdout).urls).toMatchObject([{ status: 'skipped' }, { status: 'failed', error: { code: 1215 } }]);
    expect((await sent(wire)).filter(({ call }) => call.startsWith('POST'))).toHaveLength(2);
  });

  test('I6: a link that cannot be read is asked for again, and nothing is called skipped before', async ({
    linkctl,
    wire,
    service,
    folder,
  }) => {
    await store(service, links);
    const file = join(folder, 'links.csv');
    writeFileSync(file, rows.join('\n'));
    await wire.script([{ ...faults.refuse(1305), only: { method: 'GET', path: 'hashes=' } }]);
    const ran = await linkctl(['shorten', '-f', file, ...skip, '-o', 'json']);
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout).summary).toMatchObject({ skipped: 1, failed: 0, rows: 4 });
  });

  test.for(['skip', 'rename'])(
    'I6, B60: a dry run says that rows fail whose links have other values: --on-conflict %s',
    async (word, { linkctl, service, folder, wire }) => {
      await store(service, [...links, { custom_hash: 'ours', long_url: 'https://example.com/ours', note: 'ours' }]);
      const file = join(folder, 'links.csv');
      const text = [...rows.slice(0, 2), 'https://example.com/same,same,wrong', 'https://example.com/ours,ours,ours'];
      writeFileSync(file, text.join('\n'));
      const words = ['shorten', '-f', file, '--on-conflict', word];
      const dry = await linkctl([...words, '-n']);
      expect(dry.stderr).toMatch(
        /^1 URL would be shortened, 1 existing, 1 would fail\n.*\n {2}not applied: note \(1\): \S+\/same\n/m,
      );
      expect(dry.code).toBe(0);
      expect((await sent(wire)).filter(({ call }) => !call.startsWith('GET'))).toEqual([]);
      const ran = await linkctl(words);
      expect(ran).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('same: not applied: note (requested "wrong", got "")'),
      });
      expect(ran.stderr).toMatch(/3 rows: 1 created, 1 existing, 1 failed/);
    },
  );
});

describe.each(['a', 'b'] as const)('edition %s: rename', (edition) => {
  test.override({ edition });
  const rename = ['--on-conflict', 'rename'];
  const long = 'x'.repeat(25);
  const taken = [
    { custom_hash: 'hash', long_url: 'https://theirs.example/' },
    { custom_hash: 'hash-2', long_url: 'https://theirs.example/2' },
    { custom_hash: long, long_url: 'https://theirs.example/long' },
  ];
  // Another row asks for hash-3, so that no row is renamed to it.
  const file = [
    'long_url,custom_hash,note',
    'https://example.com/hash,hash,n',
    `https://example.com/long,${long},`,
    'https://example.com/new,new,',
    'https://example.com/3,hash-3,',
  ].join('\n');
  const named = { 'hash-4': 'hash', [`${'x'.repeat(23)}-2`]: 'long', new: 'new', 'hash-3': '3' };

  async function expectMade(service: Parameters<typeof stored>[0]): Promise<void> {
    const made = (await stored(service)).map(({ hash, long_url }) => [hash, long_url]);
    const wanted = Object.entries(named).map(([hash, path]) => [hash, `https://example.com/${path}`]);
    const before = taken.map(({ custom_hash, long_url }) => [custom_hash, long_url]);
    expect(Object.fromEntries(made)).toEqual(Object.fromEntries([...before, ...wanted]));
    expect(made).toHaveLength(before.length + wanted.length);
  }

  test('I6: a taken hash gets a number, within 25 characters; the results say it; a second run makes nothing; undo takes it back', async ({
    linkctl,
    service,
    folder,
    written,
  }) => {
    await store(service, taken);
    const [path, results] = [join(folder, 'links.csv'), join(folder, 'results.csv')];
    writeFileSync(path, file);
    const words = ['shorten', '-f', path, ...rename, '--batch-size', '2', '--results', results];
    const ran = await linkctl([...words, '-o', 'json']);
    expect(ran.code).toBe(0);
    const { urls, summary } = JSON.parse(ran.stdout);
    expect(summary).toMatchObject({ rows: 4, created: 4, failed: 0, surplus: 0 });
    expect(urls.map(({ hash }: { hash: string }) => hash)).toEqual(Object.keys(named));
    expect(urls[0]).toMatchObject({ line: 2, status: 'created', renamed_from: 'hash', note: 'n' });
    expect(urls[2]).not.toHaveProperty('renamed_from');
    expect(written(results)).toMatch(
      /\n1,created,hash-4,\S+\/hash-4,https:\/\/example\.com\/hash,0,renamed: hash has another destination,\d+\r?\n/,
    );
    await expectMade(service);
    const again = await linkctl([...words, '--again', '--yes', '-o', 'json']);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout).summary).toMatchObject({ failed: 0 });
    await expectMade(service);
    const runs = JSON.parse((await linkctl(['runs', 'list', '-o', 'json'])).stdout).runs;
    expect((await linkctl(['undo', runs.at(-1).run, '--yes'])).code).toBe(0);
    expect(await stored(service)).toHaveLength(taken.length);
  });

  test.for([1, 2, 3, 4, 5, 6])(
    'I6, G1, U2: renamed rows survive a lost answer of call %i, and a stop there: nothing is lost or doubled, and undo takes all back',
    async (nth, { linkctl, wire, service, folder }) => {
      await store(service, taken);
      const path = join(folder, 'links.csv');
      writeFileSync(path, file);
      const words = ['shorten', '-f', path, ...rename, '--concurrency', '1', '--batch-size', '2'];
      const post = { only: { method: 'POST' } };
      const before = nth > 1 ? [{ ...post, times: nth - 1 }] : [];
      await wire.script([...before, { ...faults.dropAfter, ...post }, { ...faults.refuse(1303), ...post }]);
      const first = await linkctl(words);
      expect([0, 7, 8]).toContain(first.code);
      await wire.script([]);
      if (first.code !== 0) expect((await linkctl(words)).code).toBe(0);
      await expectMade(service);
      expect((await undoLast(linkctl)).code).toBe(0);
      expect(await stored(service)).toHaveLength(taken.length);
    },
  );

  test('I6: a name that somebody takes meanwhile is passed on to the next one; without a custom hash in every row it is refused', async ({
    linkctl,
    wire,
    service,
    folder,
  }) => {
    await store(service, taken.slice(0, 1));
    const path = join(folder, 'links.csv');
    writeFileSync(path, 'long_url,custom_hash\nhttps://example.com/hash,hash\n');
    // The answer of the second reading, of names, does not know hash-2 yet.
    const empty = { urls: [], error: { code: 0, message: 'OK' }, page: { results_count: 0, total_count: 0, offset: 0 } };
    await wire.script([
      { only: { method: 'GET', path: 'hashes=' } },
      { only: { method: 'GET', path: 'hash-2' }, answer: { body: empty } },
    ]);
    await store(service, taken.slice(1, 2));
    const ran = await linkctl(['shorten', '-f', path, ...rename, '-o', 'json']);
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout).urls).toMatchObject([{ hash: 'hash-3', renamed_from: 'hash', status: 'created' }]);
    writeFileSync(path, 'long_url,custom_hash\nhttps://example.com/a,a\nhttps://example.com/b,\n');
    expect(await linkctl(['shorten', '-f', path, ...rename])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('every row needs a custom hash'),
    });
  });
});

test('I6: --on-conflict without a file, and an unknown action, are exit 2', async ({ linkctl }) => {
  expect(await linkctl(['shorten', 'https://example.com/', '--on-conflict', 'skip'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--on-conflict requires --file'),
  });
  expect(await linkctl(['shorten', '-f', 'x.csv', '--on-conflict', 'replace'])).toMatchObject({ code: 2 });
});
