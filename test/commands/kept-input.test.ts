import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { faults, type Step } from '../support/faulty-steps.ts';
import { sent, sure, test } from '../support/linkctl.ts';
import { numbered, store, stored } from '../support/stored-links.ts';

const inTwos = ['--batch-size', '2', '--concurrency', '1'];
const quotaOf = (method: string): Step => ({ ...faults.refuse(1303), only: { method } });

/** The kept input of the one run. */
function keptInput(folder: string): string {
  const runs = join(folder, '.local', 'state', 'linkctl', 'runs');
  const [run = ''] = readdirSync(runs);
  return join(runs, run, 'input');
}

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  test.override({ edition });

  /** What a disk, or a person, does to a text. */
  const damages: readonly [what: string, damage: (text: string) => string][] = [
    ['a flipped byte in a hash', (text) => text.replace('"hash":"h2"', '"hash":"h9"')],
    ['a flipped byte in a value', (text) => text.replace('"note":"n"', '"note":"m"')],
    ['a row less', (text) => text.replace(/^(.{17}\[)\{.*?\},(\{(?:"line"|"item"))/, '$1$2')],
    ['no end', (text) => text.slice(0, text.length / 2)],
    ['a last line less', (text) => text.replace(/[^\n]*\n$/, '')],
    ['a line twice', (text) => text.replace(/^[^\n]*\n/, '$&$&')],
    ['nothing in it', () => ''],
  ];

  test.for(damages)(
    'E12: the kept links of a run are those that were listed, or nothing is sent: %s',
    async ([, damage], { linkctl, wire, service, folder }) => {
      await store(service, numbered(6, { tags: ['t'] }));
      const words = ['edit', '--by-tags', 't', '--note', 'n', ...inTwos, ...sure];
      await wire.script([{ only: { method: 'PATCH' } }, quotaOf('PATCH')]);
      expect((await linkctl(words)).code).toBe(7);
      await wire.script([]);
      const path = keptInput(folder);
      const whole = readFileSync(path, 'utf8');
      const damaged = damage(whole);
      expect(damaged).not.toBe(whole);
      writeFileSync(path, damaged);
      const before = (await sent(wire)).length;
      const ran = await linkctl(words);
      expect(ran.code, ran.stderr).toBe(9);
      expect(ran.stderr).toMatch(/error: .*input is damaged/);
      expect((await sent(wire)).slice(before).filter(({ call }) => call.startsWith('PATCH'))).toEqual([]);
      writeFileSync(path, whole);
      expect((await linkctl(words)).code).toBe(0);
      expect((await stored(service)).every(({ note }) => note === 'n')).toBe(true);
    },
  );

  const files: readonly [name: string, words: (file: string) => string[], lines: (hashes: readonly string[]) => string][] = [
    [
      'apply',
      (file) => ['apply', '-f', file],
      (hashes) => `${['short_url,note', ...hashes.map((hash) => `${hash},n`)].join('\n')}\n`,
    ],
    [
      'rewrite --hashes-from',
      (file) => ['rewrite', 'https://example.com', 'https://new.example', '--hashes-from', file],
      (hashes) => `${hashes.join('\n')}\n`,
    ],
    [
      'delete --hashes-from with a filter',
      (file) => ['delete', '--hashes-from', file, '--filter', 'total_clicks=0'],
      (hashes) => `${hashes.join('\n')}\n`,
    ],
    ['delete --hashes-from', (file) => ['delete', '--hashes-from', file], (hashes) => `${hashes.join('\n')}\n`],
    [
      'edit -f',
      (file) => ['edit', '-f', file],
      (hashes) => `${['short_url,note', ...hashes.map((hash) => `${hash},n`)].join('\n')}\n`,
    ],
    ['edit --hashes-from', (file) => ['edit', '--hashes-from', file, '--note', 'n'], (hashes) => `${hashes.join('\n')}\n`],
  ];

  test.for(files)(
    'E19: a file that was changed after an interruption is refused: %s',
    async ([, wordsOf, linesOf], { linkctl, wire, service, folder }) => {
      const hashes = await storedHashes(service);
      const file = join(folder, 'links.csv');
      const words = [...wordsOf(file), ...inTwos, ...sure];
      writeFileSync(file, linesOf(hashes));
      const [, verb = ''] = /^(apply|edit|rewrite|delete)/.exec(words[0] ?? '') ?? [];
      const method = verb === 'delete' ? 'DELETE' : 'PATCH';
      await wire.script([{ only: { method } }, quotaOf(method)]);
      const stopped = await linkctl(words);
      expect(stopped.code, stopped.stderr).toBe(7);
      await wire.script([]);
      const before = (await sent(wire)).length;
      writeFileSync(file, linesOf(hashes.slice(0, 5)));
      const ran = await linkctl(words);
      expect(ran.code, ran.stderr).toBe(9);
      expect(ran.stderr).toMatch(
        /links\.csv changed since the unfinished run \S+\n.*restore the old file .*linkctl undo \S+; .*to forget it and keep its changes: linkctl runs forget \S+ --yes\n/,
      );
      expect((await sent(wire)).slice(before).filter(({ call }) => call.startsWith(method))).toEqual([]);
      writeFileSync(file, linesOf(hashes));
      const done = await linkctl(words);
      expect(done.code, done.stderr).toBe(0);
    },
  );
});

async function storedHashes(service: Parameters<typeof store>[0]): Promise<string[]> {
  await store(service, numbered(6));
  return (await stored(service)).map(({ hash }) => `localhost/${hash}`);
}
