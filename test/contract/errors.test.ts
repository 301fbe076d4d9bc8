import { expect, test } from 'vitest';
import { type ErrorTraits, errors, errorTraits } from '../../src/contract/errors.ts';

const codes = (holds: (traits: ErrorTraits) => boolean): number[] =>
  Object.keys(errors)
    .map(Number)
    .filter((code) => holds(errorTraits(code)));

test.each<[string, (traits: ErrorTraits) => boolean, number[]]>([
  ['D4, D5: speak of the values alone', ({ about }) => about === 'values', [1206, 1216, 1311, 1312, 1314]],
  ['D4, D5: speak of what has the hash', ({ about }) => about === 'hash', [1204, 1215, 1218, 1306]],
  ['R-13, B86: say that the call held too much', ({ about }) => about === 'size', [1221, 1310]],
  ['say that the server has no such resource', ({ about }) => about === 'resource', [1301, 1302]],
  [
    'R-12: refuse every other call, too',
    ({ kind, refuses }) => kind === 'auth' || refuses === 'every call',
    [1102, 1217, 1300, 1301, 1303],
  ],
  ['B87: refuse all rows of a run', ({ refuses }) => refuses === 'every row', [1313]],
  ['R-12: leave an item to be sent again', ({ temporary }) => temporary === true, [1219, 1220]],
  ['R 1.3, F24: leave the call in doubt', ({ doubtful }) => doubtful === true, [101, 1308]],
])('these codes %s', (_what, holds, expected) => {
  expect(codes(holds)).toEqual(expected);
});

test.each([
  [0, 'rejected'],
  [1306, 'not_found'],
  [1305, 'failed'],
  [4711, 'failed'],
  [undefined, 'failed'],
])('CLI 2, 7.3: the code %s is of kind %s', (code, kind) => {
  expect(errorTraits(code).kind).toBe(kind);
});
