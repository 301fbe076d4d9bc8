import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { runShell } from '../support/built-program.ts';
import { sent, test } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';

const changes: readonly (readonly string[])[] = [
  ['edit', '--note', 'x', '--yes', '--max-affected', '9'],
  ['delete', '--yes', '--max-affected', '9'],
  ['stats', '--reset', '--yes', '--max-affected', '9'],
];

describe.each(changes)('%s', (...command) => {
  test.for([
    [['--filter', 'hash=h0'], '--filter narrows a selection: for all links add --all'],
    [['--all-domains'], '--all-domains says where links are selected: for all links add --all'],
    [['--all', '--search', 'x'], 'specify only one of --search or --all'],
    [['--by-tags', 'x', '--search', 'x'], 'specify only one of --by-tags or --search'],
    [['h0', '--all'], 'specify only one of <hash>... or --all'],
    [['--search', ' '], '--search: the text is empty'],
    [['--all', '--filter', 'clicks=0'], '--filter "clicks=0": unknown field "clicks", did you mean total_clicks?'],
    [[], "missing required argument 'hash'"],
  ] as const)('F1, R-52: %j is exit 2 before anything is sent', async ([words, message], { linkctl, wire, service }) => {
    await store(service, numbered(2));
    const ran = await linkctl([...command, ...words]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr.split('\n')[0]).toBe(`error: ${message}`);
    expect(await sent(wire)).toEqual([]);
  });
});

const readers: readonly (readonly string[])[] = [['list'], ['stats'], ['check']];
const emptyLists = ['', 'hash,short_url,note\n', '{"urls":[],"page":{}}\n', '[]'];

test.for([...readers, ['list', '--duplicates'], ['stats', '--since', '1d'], ['copy', '--to', 'work'], ...changes])(
  'F1: an unset variable selects nothing: %j refuses an empty --search and --by-tags',
  async (words, { linkctl, wire }) => {
    for (const [flag, message] of [
      ['--search', 'the text is empty'],
      ['--by-tags', 'the tag expression is empty'],
    ] as const) {
      expect(await linkctl([...words, flag, ''])).toEqual({ code: 2, stdout: '', stderr: `error: ${flag}: ${message}\n` });
    }
    expect(await sent(wire)).toEqual([]);
  },
);

test.for([
  ...[...changes, ...changes.map((words) => [...words, '--no-undo']), ...changes.map((words) => [...words, '-n'])],
  ...changes.map((words) => [...words, '--filter', 'total_clicks=0']),
  ['rewrite', '--scheme', 'https', '--yes'],
  ...readers,
])(
  'B43, B22: a pipe or a listing without links is exit 0, and nothing is selected instead: %j',
  async (words, { linkctl, wire, service }) => {
    await store(service, numbered(2));
    for (const stdin of emptyLists) {
      const ran = await linkctl([...words, '--hashes-from', '-'], { stdin });
      expect(ran).toMatchObject({ code: 0, stdout: '' });
      if (!readers.includes(words)) expect(ran.stderr).toMatch(/nothing to change|dry run: nothing was sent/);
    }
    expect((await sent(wire)).filter(({ call }) => !/^GET \/(account|domains)/.test(call))).toEqual([]);
    expect(await stored(service)).toHaveLength(2);
  },
);

test.for(changes)('R-52: an empty file of hashes is refused: %j', async (words, { linkctl, wire, folder }) => {
  const file = join(folder, 'old.txt');
  for (const text of ['', '# nothing\n']) {
    writeFileSync(file, text);
    const ran = await linkctl([...words, '--hashes-from', file]);
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: `error: ${file}: no hashes\n` });
  }
  expect((await sent(wire)).filter(({ call }) => !call.startsWith('GET'))).toEqual([]);
});

test.for([
  ['- < old.txt', 'stdin: no hashes'],
  ['- < folder', 'stdin is a directory'],
  ['- < /dev/null', 'stdin: no hashes'],
  ['- <&-', 'stdin: no hashes'],
  ['/dev/null', '/dev/null: no hashes'],
])('R-52, C19: --hashes-from %s is no empty listing: exit 2, nothing is sent', async ([words, error], { env, wire }) => {
  const ran = await runShell(`cd "$HOME"; mkdir folder; : > old.txt; $linkctl delete --yes --hashes-from ${words}`, env);
  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: `error: ${error}\n` });
  expect((await sent(wire)).filter(({ call }) => !call.startsWith('GET'))).toEqual([]);
});

test.for([
  ['a pipe', 'true | $linkctl delete --yes --hashes-from -'],
  ['a named pipe', 'mkfifo "$HOME/p"; true > "$HOME/p" & $linkctl delete --yes --hashes-from "$HOME/p"'],
])('B43: %s into which nothing was written is an empty listing: exit 0', async ([, line = ''], { env }) => {
  expect(await runShell(line, env)).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('nothing to change') });
});

test('B98: --hashes-from reads the listings that help formats names, and no other', async ({ linkctl, service }) => {
  await store(service, numbered(2));
  const named = /--hashes-from reads what list prints as csv, json or jsonl, as tsv with --header, or with --fields short_url\./;
  expect((await linkctl(['help', 'formats'])).stdout.replaceAll('\n', ' ')).toMatch(named);
  const piped = async (...format: string[]) => {
    const { stdout } = await linkctl(['list', ...format]);
    return (await linkctl(['delete', '--hashes-from', '-', '-n', '-o', 'tsv'], { stdin: stdout })).code;
  };
  for (const format of ['csv', 'json', 'jsonl']) expect(await piped('-o', format)).toBe(0);
  for (const format of ['csv', 'json', 'jsonl', 'tsv', 'table']) {
    expect(await piped('-o', format, '--fields', 'short_url')).toBe(0);
  }
  expect(await piped('-o', 'tsv', '--header')).toBe(0);
  expect([await piped(), await piped('-o', 'table')]).toEqual([2, 2]);
});

test.for([
  [['--by-tags', 'even', '--search', 'x'], '--by-tags or --search'],
  [['--by-tags', 'even', '--all'], '--by-tags or --all'],
  [['h0', '--search', 'x'], '<hash>... or --search'],
])('F1, P4: a copy of %j is refused, and no way of selecting is ignored', async ([words, ways], { linkctl, wire }) => {
  const ran = await linkctl(['copy', '--to', 'there', ...(words ?? [])]);
  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`error: specify only one of ${ways}\n`) });
  expect(await sent(wire)).toEqual([]);
});

for (const edition of ['a', 'b'] as const) {
  describe(`edition ${edition}`, () => {
    test.override({ edition });

    test.for([
      [
        ['--all', '--filter', 'hash~[13]$'],
        ['h1', 'h3'],
      ],
      [['--search', 'example.com/4'], ['h4']],
      [['--search', 'example.com', '--filter', 'url^=https://example.com/2'], ['h2']],
      [
        ['--by-tags', 'even', '--filter', 'hash!=h0'],
        ['h2', 'h4'],
      ],
      [['h0', 'h1', 'h2', '--filter', 'tags='], ['h1']],
    ] as const)(
      'F1, F2: a change of %j changes those links and no other',
      async ([words, hashes], { linkctl, service, wire }) => {
        await store(
          service,
          numbered(5).map((link, index) => ({ ...link, tags: index % 2 === 0 ? ['even'] : [] })),
        );
        await wire.behave({ pageCap: 2 });
        const ran = await linkctl(['edit', ...words, '--note', 'changed', '--yes', '--max-affected', '9']);
        expect(ran.code, ran.stderr).toBe(0);
        const changed = (await stored(service)).filter(({ note }) => note === 'changed').map(({ hash }) => hash);
        expect(changed).toEqual(hashes);
      },
    );
  });
}

test('F1: a text narrows a tag expression alike in list, stats and check', async ({ linkctl, service }) => {
  await store(service, numbered(5, { tags: ['poster'] }));
  const chosen = ['--by-tags', 'poster', '--search', 'example.com/4'];
  expect((await linkctl(['list', ...chosen, '--fields', 'hash'])).stdout).toBe('h4\n');
  expect((await linkctl(['stats', ...chosen, '--fields', 'hash'])).stdout).toBe('h4\n');
  expect((await linkctl(['check', ...chosen, '--dry-run'])).stderr).toContain('1 link would be checked');
});

describe('two domains', () => {
  test.override({ domains: [{ name: 'a.example' }, { name: 'b.example' }] });

  test('F1, F6: a change of a listing stays on its domain; with --all-domains it covers each', async ({ linkctl, service }) => {
    await store(service, numbered(2), 'a.example');
    await store(service, numbered(2), 'b.example');
    const notes = async (domain: string) => (await stored(service, domain)).map(({ note }) => note);
    const edit = (...words: string[]) => linkctl(['edit', ...words, '--yes', '--max-affected', '9']);
    expect((await edit('--all', '--filter', 'hash=h1', '--domain', 'b.example', '--note', 'one')).code).toBe(0);
    expect([await notes('a.example'), await notes('b.example')]).toEqual([
      ['', ''],
      ['', 'one'],
    ]);
    expect((await edit('--all', '--all-domains', '--filter', 'hash=h0', '--note', 'two')).code).toBe(0);
    expect([await notes('a.example'), await notes('b.example')]).toEqual([
      ['two', ''],
      ['two', 'one'],
    ]);
    expect((await edit('--all', '--filter', 'domain=b.example', '--note', 'three')).code).toBe(0);
    expect([await notes('a.example'), await notes('b.example')]).toEqual([
      ['two', ''],
      ['two', 'one'],
    ]);
  });
});

test('a mistyped tag is named where it finds nothing: for a change always, for a listing on a terminal', async ({
  linkctl,
  wire,
  service,
}) => {
  await store(service, numbered(2, { tags: ['promo'] }));
  const line = 'no tag "promoo"; to list the tags: linkctl tags\n';
  const watched = { terminal: { stdout: true, stderr: true }, columns: 100 };
  for (const words of [['list'], ['stats'], ['check']]) {
    expect((await linkctl([...words, '--by-tags', 'promoo'], watched)).stderr, words[0]).toContain(line);
    expect((await linkctl([...words, '--by-tags', 'promoo'])).stderr, words[0]).not.toContain('no tag');
    expect((await linkctl([...words, '--by-tags', 'Promo', '--filter', 'total_clicks>5'], watched)).stderr).not.toContain(
      'no tag',
    );
  }
  for (const words of changes) {
    const ran = await linkctl([...words, '--by-tags', 'promoo']);
    expect(ran, words[0]).toMatchObject({ code: 0, stderr: expect.stringContaining(line) });
    expect((await linkctl([...words, '--by-tags', 'promo&promoo'])).stderr).not.toContain('no tag');
  }
  // One request where nothing was found, and one for each expression with operators, as always.
  expect((await sent(wire)).filter(({ call }) => call === 'GET /tags')).toHaveLength(3 + changes.length + changes.length);
});

test('a destination in the place of a hash has a hint that finds its links', async ({ linkctl }) => {
  await linkctl(['shorten', 'https://e.example/2', '--hash', 'x2']);
  const ran = await linkctl(['list', 'https://e.example/2']);
  expect(ran).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining('no domain "e.example" on this account') });
  const words = /^hint: linkctl domains; to find links by destination: linkctl (.*)$/m.exec(ran.stderr)?.[1] ?? '';
  expect(await linkctl([...words.split(' '), '--fields', 'hash'])).toEqual({ code: 0, stdout: 'x2\n', stderr: '' });
  expect((await linkctl(['list', '2', '--domain', 'e.example'])).stderr).toContain('hint: linkctl domains\n');
});

test('edit with a hash and a destination has a hint that changes the destination', async ({ linkctl, service }) => {
  await linkctl(['shorten', 'https://e.example/2', '--hash', 'x2']);
  const ran = await linkctl(['edit', 'x2', 'https://e.example/99']);
  expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('error: nothing to change: ') });
  const words = /^hint: linkctl (.*)$/m.exec(ran.stderr)?.[1] ?? '';
  expect(await linkctl(words.split(' '))).toMatchObject({ code: 0 });
  expect((await stored(service)).map(({ long_url }) => long_url)).toEqual(['https://e.example/99']);
});

describe.each(['results.csv', 'results.jsonl', 'done.json'])('%s of shorten --on-conflict skip', (name) => {
  test.for([...changes, ['rewrite', '--scheme', 'https', '--yes']])(
    'F1: names no links to change that the run did not make: %j',
    async (words, { linkctl, wire, service, folder }) => {
      const file = join(folder, name);
      const rows = [1, 2].map((nth) => ({ custom_hash: `h${nth}`, long_url: `http://mine.example/${nth}` }));
      await store(service, [{ custom_hash: 'h1', long_url: 'http://colleague.example/' }]);
      const made = ['shorten', '-f', '-', '--input-format', 'jsonl', '--on-conflict', 'skip', '-o', 'json'];
      const stdin = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
      const { stdout } = await linkctl([...made, ...(name === 'done.json' ? [] : ['--results', file])], { stdin });
      if (name === 'done.json') writeFileSync(file, stdout);
      const before = (await sent(wire)).length;
      const line = name === 'results.csv' ? 2 : 1;
      const hint = 'to undo the run: linkctl undo <run>; or remove such rows from the file';
      expect(await linkctl([...words, '--hashes-from', file])).toEqual({
        code: 2,
        stdout: '',
        stderr: `error: ${file}:${line}: skipped: the run did not make or change "h1"\nhint: ${hint}\n`,
      });
      expect((await sent(wire)).length).toBe(before);
      expect(await linkctl(['list', '--hashes-from', file, '--fields', 'hash'])).toMatchObject({ code: 0, stdout: 'h1\nh2\n' });
    },
  );
});

test('F1: the results of an edit name its links, those too that were as asked', async ({ linkctl, service, folder }) => {
  const results = join(folder, 'results.csv');
  await store(service, [...numbered(1, { note: 'x' }), { custom_hash: 'h1', long_url: 'http://e.example/' }]);
  await linkctl(['edit', '--hashes-from', '-', '--note', 'x', '--results', results], { stdin: 'h0\nh1\n' });
  expect(readFileSync(results, 'utf8')).toMatch(/^1,unchanged,h0,.*\n2,changed,h1,/m);
  expect(await linkctl(['delete', '--hashes-from', results, '--yes'])).toMatchObject({ code: 0, stdout: 'h0\nh1\n' });
});
