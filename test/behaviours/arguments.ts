import { expect } from 'vitest';
import { store, stored } from '../support/stored-links.ts';
import type { Behaviour } from './behaviour.ts';

/** A. Arguments and help. */
export const argumentBehaviours: readonly Behaviour[] = [
  [
    'B1',
    'Every spelling of help prints help on stdout and exits 0, without configuration or network; help of an unknown word is exit 2.',
    async ({ run, calls }) => {
      for (const argv of [[], ['-h'], ['help', 'list'], ['list', '--bogus', '-h']])
        expect(await run(argv)).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: linkctl'), stderr: '' });
      expect(await run(['help', 'lits'])).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('list') });
      expect(await calls()).toEqual([]);
    },
  ],
  [
    'B2',
    '`-h` means help and nothing else.',
    async ({ run }) => {
      expect(await run(['auth', 'login', '-h', 's.ex'])).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage:') });
    },
  ],
  [
    'B3',
    '`--version`, `-V` and `version` print one line; `-v` is verbosity.',
    async ({ run }) => {
      for (const word of ['--version', '-V', 'version'])
        expect(await run([word])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^linkctl \d+\.\d+\.\d+\n$/) });
    },
  ],
  [
    'B4',
    'A missing operand is exit 2 with one error line, the usage and an example, and not the whole help.',
    async ({ run }) => {
      const { code, stdout, stderr } = await run(['tags', 'rename', 'one']);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^error: .*\n(.*\n)*?.*linkctl tags rename <old> <new>.*\n/);
      expect(stderr).toContain('linkctl tags rename --help');
      expect(stderr.split('\n').length).toBeLessThan(8);
    },
  ],
  [
    'B5',
    'An unknown command, verb or flag is exit 2, sends nothing, and is followed by at most one suggestion, which is never run.',
    async ({ run, calls }) => {
      for (const [argv, word] of [
        [['LIST'], 'list'],
        [['tags', 'renmae', 'a', 'b'], 'rename'],
        [['list', '--limt', '5'], '--limit'],
        [['create'], 'shorten'],
      ] as const)
        expect(await run(argv)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(word) });
      expect((await run(['delete', 'abc', '--web'])).stderr).not.toContain('--yes');
      expect(await calls()).toEqual([]);
    },
  ],
  [
    'B6',
    'Commands and flags cannot be abbreviated, and an unknown first word is never taken for a URL to shorten.',
    async ({ run, calls }) => {
      for (const argv of [['li'], ['list', '--lim', '5'], ['https://example.com/']]) expect((await run(argv)).code).toBe(2);
      expect(await calls()).toEqual([]);
    },
  ],
  [
    'B7',
    'Global flags can be given anywhere.',
    async ({ run, service }) => {
      await store(service, [{ long_url: 'https://example.com/' }]);
      const [before, after] = [await run(['-o', 'json', 'list']), await run(['list', '-o', 'json'])];
      expect(before).toEqual(after);
      expect(before.code).toBe(0);
    },
  ],
  [
    'B8',
    '`--` ends the flags; `-L5`, `-L 5`, `--limit=5` and clusters are understood; a hash that looks like a flag gets a hint.',
    async ({ run, service }) => {
      await store(service, [{ custom_hash: '-abc', long_url: 'https://example.com/' }]);
      for (const flags of [['-L5'], ['-L', '5'], ['--limit=5'], ['-qL5']])
        expect(await run(['list', ...flags])).toMatchObject({ code: 0, stdout: expect.stringContaining('-abc') });
      expect(await run(['stats', '-abc'])).toMatchObject({ code: 2, stderr: expect.stringMatching(/put -- before it/) });
      expect(await run(['stats', '--', '-abc'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^-abc\t0/) });
    },
  ],
  [
    'B9',
    'Flags that repeat take one value each, which may hold a comma; of any other flag the last one counts.',
    async ({ run, service }) => {
      await run(['shorten', 'https://example.com/', '-t', 'a', '-t', 'b,c', '--note', 'x', '--note', 'y']);
      expect(await stored(service)).toMatchObject([{ tags: ['a', 'b,c'], note: 'y' }]);
    },
  ],
  [
    'B10',
    'No flag has an optional value: what follows `--json` is an operand.',
    async ({ run, calls }) => {
      expect((await run(['list', '--json', 'abc'])).code).toBe(5);
      expect(await calls()).toEqual([expect.stringContaining('hashes=abc')]);
    },
  ],
  [
    'B11',
    'Values and conflicts of flags are checked before anything is read or sent.',
    async ({ run, calls }) => {
      expect(await run(['list', '-o', 'xml'])).toMatchObject({ code: 2, stderr: expect.stringMatching(/^error: .*"xml"/) });
      expect((await run(['edit', 'abc', '--by-tags', 'x', '--note', 'n'])).code).toBe(2);
      expect((await run(['shorten', '-f', '/none.csv', '--budget', '0'])).code).toBe(2);
      expect(await calls()).toEqual([]);
    },
  ],
  [
    'B12',
    'Absent, empty and false are three different things: a flag that is not given changes nothing.',
    async ({ run, wire, service }) => {
      await store(service, [{ custom_hash: 'abc', long_url: 'https://example.com/' }]);
      await run(['edit', 'abc', '--note', '', '--no-email-stats', '--expires', 'never', '--no-undo']);
      await run(['edit', 'abc', '--note', 'x']);
      const bodies = (await wire.requests()).filter(({ method }) => method === 'PATCH').map(({ body }) => JSON.parse(body));
      expect(bodies).toEqual([{ urls: [{ note: '', email_stats: false, expiration_date: null }] }, { urls: [{ note: 'x' }] }]);
    },
  ],
  [
    'B13',
    'Help has a summary, the usage, examples, then flags, in at most 80 columns.',
    async ({ run }) => {
      const { stdout } = await run(['shorten', '--help']);
      expect(stdout).toMatch(/^.+\.\n\nUsage: [\s\S]*\nExamples:\n[\s\S]*\nFlags:\n/);
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    },
  ],
  [
    'B14',
    'A URL argument is data: it is never fetched, and nothing in it is expanded.',
    async ({ run, wire, service }) => {
      await run(['shorten', `${wire.origin}/page`, '--note', '@/etc/hostname']);
      expect((await wire.requests()).every(({ url }) => url.startsWith('/api/3/'))).toBe(true);
      expect(await stored(service)).toMatchObject([{ long_url: `${wire.origin}/page`, note: '@/etc/hostname' }]);
    },
  ],
];
