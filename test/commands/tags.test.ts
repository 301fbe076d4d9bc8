import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { FaultyServer } from '../support/faulty-server.ts';
import { faults } from '../support/faulty-steps.ts';
import { sent, sure, test } from '../support/linkctl.ts';
import { numbered, seed, store } from '../support/stored-links.ts';

const watched = { terminal: { stdin: true, stdout: true, stderr: true }, env: { NO_COLOR: '1' } };

for (const edition of ['a', 'b'] as const) {
  describe(`edition ${edition}`, () => {
    test.override({ edition });

    test('GET /tags: bare tags and tags list print the labels, one a line', async ({ linkctl, wire }) => {
      await linkctl(['tags', 'add', 'promo', 'a,b']);
      expect(await linkctl(['tags'])).toEqual({ code: 0, stdout: 'a,b\npromo\n', stderr: '' });
      expect(await linkctl(['tags', 'list', '-o', 'json'])).toMatchObject({
        code: 0,
        stdout: '{"tags":[{"label":"a,b"},{"label":"promo"}]}\n',
      });
      expect((await sent(wire)).at(-1)).toEqual({ call: 'GET /tags', body: undefined });
    });

    test('POST /tags: one call a label, and a tag that exists is no failure', async ({ linkctl, wire }) => {
      expect(await linkctl(['tags', 'add', 'Promo', 'spring'])).toEqual({ code: 0, stdout: 'Promo\nspring\n', stderr: '' });
      expect(await sent(wire)).toEqual([
        { call: 'GET /tags', body: undefined },
        { call: 'POST /tags', body: { label: 'Promo' } },
        { call: 'POST /tags', body: { label: 'spring' } },
      ]);
      const again = await linkctl(['tags', 'add', 'PROMO'], watched);
      expect(again).toEqual({ code: 0, stdout: '✓ Added tag "Promo"\n', stderr: '' });
    });

    test('PATCH /tags/[label]: the label is percent-encoded in the path', async ({ linkctl, wire }) => {
      await linkctl(['tags', 'add', 'a/b ?#%']);
      expect(await linkctl(['tags', 'rename', 'a/b ?#%', 'new'])).toEqual({ code: 0, stdout: 'new\n', stderr: '' });
      const request = (await wire.requests()).at(-1);
      expect(request).toMatchObject({ method: 'PATCH', url: '/api/3/tags/a%2Fb%20%3F%23%25', body: '{"label":"new"}' });
      expect((await linkctl(['tags'])).stdout).toBe('new\n');
    });

    test('DELETE /tags/[label]: one call a label, without a body', async ({ linkctl, wire }) => {
      await linkctl(['tags', 'add', 'one', 'two', 'three']);
      expect(await linkctl(['tags', 'delete', 'one', 'TWO', ...sure])).toEqual({ code: 0, stdout: 'one\nTWO\n', stderr: '' });
      expect((await sent(wire)).slice(-2)).toEqual([
        { call: 'DELETE /tags/one', body: undefined },
        { call: 'DELETE /tags/two', body: undefined },
      ]);
      expect((await linkctl(['tags'])).stdout).toBe('three\n');
    });

    test('W4: tags --count says how many links carry each label, beyond the first page, in one pass', async ({
      linkctl,
      service,
      wire,
    }) => {
      await store(service, numbered(1003, { tags: ['Promo', 'R&D'] }));
      await store(service, [{ long_url: 'https://one.example/', tags: ['R', 'D', 'promo'] }]);
      await linkctl(['tags', 'add', 'unused']);
      const before = (await wire.requests()).length;
      expect(await linkctl(['tags', '--count'])).toEqual({
        code: 0,
        stdout: 'D\t1\nPromo\t1004\nR\t1\nR&D\t1003\nunused\t0\n',
        stderr: '',
      });
      const calls = (await sent(wire)).slice(before).map(({ call }) => call.replace(/\?.*/, ''));
      expect(calls.filter((call) => call === 'GET /urls')).toHaveLength(edition === 'a' ? 2 : 3);
      expect(calls.filter((call) => call === 'GET /domains')).toHaveLength(edition === 'a' ? 1 : 0);
      const table = await linkctl(['tags', 'list', '--count'], watched);
      expect(table.stdout).toMatch(/^LABEL +LINKS\nD +1\nPromo +1,004\n/);
      expect((await linkctl(['tags'])).stdout).toBe('D\nPromo\nR\nR&D\nunused\n');
    });
  });
}

describe('several domains', () => {
  test.override({ domains: [{ name: 's.ex' }, { name: 't.ex' }] });

  test('W4: --count covers all domains, whatever the working domain is, and takes no other', async ({
    linkctl,
    service,
    wire,
  }) => {
    await seed(service, 20, ['s.ex', 't.ex']);
    const counted = await linkctl(['tags', '--count', '--json'], { env: { LINKCTL_DOMAIN: 't.ex' } });
    expect(JSON.parse(counted.stdout)).toEqual({ tags: [{ label: 'promo', links: 8 }] });
    const before = (await wire.requests()).length;
    expect(await linkctl(['tags', '--count', '--domain', 's.ex'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--domain does not apply to tags'),
    });
    for (const words of [
      ['delete', 'promo'],
      ['merge', 'promo', '--into', 'ad'],
    ]) {
      expect(await linkctl(['tags', ...words, '--domain', 's.ex', '--yes', '--max-affected', '99'])).toMatchObject({
        code: 2,
        stderr: `error: --domain does not apply to linkctl tags ${words[0]}: a tag is on all domains of the account\n`,
      });
    }
    expect(await wire.requests()).toHaveLength(before);
  });
});

test('W4: a link that has one label in two spellings counts once', async ({ linkctl, service, wire }) => {
  await store(service, numbered(3, { tags: ['News'] }));
  await wire.script([{ only: { path: '/urls' }, alter: { each: { tags: ['News', 'news', 'Other', 'other'] } } }]);
  expect((await linkctl(['tags', '--count'])).stdout).toBe('News\t3\nOther\t3\n');
});

test('W4: links that are listed without their tags are not counted', async ({ linkctl, service, wire }) => {
  await store(service, numbered(3, { tags: ['promo'] }));
  await wire.script([{ only: { path: '/urls' }, alter: { each: { tags: undefined } } }]);
  expect(await linkctl(['tags', '--count'])).toMatchObject({
    code: 8,
    stdout: '',
    stderr: expect.stringContaining('cannot be counted'),
  });
});

test.for([
  [['add', ''], '<label>: a label is empty'],
  [['add', 'fine', '.'], '"." is not a label'],
  [['rename', '..', 'x'], '".." is not a label'],
  [['rename', 'x', ' '], '<label>: a label is empty'],
  [['delete', '..', '-y'], '".." is not a label'],
  [['merge', 'x', '--into', ' '], '--into: a label is empty'],
] as const)('R-31: tags %j sends nothing and is exit 2', async ([words, complaint], { linkctl, wire }) => {
  expect(await linkctl(['tags', ...words])).toMatchObject({ code: 2, stderr: expect.stringContaining(complaint) });
  expect(await wire.requests()).toEqual([]);
});

test.for([
  [['shorten', 'https://example.com/', '-t', '..'], '--tag: ".." is not a label'],
  [['edit', 'h0', '--add-tag', '.'], '--add-tag: "." is not a label'],
  [['shorten', 'https://example.com/', '-t', ' . '], '--tag: " . " is not a label'],
] as const)('R-31: a tag that could never be deleted is not made: %j', async ([words, complaint], { linkctl, wire }) => {
  expect(await linkctl(words)).toMatchObject({ code: 2, stderr: expect.stringContaining(complaint) });
  expect(await wire.requests()).toEqual([]);
});

test('R-31, B21: a label that is a dot or two can still be taken off a link, and read back from a listing', async ({
  linkctl,
  service,
}) => {
  await store(service, numbered(3, { tags: ['..'] }));
  const listed = async () => (await linkctl(['list', '--fields', 'tags', '-o', 'csv', '--no-header'])).stdout;
  expect((await linkctl(['edit', 'h0', '--remove-tag', '..'])).code).toBe(0);
  const stdin = 'hash,tags\nh1,-..\n';
  expect((await linkctl(['edit', '-f', '-', '--input-format', 'csv'], { stdin })).code).toBe(0);
  expect(await listed()).toBe('..\n""\n""\n');
  const { stdout } = await linkctl(['list', '-o', 'csv', '--fields', 'short_url,tags']);
  const again = await linkctl(['edit', '-f', '-', '--input-format', 'csv', ...sure], { stdin: stdout });
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('3 unchanged') });
});

test.for([
  ['bogus', /^error: unknown command 'bogus'\nhint: linkctl tags --help\n$/],
  ['renmae', /unknown command 'renmae'\ndid you mean rename\?/],
] as const)('T10, B5: tags %s is an unknown command', async ([verb, complaint], { linkctl, wire }) => {
  expect(await linkctl(['tags', verb])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(complaint),
  });
  expect(await wire.requests()).toEqual([]);
});

test('2.5: a label named twice, in another case, is one label', async ({ linkctl, wire }) => {
  expect((await linkctl(['tags', 'add', 'Promo', 'promo'])).stdout).toBe('Promo\n');
  expect((await sent(wire)).map(({ call }) => call)).toEqual(['GET /tags', 'POST /tags']);
});

test('F49, 2.5: a tag that exists is sent as the account spells it', async ({ linkctl, service, wire }) => {
  await store(service, numbered(1, { tags: ['\u00dcn\u00ef'] }));
  const typed = 'u\u0308ni\u0308';
  const most = ['--max-affected', '1'];
  for (const words of [
    ['add', typed],
    ['rename', typed, 'new', ...most],
    ['delete', 'NEW', '--no-undo', '--yes', ...most],
  ]) {
    expect(await linkctl(['tags', ...words])).toMatchObject({ code: 0 });
  }
  const all = await sent(wire);
  expect(all.find(({ call }) => call === 'POST /tags')?.body).toEqual({ label: '\u00dcn\u00ef' });
  const calls = new Set(all.map(({ call }) => call.replace(/&.*/, '')));
  expect([...calls].filter((call) => call.includes('tags=') || call.includes('tags/'))).toEqual([
    'GET /urls?tags=\u00dcn\u00ef',
    'PATCH /tags/\u00dcn\u00ef',
    'GET /urls?tags=new',
    'DELETE /tags/new',
  ]);
});

test('did it happen: an answer with another label is a failure of that label alone', async ({ linkctl, wire }) => {
  const other = { answer: { body: { error: { code: 0, message: '' }, tags: [{ label: 'other' }] } } };
  await wire.script([
    { only: { method: 'POST' }, ...other },
    { only: { method: 'PATCH' }, ...other },
  ]);
  expect(await linkctl(['tags', 'add', 'mine', 'yours'])).toMatchObject({
    code: 3,
    stdout: 'yours\n',
    stderr: expect.stringContaining('not applied: requested tag "mine", but the server returned "other"'),
  });
  expect(await linkctl(['tags', 'rename', 'yours', 'ours'])).toMatchObject({ code: 6, stdout: '' });
});

test('did it happen: an answer without labels proves nothing', async ({ linkctl, wire }) => {
  await wire.script([{ answer: { body: { error: { code: 0, message: '' } } } }]);
  expect(await linkctl(['tags', 'add', 'mine'])).toMatchObject({ code: 0, stdout: 'mine\n' });
});

test('B46: a rename to a label that is taken names that label, and how to join the two tags', async ({ linkctl }) => {
  await linkctl(['tags', 'add', 'one', 'two']);
  const { code, stderr } = await linkctl(['tags', 'rename', 'one', 'two']);
  expect(code).toBe(6);
  expect(stderr).toContain('error: the tag label "two" is not valid or already exists [API 1311]');
  expect(stderr).toContain('hint: linkctl tags; to join the two tags: linkctl tags merge one --into two\n');
});

test('B43: a tag that does not exist is exit 5 alone, 3 beside others, which are deleted, and 0 with --ignore-missing', async ({
  linkctl,
}) => {
  await linkctl(['tags', 'add', 'one', 'two']);
  const alone = await linkctl(['tags', 'delete', 'none', ...sure]);
  expect(alone).toEqual({ code: 5, stdout: '', stderr: 'error: no tag "none" [API 1309]\nhint: linkctl tags\n' });
  expect((await linkctl(['tags', 'delete', 'one ', ...sure])).stderr).toContain('no tag "one "');
  expect(await linkctl(['tags', 'delete', 'none', 'one', ...sure])).toMatchObject({ code: 3, stdout: 'one\n' });
  expect(await linkctl(['tags', 'delete', 'none', 'two', ...sure, '--ignore-missing'])).toEqual({
    code: 0,
    stdout: 'two\n',
    stderr: '',
  });
});

test('B43: a tag that was deleted with links is no tag when the command is repeated, and can be deleted again when it is back', async ({
  linkctl,
  service,
}) => {
  await store(service, [{ custom_hash: 'x', long_url: 'https://x.example/', tags: ['old', 'new'] }]);
  for (const words of [
    ['tags', 'delete', 'old'],
    ['tags', 'merge', 'new', '--into', 'other'],
  ]) {
    expect(await linkctl([...words, ...sure])).toMatchObject({ code: 0 });
    expect(await linkctl([...words, ...sure])).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining('no tag') });
  }
  await linkctl(['edit', 'x', '--add-tag', 'old']);
  expect(await linkctl(['tags', 'delete', 'old', ...sure])).toMatchObject({ code: 0, stdout: 'old\n' });
  expect((await linkctl(['tags'])).stdout).toBe('other\n');
});

test('B56, B58: one deletion asks for a yes and says whose tag it is; nothing but a yes deletes (B59)', async ({ linkctl }) => {
  await linkctl(['tags', 'add', 'one']);
  const no = await linkctl(['tags', 'delete', 'one'], { ...watched, stdin: '\n' });
  expect(no).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('aborted: nothing was changed') });
  expect(no.stderr).toMatch(/^Delete tag "one", used by no link, of account "ann" on 127\.0\.0\.1:\d+\? \[y\/N\] /);
  expect((await linkctl(['tags'])).stdout).toBe('one\n');
  const yes = await linkctl(['tags', 'delete', 'one'], { ...watched, stdin: 'y\n' });
  expect(yes).toMatchObject({ code: 0, stdout: '✓ Deleted tag "one"\n' });
});

test('B56: several deletions ask with the count and the first five', async ({ linkctl }) => {
  await linkctl(['tags', 'add', ...'abcdefg']);
  const ran = await linkctl(['tags', 'delete', ...'abcdefg'], { ...watched, stdin: 'n\n' });
  expect(ran.stderr).toMatch(/^Delete 7 tags: "a", "b", "c", "d", "e" and 2 more, used by no link, of /);
});

test('B54: off a terminal a deletion needs --yes, and nothing is sent', async ({ linkctl, wire }) => {
  expect(await linkctl(['tags', 'delete', 'one'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes required') });
  expect(await wire.requests()).toEqual([]);
});

test('B57, E17: --max-affected stops tags add before anything is sent, and counts tags', async ({ linkctl, wire }) => {
  for (const more of [[], ['--dry-run']]) {
    expect(await linkctl(['tags', 'add', 'one', 'two', 'ONE', '--max-affected', '1', ...more])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'error: 2 tags would be affected, more than --max-affected 1; nothing was changed\n',
    });
  }
  expect(await wire.requests()).toEqual([]);
  expect((await linkctl(['tags', 'add', 'one', 'two', 'ONE', '--max-affected', '2'])).code).toBe(0);
});

describe('B60: a dry run', () => {
  const changes = async (wire: FaultyServer) => (await sent(wire)).filter(({ call }) => !call.startsWith('GET'));

  test.for([
    ['add', ['add', 'new'], { method: 'POST', path: '/tags', query: {}, body: { label: 'new' } }],
    ['add', ['add', 'A B'], { method: 'POST', path: '/tags', query: {}, body: { label: 'a b' } }],
    ['rename', ['rename', 'A b', 'c'], { method: 'PATCH', path: '/tags/a%20b', query: {}, body: { label: 'c' } }],
    ['delete --no-undo', ['delete', 'A b', '--no-undo'], { method: 'DELETE', path: '/tags/a%20b', query: {}, body: null }],
  ] as const)(
    'of tags %s prints the request of %j, and sends nothing',
    async ([, words, request], { linkctl, service, wire }) => {
      await store(service, numbered(1, { tags: ['a b'] }));
      const ran = await linkctl(['tags', ...words, '--dry-run', '-o', 'json']);
      expect({ code: ran.code, ...JSON.parse(ran.stdout) }).toEqual({ code: 0, dry_run: true, requests: [request] });
      expect((await sent(wire)).map(({ call }) => call)).toEqual(['GET /tags']);
    },
  );

  test.for([
    [['add', 'one', 'new'], 'new\tadd\n', '1 tag would be added, 1 unchanged\n'],
    [['add', 'one'], '', '0 tags would be added, 1 unchanged\n'],
    [['rename', 'one', 'One'], 'one\trename to "One"\n', '1 tag would be renamed\n'],
    [['rename', 'ONE', 'one'], '', '0 tags would be renamed, 1 unchanged\n'],
    [
      ['delete', 'one', 'none', '--no-undo', '--ignore-missing'],
      'one\tdelete\n',
      '--no-undo: this change cannot be undone\n  "none" (not found)\n1 tag would be deleted\n',
    ],
  ] as const)('of tags %j says what the account has already', async ([words, stdout, text], { linkctl, service, wire }) => {
    await store(service, numbered(2, { tags: ['one'] }));
    const stderr = `${text}dry run: nothing was sent\n`;
    expect(await linkctl(['tags', ...words, '-n'])).toEqual({ code: 0, stdout, stderr });
    expect(await changes(wire)).toEqual([]);
  });

  test.for([
    [['rename', 'none', 'other'], 5, 'no tag "none" [API 1309]'],
    [['rename', 'one', 'TWO'], 6, 'the tag label "TWO" is not valid or already exists [API 1311]'],
    [['rename', 'one', 'other', '--max-affected', '1'], 2, '2 links would be affected'],
    [['delete', 'one', '--no-undo', '--yes', '--max-affected', '1'], 2, '2 links would be affected'],
    [['delete', 'none', '--yes', '--max-affected', '9'], 5, 'no tag "none" [API 1309]'],
    [['delete', 'none', '--no-undo', '--yes', '--max-affected', '9'], 5, 'no tag "none" [API 1309]'],
    [['merge', 'none', '--into', 'new', '--yes', '--max-affected', '9'], 5, 'no tag "none" [API 1309]'],
    [['delete', 'none', 'nil', '--yes', '--max-affected', '9'], 5, '2 of 2 tags '],
  ] as const)('of tags %j fails as the change does', async ([words, code, complaint], { linkctl, service, wire }) => {
    await store(service, numbered(2, { tags: ['one'] }));
    await store(service, [{ long_url: 'https://two.example/', tags: ['two'] }]);
    const failure = { code, stdout: '', stderr: expect.stringContaining(complaint) };
    expect(await linkctl(['tags', ...words, '-n'])).toMatchObject(failure);
    expect(await changes(wire)).toEqual([]);
    expect(await linkctl(['tags', ...words])).toMatchObject(failure);
  });

  test.for([
    ['delete', 'one', 'none'],
    ['delete', 'one', 'none', '--no-undo'],
    ['merge', 'one', 'none', '--into', 'new'],
  ])('B43: of tags %s %s %s says that some do not exist: exit 3, as the change', async (words, { linkctl, service, wire }) => {
    await store(service, numbered(2, { tags: ['one'] }));
    const argv = ['tags', ...words, '--yes', '--max-affected', '9'];
    expect(await linkctl([...argv, '-n'])).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/\nerror: 1 of 2 tags .*\n$/),
    });
    expect(await linkctl([...argv, '-n', '-o', 'json'])).toMatchObject({ code: 3 });
    expect(await linkctl([...argv, '-n', '--ignore-missing'])).toMatchObject({ code: 0 });
    expect(await changes(wire)).toEqual([]);
    expect(await linkctl(argv)).toMatchObject({ code: 3, stderr: expect.stringMatching(/\nerror: 1 of 2 tags .*\n$/) });
  });

  test.for([
    ['add', 'q'],
    ['rename', 'q', 'r'],
  ] as const)('B62, B69: of tags %j needs an account as the change does', async (words, { linkctl, wire }) => {
    for (const [code, flags, env] of [
      [9, ['--profile', 'nosuch'], { LINKCTL_API_KEY: '', LINKCTL_USERNAME: '', LINKCTL_BASE_URL: '' }],
      [4, [], { LINKCTL_API_KEY: '', LINKCTL_USERNAME: '', LINKCTL_BASE_URL: '' }],
      [2, [], { LINKCTL_USERNAME: '', LINKCTL_BASE_URL: '' }],
    ] as const) {
      const real = await linkctl(['tags', ...words, ...flags], { env });
      expect(real).toMatchObject({ code, stdout: '' });
      expect(await linkctl(['tags', ...words, ...flags, '-n'], { env })).toEqual(real);
    }
    expect(await wire.requests()).toEqual([]);
  });

  test('of a rename that an earlier process may have made says so, or fails', async ({ linkctl, service, wire }) => {
    await store(service, numbered(1, { tags: ['one'] }));
    const words = ['tags', 'rename', 'one', 'two'];
    await wire.script([
      { only: { method: 'GET' } },
      { ...faults.dropAfter, only: { method: 'PATCH' }, times: 'all' },
      { ...faults.dropBefore, only: { method: 'GET' }, times: 'all' },
    ]);
    expect((await linkctl(words)).code).toBe(10);
    await wire.script([]);
    expect(await linkctl([...words, '-n'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('1 unchanged'),
    });
    expect((await linkctl(words)).code).toBe(0);
  });
});

describe('edition B', () => {
  test.override({ edition: 'b' });

  test('B53: a dry run of tags add or rename has no --domain, as the change has none', async ({ linkctl, wire }) => {
    for (const words of [
      ['add', 'q'],
      ['rename', 'q', 'r'],
    ]) {
      for (const more of [[], ['-n']]) {
        expect(await linkctl(['tags', ...words, '--domain', 'x.example', ...more])).toMatchObject({ code: 2, stdout: '' });
      }
    }
    expect(await wire.requests()).toEqual([]);
  });
});

test.for([
  ['csv', 'label\nnew\n'],
  ['tsv', 'new\n'],
  ['jsonl', '{"label":"new"}\n'],
  ['json', '{"tags":[{"label":"new"}]}\n'],
] as const)('B16, B20, B21: a rename prints its tag as %s as other commands do', async ([format, stdout], { linkctl, wire }) => {
  await linkctl(['tags', 'add', 'old']);
  const words = ['tags', 'rename', 'old', 'new'];
  const before = (await wire.requests()).length;
  expect(await linkctl([...words, '--fields', 'nosuch'])).toMatchObject({ code: 2, stdout: '' });
  expect(await wire.requests()).toHaveLength(before);
  expect(await linkctl([...words, '-o', format])).toEqual({ code: 0, stdout, stderr: '' });
});

test('B18: an unknown field stops a change before anything is sent', async ({ linkctl, wire }) => {
  expect((await linkctl(['tags', 'add', 'one', '--fields', 'colour'])).code).toBe(2);
  expect(await wire.requests()).toEqual([]);
});

test('R-3: POST /tags whose answer is lost is sent again', async ({ linkctl, wire }) => {
  await wire.script([{ ...faults.dropAfter, only: { method: 'POST' } }]);
  expect(await linkctl(['tags', 'add', 'one'])).toMatchObject({ code: 0, stdout: 'one\n' });
  expect((await sent(wire)).map(({ call }) => call)).toEqual(['GET /tags', 'POST /tags', 'POST /tags']);
});

test('R-3: DELETE /tags/[label] whose answer is lost was done when the tag is gone', async ({ linkctl, wire }) => {
  await linkctl(['tags', 'add', 'one']);
  await wire.script([faults.dropAfter]);
  expect(await linkctl(['tags', 'delete', 'one', ...sure])).toMatchObject({ code: 0, stdout: 'one\n' });
});

test('R-3: PATCH /tags/[label] whose answer is lost is looked at before it is repeated', async ({ linkctl, wire }) => {
  await linkctl(['tags', 'add', 'one']);
  await wire.script([{ only: { method: 'PATCH' }, ...faults.dropAfter }]);
  expect(await linkctl(['tags', 'rename', 'one', 'two'])).toMatchObject({ code: 0, stdout: 'two\n' });
  expect((await sent(wire)).map(({ call }) => call).slice(-3)).toEqual(['GET /tags', 'PATCH /tags/one', 'GET /tags']);
});

test('U3: a rename is a run that can be undone, recorded before it is sent; one that was refused leaves no record', async ({
  linkctl,
  wire,
  folder,
}) => {
  const runs = async (): Promise<object[]> => JSON.parse((await linkctl(['runs', '--json'])).stdout).runs;
  await linkctl(['tags', 'add', 'R&D', 'taken']);
  expect(await linkctl(['tags', 'rename', 'R&D', 'research'])).toMatchObject({ code: 0, stdout: 'research\n', stderr: '' });
  const [run, ...others] = await runs();
  expect(others).toMatchObject([{ what: "tags add 'R&D' taken" }]);
  expect(run).toMatchObject({ what: "tags rename 'R&D' research", operation: 'tags', rows: 0, state: 'finished', undo: 'yes' });
  for (const [old, label, code] of [
    ['gone', 'x', 5],
    ['research', 'taken', 6],
  ] as const) {
    expect(await linkctl(['tags', 'rename', old, label])).toMatchObject({ code });
  }
  expect(await runs()).toHaveLength(2);
  expect((await linkctl(['runs', 'verify', 'last'])).code).toBe(2);
  const changes = async () => (await sent(wire)).filter(({ call }) => !call.startsWith('GET'));
  const before = await changes();
  const state = join(folder, '.local', 'state');
  renameSync(state, `${state}-away`);
  writeFileSync(state, '');
  expect(await linkctl(['tags', 'rename', 'research', 'x'])).toMatchObject({ code: 9 });
  expect(await changes()).toEqual(before);
});

test('U3: a rename whose answer never came is unfinished; the same command finds that it was done', async ({ linkctl, wire }) => {
  await linkctl(['tags', 'add', 'one']);
  await wire.script([
    { only: { method: 'GET' } },
    { ...faults.dropAfter, only: { method: 'PATCH' }, times: 'all' },
    { ...faults.dropBefore, only: { method: 'GET' }, times: 'all' },
  ]);
  expect(await linkctl(['tags', 'rename', 'one', 'two'])).toMatchObject({ code: 10 });
  await wire.script([]);
  const state = async (): Promise<string> => (await linkctl(['runs', '--fields', 'state,undo'])).stdout;
  expect(await state()).toBe('unfinished\tyes\nfinished\tyes\n');
  expect(await linkctl(['tags', 'rename', 'one', 'two'])).toEqual({ code: 0, stdout: 'two\n', stderr: '' });
  expect(await state()).toBe('finished\tyes\nfinished\tyes\n');
});

test('U5: a rename to the label that the tag has sends no change and leaves no record; another case is a change', async ({
  linkctl,
  wire,
}) => {
  await linkctl(['tags', 'add', 'docs']);
  const same = await linkctl(['tags', 'rename', 'docs', 'docs'], watched);
  expect(same).toEqual({ code: 0, stdout: '✓ Tag "docs" already has this label\n', stderr: '' });
  expect(await linkctl(['tags', 'rename', 'DOCS', 'docs'])).toEqual({ code: 0, stdout: 'docs\n', stderr: '' });
  const state = async (): Promise<string> => (await linkctl(['runs', '--fields', 'what,undo'])).stdout;
  expect(await state()).toBe('tags add docs\tyes\n');
  expect((await linkctl(['tags', 'rename', 'docs', 'Docs'])).stdout).toBe('Docs\n');
  expect((await linkctl(['tags', 'rename', 'gone', 'gone'])).code).toBe(5);
  expect(await state()).toBe('tags rename docs Docs\tyes\ntags add docs\tyes\n');
  expect((await sent(wire)).map(({ call }) => call).filter((call) => call.startsWith('PATCH'))).toEqual([
    'PATCH /tags/docs',
    'PATCH /tags/gone',
  ]);
});

test('U5: a rename in doubt that is repeated and finds neither label leaves no record; without the list it stays in doubt', async ({
  linkctl,
  wire,
}) => {
  await linkctl(['tags', 'add', 'one']);
  const words = ['tags', 'rename', 'none', 'other'];
  const state = async (): Promise<string> => (await linkctl(['runs', '--fields', 'what,state'])).stdout;
  await wire.script([{ only: { method: 'PATCH' }, ...faults.badGatewayBefore }]);
  expect((await linkctl(words)).code).toBe(10);
  expect(await state()).toBe('tags rename none other\tunfinished\ntags add one\tfinished\n');
  await wire.script([{ only: { method: 'GET' }, times: 'all', ...faults.dropBefore }]);
  expect((await linkctl(words)).code).toBe(8);
  await wire.script([]);
  expect(await state()).toBe('tags rename none other\tunfinished\ntags add one\tfinished\n');
  expect(await linkctl(words)).toMatchObject({ code: 5, stderr: expect.stringContaining('no tag "none"') });
  expect(await state()).toBe('tags add one\tfinished\n');
  const [run = ''] = (await linkctl(['runs', '--fields', 'run'])).stdout.split('\n');
  expect(await linkctl(['undo', run, '--yes'])).toMatchObject({ code: 0, stdout: 'one\n' });
});

test('B87: a quota that is used up stops at once; what was done is printed', async ({ linkctl, wire }) => {
  await wire.script([{}, {}, faults.refuse(1303, 403)]);
  expect(await linkctl(['tags', 'add', 'one', 'two', 'three'])).toMatchObject({ code: 7, stdout: 'one\n' });
  expect(await wire.requests()).toHaveLength(3);
});

test('-o json: every label has its row, failed ones with their error, and the summary counts each once', async ({ linkctl }) => {
  await linkctl(['tags', 'add', 'one']);
  const ran = await linkctl(['tags', 'delete', 'one', 'none', ...sure, '-o', 'json']);
  expect(JSON.parse(ran.stdout)).toEqual({
    deleted: [{ label: 'one' }, { label: 'none', error: { code: 1309, message: 'no tag "none"', details: '' } }],
    summary: { rows: 2, deleted: 1, failed: 1, missing: 0 },
  });
  const again = await linkctl(['tags', 'delete', 'none', '--ignore-missing', ...sure, '-o', 'json']);
  expect(JSON.parse(again.stdout)).toMatchObject({ summary: { rows: 1, deleted: 0, failed: 0, missing: 1 } });
});

test('B95: tags keeps the labels for TAB', async ({ linkctl }) => {
  await linkctl(['-p', 'sandbox', 'tags', 'add', 'promo']);
  await linkctl(['-p', 'sandbox', 'tags']);
  const tab = await linkctl(['__complete', '-p', 'sandbox', 'shorten', '--tag', 'pr']);
  expect(tab.stdout).toContain('promo');
});

for (const words of [
  ['list'],
  ['stats'],
  ['delete', '--yes', '--max-affected', '9'],
  ['edit', '--note', 'x', '--yes', '--max-affected', '9'],
]) {
  test(`D51, W4: ${words[0]} warns of an expression that is the label of a tag, and names the one that selects it`, async ({
    linkctl,
  }) => {
    await linkctl(['shorten', 'https://a.example/', '--hash', 'both', '--tag', 'R&D']);
    await linkctl(['shorten', 'https://b.example/', '--hash', 'other', '--tag', 'R', '--tag', 'D']);
    const warning = `--by-tags 'r&d' is interpreted as an expression, but a tag has this label. To select the tag: --by-tags '"R&D"'`;
    const ran = await linkctl([...words, '--by-tags', 'r&d']);
    expect(ran.stderr).toContain(`warning: ${warning}\n`);
    expect(ran.stdout).not.toContain('both');
    expect((await linkctl(['list', '--by-tags', '"R&D"', '--fields', 'hash'])).stdout).toBe('both\n');
    expect((await linkctl([...words, '--by-tags', '"R&D"'])).stderr).not.toContain('warning');
  });
}

test('D51, W4: delete warns of a label with a blank at its end, which an expression leaves out', async ({ linkctl }) => {
  await linkctl(['shorten', 'https://a.example/', '--hash', 'bare', '--tag', 'sp']);
  await linkctl(['shorten', 'https://b.example/', '--hash', 'blank', '--tag', 'sp ']);
  const ran = await linkctl(['delete', '--by-tags', 'sp ', '--yes', '--max-affected', '9']);
  const warning = `--by-tags 'sp ' is interpreted as an expression, but a tag has this label. To select the tag: --by-tags '"sp "'`;
  expect(ran).toMatchObject({ code: 0, stdout: 'bare\n', stderr: expect.stringContaining(`warning: ${warning}\n`) });
  expect((await linkctl(['list', '--by-tags', '"sp "', '--fields', 'hash'])).stdout).toBe('blank\n');
});

test('D51: an expression without operators costs no look at the tags', async ({ linkctl, wire }) => {
  await linkctl(['list', '--by-tags', 'spring-sale']);
  expect((await sent(wire)).map(({ call }) => call)).not.toContain('GET /tags');
});

test('U6: tags that were added or renamed say how to undo that, and their undo how to redo it', async ({ linkctl }) => {
  const added = await linkctl(['tags', 'add', 'promo'], watched);
  expect(added.stderr).toMatch(/^to undo it: linkctl undo \S+\n$/);
  const renamed = await linkctl(['tags', 'rename', 'promo', 'spring'], watched);
  const [, run] = /^to undo it: linkctl undo (\S+)\n$/.exec(renamed.stderr) ?? [];
  const undone = await linkctl(['undo', `${run}`, '--yes'], watched);
  expect(undone.stderr).toContain(`to redo it: linkctl redo ${run}\n`);
  const redone = await linkctl(['redo', `${run}`, '--yes'], watched);
  expect(redone.stderr).toMatch(/^to undo it: linkctl undo \S+$/m);
});

test('B58: a question about the sandbox names no port, which is another in every command', async ({ linkctl }) => {
  await linkctl(['-p', 'sandbox', 'tags', 'add', 'promo']);
  const asked = await linkctl(['-p', 'sandbox', 'tags', 'delete', 'promo'], {
    stdin: 'n\n',
    terminal: { stdin: true, stderr: true },
    env: { NO_COLOR: '1' },
  });
  expect(asked.stderr).toMatch(/^Delete tag "promo", used by no link, of profile "sandbox" on this computer\?\n\[y\/N\] /);
});
