import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { sent, test } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';
import { undoLast } from './undo-world.ts';

const watched = { terminal: { stdin: true, stdout: true, stderr: true }, env: { NO_COLOR: '1' } };
const noon = { now: () => Date.UTC(2031, 0, 31, 12) };

/** The requests that change something. */
async function changes(wire: Parameters<typeof sent>[0]) {
  return (await sent(wire)).filter(({ call }) => !call.startsWith('GET'));
}

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });
  const bound = edition === 'a' ? 1000 : 500;

  test('B45: each error of several links names its link', async ({ linkctl, service, folder }) => {
    await store(service, numbered(2));
    const [, { short_url_with_protocol: own = '' } = {}] = await stored(service);
    const edited = await linkctl(['edit', 'h0', 'h1', '--url', own]);
    expect(edited.code).toBe(6);
    expect(edited.stderr.match(/^error: h\d: .* \[API 1216\]$/gm)?.map((line) => line.slice(7, 9))).toEqual(['h0', 'h1']);
    const file = join(folder, 'links.csv');
    writeFileSync(file, `hash,long_url\nh0,${own}\nh1,${own}\n`);
    const applied = await linkctl(['apply', '-f', file, '--yes']);
    expect(applied.stderr.match(/^error: \S+: .* \[API 1216\]$/gm)).toHaveLength(2);
  });

  test('PATCH /urls/[hash], style 1: one hash, its fields in one item, and the hash in a pipe', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(2));
    const ran = await linkctl(['edit', 'h0', '--url', 'https://example.com/new', '--new-hash', 'sale', '--note', 'spring sale']);
    expect(ran).toEqual({ code: 0, stdout: 'sale\n', stderr: '' });
    // Whether a rename whose answer is lost was ours is told by where the link led before (D6).
    expect(await sent(wire)).toEqual([
      { call: 'GET /urls?hashes=h0&limit=1', body: undefined },
      {
        call: 'PATCH /urls/h0',
        body: { urls: [{ custom_hash: 'sale', long_url: 'https://example.com/new', note: 'spring sale' }] },
      },
    ]);
    expect((await stored(service))[0]).toMatchObject({ hash: 'sale', long_url: 'https://example.com/new', note: 'spring sale' });
    expect(await linkctl(['edit', 'h1', '--note', 'x'], watched)).toEqual({
      code: 0,
      stdout: '✓ Changed h1: note: "" -> "x"\n',
      stderr: expect.stringMatching(/^to undo it: linkctl undo \S+\n$/),
    });
  });

  test.for([
    [['--note', 'x'], { note: 'x' }],
    [['--note', ''], { note: '' }],
    [['--email-stats'], { email_stats: true }],
    [['--no-email-stats'], { email_stats: false }],
    [['--expires', 'never'], { expiration_date: null }],
    [['--expires', '2031-02-28'], { expiration_date: '2031-02-28' }],
    [['--expires', '+30d'], { expiration_date: '2031-03-02' }],
    [['--add-tag', 'a,b', '--remove-tag', 'old', '--add-tag', 'c'], { tags: ['+a,b', '+c', '-old'] }],
  ] as const)('B12: edit %j sends that field and no other', async ([flags, fields], { linkctl, wire, service }) => {
    await store(service, numbered(1, { email_stats: true, tags: ['old'] }));
    expect(await linkctl(['edit', 'h0', ...flags, '--no-undo', '-q'], noon)).toMatchObject({ code: 0, stderr: '' });
    expect((await sent(wire))[0]?.body).toEqual({ urls: [fields] });
  });

  test('PATCH /urls?hashes=, style 2: the same fields for many in one call', async ({ linkctl, wire, service }) => {
    await store(service, numbered(3));
    const ran = await linkctl(['edit', 'h2', 'h0', '--add-tag', 'promo', '--remove-tag', 'draft', '--note', 'n']);
    expect(ran).toEqual({ code: 0, stdout: 'h2\nh0\n', stderr: '' });
    expect(await sent(wire)).toEqual([
      // What the links were is kept for undo (U1).
      { call: 'GET /urls?hashes=h2,h0&limit=2', body: undefined },
      { call: 'PATCH /urls?hashes=h2,h0', body: { urls: [{ note: 'n', tags: ['+promo', '-draft'] }] } },
    ]);
    expect((await stored(service)).map(({ note, tags }) => [note, tags])).toEqual([
      ['n', ['promo']],
      ['', []],
      ['n', ['promo']],
    ]);
  });

  test('W3: a link that was read and is so already is not sent, and not called changed', async ({ linkctl, wire, service }) => {
    await store(service, [...numbered(2), ...numbered(1, { custom_hash: 'done', note: 'n' })]);
    const words = ['edit', 'h0', 'done', '--note', 'n'];
    expect(await linkctl(words)).toEqual({ code: 0, stdout: 'h0\n', stderr: '1 link unchanged\n' });
    expect((await changes(wire)).map(({ call }) => call)).toEqual(['PATCH /urls/h0']);
    const ran = await linkctl(['edit', 'h0', '--note', 'n'], watched);
    expect(ran).toEqual({ code: 0, stdout: '', stderr: '1 link unchanged\n' });
    const { stdout } = await linkctl([...words, '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ urls: [{ status: 'unchanged' }, {}], summary: { unchanged: 2, changed: 0 } });
    expect(await changes(wire)).toHaveLength(1);
  });

  test('E24b: only the case of a host or blanks around a note are changed too, and undo has every byte', async ({
    linkctl,
    service,
  }) => {
    await store(service, numbered(1, { note: 'n' }));
    const [before] = await stored(service);
    const long_url = 'https://EXAMPLE.com/0';
    for (const [words, change] of [
      [['--url', long_url], { long_url }],
      [['--note', ' n '], { note: ' n ' }],
    ] as const) {
      expect(await linkctl(['edit', 'h0', ...words])).toMatchObject({ code: 0, stdout: 'h0\n', stderr: '' });
      expect(await stored(service)).toMatchObject([change]);
      expect(await linkctl(['edit', 'h0', ...words])).toMatchObject({ stderr: '1 link unchanged\n' });
      expect(await undoLast(linkctl)).toMatchObject({ code: 0 });
      expect(await stored(service)).toEqual([before]);
    }
  });

  test('style 2 from a file of hashes; afterwards the same file may be edited again', async ({
    linkctl,
    wire,
    service,
    folder,
  }) => {
    await store(service, numbered(2));
    const path = join(folder, 'hashes.txt');
    writeFileSync(path, '# mine\nh0\nh1\n');
    expect(await linkctl(['edit', '--hashes-from', path, '--note', 'a'])).toMatchObject({ code: 0, stdout: 'h0\nh1\n' });
    expect(await linkctl(['edit', '--hashes-from', path, '--note', 'b'])).toMatchObject({ code: 0 });
    expect(await linkctl(['edit', '--hashes-from', path, '--note', 'a'])).toMatchObject({ code: 0 });
    const domain = edition === 'a' ? '&domain=localhost' : '';
    const call = expect.stringMatching(/PATCH \/urls\?.*hashes=h0,h1/);
    expect(await changes(wire)).toEqual(['a', 'b', 'a'].map((note) => ({ call, body: { urls: [{ note }] } })));
    expect((await changes(wire))[0]?.call.includes('domain=localhost')).toBe(domain !== '');
  });

  test('PATCH /urls with a hash per item, style 3: 1,205 csv rows in batches under the bound, results, and failed rows fed back', async ({
    linkctl,
    wire,
    service,
    folder,
  }) => {
    await store(service, numbered(1204, { tags: ['old'] }));
    const [edits, results, failed] = [join(folder, 'edits.csv'), join(folder, 'results.csv'), join(folder, 'failed.csv')];
    const rows = Array.from({ length: 1205 }, (_, index) => {
      const hash = index === 0 ? 'n0' : '';
      return `h${index},${hash},https://example.com/new/${index},"note ${index}, ""q""","+new,-old",2031-05-17,${index % 2 === 0}`;
    });
    writeFileSync(edits, `hash,custom_hash,long_url,note,tags,expiration_date,email_stats\n${rows.join('\n')}\n`);
    const ran = await linkctl(['edit', '-f', edits, '--results', results, '--failed', failed]);
    expect(ran.code).toBe(3);
    expect(ran.stdout.trimEnd().split('\n')).toEqual(['n0', ...Array.from({ length: 1203 }, (_, index) => `h${index + 1}`)]);
    expect(ran.stderr).toContain(`edits.csv:1206: no short URL "h1204"`);
    expect(ran.stderr).toMatch(/^1205 rows: 1204 changed, 1 failed \(.*failed\.csv\) \(\d+ requests, [\d.]+ s\)/m);
    const sizes = (await changes(wire)).map(({ body }) => (body as { urls: unknown[] }).urls.length);
    // One link does not exist: it is not sent.
    expect(sizes.reduce((sum, size) => sum + size)).toBe(1204);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(bound);
    // U1: a batch is no larger than what one call reads. That something is missing is asked for once more.
    const readings = (await sent(wire)).filter(({ call }) => call.startsWith('GET /urls?hashes='));
    expect(readings).toHaveLength(sizes.length + 1);
    expect(Math.max(...readings.map(({ call }) => call.length))).toBeLessThan(6000);
    expect((await changes(wire)).map(({ body }) => body)).toContainEqual({
      urls: expect.arrayContaining([
        {
          hash: 'h0',
          custom_hash: 'n0',
          long_url: 'https://example.com/new/0',
          note: 'note 0, "q"',
          tags: ['+new', '-old'],
          expiration_date: '2031-05-17',
          email_stats: true,
        },
      ]),
    });
    const records = await stored(service);
    expect(records.map(({ long_url }) => long_url)).toEqual(records.map((_, index) => `https://example.com/new/${index}`));
    expect(records[1]).toMatchObject({ hash: 'h1', tags: ['new'], email_stats: false, expiration_date: '2031-05-17' });
    expect(readFileSync(results, 'utf8').match(/^\d+,(changed|failed),/gm)).toHaveLength(1205);
    expect(readFileSync(failed, 'utf8')).toContain(
      'h1204,,https://example.com/new/1204,"note 1204, ""q""","+new,-old",2031-05-17,true',
    );
    await store(service, [{ custom_hash: 'h1204', long_url: 'https://example.com/' }]);
    expect(await linkctl(['edit', '-f', failed])).toMatchObject({ code: 0, stdout: 'h1204\n' });
    expect((await stored(service)).at(-1)).toMatchObject({ note: 'note 1204, "q"', tags: ['new'] });
  });

  test('style 3 from 1,100 rows of jsonl, whose failed rows are jsonl again', async ({ linkctl, wire, service, folder }) => {
    await store(service, numbered(1099));
    const [edits, failed] = [join(folder, 'edits.jsonl'), join(folder, 'failed.jsonl')];
    const rows = Array.from({ length: 1100 }, (_, index) => ({ hash: `h${index}`, note: `n${index}`, tags: ['+a,b'] }));
    writeFileSync(edits, rows.map((row) => JSON.stringify(row)).join('\n'));
    const ran = await linkctl(['edit', '-f', edits, '--failed', failed, '--no-undo', '-q']);
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining('edits.jsonl:1100: no short URL "h1099"') });
    // Four batches are under way at once, so that the last may arrive first.
    const sizes = (await changes(wire)).map(({ body }) => (body as { urls: unknown[] }).urls.length).sort((a, b) => b - a);
    expect(sizes).toEqual([...new Array(Math.floor(1100 / bound)).fill(bound), 1100 % bound]);
    const records = await stored(service);
    expect(records.every(({ note, tags }, index) => note === `n${index}` && tags[0] === 'a,b')).toBe(true);
    await store(service, [{ custom_hash: 'h1099', long_url: 'https://example.com/' }]);
    expect(await linkctl(['edit', '-f', failed])).toMatchObject({ code: 0, stdout: 'h1099\n' });
    expect((await stored(service)).at(-1)).toMatchObject({ note: 'n1099', tags: ['a,b'] });
  });

  test('style 3 from jsonl on stdin: null empties a date, and flags fill what a row leaves out', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(2, { expiration_date: '2031-05-17' }));
    const stdin = '{"hash":"h0","expiration_date":null,"note":"own"}\n{"hash":"h1","tags":["+x"]}\n';
    expect(await linkctl(['edit', '-f', '-', '--input-format', 'jsonl', '--note', 'flag'], { stdin })).toMatchObject({ code: 0 });
    expect((await changes(wire))[0]?.body).toEqual({
      urls: [
        { hash: 'h0', note: 'own', expiration_date: null },
        { hash: 'h1', note: 'flag', tags: ['+x'] },
      ],
    });
  });

  test('2.3: a row without values of its own has those of the flags; without flags it changes nothing: exit 2', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(2));
    const edit = (stdin: string, ...flags: string[]) =>
      linkctl(['edit', '-f', '-', '--input-format', 'csv', ...flags], { stdin });
    expect(await edit('hash,note\nh0,own\nh1,\n', '--note', 'flag')).toMatchObject({ code: 0, stdout: 'h0\nh1\n' });
    expect(await edit('hash\nh0\nh1\n', '--add-tag', 'x')).toMatchObject({ code: 0, stdout: 'h0\nh1\n' });
    expect((await changes(wire)).map(({ body }) => body)).toEqual([
      {
        urls: [
          { hash: 'h0', note: 'own' },
          { hash: 'h1', note: 'flag' },
        ],
      },
      {
        urls: [
          { hash: 'h0', tags: ['+x'] },
          { hash: 'h1', tags: ['+x'] },
        ],
      },
    ]);
    expect(await edit('hash\nh0\n')).toMatchObject({ code: 2, stderr: expect.stringContaining('stdin:2: nothing to change\n') });
  });

  test('B21: a listing whose cells are partly empty is read back, and only what was changed in it is sent', async ({
    linkctl,
    wire,
    service,
    folder,
  }) => {
    await store(service, [...numbered(1, { note: 'n' }), { custom_hash: 'h1', long_url: 'https://example.com/1' }]);
    const [listed, file] = [join(folder, 'listed.csv'), join(folder, 'edited.csv')];
    for (const field of ['note', 'tags']) {
      const { stdout } = await linkctl(['list', '--fields', `hash,${field}`, '-o', 'csv']);
      writeFileSync(listed, stdout);
      writeFileSync(file, stdout.replace(/^h0,.*$/m, 'h0,x'));
      expect(await linkctl(['edit', '-f', listed, '-n', '--base', listed])).toMatchObject({
        code: 0,
        stderr: '0 links would be changed, 2 unchanged\ndry run: nothing was sent\n',
      });
      expect((await linkctl(['edit', '-f', file, '-n'])).stderr).toMatch(/^1 link would be changed, 1 unchanged$/m);
      await wire.requests();
      const words = ['edit', '-f', file, '--yes', ...(field === 'tags' ? ['--base', listed] : [])];
      const ran = await linkctl(words, { env: { LINKCTL_OUTPUT: 'json' } });
      expect(ran.code, ran.stderr).toBe(0);
      expect(JSON.parse(ran.stdout)).toMatchObject({ summary: { rows: 2, changed: 1, unchanged: 1 } });
    }
    expect((await changes(wire)).map(({ body }) => body)).toEqual([
      { urls: [{ hash: 'h0', note: 'x' }] },
      { urls: [{ hash: 'h0', tags: ['+x'] }] },
    ]);
    expect(await linkctl(['edit', '-f', file, '--note', 'all'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^h[01]\nh[01]\n$/),
    });
  });

  test('PATCH /urls?tags=: with --no-undo what an expression selects, in one call, after they were counted (F1)', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(3, { tags: ['promo'] }));
    const flags = [
      '--note',
      'n',
      '--expires',
      '2031-01-31',
      '--no-email-stats',
      ...(edition === 'a' ? ['--max-clicks', '9'] : []),
    ];
    const ran = await linkctl(['edit', '--by-tags', 'promo&~old', '--no-undo', ...flags, '--yes', '--max-affected', '3']);
    expect(ran).toMatchObject({ code: 0, stdout: '' });
    expect(ran.stderr).toMatch(/^--no-undo: this change cannot be undone\n3 links would be changed\n/);
    expect(ran.stderr).toMatch(/^Changed 3 links with the tag expression "promo&~old"\n$/m);
    const fields = { note: 'n', expiration_date: '2031-01-31', email_stats: false, ...(edition === 'a' && { max_clicks: 9 }) };
    expect(await sent(wire)).toEqual([
      { call: 'GET /tags', body: undefined },
      ...(edition === 'a' ? [{ call: 'GET /domains', body: undefined }] : []),
      { call: `GET /urls?tags=promo&~old&limit=${bound}`, body: undefined },
      { call: `GET /urls?tags=promo&~old&offset=3&limit=${bound}`, body: undefined },
      { call: 'PATCH /urls?tags=promo&~old', body: { urls: [fields] } },
    ]);
    expect((await stored(service)).map(({ note }) => note)).toEqual(['n', 'n', 'n']);
  });

  test('4.3.8: --new-hash with --by-tags is exit 2 before any call', async ({ linkctl, wire }) => {
    const ran = await linkctl(['edit', '--by-tags', 'promo', '--new-hash', 'x', '--yes', '--max-affected', '9']);
    expect(ran).toMatchObject({ code: 2, stderr: 'error: --new-hash applies to one link: give exactly one hash\n' });
    expect(await wire.requests()).toEqual([]);
  });

  test('2,100 hashes through --hashes-from: no call above either limit, all done', async ({ linkctl, wire, service }) => {
    const urls = Array.from({ length: 2100 }, (_, index) => ({
      custom_hash: `x${index}`.padEnd(3 + (index % 10), '_'),
      long_url: 'https://example.com/',
    }));
    await store(service, urls);
    const stdin = urls.map(({ custom_hash }) => custom_hash).join('\n');
    const ran = await linkctl(['edit', '--hashes-from', '-', '--note', 'n'], { stdin });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toBe(`${stdin}\n`);
    for (const { url } of await wire.requests()) {
      expect(url.length).toBeLessThanOrEqual(6000);
      expect(url.split('%2C').length).toBeLessThanOrEqual(bound);
    }
    expect((await stored(service)).every(({ note }) => note === 'n')).toBe(true);
  });
});

test('--max-clicks goes out on edition A and is refused on edition B (B53)', async ({ linkctl, wire, other, service }) => {
  await store(service, numbered(1));
  expect((await linkctl(['edit', 'h0', '--max-clicks', '5', '--no-undo'])).code).toBe(0);
  expect((await sent(wire))[0]?.body).toEqual({ urls: [{ max_clicks: 5 }] });
  expect(await other(['edit', 'h0', '--max-clicks', '5'])).toMatchObject({
    code: 2,
    stderr: 'error: --max-clicks: this server (edition B) has no max_clicks\n',
  });
});

test.for([
  [['h0'], /nothing to change: give at least one of --\S+, .*--url, .*--add-tag.* or --remove-tag/],
  [[], /missing required argument 'hash'/],
  [['--note', 'x'], /missing required argument 'hash'/],
  [['h0', 'h1', '--new-hash', 'x'], /--new-hash applies to one link: give exactly one hash/],
  [['--hashes-from', 'none.txt', '--new-hash', 'x'], /--new-hash applies to one link/],
  [['-f', 'edits.csv', '--new-hash', 'x'], /in a file, use the column custom_hash/],
  [['-f', 'edits.csv', 'h0'], /specify only one of --file or <hash>\.\.\./],
  [['-f', 'edits.csv', '--by-tags', 'a'], /specify only one of --file or --by-tags/],
  [['h0', '--by-tags', 'a', '--note', 'x'], /specify only one of <hash>\.\.\. or --by-tags/],
  [['h0', '--expires', '2031-02-30'], /--expires: .*is not a date/],
  [['h0', '--expires', '+8000y'], /--expires: .*is not a date/],
  [['h0', '--expires', '+96000m', '-n'], /--expires: .*is not a date/],
  [['h0', '--add-tag', ' '], /--add-tag: a label is empty/],
  [['h0', '--remove-tag', '\t '], /--remove-tag: a label is empty/],
  [['h0', '--url', 'example.com'], /--url: .*is not an http or https URL/],
  [['', '--note', 'x'], /"" is not a hash or a short URL/],
  [['..', '--note', 'x'], /"\.\." is not a hash or a short URL/],
  [['--by-tags', ' ', '--note', 'x'], /--by-tags: the tag expression is empty/],
  [['h0', '--note', 'x', '--results', 'r.csv'], /--results requires --hashes-from and cannot be used with <hash>\.\.\./],
  [['h0', '--note', 'x', '--delimiter', ';'], /--delimiter requires --file/],
  [
    ['--hashes-from', 'none.txt', '--note', 'x', '--input-format', 'csv'],
    /--input-format requires --file and cannot be used with --hashes-from/,
  ],
  [['h0', '--note', 'x', '--base', 'none.csv'], /--base requires --file and cannot be used with <hash>\.\.\./],
  [
    ['--hashes-from', 'none.txt', '--note', 'x', '--base', 'none.csv'],
    /--base requires --file and cannot be used with --hashes-from/,
  ],
  ...[['--by-tags', 'a'], ['--by-tags', 'a', '--no-undo'], ['--all'], ['--search', 'a'], ['--all', '--filter', 'note=x']].map(
    (selection) =>
      [[...selection, '--note', 'x', '--base', 'none.csv', '--yes', '--max-affected', '9'], /--base requires --file/] as const,
  ),
] as const)('B11, R-31, R-52, W5: edit %j is exit 2 and sends nothing', async ([words, complaint], { linkctl, wire }) => {
  const ran = await linkctl(['edit', ...words]);
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toMatch(complaint);
  expect(await wire.requests()).toEqual([]);
});

test('R-52: an empty file of rows or of hashes selects nothing, and is exit 2', async ({ linkctl, wire }) => {
  for (const [words, stdin] of [
    [['--hashes-from', '-', '--note', 'x'], '# nothing\n\n'],
    [['-f', '-', '--input-format', 'csv'], 'hash,note\n'],
    [['-f', '-', '--input-format', 'jsonl'], ''],
  ] as const) {
    expect((await linkctl(['edit', ...words], { stdin })).code).toBe(2);
  }
  expect(await wire.requests()).toEqual([]);
});

test('B57: --max-affected stops every way of an edit before anything is sent', async ({ linkctl, wire, service }) => {
  await store(service, numbered(2, { tags: ['t'] }));
  const stdin = 'h0\nh1\n';
  for (const [words, input] of [
    [['h0', 'h1', '--note', 'x'], ''],
    [['--hashes-from', '-', '--note', 'x'], stdin],
    [['-f', '-', '--input-format', 'csv'], 'hash,note\nh0,x\nh1,x\n'],
    [['--by-tags', 't', '--note', 'x', '--yes'], ''],
  ] as const) {
    const ran = await linkctl(['edit', ...words, '--max-affected', '1'], { stdin: input });
    expect(ran).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('2 links would be affected, more than --max-affected 1'),
    });
  }
  expect(await changes(wire)).toEqual([]);
});

test('B43: a hash that does not exist is exit 5 alone and 3 beside others, which are changed', async ({ linkctl, service }) => {
  await store(service, numbered(1));
  expect(await linkctl(['edit', 'none', '--note', 'x'])).toMatchObject({
    code: 5,
    stdout: '',
    stderr: expect.stringMatching(/^error: no short URL "none" \[API 1306\]\n/),
  });
  expect(await linkctl(['edit', 'none', 'h0', '--note', 'x'])).toMatchObject({ code: 3, stdout: 'h0\n' });
  expect((await stored(service))[0]?.note).toBe('x');
});

test('a new hash that is taken is reported by its own name, exit 6', async ({ linkctl, service, folder }) => {
  await store(service, numbered(2));
  expect(await linkctl(['edit', 'h0', '--new-hash', 'h1'])).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(/^error: the hash "h1" is already in use or not allowed \[API 1215\]/),
  });
  const path = join(folder, 'edits.csv');
  writeFileSync(path, 'hash,custom_hash\nh0,h1\nnone,new\n');
  const ran = await linkctl(['edit', '-f', path]);
  expect(ran.stderr).toContain('edits.csv:2: the hash "h1" is already in use');
  expect(ran.stderr).toContain('edits.csv:3: no short URL "none"');
});

describe('did it happen?', () => {
  const record = (hash: string, more: object) => ({ hash, long_url: `https://example.com/${hash}`, ...more });
  const answer = (...urls: object[]) => ({
    only: { method: 'PATCH' },
    apply: false,
    answer: { body: { error: { code: 0, message: '' }, urls: urls.map((url) => ({ error: { code: 0, message: '' }, ...url })) } },
  });

  test('CLI 3.5, F46: a field that came back different is not applied: exit 6, 3 beside others', async ({
    linkctl,
    wire,
    service,
  }) => {
    await store(service, numbered(2));
    await wire.script([answer(record('h0', { note: 'old' }))]);
    const one = await linkctl(['edit', 'h0', '--note', 'x', '--expires', '2031-01-31']);
    expect(one).toMatchObject({ code: 6, stdout: '' });
    expect(one.stderr).toBe('error: h0: not applied: note (requested "x", got "old")\n');
    await wire.script([answer(record('h0', { note: 'old' }), record('h1', { note: 'x' }))]);
    const two = await linkctl(['edit', 'h0', 'h1', '--note', 'x', '-o', 'json']);
    expect(two.code).toBe(3);
    expect(JSON.parse(two.stdout)).toMatchObject({
      urls: [
        { hash: 'h0', status: 'failed', error: { code: 0, message: 'not applied: note' } },
        { hash: 'h1', status: 'changed', note: 'x' },
      ],
      summary: { rows: 2, changed: 1, failed: 1 },
    });
  });

  test('a field that does not come back proves nothing', async ({ linkctl, wire }) => {
    await wire.script([answer({ hash: 'h0' })]);
    const words = ['edit', 'h0', '--note', 'x', '--add-tag', 'y', '--no-undo'];
    expect(await linkctl(words)).toMatchObject({ code: 0, stdout: 'h0\n' });
  });

  test('a tag that was to go and is still there, and a rename that was ignored', async ({ linkctl, wire, service }) => {
    await store(service, numbered(1));
    await wire.script([answer(record('h0', { tags: ['OLD', 'x'] }))]);
    expect((await linkctl(['edit', 'h0', '--remove-tag', 'old', '--add-tag', 'X'])).stderr).toContain('h0: not applied: tags');
    await wire.script([{ ...answer(record('h0', {})), only: { method: 'PATCH' } }]);
    expect(await linkctl(['edit', 'h0', '--new-hash', 'n'])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('h0: not applied: custom_hash'),
    });
  });
});

describe('class A', () => {
  const onPatch = { only: { method: 'PATCH' } };

  test.for([
    ['F04', faults.dropBefore],
    ['F05', faults.dropAfter],
    ['F30', faults.badGatewayAfter],
  ] as const)(
    'R 2.1, %s: values are sent again, a rename is checked first; each is done once',
    async ([, fault], { linkctl, wire, service }) => {
      await store(service, numbered(4));
      await wire.script([{ ...fault, ...onPatch }]);
      expect(await linkctl(['edit', 'h0', '--add-tag', 'x'])).toMatchObject({ code: 0, stdout: 'h0\n' });
      await wire.script([{ ...fault, ...onPatch }]);
      expect(await linkctl(['edit', 'h1', 'h2', '--note', 'x'])).toMatchObject({ code: 0, stdout: 'h1\nh2\n' });
      await wire.script([{ ...fault, ...onPatch }]);
      expect(await linkctl(['edit', 'h3', '--new-hash', 'n3'])).toMatchObject({ code: 0, stdout: 'n3\n' });
      await wire.script([{ ...fault, ...onPatch }]);
      const stdin = 'hash,custom_hash\nh0,n0\nh1,n1\n';
      const ran = await linkctl(['edit', '-f', '-', '--input-format', 'csv'], { stdin });
      expect(ran).toMatchObject({ code: 0, stdout: 'n0\nn1\n' });
      expect((await stored(service)).map(({ hash, note, tags }) => [hash, note, ...tags])).toEqual([
        ['n0', '', 'x'],
        ['n1', 'x'],
        ['h2', 'x'],
        ['n3', ''],
      ]);
    },
  );

  test('CLI 3.9.4: a group that is refused because of one hash is made without it', async ({ linkctl, wire, service }) => {
    await store(service, numbered(3));
    await wire.script([{ ...faults.refuse(1306), ...onPatch }]);
    expect(await linkctl(['edit', 'h0', 'none', 'h2', '--note', 'x'])).toMatchObject({ code: 3, stdout: 'h0\nh2\n' });
    expect((await stored(service)).map(({ note }) => note)).toEqual(['x', '', 'x']);
  });
});

test('B60: --dry-run prints the calls of every way and sends none', async ({ linkctl, wire, folder }) => {
  const hashes = join(folder, 'hashes.txt');
  writeFileSync(hashes, Array.from({ length: 1001 }, (_, index) => `abcd${index}\n`).join(''));
  const rows = async (words: readonly string[], stdin = '') => {
    // With --no-undo nothing is read, so that links that do not exist are sent, too.
    const ran = await linkctl(['edit', ...words, '--no-undo', '--dry-run', '-o', 'json'], { stdin });
    expect(ran.code).toBe(0);
    const { dry_run, requests } = JSON.parse(ran.stdout);
    expect(dry_run).toBe(true);
    return requests;
  };
  const body = { urls: [{ note: 'x' }] };
  expect(await rows(['a%b', '--note', 'x'])).toEqual([{ method: 'PATCH', path: '/urls/a%25b', query: {}, body }]);
  expect(await rows(['a', 'b', '--note', 'x', '--domain', 's.ex'])).toEqual([
    { method: 'PATCH', path: '/urls', query: { hashes: 'a,b', domain: 's.ex' }, body },
  ]);
  expect(await rows(['--by-tags', 'a&b', '--note', 'x'])).toEqual([
    { method: 'PATCH', path: '/urls', query: { tags: 'a&b' }, body },
  ]);
  expect(await rows(['-f', '-', '--input-format', 'csv'], 'hash,note\na,1\n')).toEqual([
    { method: 'PATCH', path: '/urls', query: { domain: 'localhost' }, body: { urls: [{ hash: 'a', note: '1' }] } },
  ]);
  const lists = (await rows(['--hashes-from', hashes, '--note', 'x'])).map(
    ({ query }: { query: { hashes: string } }) => query.hashes,
  );
  expect(lists.join(',').split(',')).toHaveLength(1001);
  for (const list of lists) expect(encodeURIComponent(list).length).toBeLessThanOrEqual(5900);
  expect(await changes(wire)).toEqual([]);
});

test('-o json: the records as they are now, and a summary', async ({ linkctl, service }) => {
  await store(service, numbered(1));
  const ran = await linkctl(['edit', 'h0', '--note', 'x', '--json']);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    urls: [{ status: 'changed', hash: 'h0', long_url: 'https://example.com/0', note: 'x' }],
    summary: { rows: 1, changed: 1, failed: 0 },
  });
});

test('B26, D44: -q leaves what was changed on stdout, and still reports a failure', async ({ linkctl, service }) => {
  await store(service, numbered(1));
  expect(await linkctl(['edit', 'h0', '--note', 'x', '-q'])).toEqual({ code: 0, stdout: 'h0\n', stderr: '' });
  expect((await linkctl(['edit', 'none', '--note', 'x', '-q'])).stderr).toContain('no short URL "none"');
});

test('2.5, U3: labels that differ in blanks are two: each is attached, detached and undone alone', async ({
  linkctl,
  service,
}) => {
  await store(service, [
    { custom_hash: 'one', long_url: 'https://example.com/', tags: ['x'] },
    { custom_hash: 'both', long_url: 'https://example.com/', tags: ['x', 'x '] },
  ]);
  const before = await stored(service);
  const tags = async () => Object.fromEntries((await stored(service)).map(({ hash, tags }) => [hash, [...tags].sort()]));
  expect(await linkctl(['edit', 'one', '--add-tag', 'x '])).toMatchObject({ code: 0, stdout: 'one\n' });
  expect(await tags()).toEqual({ one: ['x', 'x '], both: ['x', 'x '] });
  expect((await linkctl(['edit', 'one', '--add-tag', 'X '])).stderr).toContain('1 link unchanged');
  expect(await undoLast(linkctl)).toMatchObject({ code: 0, stdout: 'one\n' });
  expect(await stored(service)).toEqual(before);
  for (const [label, left] of [
    ['x ', 'x'],
    ['x', 'x '],
  ] as const) {
    expect(await linkctl(['edit', 'both', '--remove-tag', label])).toMatchObject({ code: 0, stdout: 'both\n' });
    expect(await tags()).toEqual({ one: ['x'], both: [left] });
    expect(await undoLast(linkctl)).toMatchObject({ code: 0, stdout: 'both\n' });
    expect(await tags()).toEqual({ one: ['x'], both: ['x', 'x '] });
  }
});

test('2.5, U2: a file that replaces a label by the same one without blanks is undone for each link', async ({
  linkctl,
  service,
  folder,
}) => {
  await store(service, [
    { custom_hash: 'other', long_url: 'https://example.com/', tags: ['keep'] },
    { custom_hash: 'blank', long_url: 'https://example.com/', tags: ['sp '] },
  ]);
  const before = await stored(service);
  const file = join(folder, 'edits.csv');
  writeFileSync(file, 'hash,tags\nother,"+sp,""-sp """\nblank,"+sp,""-sp """\n');
  expect((await linkctl(['edit', '-f', file, '--yes'])).code).toBe(0);
  expect((await stored(service)).map(({ tags }) => tags)).toEqual([['keep', 'sp'], ['sp']]);
  expect((await undoLast(linkctl)).code).toBe(0);
  expect(await stored(service)).toEqual(before);
});

test('B11: a tag that one line attaches and detaches is refused before anything is sent: exit 2', async ({
  linkctl,
  service,
  wire,
}) => {
  await store(service, numbered(1));
  const refused = await linkctl(['edit', 'h0', '--remove-tag', 'x', '--add-tag', 'X', '--yes']);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--add-tag and --remove-tag: both name "x"') });
  expect(await wire.requests()).toEqual([]);
});

test('B21: a label that begins with a sign has a sign before it in a file, as the topic csv says', async ({
  linkctl,
  service,
}) => {
  expect((await linkctl(['help', 'csv'])).stdout.replace(/\s+/g, ' ')).toContain(
    'Add + before a label that itself begins with + or -, also in a listing.',
  );
  await store(service, [{ custom_hash: 'abc', long_url: 'https://example.com/', tags: ['+b', '-c'] }]);
  const stdin = 'hash,tags\nabc,"++b,+-c"\n';
  expect(await linkctl(['edit', '-f', '-', '--input-format', 'csv'], { stdin })).toMatchObject({ code: 0 });
  expect(await stored(service)).toMatchObject([{ tags: ['+b', '-c'] }]);
});

test('--print-template is a file that an edit accepts', async ({ linkctl, service }) => {
  await store(service, [{ custom_hash: 'abc', long_url: 'https://example.com/' }]);
  for (const format of ['csv', 'jsonl']) {
    const { stdout } = await linkctl(['edit', '--print-template', '--input-format', format]);
    const ran = await linkctl(['edit', '-f', '-', '--input-format', format, '--dry-run'], { stdin: stdout });
    expect(ran.code).toBe(0);
  }
});

describe('several domains', () => {
  test.override({ domains: [{ name: 's.ex' }, { name: 't.ex' }, { name: 'münchen.example' }] });

  test('CLI 3.5: a full short URL sets the domain of its item alone, in both forms of its name', async ({
    linkctl,
    wire,
    service,
  }) => {
    for (const domain of ['s.ex', 't.ex', 'xn--mnchen-3ya.example']) await store(service, numbered(2), domain);
    expect(await linkctl(['edit', 'https://t.ex/h0', '--note', 'x', '--no-undo'])).toMatchObject({ code: 0, stdout: 'h0\n' });
    expect((await linkctl(['edit', 'h0', 'münchen.example/h0', 'XN--mnchen-3ya.example/h1', '--note', 'y'])).code).toBe(0);
    expect((await sent(wire)).map(({ call }) => call)).toEqual([
      'PATCH /urls/h0?domain=t.ex',
      'GET /domains',
      'GET /urls?hashes=h0&domain=s.ex&limit=1',
      'PATCH /urls/h0?domain=s.ex',
      'GET /urls?hashes=h0,h1&domain=xn--mnchen-3ya.example&limit=2',
      'PATCH /urls?domain=xn--mnchen-3ya.example&hashes=h0,h1',
    ]);
    const notes = async (domain: string) => (await stored(service, domain)).map(({ note }) => note);
    expect([await notes('s.ex'), await notes('t.ex'), await notes('xn--mnchen-3ya.example')]).toEqual([
      ['y', ''],
      ['x', ''],
      ['y', 'y'],
    ]);
  });

  test('B97: on a terminal a domain is readable', async ({ linkctl, service }) => {
    await store(service, numbered(1), 'xn--mnchen-3ya.example');
    const ran = await linkctl(['list', '--domain', 'münchen.example', '--fields', 'short_url'], watched);
    expect(ran.stdout).toContain('münchen.example/h0');
    expect((await linkctl(['list', '--domain', 'münchen.example', '--fields', 'short_url'])).stdout).toBe(
      'xn--mnchen-3ya.example/h0\n',
    );
  });

  test('CLI 3.5: a short URL that contradicts --domain is exit 2, on the line and in a file', async ({ linkctl, wire }) => {
    for (const [words, stdin] of [
      [['s.ex/h0', '--note', 'x'], ''],
      [['--hashes-from', '-', '--note', 'x'], 'h0\ns.ex/h1\n'],
      [['-f', '-', '--input-format', 'csv'], 'hash,note\nh0,x\ns.ex/h1,x\n'],
      [['-f', '-', '--input-format', 'csv'], 'hash,short_url,note\nh0,t.ex/h0,x\nh1,s.ex/h1,x\n'],
    ] as const) {
      const ran = await linkctl(['edit', ...words, '--domain', 't.ex'], { stdin });
      expect(ran.code).toBe(2);
      expect(ran.stderr).toMatch(/s\.ex\/h\d is not on --domain t\.ex/);
    }
    expect(await wire.requests()).toEqual([]);
  });

  test('CLI 3.5: the listing of a domain, edited and fed back, changes that domain and not its namesakes', async ({
    linkctl,
    wire,
    service,
    folder,
  }) => {
    await store(service, numbered(3), 's.ex');
    await store(service, numbered(2), 't.ex');
    const path = join(folder, 'listing.csv');
    const { stdout } = await linkctl(['list', '--domain', 't.ex', '-o', 'csv']);
    writeFileSync(path, stdout.replaceAll('https://example.com/', 'https://example.com/new/'));
    expect(await linkctl(['edit', '-f', path])).toMatchObject({ code: 0 });
    expect((await changes(wire)).map(({ call }) => call)).toEqual(['PATCH /urls?domain=t.ex']);
    expect((await stored(service, 's.ex'))[0]?.long_url).toBe('https://example.com/0');
    expect((await stored(service, 't.ex'))[0]?.long_url).toBe('https://example.com/new/0');
    writeFileSync(path, 'hash,short_url,note\nnew,t.ex/h0,x\n');
    expect((await linkctl(['edit', '-f', path])).stderr).toContain(
      'listing.csv:2: hash: "new" does not match "t.ex/h0": for a new hash, use custom_hash',
    );
  });

  test('4.1.7: namesakes in one file are two URLs, each changed on its domain', async ({ linkctl, wire, service }) => {
    for (const domain of ['s.ex', 't.ex']) await store(service, numbered(1), domain);
    const stdin = 'hash,custom_hash,note\ns.ex/h0,new,a\nt.ex/h0,new,b\n';
    const ran = await linkctl(['edit', '-f', '-', '--input-format', 'csv'], { stdin });
    expect(ran).toMatchObject({ code: 0, stdout: 's.ex/new\nt.ex/new\n' });
    expect((await changes(wire)).map(({ call }) => call)).toEqual(['PATCH /urls?domain=s.ex', 'PATCH /urls?domain=t.ex']);
    expect([(await stored(service, 's.ex'))[0]?.note, (await stored(service, 't.ex'))[0]?.note]).toEqual(['a', 'b']);
    const twice = await linkctl(['edit', '-f', '-', '--input-format', 'csv'], { stdin: 'hash,note\nt.ex/h0,a\nt.ex/h0,b\n' });
    expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining('"t.ex/h0" is already on line 2') });
  });

  test('CLI 3.5: failed rows keep their domain when they are fed back', async ({ linkctl, service, folder }) => {
    await store(service, numbered(1), 's.ex');
    const failed = join(folder, 'failed.csv');
    await linkctl(['edit', '-f', '-', '--input-format', 'csv', '--failed', failed], { stdin: 'hash,note\nt.ex/h0,x\n' });
    expect(readFileSync(failed, 'utf8')).toMatch(/^t\.ex\/h0,/m);
    expect((await linkctl(['edit', '-f', failed])).code).toBe(5);
    expect((await stored(service, 's.ex'))[0]?.note).toBe('');
  });

  test('4.1.7, D21: --by-tags with --domain is exit 2, also beside a default of the environment, and nothing is sent', async ({
    linkctl,
    wire,
  }) => {
    const words = ['edit', '--by-tags', 'x', '--note', 'n', '--yes', '--max-affected', '9'];
    expect((await linkctl([...words, '--domain', 't.ex'])).stderr).toContain('tag selections act on all domains');
    expect((await linkctl([...words, '--domain', 't.ex'], { env: { LINKCTL_DOMAIN: 's.ex' } })).code).toBe(2);
    expect(await wire.requests()).toEqual([]);
  });
});
