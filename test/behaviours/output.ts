import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { numbered, store, visit } from '../support/stored-links.ts';
import { screenOf } from '../support/terminal.ts';
import type { Behaviour } from './behaviour.ts';

const long = (index: number): object => ({
  custom_hash: `h${index}`,
  long_url: `https://example.com/${'long/'.repeat(20)}${index}`,
});

/** B. Output and formats. */
export const outputBehaviours: readonly Behaviour[] = [
  [
    'B15',
    'In a pipe there is no colour, border, padding, cut cell or head: one record a line, with tabs.',
    async ({ run, service }) => {
      await store(service, [long(1)]);
      const { stdout } = await run(['list', '--fields', 'hash,long_url,total_clicks']);
      expect(stdout).toBe(`h1\thttps://example.com/${'long/'.repeat(20)}1\t0\n`);
    },
  ],
  [
    'B16',
    'In tsv a backslash, tab or line end inside a value is written as `\\\\`, `\\t`, `\\r` or `\\n`; `--header` adds a head.',
    async ({ run, service }) => {
      await store(service, [{ custom_hash: 'a', long_url: 'https://example.com/', note: '1\t2\n3\\4' }]);
      expect((await run(['list', '--fields', 'hash,note', '--header'])).stdout).toBe('hash\tnote\na\t1\\t2\\n3\\\\4\n');
    },
  ],
  [
    'B17',
    '`-o` chooses the format on every command; `--json` is the same as `-o json`; the flag beats `LINKCTL_OUTPUT`.',
    async ({ run }) => {
      const [json, short] = [await run(['list', '-o', 'json']), await run(['list', '--json'])];
      expect(short).toEqual(json);
      expect((await run(['list', '-o', 'csv', '--fields', 'hash'], { env: { LINKCTL_OUTPUT: 'json' } })).stdout).toBe('hash\n');
      expect((await run(['list'], { env: { LINKCTL_OUTPUT: 'json' } })).stdout).toBe(json.stdout);
    },
  ],
  [
    'B18',
    '`--fields` picks and orders the fields in every format; an unknown one is exit 2 with those that exist.',
    async ({ run, service }) => {
      await store(service, [{ custom_hash: 'a', long_url: 'https://example.com/' }]);
      expect((await run(['list', '--fields', 'note,hash', '-o', 'csv'])).stdout).toBe('note,hash\n,a\n');
      expect((await run(['list', '--fields', 'note,hash', '-o', 'jsonl'])).stdout).toBe('{"note":"","hash":"a"}\n');
      expect(await run(['list', '--fields', 'nope'])).toMatchObject({ code: 2, stderr: expect.stringContaining('long_url') });
    },
  ],
  [
    'B19',
    'JSON is keyed as the API keys it, with the members that the server adds; one line in a pipe.',
    async ({ run, service, wire }) => {
      await store(service, [{ custom_hash: 'a', long_url: 'https://example.com/é' }]);
      await wire.script([{ alter: { each: { archived: null } } }]);
      const { stdout } = await run(['list', '--json']);
      expect(stdout).toMatch(/^\{"urls":\[.*\],"page":\{.*\}\}\n$/);
      expect(JSON.parse(stdout).urls).toMatchObject([{ long_url: 'https://example.com/é', archived: null }]);
    },
  ],
  [
    'B20',
    'jsonl streams: a reader that takes three lines costs one page.',
    async ({ shell, service, calls, wire }) => {
      await store(service, numbered(40));
      await wire.script([{}, { delay: 300, times: 'all' }]);
      const { stdout } = await shell('$linkctl list --all --page-size 5 -o jsonl --fields hash | head -3');
      expect(stdout).toBe('{"hash":"h39"}\n{"hash":"h38"}\n{"hash":"h37"}\n');
      expect((await calls()).length).toBeLessThan(8);
    },
  ],
  [
    'B21',
    'csv is RFC 4180 with LF line ends, and what `list -o csv` wrote makes the same links again.',
    async ({ run, folder, service }) => {
      await store(service, [
        { custom_hash: 'a', long_url: 'https://example.com/?a,b', note: 'say "hi"\nthere', tags: ['x', 'y,z'] },
        { custom_hash: 'b', long_url: 'https://example.com/b', expiration_date: '2099-01-31', email_stats: true },
      ]);
      const { stdout } = await run(['list', '-o', 'csv']);
      writeFileSync(join(folder, 'links.csv'), stdout);
      expect((await run(['delete', 'a', 'b', '--yes'])).code).toBe(0);
      expect((await run(['shorten', '-f', join(folder, 'links.csv')])).code).toBe(0);
      const again = (await run(['list', '-o', 'csv'])).stdout;
      const records = (csv: string): string[] =>
        csv
          .split(/\n(?=[ab],)/)
          .map((record) => record.trimEnd())
          .sort();
      expect(records(again)).toEqual(records(stdout));
    },
  ],
  [
    'B22',
    'Output is valid for its format even if it is empty or fails.',
    async ({ run }) => {
      expect(await run(['list', '--json'])).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^\{"urls":\[\],/),
        stderr: '',
      });
      expect(await run(['list', '-o', 'tsv'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
      expect((await run(['list', '-o', 'csv', '--fields', 'hash'])).stdout).toBe('hash\n');
    },
  ],
  [
    'B23',
    'Every format holds the same rows.',
    async ({ run, service }) => {
      await store(service, numbered(7));
      const listing = async (format: string): Promise<string> =>
        (await run(['list', '--all', '--page-size', '3', '--fields', 'hash,long_url', '-o', format])).stdout;
      const rows = JSON.parse(await listing('json')).urls;
      expect(rows).toHaveLength(7);
      expect(
        (await listing('jsonl'))
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toEqual(rows);
      const cells = (text: string, comma: string): object[] =>
        text
          .trimEnd()
          .split('\n')
          .map((line) => line.split(comma))
          .map(([hash, long_url]) => ({ hash, long_url }));
      expect(cells(await listing('tsv'), '\t')).toEqual(rows);
      expect(cells(await listing('csv'), ',').slice(1)).toEqual(rows);
    },
  ],
  [
    'B24',
    'A table fits the terminal: long cells are cut, then columns left out, which is said; hashes are never cut.',
    'test/terminal/look.test.ts',
  ],
  [
    'B25',
    'Widths are display widths: wide, combining and joined characters keep columns straight.',
    async ({ run, service }) => {
      const widths = { 例え: 4, 'e\u0301': 1, '👨‍👩‍👧': 2, plain: 5 };
      const notes = Object.keys(widths).map((note, index) => ({ custom_hash: `h${index}`, long_url: 'https://e.com/', note }));
      await store(service, notes);
      const { stdout } = await run(['list', '-o', 'table', '--fields', 'note,hash']);
      for (const [note, width] of Object.entries(widths))
        expect(stdout).toMatch(new RegExp(`^${note}${' '.repeat(7 - width)}h\\d$`, 'm'));
    },
  ],
  [
    'B26',
    'A change is stated: a line with a tick on a terminal, in a pipe only the short URL, with `-q`, too.',
    async ({ run, open }) => {
      const url = /^https?:\/\/\S+\n$/;
      expect(await run(['shorten', 'https://example.com/1'])).toMatchObject({ stdout: expect.stringMatching(url), stderr: '' });
      expect(await run(['shorten', 'https://example.com/2', '-q'])).toMatchObject({ stdout: expect.stringMatching(url) });
      const { shown } = await open(['shorten', 'https://example.com/3']).ended();
      expect(screenOf(shown).slice(0, 2)).toEqual([
        expect.stringMatching(/^✓ http\S+ → https:\/\/example\.com\/3$/),
        expect.stringMatching(/^to undo it: linkctl undo \S+$/),
      ]);
    },
  ],
  [
    'B27',
    'Times are UTC and marked as such; JSON keeps them as the server wrote them.',
    async ({ run, service }) => {
      await store(service, [{ custom_hash: 'a', long_url: 'https://example.com/' }]);
      await visit(service, 'a');
      await expect
        .poll(async () => (await run(['list', '--fields', 'last_visit'])).stdout, { timeout: 60_000 })
        .toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n$/);
      expect((await run(['list', '--json'])).stdout).toMatch(/"last_visit":"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"/);
    },
  ],
  [
    'B28',
    'A listing that is not complete says so on stderr, with the numbers.',
    async ({ run, service }) => {
      await store(service, numbered(3));
      expect((await run(['list', '--limit', '2'])).stderr).toMatch(/2 of 3/);
      expect((await run(['list', '--limit', '2', '-q'])).stderr).toBe('');
    },
  ],
  [
    'B29',
    'Text from the server cannot drive the terminal: control characters are shown, not sent.',
    async ({ run, service }) => {
      await store(service, [{ custom_hash: 'a', long_url: 'https://example.com/', note: '\u001b]0;x\u0007\u001b[2J' }]);
      for (const format of ['tsv', 'table', 'json'])
        expect((await run(['list', '--fields', 'note', '-o', format])).stdout).not.toMatch(/[\u0007\u001b]/);
    },
  ],
  ['B30', 'What is shown of a URL is a whole URL that works; there are no terminal hyperlinks.', 'test/terminal/look.test.ts'],
  ['B31', 'Nothing is ever shown in a pager.', 'test/terminal/look.test.ts'],
];

/** C. Streams and exit codes. */
export const streamBehaviours: readonly Behaviour[] = [
  [
    'B32',
    'stdout holds what was asked for and nothing else; everything else goes to stderr.',
    async ({ run, folder }) => {
      writeFileSync(join(folder, 'links.txt'), 'https://example.com/1\nhttps://example.com/2\n');
      const { stdout, stderr } = await run([
        'shorten',
        '-f',
        join(folder, 'links.txt'),
        '-v',
        '-o',
        'json',
        '--progress',
        'plain',
      ]);
      expect(JSON.parse(stdout).urls).toHaveLength(2);
      expect(stderr).not.toBe('');
    },
  ],
  [
    'B33',
    'Exit codes are a documented table.',
    async ({ run }) => {
      const { stdout } = await run(['help', 'exit-codes']);
      for (const code of ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '129', '130', '143'])
        expect(stdout).toMatch(new RegExp(`^  ${code} `, 'm'));
    },
  ],
  [
    'B34',
    'The error code in the answer decides, not the HTTP status.',
    async ({ run, wire }) => {
      await wire.script([{ answer: { status: 200, body: { error: { code: 1300, message: 'Invalid API key' } } } }]);
      expect(await run(['list', '--json'])).toMatchObject({ code: 4, stdout: '' });
    },
  ],
  [
    'B35',
    'A refused item is a failure: exit 3 beside others, else the code of its reason.',
    async ({ run, folder, service }) => {
      await store(service, [{ custom_hash: 'taken', long_url: 'https://example.com/' }]);
      const file = join(folder, 'links.csv');
      writeFileSync(file, 'long_url,custom_hash\nhttps://example.com/1,taken\nhttps://example.com/2,free\n');
      expect((await run(['shorten', '-f', file])).code).toBe(3);
      expect((await run(['shorten', 'https://example.com/1', '--hash', 'taken'])).code).toBe(6);
    },
  ],
  [
    'B36',
    'Colour is decided per stream: `--color`, then `NO_COLOR`, `FORCE_COLOR`, `CLICOLOR_FORCE`, `CLICOLOR`, then the terminal.',
    async ({ run }) => {
      const isColoured = async (env: Record<string, string>, ...flags: string[]): Promise<boolean> =>
        (await run(['list', 'nope', ...flags], { env })).stderr.includes('\u001b[');
      expect(await isColoured({})).toBe(false);
      expect(await isColoured({ FORCE_COLOR: '1' })).toBe(true);
      expect(await isColoured({ FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(false);
      expect(await isColoured({ NO_COLOR: '1' }, '--color', 'always')).toBe(true);
      expect(await isColoured({ FORCE_COLOR: '1' }, '--no-color')).toBe(false);
    },
  ],
  [
    'B37',
    'Large output survives a slow reader.',
    async ({ shell, service }) => {
      await store(
        service,
        Array.from({ length: 600 }, (_, index) => long(index)),
      );
      const { stdout } = await shell('$linkctl list --all --json | (sleep 0.3; cat)');
      expect(JSON.parse(stdout).urls).toHaveLength(600);
      expect(stdout.length).toBeGreaterThan(65_536);
    },
  ],
  [
    'B38',
    'Output that cannot be written is an error: exit 9.',
    async ({ shell, service }) => {
      await store(service, numbered(1));
      expect(await shell('$linkctl list > /dev/full')).toMatchObject({ code: 9, stderr: expect.stringMatching(/^error: .*\n$/) });
    },
  ],
  [
    'B39',
    'stdin is read only where `-` or `--with-key` asks for it.',
    async ({ shell, service }) => {
      await store(service, numbered(2));
      const { stdout } = await shell('printf "h0\\nh1\\n" | while read h; do $linkctl stats "$h" --fields hash; done');
      expect(stdout).toBe('h0\nh1\n');
    },
  ],
  ['B40', 'A reader that goes away ends a listing quietly with 0, and a run with 9 and what to do next.', 'test/bin.test.ts'],
  [
    'B41',
    'A signal ends the program at once, by dying of that signal; a run first says how far it got.',
    'test/terminal/signals.test.ts',
  ],
  ['B42', '`-` with a terminal on stdin says that it waits for input.', 'test/terminal/questions.test.ts'],
  [
    'B43',
    'A named link that does not exist is exit 5, 3 beside others, 0 with `--ignore-missing`; an expression that selects nothing is 0.',
    async ({ run, service }) => {
      await store(service, numbered(2));
      expect((await run(['delete', 'nope', '--yes'])).code).toBe(5);
      expect((await run(['delete', 'h0', 'nope', '--yes'])).code).toBe(3);
      expect((await run(['delete', 'h1', 'nope', '--yes', '--ignore-missing'])).code).toBe(0);
      expect((await run(['list', '--by-tags', 'nothing'])).code).toBe(0);
    },
  ],
  [
    'B44',
    '`list --fail-empty` is exit 11 if nothing matches.',
    async ({ run }) => {
      expect((await run(['list', '--fail-empty'])).code).toBe(11);
    },
  ],
];
