import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { startProgram } from '../support/built-program.ts';
import { faults } from '../support/faulty-steps.ts';
import { arrived, sent, sure, test } from '../support/linkctl.ts';
import { numbered, store, stored, visit } from '../support/stored-links.ts';
import { changes, foreign, hideResult, killed, redoLast, runs, undoLast, values } from './undo-world.ts';

const watched = { terminal: { stdin: true, stdout: true, stderr: true }, columns: 80, env: { NO_COLOR: '1' } };

const all = [
  { custom_hash: 'hash', long_url: 'HTTPS://OLD.example:443/%7e?q=1#Top', note: '  blanks ', tags: ['Promo', 'b'] },
  { custom_hash: 'last', long_url: 'https://old.example', note: '', email_stats: true, expiration_date: '2001-02-03' },
  { custom_hash: 'h3', long_url: 'https://old.example/3', tags: ['promo'], expiration_date: null },
];
/** The first line is no header. */
const hashes = 'last\nhash\nh3\n';

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  test('U2: undo gives every field its old value, byte for byte; undo of that is redo', async ({ linkctl, service, folder }) => {
    await store(service, [...all, { custom_hash: 'blanks', long_url: 'https://old.example', note: ' n ' }]);
    const before = await values(service);
    const edits = join(folder, 'edits.jsonl');
    const rows = [
      { hash: 'hash', long_url: 'https://old.example/~?q=1#Top', note: 'blanks', tags: ['-PROMO', '+new'] },
      { hash: 'last', note: 'n', email_stats: false, expiration_date: null, custom_hash: 'renamed' },
      { hash: 'h3', expiration_date: '2031-01-01', note: 'x', tags: ['+Promo', '-none'] },
      { hash: 'blanks', note: 'n', email_stats: true },
    ];
    writeFileSync(edits, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    expect((await linkctl(['edit', '-f', edits])).code).toBe(0);
    const after = await values(service);
    expect(after).not.toEqual(before);
    const undone = await undoLast(linkctl);
    expect(undone).toMatchObject({
      code: 0,
      stdout: 'blanks\nh3\nlast\nhash\n',
      stderr: expect.stringContaining('4 links would be changed'),
    });
    expect(await values(service)).toEqual(before);
    expect(await redoLast(linkctl)).toMatchObject({ code: 0 });
    expect(await values(service)).toEqual(after);
    expect((await undoLast(linkctl)).code).toBe(0);
    expect(await values(service)).toEqual(before);
    expect((await runs(linkctl)).map(({ what, undo }) => [what, undo.split(' ')[0]])).toEqual([
      [`undo edit -f ${edits}`, 'yes'],
      [`redo edit -f ${edits}`, 'undone'],
      [`undo edit -f ${edits}`, 'yes'],
      [`edit -f ${edits}`, 'undone'],
    ]);
  });

  test('U2: an undo that was killed when all was done, before it could say so, is not taken back by the same command', async ({
    linkctl,
    service,
    wire,
  }) => {
    await store(service, numbered(3));
    await linkctl(['edit', 'h0', 'h1', 'h2', '--note', 'new']);
    expect((await undoLast(linkctl)).code).toBe(0);
    await hideResult(linkctl);
    const from = (await wire.requests()).length;
    expect(await undoLast(linkctl)).toMatchObject({ code: 0, stdout: 'h2\nh1\nh0\n', stderr: expect.stringContaining('3 of 3') });
    expect(await changes(wire, from)).toEqual([]);
    expect((await redoLast(linkctl)).code).toBe(0);
    expect((await stored(service)).map(({ note }) => note)).toEqual(['new', 'new', 'new']);
  });

  test('U2: a deleted link is made again with all that it had; redo deletes it', async ({ linkctl, service, wire }) => {
    await store(service, all);
    await store(service, [{ custom_hash: 'kept', long_url: 'https://kept.example' }]);
    const before = await values(service);
    expect((await linkctl(['delete', '--hashes-from', '-', '--yes'], { stdin: hashes })).code).toBe(0);
    await foreign(service, 'DELETE', '/tags/promo');
    const undone = await undoLast(linkctl);
    expect(undone).toMatchObject({ code: 0, stdout: 'h3\nhash\nlast\n' });
    expect(undone.stderr).toContain('3 links would be restored');
    expect(undone.stderr).toContain('links that are created again start with 0 clicks, as the newest');
    // The label was deleted meanwhile; as a server compares labels without case, the first link made again spells it.
    const folded = (of: Record<string, object>): unknown => JSON.parse(JSON.stringify(of).replaceAll('Promo', 'promo'));
    expect(folded(await values(service))).toEqual(folded(before));
    const from = (await wire.requests()).length;
    const again = await linkctl(['undo', (await runs(linkctl))[1]?.run ?? '', '--yes']);
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('is already undone, by run') });
    expect(await changes(wire, from)).toEqual([]);
    expect((await redoLast(linkctl)).code).toBe(0);
    expect(Object.keys(await values(service))).toEqual(['kept']);
  });

  test('U5: an undo that leaves every link alone names no older run, which would take back other links', async ({
    linkctl,
    service,
  }) => {
    const made = await linkctl(['shorten', 'https://a.example', '--hash', 'h3']);
    expect(made.code).toBe(0);
    expect((await linkctl(['edit', 'h3', '--note', 'one'])).code).toBe(0);
    await foreign(service, 'PATCH', '/urls/h3', { note: 'since' });
    const undone = await undoLast(linkctl);
    expect(undone.code).toBe(3);
    expect(undone.stderr).toMatch(/changed since: note .*\n(.*\n)*error: 1 link left unchanged; nothing was changed\n$/);
  });

  test('U2: created links are deleted, visited or not, but those that lead elsewhere since; the same command then begins anew', async ({
    linkctl,
    service,
    folder,
  }) => {
    const input = join(folder, 'links.csv');
    writeFileSync(input, 'custom_hash,long_url\nhash,https://a.example\nlast,https://b.example\nh3,https://c.example\n');
    expect((await linkctl(['shorten', '-f', input])).code).toBe(0);
    await foreign(service, 'PATCH', '/urls/last', { long_url: 'https://since.example' });
    await visit(service, 'h3');
    const undone = await undoLast(linkctl, ['--results', join(folder, 'undone.csv'), '-q']);
    expect(undone).toMatchObject({ code: 3, stdout: 'h3\nhash\n', stderr: expect.stringContaining('changed since: long_url') });
    expect(Object.keys(await values(service))).toEqual(['last']);
    const again = await linkctl(['undo', (await runs(linkctl))[1]?.run ?? '', '--yes']);
    expect(again).toMatchObject({ code: 3, stderr: expect.stringContaining('1 link left unchanged; nothing was changed') });
    await foreign(service, 'DELETE', '/urls/last');
    const anew = await linkctl(['shorten', '-f', input]);
    expect(anew).toMatchObject({ code: 0, stderr: expect.stringContaining('3 rows: 3 created') });
    // What counts is the newest run of the file.
    expect(await linkctl(['shorten', '-f', input])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('already completed'),
    });
  });

  test('U2: links that an earlier run created stay when a longer file is undone', async ({ linkctl, service, folder }) => {
    const input = join(folder, 'links.csv');
    const rows = 'custom_hash,long_url\nhash,https://a.example\nlast,https://b.example\n';
    writeFileSync(input, rows);
    expect((await linkctl(['shorten', '-f', input])).code).toBe(0);
    const longer = join(folder, 'longer.csv');
    writeFileSync(longer, `${rows}h3,https://c.example\n`);
    expect((await linkctl(['shorten', '-f', longer])).stderr).toContain('3 rows: 1 created, 2 existing');
    expect(await undoLast(linkctl)).toMatchObject({ code: 0, stdout: 'h3\n' });
    expect(Object.keys(await values(service))).toEqual(['hash', 'last']);
    expect((await redoLast(linkctl)).code).toBe(0);
    expect(Object.keys(await values(service))).toEqual(['hash', 'last', 'h3']);
    expect((await linkctl(['undo', (await runs(linkctl)).at(-1)?.run ?? '', '--yes'])).code).toBe(0);
    expect(Object.keys(await values(service))).toEqual(['h3']);
  });

  test('U2: what changed since is named field by field and left alone, unless forced', async ({ linkctl, service, wire }) => {
    await store(service, [...all, ...numbered(3)]);
    const before = await values(service);
    const words = ['--note', 'n', '--url', 'https://new.example/', '--hashes-from', '-'];
    expect((await linkctl(['edit', ...words], { stdin: `${hashes}h0\nh1\nh2\n` })).code).toBe(0);
    await foreign(service, 'PATCH', '/urls/hash', { note: 'since', long_url: 'https://since.example' });
    await foreign(service, 'PATCH', '/urls/last', { note: 'since' });
    await foreign(service, 'PATCH', '/urls/h3', { custom_hash: 'gone' });
    await foreign(service, 'DELETE', '/urls/h0');
    await foreign(service, 'PATCH', '/urls/h1', { note: '', long_url: 'https://example.com/1' });
    await foreign(service, 'PATCH', '/urls/h2', { tags: ['+since'] });
    const since = await values(service);
    const undone = await undoLast(linkctl);
    expect(undone).toMatchObject({ code: 3, stdout: 'h2\n' });
    expect(undone.stderr).toContain('1 of 6 links would be changed, 1 unchanged, 4 refused');
    expect(undone.stderr).toContain('\nundoing the changes to 1 link in 1 batch ');
    for (const line of ['changed since: long_url, note (1): ', 'changed since: note (1): ', 'deleted or renamed since (2): ']) {
      expect(undone.stderr).toContain(line);
    }
    expect(await values(service)).toEqual({ ...since, h2: { ...before.h2, tags: ['since'] } });
    const run = (await runs(linkctl))[1]?.run ?? '';
    const from = (await wire.requests()).length;
    expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 3, stdout: '' });
    expect(await changes(wire, from)).toEqual([]);
    const forced = await linkctl(['undo', run, '--yes', '--force']);
    expect(forced).toMatchObject({ code: 3, stdout: 'hash\nlast\n' });
    const { h3: _, h0: __, ...rest } = before;
    expect(await values(service)).toEqual({ ...rest, gone: since.gone, h2: { ...before.h2, tags: ['since'] } });
  });

  test('U2: a hash that is taken meanwhile is never overwritten', async ({ linkctl, service }) => {
    await store(service, all);
    expect((await linkctl(['delete', 'hash', 'last', 'h3', '--yes'])).code).toBe(0);
    await store(service, [{ custom_hash: 'hash', long_url: 'https://other.example' }]);
    await store(service, [{ custom_hash: 'last', long_url: 'https://old.example', note: 'other' }]);
    const undone = await undoLast(linkctl, ['--force']);
    expect(undone).toMatchObject({ code: 3, stdout: 'h3\n', stderr: expect.stringContaining('the hash is taken (2): ') });
    expect(await values(service)).toMatchObject({ hash: { long_url: 'https://other.example' }, last: { note: 'other' } });
  });

  test('U2: renames go back, also in a chain, and not where the old hash is taken', async ({ linkctl, service, folder }) => {
    await store(service, [...numbered(4), { custom_hash: 'same', long_url: 'https://example.com/3' }]);
    const before = await values(service);
    const edits = join(folder, 'edits.csv');
    writeFileSync(edits, 'hash,custom_hash,note\nh1,h2x,\nh0,h1,n\nh2,h2y,m\nh3,h3x,n\nh2y,h2z,\n');
    expect((await linkctl(['edit', '-f', edits, '--concurrency', '1'])).code).toBe(0);
    expect(Object.keys(await values(service)).sort()).toEqual(['h1', 'h2x', 'h2z', 'h3x', 'same']);
    await store(service, [{ custom_hash: 'h3', long_url: 'https://taken.example' }]);
    const undone = await undoLast(linkctl);
    expect(undone).toMatchObject({ code: 3, stderr: expect.stringContaining('the hash h3 is taken') });
    const { h3: _, ...restored } = before;
    expect(await values(service)).toMatchObject({ ...restored, h3: { long_url: 'https://taken.example' }, h3x: { note: 'n' } });
    await foreign(service, 'DELETE', '/urls/h3');
    expect((await linkctl(['undo', (await runs(linkctl))[1]?.run ?? '', '--yes'])).code).toBe(0);
    expect(await values(service)).toEqual(before);
  });

  test('U2: a rename is not undone on a link that somebody else made under the new hash', async ({ linkctl, service }) => {
    await store(service, numbered(2));
    expect((await linkctl(['edit', 'h0', '--new-hash', 'h0x'])).code).toBe(0);
    await foreign(service, 'DELETE', '/urls/h0x');
    await store(service, [{ custom_hash: 'h0x', long_url: 'https://theirs.example/' }]);
    const since = await values(service);
    const undone = await undoLast(linkctl);
    expect(undone).toMatchObject({ code: 3, stderr: expect.stringContaining('changed since: long_url (1): ') });
    expect(await values(service)).toEqual(since);
    // A note that the run changed is undone whatever somebody else does to the destination.
    expect((await linkctl(['edit', 'h1', '--note', 'new'])).code).toBe(0);
    await foreign(service, 'PATCH', '/urls/h1', { long_url: 'https://since.example/' });
    expect(await undoLast(linkctl)).toMatchObject({ code: 0, stdout: 'h1\n' });
    expect((await values(service)).h1).toMatchObject({ note: '', long_url: 'https://since.example/' });
  });

  test('U2, W3: a link that one row renames and a later row edits gets both, and both are undone', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    await store(service, [
      { custom_hash: 'old', long_url: 'https://old.example', note: 'before' },
      { custom_hash: 'other', long_url: 'https://other.example', note: 'before' },
    ]);
    const before = await values(service);
    const edits = join(folder, 'edits.csv');
    writeFileSync(edits, 'hash,custom_hash,note\nold,new,renamed\nother,,edited\nnew,,edited\n');
    const planned = await linkctl(['edit', '-f', edits, '--dry-run', '-o', 'jsonl']);
    expect(planned.stdout.trim().split('\n')).toHaveLength(2);
    const ran = await linkctl(['edit', '-f', edits, '--concurrency', '1']);
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('3 changed') });
    expect((await sent(wire)).filter(({ call }) => call.startsWith('PATCH'))).toHaveLength(2);
    expect(await values(service)).toMatchObject({ new: { note: 'edited' }, other: { note: 'edited' } });
    expect((await undoLast(linkctl)).code).toBe(0);
    expect(await values(service)).toEqual(before);
  });

  test('U2: a link whose second change was refused goes back to what it was before the first', async ({
    linkctl,
    service,
    folder,
  }) => {
    await store(service, [
      { custom_hash: 'old', long_url: 'https://old.example', note: 'before' },
      { custom_hash: 'taken', long_url: 'https://taken.example' },
    ]);
    const before = await values(service);
    const edits = join(folder, 'edits.csv');
    writeFileSync(edits, 'hash,custom_hash,note,tags\nold,new,renamed,+t\nnew,taken,edited,-t\n');
    expect(await linkctl(['edit', '-f', edits])).toMatchObject({ code: 3, stderr: expect.stringContaining('1215') });
    expect(await values(service)).toMatchObject({ new: { note: 'renamed', tags: ['t'] } });
    expect((await undoLast(linkctl)).code).toBe(0);
    expect(await values(service)).toEqual(before);
  });

  test('U2: links that exchanged their hashes get them back by the hash that one of them had meanwhile, and a redo too', async ({
    linkctl,
    service,
    folder,
  }) => {
    const names = ['x', 'y', 'a', 'b', 'c', 'd'];
    await store(
      service,
      names.map((name) => ({ custom_hash: name, long_url: `https://${name}.example`, note: `of ${name}` })),
    );
    const before = await values(service);
    const edits = join(folder, 'edits.csv');
    // Two links swap their hashes, three in a ring do, and one gets the hash of the fourth.
    const rows = ['x,tmp,n', 'y,x,n', 'tmp,y,n', 'a,t2,', 'c,a,n', 'b,c,', 't2,b,', 'd,e,'];
    writeFileSync(edits, ['hash,custom_hash,note', ...rows].join('\n'));
    expect((await linkctl(['edit', '-f', edits, '--batch-size', '2'])).code).toBe(0);
    const exchanged = await values(service);
    expect(exchanged).toMatchObject({ x: { long_url: 'https://y.example', note: 'n' }, b: { long_url: 'https://a.example' } });
    const [{ run = '' } = {}] = await runs(linkctl);
    for (let round = 0; round < 2; round += 1) {
      expect(await linkctl(['undo', run, '--yes', '--batch-size', '2'])).toMatchObject({ code: 0 });
      expect(await values(service)).toEqual(before);
      expect(await linkctl(['redo', run, '--yes', '--batch-size', '2'])).toMatchObject({ code: 0 });
      expect(await values(service)).toEqual(exchanged);
    }
  });

  test('U2: links that exchanged their hashes keep them where one has changed since, or where the hash between is taken', async ({
    linkctl,
    service,
    folder,
  }) => {
    await store(
      service,
      ['x', 'y'].map((name) => ({ custom_hash: name, long_url: `https://${name}.example`, note: `of ${name}` })),
    );
    const before = await values(service);
    const edits = join(folder, 'edits.csv');
    writeFileSync(edits, 'hash,custom_hash,note\nx,tmp,n\ny,x,n\ntmp,y,n\n');
    expect((await linkctl(['edit', '-f', edits])).code).toBe(0);
    const swapped = await values(service);
    await store(service, [{ custom_hash: 'tmp', long_url: 'https://other.example' }]);
    const undone = await undoLast(linkctl);
    expect(undone).toMatchObject({ code: 3, stdout: '' });
    expect(undone.stderr).toContain('the hash x is taken');
    expect(undone.stderr).toContain('the hash y is taken');
    await foreign(service, 'DELETE', '/urls/tmp');
    await foreign(service, 'PATCH', '/urls/x', { note: 'since' });
    expect(await undoLast(linkctl)).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('changed since: note'),
    });
    await foreign(service, 'PATCH', '/urls/x', { note: 'n' });
    expect(await values(service)).toEqual(swapped);
    const exchanged = await undoLast(linkctl);
    expect(exchanged).toMatchObject({ code: 0, stderr: expect.stringContaining('localhost/tmp: custom_hash: "tmp" -> "x"') });
    expect(await values(service)).toEqual(before);
  });

  test('U2: an undo of exchanged hashes that stopped between its steps is finished by the same command', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    await store(
      service,
      ['x', 'y'].map((name) => ({ custom_hash: name, long_url: `https://${name}.example`, note: `of ${name}` })),
    );
    const before = await values(service);
    const edits = join(folder, 'edits.csv');
    writeFileSync(edits, 'hash,custom_hash,note\nx,tmp,n\ny,x,n\ntmp,y,n\n');
    const patch = { only: { method: 'PATCH' } };
    const stops = [
      [1, 1303, 7],
      [2, 1303, 7],
      [1, 1215, 3],
      [2, 1215, 3],
    ] as const;
    for (const [passed, refusal, code] of stops) {
      expect((await linkctl(['edit', '-f', edits, '--again'])).code).toBe(0);
      const [{ run = '' } = {}] = await runs(linkctl);
      await wire.script([...Array.from({ length: passed }, () => patch), { ...faults.refuse(refusal), ...patch }]);
      expect((await linkctl(['undo', run, '--yes'])).code).toBe(code);
      await wire.script([]);
      expect(Object.keys(await values(service))).toContain('tmp');
      expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0 });
      expect(await values(service)).toEqual(before);
    }
  });

  test('U2: a run that was stopped is undone as far as it came, and its command then begins anew', async ({
    linkctl,
    service,
    wire,
  }) => {
    await store(service, numbered(30));
    const before = await values(service);
    const words = ['rewrite', 'https://example.com', 'https://new.example', ...sure, '--batch-size', '10', '--concurrency', '1'];
    const patch = { only: { method: 'PATCH' } };
    await wire.script([patch, { ...faults.silentAfter, ...patch }, { ...faults.refuse(1303), ...patch }]);
    expect((await linkctl([...words, '--timeout', '1', '--retries', '0'])).code).not.toBe(0);
    await wire.script([]);
    const undone = await undoLast(linkctl);
    expect(undone.code).toBe(0);
    expect(await values(service)).toEqual(before);
    const anew = await linkctl(words);
    expect(anew).toMatchObject({ code: 0, stderr: expect.stringContaining('30 links: 30 changed') });
    expect(anew.stderr).not.toContain('resuming');
  });

  test('U2: an undo that changed nothing leaves its run as it was: the same command resumes that', async ({
    linkctl,
    service,
    wire,
    folder,
  }) => {
    const input = join(folder, 'urls.txt');
    writeFileSync(input, Array.from({ length: 20 }, (_, index) => `https://example.com/${index}\n`).join(''));
    const words = ['shorten', '-f', input, '--batch-size', '10'];
    const post = { only: { method: 'POST' } };
    await wire.script([post, { ...faults.refuse(1303), ...post }]);
    expect((await linkctl(words)).code).toBe(7);
    await wire.script([{ ...faults.refuse(1303), only: { method: 'DELETE' } }]);
    expect((await undoLast(linkctl)).code).toBe(7);
    expect((await runs(linkctl)).map(({ undo }) => undo)).toEqual(['no', 'yes']);
    const resumed = await linkctl(words);
    expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining('10 of 20 rows are done') });
    expect(await stored(service)).toHaveLength(20);
  });

  test('U2: a rename in doubt is taken back where it was applied, and only there', async ({ linkctl, service, wire, folder }) => {
    const links = [...numbered(4), { custom_hash: 'h3x', long_url: 'https://example.com/3' }];
    await store(service, links);
    const before = await values(service);
    const edits = join(folder, 'edits.csv');
    // Another link that leads to the same has the hash that h3 is to get.
    writeFileSync(edits, 'hash,custom_hash,note\nh0,h0x,n\nh1,h1x,n\nh2,h2x,n\nh3,h3x,\n');
    const patch = { only: { method: 'PATCH' } };
    const words = ['edit', '-f', edits, '--batch-size', '2', '--concurrency', '1', '--timeout', '1', '--retries', '0'];
    const reading = { only: { path: 'hashes=' } };
    await wire.script([reading, { ...patch, ...faults.dropMiddle(1) }, { ...reading, ...faults.dropBefore, times: 'all' }]);
    expect((await linkctl(words)).code).toBe(10);
    await wire.script([]);
    expect(Object.keys(await values(service))).toEqual(['h0x', 'h1', 'h2', 'h3', 'h3x']);
    // Of h2 and h3 nothing shows that they are not renamed still.
    expect(await undoLast(linkctl)).toMatchObject({ code: 10, stdout: 'h0\n' });
    expect(await values(service)).toEqual(before);
    // The command begins anew; the server refuses h3, which stays as it was.
    expect((await linkctl(words)).code).toBe(3);
    expect(Object.keys(await values(service))).toEqual(['h0x', 'h1x', 'h2x', 'h3', 'h3x']);
    expect((await undoLast(linkctl)).code).toBe(0);
    expect(await values(service)).toEqual(before);
  });

  test.for([
    ['before', 'a beginning of its name', 1],
    ['after', 'a beginning of its name', 2],
    ['after', 'its name', 1],
    ['before', 'its name', 3],
  ] as const)(
    'U2: an undo that is killed %s a change took effect is resumed by the same command with %s, at batch %i',
    async ([when, by, batch], { linkctl, service, wire, env }) => {
      await store(service, numbered(6));
      const before = await values(service);
      const words = ['--hashes-from', '-', '--note', 'n', '--expires', '2031-01-01'];
      expect((await linkctl(['edit', ...words], { stdin: 'h0\nh1\nh2\nh3\nh4\nh5\n' })).code).toBe(0);
      const run = (await runs(linkctl))[0]?.run ?? '';
      const undo = ['undo', by === 'its name' ? run : run.slice(0, -2), '--yes', '--batch-size', '2', '--concurrency', '1'];
      const patch = { only: { method: 'PATCH' } };
      const hang = when === 'before' ? faults.silentBefore : faults.silentAfter;
      const passed = Array.from({ length: batch - 1 }, () => patch);
      await wire.script([...passed, { ...patch, ...hang }]);
      const from = (await changes(wire)).length;
      const { process: child, ended } = startProgram(undo, env);
      await arrived(wire, from + batch, 'PATCH');
      child.kill('SIGKILL');
      expect((await ended).signal).toBe('SIGKILL');
      await wire.script([]);
      const resumed = await linkctl(undo);
      expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining('6 links: 6 changed') });
      expect(await values(service)).toEqual(before);
      expect((await runs(linkctl)).map(({ what, state }) => [what.split(' ')[0], state])).toEqual([
        ['undo', 'finished'],
        ['edit', 'finished'],
      ]);
    },
  );

  test('U2: an undo that was stopped before its first change is planned anew', async ({ linkctl, service, wire }) => {
    await store(service, numbered(3));
    expect((await linkctl(['delete', 'h0', 'h1', 'h2', '--yes'])).code).toBe(0);
    await wire.script([{ ...faults.refuse(1303), only: { method: 'POST' } }]);
    expect((await undoLast(linkctl)).code).toBe(7);
    await store(service, [{ custom_hash: 'h1', long_url: 'https://since.example' }]);
    const anew = await undoLast(linkctl);
    expect(anew).toMatchObject({ code: 3, stdout: 'h2\nh0\n', stderr: expect.stringContaining('the hash is taken (1): ') });
    expect(anew.stderr).not.toContain('resuming');
    expect((await runs(linkctl)).map(({ what }) => what)).toEqual(['undo delete 3 links', 'delete 3 links']);
  });

  test('B54, B57, B59, B60: an undo asks, counts and can be looked at first', async ({ linkctl, service, wire }) => {
    await store(service, all);
    expect((await linkctl(['edit', '--note', 'n', 'hash', 'last', 'h3'])).code).toBe(0);
    const from = (await wire.requests()).length;
    expect(await linkctl(['undo'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('<run> required for undo'),
    });
    const last = await linkctl(['undo', 'last', '--yes']);
    expect(last).toMatchObject({ code: 2, stdout: '' });
    expect(last.stderr).toMatch(
      /^error: "last" is only accepted on a terminal: name the run\nhint: the newest .*linkctl undo \d{8}-\S+ --yes\n$/,
    );
    expect((await wire.requests()).length).toBe(from);
    expect((await undoLast(linkctl, ['--max-affected', '2'])).code).toBe(2);
    const no = await linkctl(['undo'], { ...watched, stdin: 'n\n' });
    expect(no).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Undo the changes to 3 links of .*\? \[y\/N\] error: aborted/s),
    });
    const dry = await linkctl(['undo', '-n', '-o', 'json']);
    expect(JSON.parse(dry.stdout).requests).toMatchObject([
      { method: 'PATCH', path: '/urls', body: { urls: [{ hash: 'h3', note: '' }, { hash: 'last' }, { note: '  blanks ' }] } },
    ]);
    expect((await linkctl(['undo', '-n'], watched)).stderr).toContain('3 links would be changed');
    expect(await changes(wire, from)).toEqual([]);
    expect((await undoLast(linkctl, ['-o', 'json'])).stdout).toContain('"changed":3');
  });
});

describe('several domains', () => {
  const both = ['a.example', 'b.example'];
  test.override({ domains: [{ name: 'a.example' }, { name: 'b.example' }] });

  test('U2, F5: each link is restored on its own domain, and its namesake stays', async ({ linkctl, service, wire }) => {
    await store(service, all, 'a.example');
    await store(service, [{ custom_hash: 'hash', long_url: 'https://b.example.org/' }, ...numbered(2)], 'b.example');
    const before = [await values(service, 'a.example'), await values(service, 'b.example')];
    const state = async () => [await values(service, 'a.example'), await values(service, 'b.example')];
    const commands = [
      ['edit', '--note', 'n', 'a.example/hash', 'b.example/hash', 'b.example/h1', 'a.example/last'],
      ['delete', 'b.example/hash', 'a.example/last', '--yes'],
      ['delete', '--all', '--all-domains', '--yes', '--max-affected', '10'],
      ['rewrite', '--host', 'old.example=b.example.org', '--all-domains', ...sure],
      ['edit', 'hash', '--url', 'https://new.example', '--undo', '--domain', 'b.example'],
    ];
    for (const words of commands) {
      expect(await linkctl(words)).toMatchObject({ code: 0 });
      expect(await state()).not.toEqual(before);
      const from = (await wire.requests()).length;
      expect(await undoLast(linkctl, [], { env: { LINKCTL_DOMAIN: 'b.example' } })).toMatchObject({ code: 0 });
      expect(await state()).toEqual(before);
      for (const call of await changes(wire, from)) expect(call).toMatch(/domain=[ab]\.example/);
    }
  });

  test('U7: a typed link without an answer, whose domain is not recorded, is deleted only with --force', async ({
    linkctl,
    service,
    wire,
    env,
  }) => {
    const words = ['shorten', 'https://new.example/', '--hash', 'mine'];
    await killed(words, { only: { method: 'POST' }, ...faults.silentBefore }, { wire, env });
    // The link of another domain, which is the default by now.
    await store(service, [{ custom_hash: 'mine', long_url: 'https://new.example/' }], 'a.example');
    expect(await undoLast(linkctl)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('somebody else may have created it'),
    });
    expect(Object.keys(await values(service, 'a.example'))).toEqual(['mine']);
    expect((await undoLast(linkctl, ['--force'])).code).toBe(0);
    expect(await values(service, 'a.example')).toEqual({});
  });

  test('U2: links that were created on one domain are deleted there, whatever the default is by then', async ({
    linkctl,
    service,
    folder,
  }) => {
    for (const domain of both) await store(service, [{ custom_hash: 'old', long_url: 'https://old.example' }], domain);
    const input = join(folder, 'links.csv');
    writeFileSync(input, 'custom_hash,long_url\nhash,https://a.example.org\nlast,https://b.example.org\n');
    expect((await linkctl(['shorten', '-f', input, '--domain', 'b.example'])).code).toBe(0);
    await store(service, [{ custom_hash: 'hash', long_url: 'https://a.example.org' }], 'a.example');
    const dry = await linkctl(['undo', '-n', '-o', 'csv']);
    expect(dry.stdout.split('\n').slice(1).sort()).toEqual([
      '',
      expect.stringContaining('b.example/hash'),
      expect.stringContaining('b.example/last'),
    ]);
    const [{ run = '' } = {}] = await runs(linkctl);
    const refused = await linkctl(['undo', run, '--yes', '--domain', 'a.example']);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--domain does not apply to linkctl undo: each link'),
    });
    expect((await undoLast(linkctl)).code).toBe(0);
    expect(Object.keys(await values(service, 'a.example'))).toEqual(['old', 'hash']);
    expect(Object.keys(await values(service, 'b.example'))).toEqual(['old']);
  });
});

describe('a service on a port of this computer', () => {
  test.override({ domains: [{ name: 'localhost:8787' }] });

  test.for([1, 2])(
    'E27: undo of a delete of %d links asks about links and their domain with the port',
    async (links, { linkctl, service }) => {
      await store(service, numbered(2));
      await linkctl(['delete', ...['h0', 'h1'].slice(0, links), '--yes']);
      const asked = await linkctl(['undo'], { ...watched, stdin: 'no\n' });
      expect(asked.stderr).toContain('domain localhost:8787');
      expect(asked.stderr).not.toMatch(/localhost(?!:8787)/);
    },
  );
});
