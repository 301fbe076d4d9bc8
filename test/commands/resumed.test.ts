import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { main } from '../../src/cli/main.ts';
import { startProgram } from '../support/built-program.ts';
import { faults, type Step } from '../support/faulty-steps.ts';
import { test } from '../support/linkctl.ts';
import { createTestSystem } from '../support/test-system.ts';
import { type Command, calls, countsOf, formats, openSide, printed, type Side, wordsOf, written } from './two-sides.ts';

interface Mixture extends Command {
  readonly method: string;
  /** The server does so to every answer. */
  readonly alter: Step['alter'];
  /** The call, of this method, in which the program is killed. */
  readonly killedAt: number;
  /** What becomes of the rows. */
  readonly counts: string;
}

/** Every record comes back with e-mail statistics on, and with a member that nobody knows. */
const alter = { each: { email_stats: true, rating: 5 } };

const mixtures: { readonly [name: string]: Mixture } = {
  'shorten -f': {
    words: ['shorten', '--note', 'n', '--tag', 't', '-f'],
    input: [
      'links.csv',
      [
        'long_url,custom_hash,tags,email_stats',
        ...['https://a.example/,k0,,', 'HTTPS://B.example:443,k1,"u,v",', 'https://c.example/,k2,,no', 'https://d.example/,h3,,'],
        ...['https://s.ex/x,k4,,', 'https://e.example/,k5,,no', 'https://f.example/,k6,,', 'https://g.example/,k7,,yes'],
        ...['https://h.example/,k8,,no', 'https://i.example/,h9,,'],
      ].join('\n'),
    ],
    method: 'POST',
    alter,
    killedAt: 7,
    counts: '4 created, 6 failed',
  },
  'shorten --dedupe -f': {
    words: ['shorten', '--dedupe', 'account', '-f'],
    input: [
      'links.csv',
      [
        'long_url,tags,email_stats',
        ...[
          'https://example.com/0,,',
          'https://example.com/4,,',
          'https://example.com/2,,no',
          'https://example.com/2,t,',
          'https://s.ex/x,,',
        ],
        ...[
          'https://example.com/0,,',
          'https://example.com/3,,',
          'https://example.com/0,,',
          'https://example.com/2,,no',
          'https://example.com/5,,',
        ],
      ].join('\n'),
    ],
    method: 'POST',
    alter,
    killedAt: 4,
    // All of them are there.
    counts: '6 existing, 4 failed',
  },
  'edit -f': {
    words: ['edit', '--note', 'n', '-f'],
    input: [
      'edits.csv',
      [
        'hash,custom_hash,long_url,tags,email_stats',
        ...['h0,,,+s,', 'h1,,https://b.example/,,', 'h2,,,,no', 'h3,n3,,+t,', 'none,,,,yes', 'h4,h0,,,', 'h5,n5,,,no'],
        ...['h6,,https://c.example/,,no', 'h7,,,"+t,-u",', 'h8,,,,no'],
      ].join('\n'),
    ],
    method: 'PATCH',
    alter,
    killedAt: 5,
    counts: '4 changed, 6 failed',
  },
  // Every batch has a row that is in no call, because it changes nothing or its link is missing.
  'edit -f of unchanged links': {
    words: ['edit', '--remove-tag', 'none', '-f'],
    input: ['edits.csv', 'hash,note\nh0,\nh1,n\nh2,n\nh3,\nh4,n\nmissing,n\nh5,\nh6,n\n'],
    method: 'PATCH',
    alter: { each: {} },
    killedAt: 2,
    counts: '4 changed, 3 unchanged, 1 failed',
  },
  'edit --hashes-from': {
    words: ['edit', '--no-email-stats', '--note', 'n', '--hashes-from'],
    input: ['hashes.txt', 'h0\nh1\nh2\nh3\nnone\nh5\nh6\n'],
    method: 'PATCH',
    alter: { each: { rating: 5 } },
    killedAt: 4,
    counts: '6 changed, 1 failed',
  },
  'delete --hashes-from': {
    words: ['delete', '--yes', '--hashes-from'],
    input: ['hashes.txt', 'h0\nh1\nh2\nnone\nh4\nh5\nh6\n'],
    method: 'DELETE',
    alter: { each: {} },
    killedAt: 4,
    counts: '6 deleted, 1 failed',
  },
};

describe.each(['a', 'b'] as const)('edition %s', (edition) => {
  // What differs by edition is the records, and by format how they are written: of the second edition one format will do, and of
  // commands whose rows are written like those of others, one of each kind.
  const isWhole = (name: string): boolean => ['shorten -f', 'edit -f'].includes(name);
  const tried = (name: string) => (edition === 'b' ? (['csv'] as const) : isWhole(name) ? formats : (['json', 'csv'] as const));
  const cases = Object.keys(mixtures).flatMap((name) => tried(name).map((format) => [name, format] as const));

  /** Two equal sides. `killed` kills the program of the second at its call `killedAt`, whose fate is `lost`. */
  const opened = async (name: string, folder: string) => {
    const whole = await openSide(edition, join(folder, 'whole'));
    const parted = await openSide(edition, join(folder, 'parted'));
    const mixture = mixtures[name] as Mixture;
    const usual: Step = { only: { method: mixture.method }, times: 'all', alter: mixture.alter };
    await whole.wire.script([usual]);
    const killed = async (words: string[], lost: Step): Promise<void> => {
      const { method, killedAt } = mixture;
      await parted.wire.script([
        { ...usual, times: killedAt - 1 },
        { only: { method }, ...lost },
      ]);
      const program = startProgram(words, parted.env);
      await expect.poll(async () => await calls(parted, method), { timeout: 100_000 }).toBe(killedAt);
      program.process.kill('SIGKILL');
      await program.ended;
      await parted.wire.script([usual]);
    };
    return { whole, parted, mixture, killed };
  };

  test.for(cases)(
    'J5: %s -o %s, killed and run again, reports what it reports uninterrupted',
    async ([name, format], { folder }) => {
      const { mixture, killed, ...sides } = await opened(name, folder);
      await using whole = sides.whole;
      await using parted = sides.parted;
      const uninterrupted = await whole.linkctl(wordsOf(mixture, format, whole));
      expect(countsOf(uninterrupted)).toBe(mixture.counts);
      const words = wordsOf(mixture, format, parted);
      await killed(words, faults.silentBefore);
      const again = await parted.linkctl(words);
      expect(again.stderr).toMatch(/^resuming run .*: [1-9]/m);
      expect(written(format, parted)).toEqual(written(format, whole));
      // B18: an uninterrupted run prints whole records.
      expect(printed(uninterrupted, format, whole)).toMatchObject(printed(again, format, parted));
    },
  );

  test.for(['edit -f', 'edit --hashes-from', 'delete --hashes-from'])(
    'U4: %s, killed and run again with --results for the first time, has the destinations before the change',
    async (name, { folder }) => {
      const { mixture, killed, ...sides } = await opened(name, folder);
      await using whole = sides.whole;
      await using parted = sides.parted;
      await whole.linkctl(wordsOf(mixture, 'csv', whole));
      const words = wordsOf(mixture, 'csv', parted);
      // The last call is applied, but its answer is lost.
      await killed(words.slice(0, words.indexOf('--results')), faults.silentAfter);
      await parted.linkctl(words);
      const destinations = (side: Side) =>
        written('csv', side)
          .results.split('\n')
          .map((line) => line.split(',')[5]);
      expect(destinations(whole).slice(0, 2)).toEqual(['old_long_url', 'https://example.com/0']);
      expect(destinations(parted)).toEqual(destinations(whole));
    },
  );

  test.for(tried('stats --reset'))(
    'J5: a reset -o %s that a signal ended and that then loses an answer reports the same',
    async (format, { folder }) => {
      await using whole = await openSide(edition, join(folder, 'whole'));
      await using parted = await openSide(edition, join(folder, 'parted'));
      const reset = {
        words: ['stats', '--reset', '--yes', '--hashes-from'],
        input: ['hashes.txt', 'h0\nh1\nh2\nnone\nh4\nh5\nh6\n'],
      } as const;
      const only = { method: 'DELETE' };
      await whole.wire.script([
        { only, times: 3 },
        { only, ...faults.dropAfter },
      ]);
      const uninterrupted = await whole.linkctl(wordsOf(reset, format, whole));
      expect(countsOf(uninterrupted)).toBe('5 reset, 1 failed, 1 unknown');

      await parted.wire.script([{ only, held: true }]);
      const words = wordsOf(reset, format, parted);
      const system = createTestSystem({ env: parted.env });
      const running = main(words, system);
      await parted.wire.held();
      system.raise('SIGINT');
      await parted.wire.release();
      await running;
      await parted.wire.script([
        { only, times: 2 },
        { only, ...faults.dropAfter },
      ]);
      expect(printed(await parted.linkctl(words), format, parted)).toEqual(printed(uninterrupted, format, whole));
      expect(written(format, parted)).toEqual(written(format, whole));
    },
  );
});
