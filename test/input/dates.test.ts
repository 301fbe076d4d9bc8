import { describe, expect, test } from 'vitest';
import { relativeDay } from '../../src/base/times.ts';
import { type DateFormat, dayFromFlag, dayOf } from '../../src/input/dates.ts';
import { dayOfDigits, formatsOf } from '../../src/input/fields/date-formats.ts';
import { check, failure, now, rows, seeded } from './fixtures.ts';

const url = 'https://a.example/';
const csv = (...dates: readonly string[]): string => `url;expiry\n${dates.map((date) => `${url};${date}\n`).join('')}`;
const datesOf = async (text: string, given: object = {}) => (await rows(text, given)).map(({ item }) => item.expiration_date);

test.each([
  ['2031-12-31', '2031-12-31'],
  ['2031-12-31T10:00:00Z', '2031-12-31'],
  ['2031-12-31 10:00:00', '2031-12-31'],
  ['2031-12-31 10:00:00 UTC', '2031-12-31'],
  ['2031-12-31T23:30:00.000-02:00', '2032-01-01'],
  ['2031-12-31T00:30+0200', '2031-12-30'],
  ['2031-12-31 11:59 PM', '2031-12-31'],
  ['2031-12-31 1:05:00 a.m.', '2031-12-31'],
  ['2031-12-31T12:00AM', '2031-12-31'],
  ['2031-12-31 12:30\u202fp.\u00a0m.', '2031-12-31'],
  ['9999-12-31 11:59 PM', null],
  ['2031-12-31 13:00 PM', undefined],
  ['2031-12-31 0:30 AM', undefined],
  ['2031-12-31 11:60 PM', undefined],
  ['2031-12-31 PM', undefined],
  ['never', null],
  ['Never', null],
  ['Tomorrow', 'Tomorrow'],
  ['+30D', '+30D'],
  ['+30d', '+30d'],
  ['today', 'today'],
  ['+6000y', '+6000y'],
  ['+8000y', undefined],
  ['+96000m', undefined],
  ['+9999y', undefined],
  ['-1d', undefined],
  ['2031-02-30', undefined],
  ['2031-02-30T10:00:00Z', undefined],
  ['31.12.2031', undefined],
  ['to', undefined],
])('I5: %s is the day %s', (text, day) => {
  expect(dayOf(text)).toBe(day);
});

test.each([
  ['today', '2024-01-31'],
  ['tomorrow', '2024-02-01'],
  ['TOMORROW', '2024-02-01'],
  ['+2W', '2024-02-14'],
  ['+2w', '2024-02-14'],
  ['+1m', '2024-02-29'],
  ['+13m', '2025-02-28'],
  ['+1y', '2025-01-31'],
  ['-2m', '2023-11-30'],
  ['+99999m', undefined],
  ['+1x', undefined],
])('I5: %s counts from the day in UTC: %s', (text, day) => {
  expect(relativeDay(text, Date.UTC(2024, 0, 31, 23, 59))).toBe(day);
});

test('I5: a text that counts from today is a date on every day or on none, so none is sent as it was typed', () => {
  for (const text of ['+6999y', '+83988m', '+99999w', '+99999d', '+7500y', '+99999m']) {
    const isTaken = dayOf(text) !== undefined;
    for (const year of [1970, 2026, 2999]) {
      const day = dayFromFlag(text, Date.UTC(year, 0, 31));
      expect(isTaken, `${text} in ${year}`).toBe(typeof day === 'string' && /^\d{4}-\d\d-\d\d$/.test(day));
    }
  }
});

test('I5: a day that is written in a format is read in it, and in no other that would be another day (400 random days)', () => {
  const random = seeded(7);
  for (let count = 0; count < 400; count += 1) {
    const iso = new Date(Date.UTC(1990 + Math.floor(random() * 100), 0, 1 + Math.floor(random() * 365)))
      .toISOString()
      .slice(0, 10);
    const [year = '', month = '', day = ''] = iso.split('-').map((part) => (random() < 0.5 ? part : String(Number(part))));
    const sign = ['.', '/', '-'][Math.floor(random() * 3)] ?? '.';
    const written: { readonly [F in DateFormat]: string } = {
      dmy: [day, month, year].join(sign),
      mdy: [month, day, year].join(sign),
      ymd: [year, month, day].join(sign),
    };
    for (const format of ['dmy', 'mdy', 'ymd'] as const) {
      expect(dayOfDigits(written[format], format)).toBe(iso);
      expect(formatsOf(written[format])).toContain(format);
      expect(formatsOf(written[format]).includes('ymd')).toBe(format === 'ymd');
    }
  }
});

describe('I5: a column of dates', () => {
  test('--date-format says how they are written; ISO dates are read beside them', async () => {
    expect(await datesOf(csv('31.12.2031', ' 1.2.2031 ', '2031-03-04', 'never', '+1y'), { dateFormat: 'dmy' })).toEqual([
      '2031-12-31',
      '2031-02-01',
      '2031-03-04',
      null,
      '+1y',
    ]);
    expect(await datesOf(csv('12/31/2031', '2/1/2031'), { dateFormat: 'mdy' })).toEqual(['2031-12-31', '2031-02-01']);
    expect(await datesOf(csv('2031/12/31'), { dateFormat: 'ymd' })).toEqual(['2031-12-31']);
    expect(await datesOf(csv('12/31/2031 11:59 PM', '2/1/2031, 1:05:00 am'), { dateFormat: 'mdy' })).toEqual([
      '2031-12-31',
      '2031-02-01',
    ]);
    expect((await failure(check(csv('12/31/2031'), { dateFormat: 'dmy' }))).text).toContain(
      'links.csv:2:2: expiry: "12/31/2031" is not a date; expected dmy, such as 31.12.2031, or YYYY-MM-DD',
    );
  });

  test.each([
    [['31.12.2031', '1.2.2031'], 'dates such as "31.12.2031" look like dmy: add --date-format dmy'],
    [['1/2/2031', '12/31/2031'], 'dates such as "1/2/2031" look like mdy: add --date-format mdy'],
    [['1/2/2031'], 'dates such as "1/2/2031" look like dmy or mdy: add --date-format dmy or --date-format mdy'],
    [['2031/2/1', '2031-02-02'], 'dates such as "2031/2/1" look like ymd: add --date-format ymd'],
    [['12/31/2031 11:59 PM'], 'dates such as "12/31/2031 11:59 PM" look like mdy: add --date-format mdy'],
    [['31.12.2031', '12/31/2031'], 'dates such as "31.12.2031" are not all of one format: write them as YYYY-MM-DD'],
  ])('without it %j is one error, which names the format', async (dates, reason) => {
    const many = Array.from({ length: 100 }, () => dates).flat();
    expect((await failure(check(csv(...many)))).lines).toEqual([
      'links.csv: 1 problem, nothing was sent',
      `links.csv:2:2: expiry: ${reason}`,
    ]);
  });

  test('so it is among JSON objects, whatever other members they have, at the first of them', async () => {
    const objects = [
      { url, expiry: '2031-01-01' },
      { url, expiry: '1/2/2031' },
      { url, expiry: '12/31/2031', title: 'a' },
    ];
    const text = objects.map((object) => `${JSON.stringify(object)}\n`).join('');
    expect((await failure(check(text, { name: 'links.jsonl' }))).lines).toEqual([
      'links.jsonl: 1 problem, nothing was sent',
      'links.jsonl:2: expiry: dates such as "1/2/2031" look like mdy: add --date-format mdy',
    ]);
  });

  test.each([
    ['dmy', ['31.12.2031 10:00', '31.12.2031, 9:05:00'], ['31.12.2031', '31.12.2031 00:00:00']],
    ['mdy', ['12/31/2031 10:00', '12/31/2031 00:00:01'], ['12/31/2031', '12/31/2031 0:00']],
    ['ymd', ['2031/12/31 10:00', '2031/12/31T23:59'], ['2031/12/31', '2031/12/31 00:00']],
    ['mdy', ['12/31/2031 12:00 PM', '12/31/2031 11:59 a.m.'], ['12/31/2031 12:00 AM', '12/31/2031 12:00:00 a. m.']],
    [undefined, ['2031-12-31 12:00 PM', '2031-12-31 12:30 AM'], ['2031-12-31 12:00 AM']],
    [undefined, ['2031-12-31 10:00', '1956524400'], ['2031-12-31', '2031-12-31T00:00:00Z']],
  ] as const)('I11: a time of day is lost, and that is said, in every format: %s', async (dateFormat, times, days) => {
    for (const [index, date] of [...times, ...days].entries()) {
      expect(await datesOf(csv(date), { dateFormat })).toEqual(['2031-12-31']);
      const lost = index >= times.length ? '' : '; not carried over: time of day of expiry (1 row)';
      expect((await check(csv(date), { dateFormat })).columns, date).toBe(
        `columns: url -> long_url, expiry -> expiration_date${lost}`,
      );
    }
  });

  test('I11: a link that never expires loses no time of day', async () => {
    const { columns } = await check(csv('9999-12-31 23:59:59', 'never'));
    expect(columns).toBe('columns: url -> long_url, expiry -> expiration_date');
  });

  test('what is no date at all is an error of its row', async () => {
    expect((await failure(check(csv('soon', '31.12.31')))).lines.slice(1)).toEqual([
      'links.csv:2:2: expiry: "soon" is not a date; expected YYYY-MM-DD or never',
      'links.csv:3:2: expiry: "31.12.31" is not a date; expected YYYY-MM-DD, or 31.12.2031 with --date-format dmy',
    ]);
  });

  test('a day that counts from today is never in the past', async () => {
    expect((await check(csv('today', '+0d', '2020-01-01'), { now })).warnings).toEqual([
      'links.csv:4:2: expiry: 2020-01-01 is in the past',
    ]);
  });
});

describe('I5: tags and blanks', () => {
  const tagsOf = async (header: string, cell: string, given: object = {}) =>
    (await rows(`${header}\n ${url} ;"${cell}"\n`, given))[0]?.item;

  test.each([
    ['url;labels', 'a, b', ['a', 'b']],
    ['url;labels', 'a|b | c', ['a', 'b', 'c']],
    ['url;labels', 'a|b,c', ['a|b', 'c']],
    ['url;tags', 'a|b', ['a', 'b']],
    ['long_url;tags', 'a|b', ['a|b']],
  ])('%s: %s', async (header, cell, tags) => {
    expect(await tagsOf(header, cell)).toEqual({ long_url: url, tags });
  });

  test('--tag-separator separates them in any file', async () => {
    for (const header of ['url;labels', 'long_url;tags']) {
      expect(await tagsOf(header, 'a,b / c', { tagSeparator: '/' })).toEqual({ long_url: url, tags: ['a,b', 'c'] });
    }
  });
});
