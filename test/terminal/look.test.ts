import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { screenOf } from '../support/terminal.ts';
import { test } from './world.ts';

const red = '\u001b[31m';
const bold = '\u001b[1m';

describe('colour', () => {
  test('B36: each stream of a terminal has colour', async ({ linkctl, open }) => {
    await linkctl(['shorten', 'https://nodejs.org/', '--hash', 'node']);
    expect((await open(['list', 'node']).ended()).shown).toContain(bold);
    expect((await open(['list', 'nowhere']).ended()).shown).toContain(`${red}error:`);
  });

  test('B36: a pipe on stdout leaves the colour of stderr, and the other way round', async ({ linkctl, open }) => {
    await linkctl(['shorten', 'https://nodejs.org/', '--hash', 'node']);
    const piped = await open([], { shell: '$linkctl -o table list node nowhere | cat' }).ended();
    expect(piped.shown).toContain(`${red}error:`);
    expect(piped.shown).not.toContain(bold);
    const watched = await open([], { shell: '$linkctl list node nowhere 2>&1 >/dev/tty | cat' }).ended();
    expect(watched.shown).toContain(bold);
    expect(watched.shown).not.toContain(red);
  });
});

test('B58a: on a narrow terminal, every line for people ends between words, and a command stays whole', async ({
  linkctl,
  open,
}) => {
  await linkctl(['shorten', 'https://nodejs.org/', '--hash', 'node']);
  const { shown } = await open(['delete', 'node', '--yes', '--no-color'], { columns: 40 }).ended();
  expect(shown).toContain('clicks and creation order of deleted\r\nlinks cannot be restored\r\n');
  expect(shown).toMatch(/to undo it:\r\nlinkctl undo \S+\r\n/);
  await linkctl(['shorten', 'https://nodejs.org/', '--hash', 'again']);
  const commands = [
    ['tags', 'add', 'a label of as many words as a label can have'],
    ['edit', 'again', '--note', 'a note of many words', '--add-tag', 'spring', '--expires', '2031-12-31'],
    ['tags', 'rename', 'a'],
    ['list', '--filter', 'clicks of a year = 0'],
    ['list'],
    ['account'],
  ];
  for (const argv of commands) {
    const screen = screenOf((await open([...argv, '--no-color'], { columns: 40 }).ended()).shown);
    expect(screen.filter((line) => line.length > 40 && / /.test(line.replace(/^(?:hint: |example: )?linkctl .*/, '')))).toEqual(
      [],
    );
    expect(screen.filter((line) => / $|^ /.test(line))).toEqual([]);
  }
  const { shown: json } = await open(['list', 'nowhere', '-o', 'json', '--no-color'], { columns: 40 }).ended();
  expect(JSON.parse(json.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ error: { api_code: 1306 } });
});

describe('tables', () => {
  const links = [
    ['--hash', 'plain', '--note', 'plain', 'https://example.com/a/path/that/is/long/enough/to/give/way/on/a/narrow/screen'],
    ['--hash', 'cjk', '--note', '例え'.repeat(12), `https://example.com/${'例え'.repeat(20)}`],
    ['--hash', 'accent', '--note', 'e\u0301'.repeat(30), `https://example.com/${'e\u0301'.repeat(50)}`],
    ['--hash', 'family', '--note', '👨‍👩‍👧‍👦'.repeat(9), `https://example.com/${'👨‍👩‍👧‍👦'.repeat(30)}`],
  ];
  const list = ['list', 'plain', 'cjk', 'accent', 'family', '--no-color'];

  test('B24: every line of a table fits a terminal of 40 columns, and no hash is cut', async ({ linkctl, open }) => {
    for (const link of links) await linkctl(['shorten', ...link]);
    const { shown } = await open(list, { columns: 40 }).ended();
    const lines = screenOf(shown).filter((line) => line !== '');
    for (const hash of ['plain', 'cjk', 'accent', 'family']) expect(lines.some((line) => line.startsWith(`${hash} `))).toBe(true);
    for (const line of lines.slice(0, 5)) expect(columnsOf(line)).toBeLessThanOrEqual(40);
    expect(shown).toContain('…');
  });

  test('B24: what a narrow terminal hides is reported on stderr, and --no-truncate shows it', async ({ linkctl, open }) => {
    for (const link of links) await linkctl(['shorten', ...link]);
    const narrow = await open([], {
      columns: 40,
      shell: '$linkctl list plain 2>&1 >/dev/tty | while IFS= read -r line; do echo "stderr: $line"; done',
    }).ended();
    expect(screenOf(narrow.shown)).toContainEqual(
      expect.stringMatching(/^stderr: hidden to fit the terminal: .* \(use --no-truncate\)$/),
    );
    const full = await open([...list, '--no-truncate'], { columns: 40 }).ended();
    expect(full.shown).toContain('/to/give/way/on/a/narrow/screen');
    expect(full.shown).not.toContain('no room');
  });

  test('B25: wide, combining and joined letters keep the columns in line', async ({ linkctl, open }) => {
    for (const link of links) await linkctl(['shorten', ...link]);
    const { shown } = await open([...list, '--fields', 'hash,note,total_clicks']).ended();
    const [head = '', ...rows] = screenOf(shown).slice(0, 5);
    const edges = rows.map(columnsOf);
    expect(new Set([columnsOf(head), ...edges]).size).toBe(1);
  });

  test.for([
    [0, { COLUMNS: '50' }, 50],
    [60, { COLUMNS: '200' }, 60],
  ] as const)('B24: a terminal of %i columns with %j has tables of %i', async ([columns, env, width], { linkctl, open }) => {
    await linkctl(['shorten', '--hash', 'long', `https://example.com/${'x'.repeat(300)}`]);
    const { shown } = await open(['list', 'long', '--fields', 'hash,long_url', '--no-color'], { columns, env }).ended();
    expect(screenOf(shown)[1]).toHaveLength(width);
  });
});

describe('addresses', () => {
  test('B30: a short URL is whole, however narrow the terminal, and is text and no hyperlink', async ({ linkctl, open }) => {
    const { stdout } = await linkctl([
      'shorten',
      'https://nodejs.org/en/learn/a/long/way',
      '--hash',
      'a-hash-of-25-letters-long',
    ]);
    const args = ['list', 'a-hash-of-25-letters-long', '--fields', 'short_url_with_protocol,long_url'];
    const { shown } = await open(args, { columns: 60 }).ended();
    expect(shown).toContain(stdout.trim());
    expect(shown).not.toContain('\u001b]');
  });
});

test('B31: a listing that is longer than the screen starts no pager', async ({ folder, linkctl, open }) => {
  await linkctl(['shorten', '-f', '-', '-q'], {
    stdin: Array.from({ length: 60 }, (_, at) => `https://example.com/${at}`).join('\n'),
  });
  const pager = join(folder, 'pager');
  writeFileSync(pager, `#!/bin/sh\ntouch ${join(folder, 'paged')}\ncat\n`, { mode: 0o755 });
  const { code, shown } = await open(['list', '--all'], { env: { PAGER: pager, LINKCTL_PAGER: pager } }).ended();
  expect(code).toBe(0);
  expect(screenOf(shown).filter((line) => line.includes('https://example.com/'))).toHaveLength(60);
  expect(existsSync(join(folder, 'paged'))).toBe(false);
});

describe('plain terminals', () => {
  test('B96: TERM=dumb gets no escape and no sign beyond ASCII', async ({ open }) => {
    const { shown } = await open(['shorten', 'https://nodejs.org/'], { env: { TERM: 'dumb' } }).ended();
    expect(shown).toMatch(/^OK http\S+ -> https:\/\/nodejs\.org\/\r\nto undo it: linkctl undo \S+\r\n$/);
  });

  test('B96: LC_ALL=C gets words instead of signs', async ({ open }) => {
    const { shown } = await open(['shorten', 'https://nodejs.org/', '--no-color'], { env: { LC_ALL: 'C' } }).ended();
    expect(shown).toMatch(/^OK http\S+ -> https:\/\/nodejs\.org\/\r\nto undo it: linkctl undo \S+\r\n$/);
  });

  test('B89, B96: LC_ALL=C gets the progress of a run and of a check in ASCII', async ({ linkctl }) => {
    const inC = async (...words: string[]) => {
      const stdin = 'http://10.0.0.1/a\nhttp://10.0.0.1/b\n';
      const { stderr } = await linkctl([...words, '--progress', 'plain'], { stdin, env: { LC_ALL: 'C' } });
      expect(stderr).toMatch(/^[\n -~]*$/);
      return stderr;
    };
    expect(await inC('shorten', '-f', '-', '--batch-size', '1')).toMatch(/^2\/2 batches, 2\/2, 0 failed, ETA 0s$/m);
    expect(await inC('check', '--all')).toMatch(/^0\/0 destinations, 2 skipped$/m);
  });
});

/** As a terminal counts; emoji of several letters are one of two columns. */
function columnsOf(line: string): number {
  let width = 0;
  for (const { segment } of new Intl.Segmenter('en').segment(line))
    width += /\p{Emoji_Presentation}|[\u3040-\u9fff]/u.test(segment) ? 2 : 1;
  return width;
}
