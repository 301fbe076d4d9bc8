import { describe, expect, test } from 'vitest';
import { valueText } from '../../../src/output/formats/value-text.ts';
import { chooseColumns } from '../../../src/output/report.ts';

describe('B97: a value is the same text everywhere', () => {
  test.each([
    [null, ''],
    [undefined, ''],
    ['', ''],
    ['text', 'text'],
    [true, 'true'],
    [false, 'false'],
    [0, '0'],
    [1_234_567.5, '1234567.5'],
    [9_007_199_254_740_993n, '9007199254740993'],
    [Number.NaN, ''],
    [['a', 'b'], 'a,b'],
    [[], ''],
    [[null, 1], ',1'],
    [[{ a: 1 }], '[{"a":1}]'],
    [{ count: 1, limit: null }, '{"count":1,"limit":null}'],
    [{}, '{}'],
  ])('%s is %j', (value, text) => {
    expect(valueText(value)).toBe(text);
  });
});

describe('B27: date-times say that they are UTC', () => {
  test.each([
    ['2026-01-31 09:00:00', '2026-01-31T09:00:00Z'],
    ['2026-01-31T09:00:00.655Z', '2026-01-31T09:00:00Z'],
    ['2026-01-31', '2026-01-31'],
    ['never', 'never'],
    [null, ''],
  ])('%j in a column of date-times is %j', (value, text) => {
    expect(valueText(value, { time: true })).toBe(text);
  });

  test('a note that looks like one is left alone', () => {
    expect(valueText('2026-01-31 09:00:00', {})).toBe('2026-01-31 09:00:00');
  });
});

describe('B18: --fields', () => {
  const columns = [{ name: 'hash' }, { name: 'note' }, { name: 'clicks' }];

  test('picks and orders', () => {
    expect(chooseColumns(columns, ['note', 'hash']).map(({ name }) => name)).toEqual(['note', 'hash']);
  });

  test('names all fields, sorted, when one is unknown', () => {
    expect(() => chooseColumns(columns, ['unheard-of'])).toThrow(
      expect.objectContaining({
        message: '--fields: unknown field "unheard-of"',
        details: ['fields: clicks, hash, note'],
        exitCode: 2,
      }),
    );
  });

  test('says which field is probably meant', () => {
    expect(() => chooseColumns(columns, ['hash', 'Hash'])).toThrow('--fields: unknown field "Hash", did you mean hash?');
  });

  test('names a field once that two forms of a report have', () => {
    expect(() => chooseColumns([...columns, { name: 'hash' }], ['nope'])).toThrow(
      expect.objectContaining({ details: ['fields: clicks, hash, note'] }),
    );
  });
});
