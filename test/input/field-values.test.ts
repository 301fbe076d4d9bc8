import { describe, expect, test } from 'vitest';
import {
  cellValue,
  existingHash,
  flagLabels,
  flagValue,
  isRefused,
  jsonValue,
  type Target,
  valueWarning,
} from '../../src/input/field-values.ts';
import { now } from './fixtures.ts';

function refusal(value: ReturnType<typeof cellValue>): string {
  if (!isRefused(value)) throw new Error(`accepted as ${JSON.stringify(value)}`);
  return value.refused;
}

describe('cells', () => {
  test.each<[Target, string, unknown]>([
    ['long_url', 'https://example.com', 'https://example.com'],
    ['long_url', 'HTTP://Example.COM:80/%7Ea?b#c', 'HTTP://Example.COM:80/%7Ea?b#c'],
    ['long_url', 'https://bücher.example/straße', 'https://bücher.example/straße'],
    ['long_url', 'https://例え.テスト/', 'https://例え.テスト/'],
    ['long_url', 'http://[::1]:8080/x', 'http://[::1]:8080/x'],
    ['long_url', 'https://ann:secret@example.com/', 'https://ann:secret@example.com/'],
    ['custom_hash', 'a-B_9', 'a-B_9'],
    ['note', 'two\nlines\tand a tab', 'two\nlines\tand a tab'],
    ['note', '😀'.repeat(255), '😀'.repeat(255)],
    ['expiration_date', '2024-02-29', '2024-02-29'],
    ['email_stats', 'TRUE', true],
    ['email_stats', 'Yes', true],
    ['email_stats', '1', true],
    ['email_stats', 'False', false],
    ['email_stats', 'no', false],
    ['email_stats', '0', false],
    ['max_clicks', '0', 0],
    ['max_clicks', '9007199254740991', 9007199254740991],
    ['tags', 'news', ['news']],
    ['tags', 'news, mail', ['news', 'mail']],
    ['tags', '"a,b",c', ['a,b', 'c']],
    ['hash', 'é~ñ', 'é~ñ'],
  ])('R-30, R-32, C17, C18: %s takes %j', (target, text, value) => {
    expect(cellValue(target, text)).toEqual(value);
  });

  test.each<[Target, string, string]>([
    ['long_url', ' https://example.com', 'contains a space or control character'],
    ['long_url', 'https://example.com/a b', 'contains a space or control character'],
    ['long_url', 'https://example.com/a\nb', 'contains a space or control character'],
    ['long_url', 'https://example.com/a\tb', 'contains a space or control character'],
    ['long_url', 'https://exa\u0085mple.com', 'contains a space or control character'],
    ['long_url', 'https://example.com/\u00a0', 'contains a space or control character'],
    ['long_url', 'javascript:alert(1)', 'is not an http or https URL'],
    ['long_url', 'file:///etc/passwd', 'is not an http or https URL'],
    ['long_url', 'ftp://example.com', 'is not an http or https URL'],
    ['long_url', 'example.com/a', '"example.com/a" is not an http or https URL; did you mean "https://example.com/a"?'],
    ['long_url', '//example.com', 'is not an http or https URL'],
    ['long_url', 'http://', 'has no host'],
    ['long_url', 'http:///example.com', 'has no host'],
    ['long_url', 'https:example.com', 'has no host'],
    ['long_url', 'https:\\\\example.com', 'has no host'],
    ['long_url', 'https://?q', 'has no host'],
    ['long_url', 'https://user@/', 'is not a valid URL'],
    ['long_url', 'http://[::1', 'is not a valid URL'],
    ['long_url', 'http://a:99999/', 'is not a valid URL'],
    ['long_url', 'a:b', 'is not an http or https URL'],
    ['long_url', `https://example.com/${'a'.repeat(100_000)}`, 'is longer than 2048 characters'],
    ['custom_hash', '.', 'is not a hash'],
    ['custom_hash', '..', 'is not a hash'],
    ['custom_hash', 'a,b', 'is not a hash'],
    ['custom_hash', 'a/b', 'is not a hash'],
    ['custom_hash', 'a\u0007', 'is not a hash'],
    ['custom_hash', 'é', 'is not a hash'],
    ['custom_hash', 'a'.repeat(26), 'is longer than 25 characters'],
    ['note', 'x'.repeat(256), 'is longer than 255 characters'],
    ['note', 'a\0b', 'contains an invalid character'],
    ['note', 'a\ud800', 'contains an invalid character'],
    ['expiration_date', '2025-02-30', '"2025-02-30" is not a date'],
    ['expiration_date', '01/02/2024', '"01/02/2024" is not a date; expected YYYY-MM-DD or never'],
    ['email_stats', 'perhaps', '"perhaps" is not true or false'],
    ['max_clicks', '-1', '"-1" is not a whole number of 0 or more'],
    ['max_clicks', '1.5', '"1.5" is not a whole number'],
    ['max_clicks', '1e3', '"1e3" is not a whole number'],
    ['max_clicks', '9007199254740992', 'is not a whole number'],
    ['tags', 'a,,b', 'a label is empty'],
    ['tags', 'a," "', 'a label is empty'],
    ['tags', '"a', 'has an unclosed quote'],
    ['tags', 'a\u001bb', 'contains a control character'],
    ['hash', '..', 'is not a hash'],
    ['hash', 'https://s.ex/', 'is not a hash'],
  ])('R 0.10, R-30, R-31, R-32, C17, C18: %s refuses %j', (target, text, reason) => {
    expect(refusal(cellValue(target, text))).toContain(reason);
  });

  test('0.10: a refused URL is shown without the user name and the password in it', () => {
    const reason = refusal(cellValue('long_url', 'https://ann:s3cret@example.com:99999/'));
    expect(reason).toContain('https://***@example.com');
    expect(reason).not.toContain('s3cret');
    expect(refusal(cellValue('long_url', `https://ann:s3cret${'x'.repeat(100)}@example.com:99999/`))).not.toContain('s3cret');
  });

  test('R-30: a host with an umlaut is as good at the hundred thousandth row as at the first', () => {
    // As a file gives it: one flat string. The compiled code of URL.canParse takes others another way.
    const url = Buffer.from('https://bücher.example/').toString();
    let refused = 0;
    for (let row = 0; row < 100_000; row += 1) refused += cellValue('long_url', url) === url ? 0 : 1;
    expect(refused).toBe(0);
  });

  test('a refused value is cut where it is long', () => {
    expect(refusal(cellValue('expiration_date', 'x'.repeat(10_000))).length).toBeLessThan(200);
  });
});

describe('JSON values', () => {
  test.each<[Target, unknown, unknown]>([
    ['note', '', ''],
    ['email_stats', false, false],
    ['max_clicks', 3, 3],
    ['tags', ['a,b', '"c"'], ['a,b', '"c"']],
    ['tags', [], []],
    ['expiration_date', '2030-01-01', '2030-01-01'],
  ])('B91: %s takes %j', (target, value, expected) => {
    expect(jsonValue(target, value)).toEqual(expected);
  });

  test.each<[Target, unknown, string]>([
    ['email_stats', 'true', 'must be a boolean'],
    ['email_stats', 1, 'must be a boolean'],
    ['max_clicks', '3', 'must be a number'],
    ['max_clicks', 1.5, '"1.5" is not a whole number of 0 or more'],
    ['max_clicks', -1, 'is not a whole number'],
    ['max_clicks', Number.POSITIVE_INFINITY, 'is not a whole number'],
    ['tags', 'a,b', 'must be an array'],
    ['tags', [1], 'must be an array of strings'],
    ['tags', [''], 'a label is empty'],
    ['tags', ['a', '\u00a0'], 'a label is empty'],
    ['long_url', 5, 'must be a string'],
    ['long_url', '', '"" is not an http or https URL'],
    ['custom_hash', '', 'is not a hash'],
    ['note', { a: 1 }, 'must be a string'],
    ['expiration_date', '', 'is not a date'],
  ])('B91: %s refuses %j', (target, value, reason) => {
    expect(refusal(jsonValue(target, value))).toContain(reason);
  });
});

describe('flags', () => {
  test.each([
    ['never', null],
    ['+0d', '2026-03-01'],
    ['+31d', '2026-04-01'],
    ['today', '2026-03-01'],
    ['tomorrow', '2026-03-02'],
    ['+2w', '2026-03-15'],
    ['+6m', '2026-09-01'],
    ['+1y', '2027-03-01'],
    ['2030-12-31T23:30:00-02:00', '2031-01-01'],
    ['2030-12-31', '2030-12-31'],
  ])('B12: --expires %s means %s', (text, value) => {
    expect(flagValue('expiration_date', '--expires', text, now)).toBe(value);
  });

  test("B97: +Nd counts from the day in UTC, not from the machine's", () => {
    expect(flagValue('expiration_date', '--expires', '+1d', Date.UTC(2026, 11, 31, 23, 59))).toBe('2027-01-01');
  });

  test('B12: an empty note is a value', () => {
    expect(flagValue('note', '--note', '', now)).toBe('');
  });

  test('R-31: an empty hash, URL or date is refused, and the message names the flag', () => {
    expect(() => flagValue('custom_hash', '--hash', '', now)).toThrow('--hash: "" is not a hash');
    expect(() => flagValue('long_url', '<long-url>', '', now)).toThrow('<long-url>: ');
    expect(() => flagValue('expiration_date', '--expires', 'soon', now)).toThrow(
      '--expires: "soon" is not a date: YYYY-MM-DD, today, tomorrow, +30d, +2w, +6m, +1y or never',
    );
  });

  test('B45: a reason continues the name of the flag', () => {
    expect(() => flagValue('note', '--note', 'x'.repeat(256), now)).toThrow('--note is longer than 255 characters');
  });

  test('B9: each label of a repeated flag is one value, commas included', () => {
    expect(flagLabels('--tag', ['a,b', 'c'])).toEqual(['a,b', 'c']);
    for (const blank of ['', ' ']) expect(() => flagLabels('--tag', ['a', blank])).toThrow('--tag: a label is empty');
  });
});

test.each<[Target, string, string | undefined]>([
  ['expiration_date', '2026-02-28', '2026-02-28 is in the past'],
  ['expiration_date', '2026-03-01', undefined],
  ['long_url', 'https://ann@example.com/', 'the URL contains a user name or password'],
  ['long_url', 'https://example.com/@ann', undefined],
  ['long_url', 'https://example.com?mail=ann@example.com', undefined],
  ['note', 'https://ann@example.com', undefined],
])('R-30, C18: %s %s warns: %s', (target, value, warning) => {
  expect(valueWarning(target, value, '2026-03-01')).toBe(warning);
});

test.each(['', '.', '..', 'a b', 'a\n', 'a,b', 'a/b', 'a?b', 'a#b', '\u0000', 'a\\b'])(
  'R-31: %j names no URL that exists',
  (text) => {
    expect(isRefused(existingHash(text))).toBe(true);
  },
);
