import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { decodeLine, encodeLine } from '../../src/bulk/journal/lines.ts';
import { faults } from '../support/faulty-steps.ts';
import { type Linkctl, test } from '../support/linkctl.ts';
import { numbered, store, stored, visit } from '../support/stored-links.ts';
import { foreign, killed, newestFile, redoLast, runs, undoLast, values } from './undo-world.ts';

/** Rows that servers are known to write otherwise, by hash; the first line is no header. */
const rows: Readonly<Record<string, { long_url: string; note?: string; tags?: string[]; expiration_date?: string }>> = {
  hash: { long_url: 'HTTPS://A.example:443/%7e?q=1', note: '  two  blanks ', tags: ['Promo', 'b'] },
  last: { long_url: 'https://b.example', note: 'n' },
  h3: { long_url: 'https://c.example/', tags: ['b'], expiration_date: '2031-01-01' },
  h4: { long_url: 'https://d.example/' },
  h5: { long_url: 'https://e.example/', note: 'n', tags: ['promo'] },
};
const all = Object.keys(rows);

function inputIn(folder: string, isKeyed = true): string {
  const path = join(folder, 'links.jsonl');
  const lines = Object.entries(rows).map(([custom_hash, row]) => JSON.stringify({ ...(isKeyed && { custom_hash }), ...row }));
  writeFileSync(path, lines.join('\n'));
  return path;
}

type Service = Parameters<typeof stored>[0];

/** The hash of the link of each row, which a server may write otherwise. */
async function hashesIn(service: Service): Promise<Map<string, string>> {
  const links = await stored(service);
  const hashOf = ({ long_url }: { long_url: string }) =>
    links.find((link) => new URL(link.long_url).host === new URL(long_url).host)?.hash ?? '';
  return new Map(Object.entries(rows).map(([name, row]) => [name, hashOf(row)]));
}

/** What others change of three of the links: the other two are only visited, or not at all. */
async function changeThree(service: Service & { readonly origin: string }, hashes: ReadonlyMap<string, string>): Promise<void> {
  const path = (name: string) => `/urls/${hashes.get(name)}`;
  await foreign(service, 'PATCH', path('last'), { note: 'since' });
  await foreign(service, 'PATCH', path('h3'), { expiration_date: '2032-01-01', tags: ['+vip'] });
  await foreign(service, 'PATCH', path('h4'), { email_stats: true });
  await visit(service, hashes.get('h5') ?? '');
}

async function undoOfThree(linkctl: Linkctl, service: Service, hashes: ReadonlyMap<string, string>): Promise<void> {
  const undone = await undoLast(linkctl);
  expect(undone.code).toBe(3);
  expect(undone.stdout.split('\n').filter(Boolean).sort()).toEqual([hashes.get('hash'), hashes.get('h5')].sort());
  const reasons = ['changed since: note (1): ', 'changed since: expiration_date, tags (1): ', 'changed since: email_stats (1): '];
  for (const reason of reasons) expect(undone.stderr).toContain(reason);
  const left = ['last', 'h3', 'h4'].map((name) => hashes.get(name));
  expect((await stored(service)).map(({ hash }) => hash).sort()).toEqual(left.sort());
}

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  describe('U2: a created link that somebody changed since is named and left alone, visited ones are deleted', () => {
    test.for([
      ['keyed', [], true, {}],
      ['keyed, on a server that stores its own spelling', [], true, { longUrls: 'stored normalised', notes: 'stored trimmed' }],
      ['generated hashes', ['--generate-hashes'], false, { longUrls: 'shown normalised', notes: 'shown trimmed' }],
      ['dedupe', ['--dedupe', 'account'], false, {}],
      ['checked', [], false, { longUrls: 'stored normalised', notes: 'stored trimmed' }],
    ] as const)('%s', async ([, flags, isKeyed, manners], { linkctl, service, wire, folder }) => {
      await wire.behave(manners);
      const words = ['shorten', '-f', inputIn(folder, isKeyed), ...flags, '--batch-size', '2', '--concurrency', '1'];
      expect((await linkctl(words)).code).toBe(0);
      const hashes = await hashesIn(service);
      await changeThree(service, hashes);
      await undoOfThree(linkctl, service, hashes);
    });
  });

  test('U2: so is one whose row was settled after its answer was lost', async ({ linkctl, service, wire, folder }) => {
    await wire.script([{ ...faults.dropAfter, only: { method: 'POST' }, times: 2 }]);
    expect((await linkctl(['shorten', '-f', inputIn(folder), '--retries', '3'])).code).toBe(0);
    const hashes = await hashesIn(service);
    await changeThree(service, hashes);
    await undoOfThree(linkctl, service, hashes);
    const forced = await linkctl(['undo', (await runs(linkctl)).at(-1)?.run ?? '', '--yes', '--force']);
    expect(forced.code).toBe(0);
  });

  describe('U2: so is one whose row was settled by the same command after a kill', () => {
    const urls = ['https://first.example/', 'https://second.example/'];
    const post = { only: { method: 'POST' } };

    test.for([
      ['keyed, changed since', true, 1, 'since', 3],
      ['keyed, the row that proves it, changed since', true, 0, 'since', 3],
      ['keyed, changed meanwhile', true, 1, 'meanwhile', 3],
      ['keyed, the row that proves it, changed meanwhile', true, 0, 'meanwhile', 3],
      ['generated, changed meanwhile', false, 1, 'meanwhile', 3],
      ['keyed, only visited: deleted', true, 1, 'never', 0],
    ] as const)('%s', async ([, isKeyed, row, when, code], { linkctl, service, wire, env, folder }) => {
      const file = join(folder, 'links.csv');
      const lines = urls.map((url, index) => (isKeyed ? `own${index},${url}\n` : `${url}\n`));
      writeFileSync(file, `${isKeyed ? 'custom_hash,' : ''}long_url\n${lines.join('')}`);
      const flags = isKeyed ? [] : ['--generate-hashes'];
      const words = ['shorten', '-f', file, ...flags, '--batch-size', '1', '--concurrency', '1'];
      await killed(words, { ...post, ...faults.silentAfter }, { wire, env }, row === 0 ? [post] : [post, post]);
      const { hash = '' } = (await stored(service)).find(({ long_url }) => long_url === urls[row]) ?? {};
      const change = async () => await foreign(service, 'PATCH', `/urls/${hash}`, { note: 'theirs' });
      await visit(service, hash);
      if (when === 'meanwhile') await change();
      expect((await linkctl(words)).code).toBe(0);
      if (when === 'since') await change();
      const undo = ['undo', (await runs(linkctl))[0]?.run ?? '', '--yes'];
      const undone = await linkctl(undo);
      expect(undone).toMatchObject({
        code,
        stderr: expect.stringContaining(code === 0 ? '2 deleted' : 'changed since: note (1): '),
      });
      expect((await stored(service)).map((link) => link.hash)).toEqual(code === 0 ? [] : [hash]);
      expect((await linkctl([...undo, '--force'])).code).toBe(0);
      expect(await stored(service)).toEqual([]);
    });
  });

  test.for([
    ['the note that another row asks for', 'theirs\n'],
    ['the note that all other rows ask for', 'theirs\nh6,https://f.example/,theirs\n'],
  ] as const)(
    'U2: so is one that somebody gave %s while the run was interrupted',
    async ([, others], { linkctl, service, wire, env, folder }) => {
      const file = join(folder, 'links.csv');
      writeFileSync(file, `custom_hash,long_url,note\nh4,https://d.example/,${others}h5,https://e.example/,\n`);
      const words = ['shorten', '-f', file, '--batch-size', '1', '--concurrency', '1'];
      const post = { only: { method: 'POST' } };
      // The first row is sent twice, to prove that the hash makes it harmless.
      const earlier = others.split('\n').map(() => post);
      await killed(words, { ...post, ...faults.silentAfter }, { wire, env }, earlier);
      await foreign(service, 'PATCH', '/urls/h5', { note: 'theirs' });
      expect((await linkctl(words)).code).toBe(0);
      const undone = await undoLast(linkctl);
      expect(undone).toMatchObject({ code: 3, stderr: expect.stringContaining('changed since: note (1): ') });
      expect((await stored(service)).map(({ hash }) => hash)).toEqual(['h5']);
    },
  );

  test.for([
    ['visits', 0, []],
    ['changes', 3, ['h5']],
  ] as const)(
    "U2, U7: one that somebody %s before its lost answer is repeated is the run's",
    async ([what, code, left], { linkctl, service, wire, folder }) => {
      const file = join(folder, 'links.csv');
      writeFileSync(file, 'custom_hash,long_url\nh4,https://d.example/\nh5,https://e.example/\n');
      const post = { only: { method: 'POST' } };
      await wire.script([post, post, { ...post, held: true, end: 'reset' }]);
      const ran = linkctl(['shorten', '-f', file, '--batch-size', '1', '--concurrency', '1']);
      await wire.held();
      if (what === 'visits') await visit(service, 'h5');
      else await foreign(service, 'PATCH', '/urls/h5', { note: 'theirs' });
      await wire.release();
      expect((await ran).code).toBe(0);
      expect((await undoLast(linkctl)).code).toBe(code);
      expect((await stored(service)).map(({ hash }) => hash)).toEqual(left);
    },
  );

  test("U7: one whose hash the server refuses after a lost answer is the run's", async ({ linkctl, service, wire, folder }) => {
    const file = join(folder, 'links.csv');
    writeFileSync(file, 'custom_hash,long_url\nh4,https://d.example/\nh5,https://e.example/\n');
    const post = { only: { method: 'POST' } };
    const taken = { urls: [{ custom_hash: 'h5', long_url: 'https://e.example/', error: { code: 1215, message: 'taken' } }] };
    const refused = { ...post, apply: false, answer: { body: { error: { code: 0, message: '' }, ...taken } } } as const;
    await wire.script([post, post, { ...post, ...faults.dropAfter }, refused]);
    const words = ['shorten', '-f', file, '--on-conflict', 'skip', '--batch-size', '1', '--concurrency', '1'];
    expect((await linkctl(words)).code).toBe(0);
    expect((await undoLast(linkctl)).code).toBe(0);
    expect(await stored(service)).toEqual([]);
  });

  test('U2: so is one that apply made; without an answer what the file asked for counts', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    const words = ['apply', '-f', inputIn(folder), '--yes', '--concurrency', '1', '--retries', '0'];
    // One link is made alone first; the answer for the others is lost, and they cannot be read.
    const post = { only: { method: 'POST' } };
    await wire.script([post, { ...post, ...faults.dropAfter, down: 3_600_000 }]);
    expect([8, 10]).toContain((await linkctl(words)).code);
    // The server comes back.
    await wire.script([]);
    const hashes = new Map(all.map((name) => [name, name]));
    await changeThree(service, hashes);
    await undoOfThree(linkctl, service, hashes);
  });

  test('U7: rows of another file whose links are listed before the run are existing, also when the run is resumed', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    await store(
      service,
      Object.entries(rows)
        .map(([custom_hash, row]) => ({ custom_hash, ...row }))
        .slice(0, 3),
    );
    const results = join(folder, 'results.csv');
    const words = ['shorten', '-f', inputIn(folder), '--batch-size', '2', '--concurrency', '1', '--results', results];
    const post = { only: { method: 'POST' } };
    // The run stops at its second batch.
    await wire.script([post, post, { ...post, ...faults.refuse(1303) }]);
    expect((await linkctl(words)).code).toBe(7);
    await wire.script([]);
    expect((await linkctl(words)).stderr).toContain('5 rows: 2 created, 3 existing');
    const statuses = readFileSync(results, 'utf8').split('\n').slice(1, -1);
    expect(statuses.map((line) => line.split(',')[1])).toEqual(['existing', 'existing', 'existing', 'created', 'created']);
    expect(await undoLast(linkctl)).toMatchObject({ code: 0, stdout: 'h5\nh4\n' });
  });

  test('U2: so is one with a number, and one that an undo made again', async ({ linkctl, service, folder }) => {
    await store(service, [{ custom_hash: 'last', long_url: 'https://theirs.example/' }]);
    expect((await linkctl(['shorten', '-f', inputIn(folder), '--on-conflict', 'rename'])).code).toBe(0);
    await foreign(service, 'PATCH', '/urls/last-2', { note: 'since' });
    expect(await undoLast(linkctl)).toMatchObject({
      code: 3,
      stdout: 'h5\nh4\nh3\nhash\n',
      stderr: expect.stringMatching(/changed since: note \(1\): .*last-2/),
    });
    expect((await redoLast(linkctl)).code).toBe(0);
    await foreign(service, 'PATCH', '/urls/h3', { tags: ['-b'] });
    const again = await undoLast(linkctl);
    expect(again).toMatchObject({ code: 3, stderr: expect.stringMatching(/changed since: tags \(1\): .*h3/) });
    expect(Object.keys(await values(service)).sort()).toEqual(['h3', 'last', 'last-2']);
  });
  test.for([
    ['typed', ['shorten', 'https://new.example/', '--hash', 'new'], 'undo'],
    ['of a file', ['shorten', '-f', '-', '--input-format', 'csv'], 'undo'],
    ['of apply', ['apply', '-f', '-', '--input-format', 'csv', '--yes'], 'undo'],
    ['made again by undo', ['delete', 'new', '--yes'], 'redo'],
  ] as const)(
    'U2: a created link (%s) that later runs renamed is named and left alone; at its hash again, it is deleted',
    async ([, words, command], { linkctl, service, folder }) => {
      if (command === 'redo') await store(service, [{ custom_hash: 'new', long_url: 'https://new.example/' }]);
      expect((await linkctl(words, { stdin: 'long_url,custom_hash\nhttps://new.example/,new\n' })).code).toBe(0);
      const [{ run = '' } = {}] = await runs(linkctl);
      if (command === 'redo') expect((await undoLast(linkctl)).code).toBe(0);
      const renames = [];
      for (const [hash, to] of [['new', 'moved'] as const, ['moved', 'again'] as const]) {
        expect((await linkctl(['edit', hash, '--new-hash', to])).code).toBe(0);
        renames.push((await runs(linkctl))[0]?.run ?? '');
      }
      const results = join(folder, 'results.csv');
      const back = [command, run, '--yes', '--results', results];
      for (const flags of [[], ['--force']]) {
        const left = await linkctl([...back, ...flags]);
        expect(left).toMatchObject({ code: 3, stderr: expect.stringContaining(`new: renamed since by run ${renames[1]}\n`) });
        expect(readFileSync(results, 'utf8')).toContain(`renamed since by run ${renames[1]}`);
      }
      for (const rename of renames.reverse()) expect((await linkctl(['undo', rename, '--yes'])).code).toBe(0);
      expect(await linkctl(back)).toMatchObject({ code: 0, stdout: 'new\n' });
      expect(await stored(service)).toEqual([]);
      expect(await linkctl(back)).toMatchObject({ code: 0, stderr: expect.stringMatching(/already undone|is not undone/) });
    },
  );

  test('U2: one that a later run renamed twice is named, too', async ({ linkctl, service, folder }) => {
    expect((await linkctl(['shorten', 'https://new.example/', '--hash', 'new'])).code).toBe(0);
    const [{ run = '' } = {}] = await runs(linkctl);
    const renames = join(folder, 'renames.csv');
    writeFileSync(renames, 'hash,custom_hash\nnew,between\nbetween,last\n');
    expect((await linkctl(['edit', '-f', renames])).code).toBe(0);
    const undone = await linkctl(['undo', run, '--yes']);
    expect(undone).toMatchObject({ code: 3, stderr: expect.stringContaining('new: renamed since by run') });
    expect(await stored(service)).toHaveLength(1);
  });

  test('U2: one that somebody deleted after it was renamed needs no undo', async ({ linkctl, service }) => {
    expect((await linkctl(['shorten', 'https://new.example/', '--hash', 'new'])).code).toBe(0);
    const [{ run = '' } = {}] = await runs(linkctl);
    expect((await linkctl(['edit', 'new', '--new-hash', 'moved'])).code).toBe(0);
    await foreign(service, 'DELETE', '/urls/moved');
    for (const text of ['nothing to change', 'already undone'])
      expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0, stderr: expect.stringContaining(text) });
  });
});

describe('U5, U7: rows that were applied, but not as requested', () => {
  const cut = { alter: { each: { note: 'cut' } }, times: 9 };

  test.for([
    ['a typed link', ['shorten', 'https://new.example/', '--note', 'long note'], 6, ''],
    ['a file', ['shorten', '-f', '-', '--input-format', 'csv'], 3, ''],
    ['apply', ['apply', '-f', '-', '--input-format', 'csv', '--yes'], 3, 'ok\n'],
  ] as const)('undo names and keeps the links of %s; --force deletes them', async ([, words], { linkctl, service, wire }) => {
    await wire.script([{ ...cut, only: { method: 'POST' } }]);
    const stdin = 'long_url,custom_hash,note\nhttps://new.example/,long,long note\n';
    expect((await linkctl(words, { stdin })).stderr).toContain('not applied: note');
    await wire.script([]);
    const [made] = await stored(service);
    const undone = await undoLast(linkctl);
    expect(undone).toMatchObject({ code: 3, stderr: expect.stringContaining('created, but not as requested (1): ') });
    expect((await stored(service)).map(({ hash }) => hash)).toEqual([made?.hash]);
    expect((await undoLast(linkctl, ['--force'])).code).toBe(0);
    expect(await stored(service)).toEqual([]);
  });

  test('U7: a link that was there before, and is not as requested, is not called created', async ({ linkctl, service }) => {
    await store(service, [{ custom_hash: 'old', long_url: 'https://old.example/', note: 'kept' }]);
    const words = ['shorten', '-f', '-', '--input-format', 'csv'];
    const stdin = 'long_url,custom_hash,note\nhttps://old.example/,old,changed\nhttps://new.example/,new,\n';
    expect((await linkctl(words, { stdin })).stderr).toContain('not applied: note');
    const undone = await undoLast(linkctl, ['--force']);
    expect(undone).toMatchObject({ code: 0, stdout: 'new\n' });
    expect((await stored(service)).map(({ hash }) => hash)).toEqual(['old']);
  });

  test('U7: a run that only found links that were there before is not offered for undo, and --force deletes none of them', async ({
    linkctl,
    service,
  }) => {
    await store(service, [{ custom_hash: 'old', long_url: 'https://old.example/' }]);
    const stdin = 'long_url,custom_hash,note\nhttps://old.example/,old,changed\n';
    const ran = await linkctl(['shorten', '-f', '-', '--input-format', 'csv'], { stdin });
    expect(ran.stderr).toContain('not applied: note');
    expect(ran.stderr).not.toContain('to undo it');
    const [run] = await runs(linkctl);
    expect(run?.undo).toBe('no');
    await linkctl(['undo', String(run?.run), '--force', '--yes']);
    expect((await stored(service)).map(({ hash }) => hash)).toEqual(['old']);
  });

  test('U7: so is one in a large account whose link has values that nobody asked for', async ({ linkctl, service }) => {
    await store(service, [{ custom_hash: 'old', long_url: 'https://old.example/', tags: ['theirs'] }]);
    // The newest links that a run lists do not reach back to it.
    await store(service, numbered(210));
    const stdin = 'long_url,custom_hash,tags\nhttps://old.example/,old,ours\n';
    const words = ['shorten', '-f', '-', '--input-format', 'csv'];
    expect((await linkctl(words, { stdin })).stderr).not.toContain('to undo it');
    const [run] = await runs(linkctl);
    expect(run?.undo).toBe('no');
    await linkctl(['undo', String(run?.run), '--force', '--yes']);
    expect((await stored(service)).map(({ hash }) => hash)).toContain('old');
  });

  test('undo takes back an edit of which a part was applied, not the change before it', async ({ linkctl, service, wire }) => {
    await store(service, [{ custom_hash: 'x', long_url: 'https://old.example/' }]);
    expect((await linkctl(['edit', 'x', '--note', 'first'])).code).toBe(0);
    await wire.script([{ ...cut, only: { method: 'PATCH' } }]);
    const edited = await linkctl(['edit', 'x', '--url', 'https://moved.example/', '--note', 'second']);
    expect(edited).toMatchObject({ code: 6, stderr: expect.stringContaining('not applied: note') });
    await wire.script([]);
    expect((await runs(linkctl)).map(({ undo }) => undo)).toEqual(['yes', 'yes']);
    expect((await undoLast(linkctl)).code).toBe(0);
    expect(await stored(service)).toMatchObject([{ long_url: 'https://old.example/', note: 'first' }]);
  });
});

test.for([
  ['create', async (service: Service) => await store(service, [{ long_url: 'https://theirs.example/' }])],
  ['delete', async (service: Service, nth: number) => await foreign(service, 'DELETE', `/urls/h${100 + nth}`)],
] as const)(
  'U7: which links a run created is proven although others %s a link before each page of the listing',
  async ([, change], { linkctl, service, wire, folder }) => {
    await store(service, [{ custom_hash: 'h4', long_url: 'https://d.example/' }, ...numbered(30).slice(10)]);
    await wire.behave({ pageCap: 4 });
    expect((await linkctl(['shorten', '-f', inputIn(folder)])).code).toBe(0);
    await store(service, numbered(130).slice(100));
    await wire.script([{ held: true, times: 'all', only: { path: 'offset=' } }]);
    let isOver = false;
    const undoing = undoLast(linkctl).finally(() => {
      isOver = true;
    });
    for (let nth = 0; !isOver; nth += 1) {
      await Promise.race([wire.held(), undoing]);
      if (nth < 30) await change(service, nth);
      await wire.release();
    }
    const older = expect.stringMatching(/it may have existed before the run \(1\): .*h4/);
    expect(await undoing).toMatchObject({ code: 3, stderr: older });
    const left = (await stored(service)).map(({ hash }) => hash);
    expect(all.filter((hash) => left.includes(hash))).toEqual(['h4']);
  },
);

test('U7: a listing of the oldest links first proves nothing, although one of the oldest was deleted and made again', async ({
  linkctl,
  service,
  wire,
  folder,
}) => {
  const [first = {}, ...others] = numbered(40).slice(10);
  await store(service, [first, ...others, { custom_hash: 'h4', long_url: 'https://d.example/' }]);
  await wire.behave({ oldestFirst: true, pageCap: 30 });
  expect((await linkctl(['shorten', '-f', inputIn(folder)])).code).toBe(0);
  await foreign(service, 'DELETE', '/urls/h10');
  await store(service, [first]);
  expect(await undoLast(linkctl)).toMatchObject({ code: 3, stdout: '' });
  expect((await stored(service)).map(({ hash }) => hash)).toContain('h4');
});

test('U2: a journal of an earlier version says only where its links led', async ({ linkctl, service, folder }) => {
  expect((await linkctl(['shorten', '-f', inputIn(folder)])).code).toBe(0);
  const path = await newestFile(linkctl, folder, 'journal.log');
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean).map(decodeLine);
  const earlier = lines.flatMap((line) =>
    line ? encodeLine(line.type === 'result' ? { ...line, values: undefined } : line) : [],
  );
  writeFileSync(path, Buffer.concat(earlier));
  await foreign(service, 'PATCH', '/urls/h3', { note: 'since' });
  await foreign(service, 'PATCH', '/urls/h4', { long_url: 'https://since.example/' });
  const undone = await undoLast(linkctl);
  expect(undone).toMatchObject({ code: 3, stderr: expect.stringContaining('changed since: long_url (1): ') });
  expect((await stored(service)).map(({ hash }) => hash)).toEqual(['h4']);
});
