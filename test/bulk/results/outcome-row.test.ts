import { expect, test } from 'vitest';
import { outcomeFailure } from '../../../src/bulk/results/outcome-failure.ts';

const identity = { profile: 'work', username: 'ann', host: 'api.example.com', server: 'https://api.example.com' };
const error = { code: 0, message: 'outcome unknown' };

test('B35: a row is named by its line, one that cannot be read any more by its number', () => {
  const item = { long_url: 'https://example.com/' };
  const row = { index: 2, line: 7, item, payload: item, status: 'unknown', error } as const;
  const told = (outcome: Parameters<typeof outcomeFailure>[0]) =>
    outcomeFailure(outcome, identity as never, { input: 'links.csv' })?.message;
  expect(told(row)).toBe('links.csv:7: https://example.com/: outcome unknown');
  expect(told({ ...row, line: undefined, item: {}, payload: {} })).toBe('links.csv: row 3: outcome unknown');
});
