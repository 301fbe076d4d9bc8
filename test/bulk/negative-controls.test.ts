import { expect, test } from 'vitest';
import { readItem } from '../../src/bulk/matching/answer-items.ts';
import type { Verdict } from '../../src/bulk/matching/row-verdict.ts';
import { runTrial, type TrialOptions, type TrialResult } from './trial.ts';

/** The trials must see what goes wrong when a safeguard is gone: each of these does without one. */
async function faultsOf(options: Omit<TrialOptions, 'seed'>, fault: keyof TrialResult): Promise<number> {
  let found = 0;
  for (let seed = 1; seed <= 12 && found === 0; seed += 1) found += (await runTrial({ ...options, seed }))[fault];
  return found;
}

test('R 3.5.5: retrying blindly makes duplicates', async () => {
  const spoil: TrialOptions['spoil'] = (operation) => ({ ...operation, doubt: 'repeat' });
  expect(await faultsOf({ mode: 'checked', spoil }, 'duplicated')).toBeGreaterThan(0);
});

test('R 3.5.5: sending before the intent is on the disk makes duplicates', async () => {
  expect(await faultsOf({ mode: 'checked', forgetsIntents: true }, 'duplicated')).toBeGreaterThan(0);
});

test('R 3.5.5: matching by position maps wrongly', async () => {
  const spoil: TrialOptions['spoil'] = (operation, { client, domain }) => ({
    ...operation,
    call: async (urls, signal) => {
      const answer = await client.send('shortenUrls', { query: { domain }, body: { urls: [...urls] } }, { signal });
      const verdicts = urls.map((_, position): Verdict | undefined => {
        const item = readItem(answer.urls[position]);
        return item?.kind === 'record' ? { kind: 'done', record: item.record } : undefined;
      });
      return { verdicts, surplus: [] };
    },
    notApplied: () => [],
  });
  expect(await faultsOf({ mode: 'checked', spoil }, 'wrong')).toBeGreaterThan(0);
});
