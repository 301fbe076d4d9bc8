import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { test } from '../support/linkctl.ts';
import { numbered, store } from '../support/stored-links.ts';

const watched = { terminal: { stdin: true, stdout: true, stderr: true }, columns: 160, env: { NO_COLOR: '1' } };

describe('B26, D36: a run of more than 20 rows on a terminal shows its failures and its summary', () => {
  const numbers = Array.from({ length: 30 }, (_, number) => number);
  const files = {
    'links.csv': ['long_url,custom_hash', ...numbers.map((n) => `https://new.example/${n},${n === 7 ? 'h1' : `n${n}`}`)],
    'edits.csv': ['hash,note', ...numbers.map((n) => `${n === 7 ? 'none' : `h${n}`},x`)],
    'hashes.txt': numbers.map((n) => (n === 7 ? 'none' : `h${n}`)),
  };

  test.for([
    ['shorten', ['shorten', '-f', 'links.csv'], 'created'],
    ['edit -f', ['edit', '-f', 'edits.csv', '--yes'], 'changed'],
    ['edit', ['edit', '--hashes-from', 'hashes.txt', '--note', 'x', '--yes'], 'changed'],
    ['delete', ['delete', '--hashes-from', 'hashes.txt', '--yes'], 'deleted'],
    ['stats --reset', ['stats', '--reset', '--hashes-from', 'hashes.txt', '--yes'], 'reset'],
  ] as const)('%s', async ([, words, status], { linkctl, service, folder }) => {
    await store(service, numbered(30));
    for (const [name, lines] of Object.entries(files)) writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
    const argv = words.map((word) => (word in files ? join(folder, word) : word));
    // On a busy machine the progress line would be drawn before the first failure.
    const { code, stdout, stderr } = await linkctl([...argv, '--progress', 'none'], watched);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('rows are not listed on a terminal; to get them, use --results <file>, -o or a pipe\n');
    expect(stderr).toMatch(/^error: .*(h1|none)/m);
    expect(stderr).toMatch(new RegExp(`^30 rows: 29 ${status}, 1 failed`, 'm'));
  });

  test('--results, -o, a pipe or 20 rows give them, and a table as the usual format does not', async ({ linkctl, folder }) => {
    const file = join(folder, 'links.txt');
    const lines = (count: number): string =>
      `${numbers
        .slice(0, count)
        .map((n) => `https://new.example/${n}`)
        .join('\n')}\n`;
    writeFileSync(file, lines(30));
    const run = async (world: object, ...words: string[]): Promise<number> => {
      const { code, stdout } = await linkctl(['shorten', '-f', file, '--again', ...words], world);
      expect(code).toBe(0);
      return stdout.split('\n').length - 1;
    };
    expect(await run({})).toBe(30);
    expect(await run({}, '-q')).toBe(30);
    expect(await run(watched, '-o', 'tsv')).toBe(30);
    expect(await run(watched, '-o', 'table')).toBe(30);
    expect(await run({ ...watched, env: { ...watched.env, LINKCTL_OUTPUT: 'table' } })).toBe(0);
    const results = join(folder, 'results.csv');
    expect(await run(watched, '--results', results)).toBe(0);
    expect(readFileSync(results, 'utf8').trimEnd().split('\n')).toHaveLength(31);
    writeFileSync(file, lines(20));
    expect(await run(watched)).toBe(20);
  });
});
