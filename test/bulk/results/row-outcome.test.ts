import { expect, test } from 'vitest';
import { CliError, type FailureKind } from '../../../src/base/errors.ts';
import { addTo, type RowStatus, type StopReason, startTally } from '../../../src/bulk/results/row-outcome.ts';
import { runEnd } from '../../../src/bulk/results/run-end.ts';
import { exitOf } from '../bulk-world.ts';

const stopped = (kind: FailureKind): StopReason => ({ kind: 'error', error: new CliError(kind, 'stopped') });
const signalled: StopReason = { kind: 'signal' };

test.each<[string, (RowStatus | number)[], StopReason | undefined, number | 'signal']>([
  ['all done', ['created', 'existing'], undefined, 0],
  ['nothing to do', [], undefined, 0],
  ['some failed', ['created', 1216], undefined, 3],
  ['all failed alike', [1216, 1215], undefined, 6],
  ['all missing', [1306, 1306], undefined, 5],
  ['all failed, a mixture', [1216, 1306], undefined, 1],
  ['all failed, an unlisted code', [9999], undefined, 1],
  ['one left alone by the program', [0], undefined, 3],
  ['all failed, some left alone', [0, 1306], undefined, 3],
  ['1221 even for one item', [1221], undefined, 7],
  ['10 beats everything', ['unknown', 'created'], stopped('local'), 10],
  ['10 without an unknown row', ['created'], stopped('unknown'), 10],
  ['9 beats the quota of a row', ['created', 1216, 'not_sent'], stopped('local'), 9],
  ['the signal beats failed rows', ['created', 1216, 'not_sent'], signalled, 'signal'],
  ['the signal gives way to unknown', ['unknown'], signalled, 10],
  ['a quota beats failed rows', ['created', 1216, 'not_sent'], stopped('limit'), 7],
  ['no connection', ['not_sent'], stopped('unavailable'), 8],
  ['wrong key', ['not_sent'], stopped('auth'), 4],
  ['--fail-fast after some', ['created', 1216, 'not_sent'], { kind: 'fail_fast' }, 1],
  ['--fail-fast at the first', [1216, 'not_sent'], { kind: 'fail_fast' }, 1],
])('CLI 2, B35: %s', (_, rows, stop, expected) => {
  const tally = startTally();
  for (const row of rows) {
    addTo(tally, typeof row === 'number' ? { status: 'failed', error: { code: row, message: '' } } : { status: row });
  }
  const end = runEnd(tally, stop);
  expect(exitOf(end)).toBe(expected);
});

test('B43: --ignore-missing forgives a hash that is not there, and nothing else', () => {
  const tally = startTally();
  addTo(tally, { status: 'failed', error: { code: 1306, message: '' } });
  expect(runEnd(tally, undefined, { ignoreMissing: true })).toEqual({ kind: 'ok' });
  addTo(tally, { status: 'failed', error: { code: 1218, message: '' } });
  const end = runEnd(tally, undefined, { ignoreMissing: true });
  expect(end.kind === 'error' && end.error.exitCode).toBe(3);
});
