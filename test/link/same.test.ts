import { describe, expect, test } from 'vitest';
import { removedKey } from '../../src/contract/records.ts';
import { fieldsToChange, notApplied, type TagsMean } from '../../src/link/same.ts';

describe('did it happen: what was asked for and came back different', () => {
  test.each<[string, object, object, string]>([
    ['the same', { note: 'n', email_stats: true, max_clicks: 3 }, { note: 'n', email_stats: true, max_clicks: 3 }, ''],
    ['another note', { note: 'n' }, { note: '' }, 'note'],
    ['an empty note', { note: '' }, { note: 'old' }, 'note'],
    ['D25: a note without its blanks', { note: ' n\n' }, { note: 'n' }, ''],
    ['D25: a note of blanks', { note: ' ' }, { note: '' }, ''],
    ['a note that does not come back proves nothing', { note: 'n' }, {}, ''],
    ['what was not asked for', {}, { note: 'n', tags: ['x'] }, ''],
    ['a normalised long URL', { long_url: 'HTTPS://A.example:443/%7eu' }, { long_url: 'https://a.example/~u' }, ''],
    ['another long URL', { long_url: 'https://a.example/x' }, { long_url: 'https://a.example/y' }, 'long_url'],
    ['an encoded slash is no slash', { long_url: 'https://a.example/%2F' }, { long_url: 'https://a.example//' }, 'long_url'],
    ['labels in another case and order', { tags: ['B', 'a'] }, { tags: ['A', 'b'] }, ''],
    ['a label missing', { tags: ['a', 'b'] }, { tags: ['a'] }, 'tags'],
    ['a label too many', { tags: ['a'] }, { tags: ['a', 'b'] }, 'tags'],
    ['no labels', { tags: [] }, { tags: ['a'] }, 'tags'],
    ['a date', { expiration_date: '2030-01-02' }, { expiration_date: '2030-01-03' }, 'expiration_date'],
    ['a date with a time', { expiration_date: '2030-01-02' }, { expiration_date: '2030-01-02 00:00:00' }, ''],
    ['never', { expiration_date: null }, { expiration_date: '2030-01-02' }, 'expiration_date'],
    ['never, as it is', { expiration_date: null }, { expiration_date: null }, ''],
    ['a date that was not set', { expiration_date: '2030-01-02' }, { expiration_date: null }, 'expiration_date'],
    ['a flag switched off', { email_stats: false }, { email_stats: true }, 'email_stats'],
    ['clicks', { max_clicks: 5 }, { max_clicks: 0 }, 'max_clicks'],
    ['clicks as text', { max_clicks: 5 }, { max_clicks: '5' }, ''],
    ['another hash', { custom_hash: 'x' }, { hash: 'y' }, 'custom_hash'],
    ['F38: a hash in another case', { custom_hash: 'X' }, { hash: 'x' }, ''],
    ['two fields', { note: 'n', max_clicks: 5 }, { note: 'm', max_clicks: 0 }, 'note max_clicks'],
    ['a member that is not a field', JSON.parse('{"__proto__":1,"constructor":2}'), { constructor: 3 }, ''],
  ])('%s', (_, asked, record, fields) => {
    expect(
      notApplied(asked, record)
        .map(({ field }) => field)
        .join(' '),
    ).toBe(fields);
  });

  test.each<[string[], string[], number]>([
    [['+a', '-b'], ['A', 'c'], 0],
    [['+a'], [], 1],
    [['-b'], ['B'], 1],
    [['+ x ', '-y'], [' x '], 0],
    [['+ x '], ['x'], 0],
    [['+x'], ['x '], 1],
    [['-x '], ['x'], 0],
    [['-x'], ['x '], 0],
    [['-x '], ['x', 'X '], 1],
    [['+x', '-x '], ['x'], 0],
    [['+x', '-x '], [], 1],
    [['+e\u0301'], ['\u00c9'], 0],
    [['a'], ['a'], 0],
    [['+x', '-x'], [], 0],
    [['+x', '-x'], ['x'], 1],
    [['-x', '+X'], ['x'], 0],
  ])('the instructions %j on a record with %j', (tags, had, count) => {
    const tagsMean: TagsMean = 'instructions';
    expect(notApplied({ tags }, { tags: had }, tagsMean)).toHaveLength(count);
  });

  test('says what was asked for and what came back', () => {
    expect(notApplied({ note: 'n' }, { note: 'm' })).toEqual([{ field: 'note', asked: 'n', got: 'm' }]);
  });
});

describe("is an edit sent: another spelling may be the link's or the server's", () => {
  test.each<[string, object, object, string]>([
    ['the same', { note: 'n', long_url: 'https://a.example/' }, { note: 'n', long_url: 'https://a.example/' }, ''],
    ['E24b: a host in another case', { long_url: 'https://a.example/' }, { long_url: 'https://A.example/' }, 'long_url'],
    ['a path in another spelling', { long_url: 'https://a.example/~' }, { long_url: 'https://a.example/%7e' }, 'long_url'],
    ['blanks around a note', { note: ' n' }, { note: 'n' }, 'note'],
    ['a hash in another case', { custom_hash: 'X' }, { hash: 'x' }, 'custom_hash'],
    ['labels in another case and order', { tags: ['+B', '+a'] }, { tags: ['A', 'b'] }, ''],
    ['a label of which only the namesake without blanks is there', { tags: ['+x '] }, { tags: ['x'] }, 'tags'],
    ['a label with blanks in another case', { tags: ['+x '] }, { tags: ['x', 'X '] }, ''],
    ['the removal of a label that the server may have trimmed', { tags: ['-x '] }, { tags: ['x'] }, 'tags'],
    ['the removal of a label of which only the namesake with blanks is there', { tags: ['-x'] }, { tags: ['x '] }, ''],
    ['a date with a time, and a day in 9999', { expiration_date: null }, { expiration_date: '9999-12-31 00:00:00' }, ''],
    ['a day of zeros', { expiration_date: null }, { expiration_date: '0000-00-00' }, ''],
    ['zeros with an offset', { expiration_date: null }, { expiration_date: '0000-00-00T00:00:00+02:00' }, ''],
    ['the zeros of PHP', { expiration_date: null }, { expiration_date: '-0001-11-30T00:00:00+00:00' }, ''],
    ['the zeros of Go', { expiration_date: null }, { expiration_date: '0001-01-01T00:00:00Z' }, ''],
    ['clicks as text', { max_clicks: 5 }, { max_clicks: '5' }, ''],
    ['what is not shown', { note: '' }, {}, 'note'],
    ['what was not asked for', {}, { note: 'n', tags: ['x'], max_clicks: 4 }, ''],
  ])('%s', (_, asked, record, fields) => {
    expect(fieldsToChange(asked, record).join(' ')).toBe(fields);
  });
});

test.for([
  ['keep-CANARY-4f1d2c3b4a59687786a5', 1],
  ['two-CANARY-4f1d2c3b4a59687786a5-CANARY-4f1d2c3b4a59687786a5', 1],
  ['keep-this', 0],
  ['other', 0],
] as const)(
  'R-40, G5: %s may be the label from which the API key was removed, so that its removal is sent: %d; no answer shows that it was not',
  ([label, count]) => {
    const asked = { tags: [`-${label}`] };
    const shown = { tags: ['old', `keep-${removedKey}`, `two-${removedKey}-${removedKey}`] };
    expect(fieldsToChange(asked, shown)).toHaveLength(count);
    expect(notApplied(asked, shown, 'instructions')).toEqual([]);
  },
);
