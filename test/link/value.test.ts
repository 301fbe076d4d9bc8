import { describe, expect, test } from 'vitest';
import { dayOf } from '../../src/input/dates.ts';
import { canonical, canonicalUrl, lastDay, type ValueField } from '../../src/link/value.ts';

describe('one form for all spellings of a value', () => {
  test.each<[ValueField, unknown[]]>([
    ['expiration_date', [null, undefined, '', ' ', '9999-12-31', '9999-12-31 23:59:59', '9999-12-31T00:00:00Z']],
    ['expiration_date', ['2031-01-02', '2031-01-02 00:00:00', '2031-01-02T23:59:59Z', ' 2031-01-02']],
    ['note', ['n', ' n', 'n\n', '\u2003n\u2003']],
    ['note', [undefined, null, '', '  ']],
    [
      'tags',
      [
        ['a', 'B'],
        ['b', 'A'],
        ['A', ' b '],
        ['a', 'b', 'A'],
      ],
    ],
    ['tags', [undefined, null, []]],
    ['long_url', ['https://a.example/~u', 'HTTPS://A.Example:443/%7eu', ' https://a.example/%7Eu#']],
    ['long_url', ['https://xn--mnchen-3ya.example/', 'https://MÜNCHEN.example', 'https://münchen.example/?']],
    ['hash', ['Ab', 'aB', ' ab ']],
    ['email_stats', [false, undefined, null]],
    ['max_clicks', [5, '5']],
    ['max_clicks', [0, undefined, null, '0']],
  ])('%s', (field, spellings) => {
    expect(new Set(spellings.map((value) => canonical(field, value))).size).toBe(1);
  });

  test.each<[ValueField, unknown, unknown]>([
    ['expiration_date', '2031-01-02', null],
    ['expiration_date', '9999-12-30', null],
    ['note', 'a b', 'a  b'],
    ['note', 'n', 'N'],
    ['tags', ['a'], ['a', 'b']],
    ['long_url', 'https://a.example/x', 'https://a.example/X'],
    ['long_url', 'https://a.example/x', 'http://a.example/x'],
    ['max_clicks', 0, 1],
  ])('%s: %j is not %j', (field, one, other) => {
    expect(canonical(field, one)).not.toBe(canonical(field, other));
  });

  test('a last day is a day or nothing', () => {
    expect(lastDay('2031-01-02 12:00:00')).toBe('2031-01-02');
    expect(lastDay('9999-12-31 12:00:00')).toBe('');
  });

  test.each([
    ['2031-01-31T00:00:00+02:00', '2031-01-31'],
    ['2031-01-31T00:00:00.000000+0200', '2031-01-31'],
    ['2031-01-31 00:00 -05:00', '2031-01-31'],
    ['2031-01-31T23:59:59-05:00', '2031-01-31'],
    ['2031-01-31T23:59:59.999-05:00', '2031-01-31'],
    ['2031-01-31T23:59-05:00', '2031-01-31'],
    ['2031-01-27T19:00:00-05:00', '2031-01-28'],
    ['2031-01-28T18:59:59-05:00', '2031-01-28'],
    ['2031-01-31T02:00:00+02:00', '2031-01-31'],
    ['2031-01-31T01:59:59+02:00', '2031-01-30'],
    ['2031-01-31T23:30:00Z', '2031-01-31'],
    ['2031-01-31T23:30:00+00:00', '2031-01-31'],
    ['2031-01-31 23:30:00', '2031-01-31'],
    ['9999-12-31T00:00:00+02:00', ''],
    ['9999-12-31T23:59:59-05:00', ''],
    ['9999-12-30T19:00:00-05:00', ''],
    ['9999-12-31T19:00:00-05:00', ''],
  ])('B21, I5: an answer and a file that say %s mean the same day: %j', (text, day) => {
    expect(lastDay(text)).toBe(day);
    expect(dayOf(text)).toBe(day || null);
  });

  test.each([
    'https://a.example/x/y.html?a=1&b=-_~',
    'http://sub.a-b.example/',
    'https://a.example/..x/y',
    'https://a.example/x/./y',
    'https://a.example/x/../y',
    'https://1.2.3.4/',
    'https://0x7f.example/',
    'https://a.xn--p1ai/',
    'https://a.0x1/',
    'https://a.example/?',
    'https://a.example/%7e',
  ])('what needs no parsing is as parsing leaves it: %s', (url) => {
    expect(canonicalUrl(url)).toBe(canonicalUrl(` ${url}`));
  });
});
