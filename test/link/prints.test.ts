import { describe, expect, test } from 'vitest';
import { askedPrints, fieldsSincePrinted } from '../../src/link/prints.ts';

describe('a link as it was made', () => {
  const made = {
    long_url: 'https://a.example/x',
    note: 'n',
    tags: ['b', 'A'],
    expiration_date: null,
    email_stats: false,
    max_clicks: 0,
  };

  test.each<[string, object, string]>([
    ['as it was', {}, ''],
    ['E24: never is a day in 9999', { expiration_date: '9999-12-31 00:00:00' }, ''],
    ['E24: never is a day of zeros', { expiration_date: '0000-00-00' }, ''],
    ['E24b: a host in another case', { long_url: 'https://A.EXAMPLE/x' }, ''],
    ['another path', { long_url: 'https://a.example/X' }, 'long_url'],
    ['a note with blanks around it', { note: ' n ' }, ''],
    ['labels in another order and case', { tags: ['a', 'B'] }, ''],
    ['a last day', { expiration_date: '2031-01-02' }, 'expiration_date'],
    ['numbers as text', { max_clicks: '0' }, ''],
    ['what is not shown', { long_url: undefined, note: undefined, max_clicks: undefined }, ''],
  ])('%s', (_, more, fields) => {
    expect(fieldsSincePrinted(askedPrints(made), { ...made, ...more }).join()).toBe(fields);
  });
});
