import { describe, expect, test } from 'vitest';
import type { DoneChange } from '../../src/bulk/past-runs/done-change.ts';
import { undoCreation, undoDeletion, undoEdit } from '../../src/change/decide/undo.ts';
import type { EditFields } from '../../src/contract/operations.ts';
import type { KnownRecord, UrlRecord } from '../../src/contract/records.ts';
import { askedPrints } from '../../src/link/prints.ts';

function record(more: Partial<UrlRecord> = {}): UrlRecord {
  const links = { qr_small: '', qr_big: '' };
  const values = { note: '', email_stats: false, expiration_date: null, max_clicks: 0, tags: [] };
  const counts = { total_clicks: 0, unique_clicks: 0 };
  return { hash: 'x', short_url: 's.ex/x', long_url: 'https://a.example/', ...values, ...counts, links, ...more };
}

interface Case {
  readonly asked?: EditFields;
  readonly before: KnownRecord | null;
  readonly now: UrlRecord | undefined;
  readonly isTaken?: boolean;
}

function decided({ asked = {}, before, now, isTaken = false }: Case, force: boolean) {
  const change: DoneChange = { row: 0, link: { hash: 'x' }, asked, before, isCertain: true };
  return undoEdit({ change, now, isTaken, force });
}

const unchanged = { kind: 'unchanged' };
const refused = (reason: string) => ({ kind: 'refused', reason });

type Field = 'long_url' | 'note' | 'email_stats' | 'expiration_date' | 'max_clicks';

describe('U2: a field by its values before, after and now', () => {
  const url = ['https://a.example/', 'https://b.example/', 'https://c.example/'] as const;
  const table: [Field, unknown, unknown, unknown][] = [
    ['long_url', ...url],
    ['long_url', 'HTTPS://A.example:443', 'https://b.example/', 'https://c.example/'],
    ['note', 'a', 'b', 'c'],
    ['note', '', 'b', 'c'],
    ['note', 'a', '', 'c'],
    ['note', '  a ', 'b', 'c'],
    ['note', 'a', 'b', ''],
    ['expiration_date', null, '2031-01-01', '2032-01-01'],
    ['expiration_date', '2001-01-01', null, '2032-01-01'],
    ['expiration_date', '2031-01-01', '2032-01-01', null],
    ['max_clicks', 0, 5, 7],
    ['max_clicks', 5, 0, 7],
  ];
  test.for(table)('%s: %j, then %j, then %j', ([field, before, after, other]) => {
    const of = (value: unknown): UrlRecord => record({ [field]: value });
    const asked = { [field]: after } as EditFields;
    const back = { kind: 'change', fields: { [field]: before } };
    // As the run left it, as it was before, and otherwise since.
    expect(decided({ asked, before: of(before), now: of(after) }, false)).toEqual(back);
    expect(decided({ asked, before: of(before), now: of(before) }, false)).toEqual(unchanged);
    expect(decided({ asked, before: of(before), now: of(other) }, false)).toEqual(refused(`changed since: ${field}`));
    expect(decided({ asked, before: of(before), now: of(other) }, true)).toEqual(back);
    // The run did not ask for it, or it was so already: what others do to it is none of its business.
    expect(decided({ asked: { tags: ['+t'] }, before: of(before), now: of(other) }, true)).toEqual(unchanged);
    expect(decided({ asked, before: of(after), now: of(other) }, true)).toEqual(unchanged);
  });

  test('email_stats has two values: one that is not as before is as the run left it', () => {
    const asked = { email_stats: true };
    const [off, on] = [record(), record({ email_stats: true })];
    expect(decided({ asked, before: off, now: on }, false)).toEqual({ kind: 'change', fields: { email_stats: false } });
    expect(decided({ asked, before: off, now: off }, false)).toEqual(unchanged);
    expect(decided({ asked, before: on, now: off }, false)).toEqual(unchanged);
  });

  test.for([
    ['another spelling of what the run asked for', { long_url: 'https://b.example' }, { long_url: 'https://b.example/' }],
    ['blanks that the server took off', { note: ' b ' }, { note: 'b' }],
    ['a time that the server added', { expiration_date: '2031-01-01' }, { expiration_date: '2031-01-01 00:00:00' }],
  ] as const)('%s is as the run left it', ([, asked, now]) => {
    const before = record({ note: 'a' });
    expect(decided({ asked, before, now: record({ note: 'a', ...now }) }, false)).toMatchObject({ kind: 'change' });
  });

  test('texts that differ in blanks or spelling alone are restored too', () => {
    const before = record({ long_url: 'HTTPS://A.example', note: ' n ' });
    const asked = { long_url: 'https://a.example/', note: 'n' };
    const fields = { long_url: 'HTTPS://A.example', note: ' n ' };
    expect(decided({ asked, before, now: record(asked) }, false)).toEqual({ kind: 'change', fields });
  });

  test('a date with a time is given back as a date; a record without a field has its default', () => {
    const before = { hash: 'x', long_url: 'https://a.example/', expiration_date: '2031-01-01 00:00:00' };
    const asked = { expiration_date: null, note: 'n', max_clicks: 3 };
    const fields = { expiration_date: '2031-01-01', note: '', max_clicks: 0 };
    expect(decided({ asked, before, now: record({ note: 'n', max_clicks: 3 }) }, false)).toEqual({ kind: 'change', fields });
  });

  test('every field that changed since is named, and the link is left alone as a whole', () => {
    const asked = { long_url: 'https://b.example/', note: 'b', max_clicks: 2 };
    const now = record({ long_url: 'https://c.example/', note: 'c', max_clicks: 2 });
    expect(decided({ asked, before: record({ note: 'a' }), now }, false)).toEqual(refused('changed since: long_url, note'));
    const fields = { long_url: 'https://a.example/', note: 'a', max_clicks: 0 };
    expect(decided({ asked, before: record({ note: 'a' }), now }, true)).toEqual({ kind: 'change', fields });
  });

  test.for([
    [['+new'], ['old'], ['old', 'new'], ['-new']],
    [['+new'], ['old'], ['old'], undefined],
    [['+OLD'], ['Old'], ['Old'], undefined],
    [['+old'], ['old'], [], undefined],
    [['-OLD'], ['Old'], [], ['+Old']],
    [['-old'], ['Old'], ['oLD'], undefined],
    [['-old'], [], ['old'], undefined],
    [
      ['+new', '-Old'],
      ['Old', 'kept'],
      ['NEW', 'kept', 'other'],
      ['-NEW', '+Old'],
    ],
    [['+x', '-x'], ['x'], [], ['+x']],
    [['-x', '+x'], [], ['x'], ['-x']],
    [['++plus', '--minus'], ['-minus'], ['+plus'], ['-+plus', '+-minus']],
  ])('tags: %j on %j, now %j', ([instructions, before, now, back]) => {
    const outcome = decided(
      { asked: { tags: instructions ?? [] }, before: record({ tags: before }), now: record({ tags: now }) },
      false,
    );
    expect(outcome).toEqual(back ? { kind: 'change', fields: { tags: back } } : unchanged);
  });

  test('a renamed link gets its hash back, also with other fields; never one that is taken', () => {
    const asked = { custom_hash: 'y', note: 'b' };
    const now = record({ hash: 'y', note: 'b' });
    expect(decided({ asked, before: record(), now }, false)).toEqual({ kind: 'change', fields: { note: '', custom_hash: 'x' } });
    for (const force of [false, true]) {
      expect(decided({ asked, before: record(), now, isTaken: true }, force)).toEqual(refused('the hash x is taken'));
    }
  });

  test('a renamed link that leads elsewhere by now may be another one: it keeps its hash, unless forced', () => {
    const before = record({ note: 'a' });
    const elsewhere = record({ hash: 'y', note: 'a', long_url: 'https://c.example/' });
    const back = { kind: 'change', fields: { custom_hash: 'x' } };
    const asked = { custom_hash: 'y' };
    expect(decided({ asked, before, now: elsewhere }, false)).toEqual(refused('changed since: long_url'));
    expect(decided({ asked, before, now: elsewhere }, true)).toEqual(back);
    expect(decided({ asked, before, now: { ...elsewhere, long_url: 'HTTPS://A.EXAMPLE' } }, false)).toEqual(back);
    // The run did not change the destination, though it asked for it.
    const same = { ...asked, long_url: before.long_url };
    expect(decided({ asked: same, before, now: elsewhere }, false)).toEqual(refused('changed since: long_url'));
    const moved = { ...asked, long_url: 'https://b.example/' };
    expect(decided({ asked: moved, before, now: elsewhere }, false)).toEqual(refused('changed since: long_url'));
    expect(decided({ asked: moved, before, now: { ...elsewhere, long_url: before.long_url } }, false)).toEqual(back);
  });

  test('a link that is gone is named; one that was not there before is nobody’s', () => {
    const asked = { note: 'b' };
    expect(decided({ asked, before: record(), now: undefined }, true)).toEqual(refused('deleted or renamed since'));
    expect(decided({ asked, before: null, now: record({ note: 'b' }) }, true)).toEqual(unchanged);
  });
});

describe('U2: a created link', () => {
  const change = {
    row: 0,
    link: { hash: 'x' },
    asked: {},
    before: undefined,
    isProven: true,
    made: askedPrints(record()),
    isCertain: true,
  };
  test.for([
    ['is deleted where it is as the run left it', record({ total_clicks: 3, tags: [] }), false, { kind: 'delete' }],
    ['is left alone where it has another note', record({ note: 'since' }), false, refused('changed since: note')],
    [
      'is left alone where it leads elsewhere',
      record({ long_url: 'https://c.example/' }),
      false,
      refused('changed since: long_url'),
    ],
    ['is deleted all the same with --force', record({ long_url: 'https://c.example/' }), true, { kind: 'delete' }],
    ['that is gone needs nothing', undefined, false, unchanged],
  ] as const)('%s', ([, now, force, outcome]) => {
    expect(undoCreation({ change, now, isTaken: false, force })).toEqual(outcome);
  });
});

test('U7: a link that may have been there before the run is left alone, unless forced', () => {
  const change = { row: 0, link: { hash: 'x' }, asked: {}, before: undefined, isProven: false, isCertain: true };
  const outcome = (force: boolean) => undoCreation({ change, now: record(), isTaken: false, force });
  expect(outcome(false)).toEqual(refused('it may have existed before the run'));
  expect(outcome(true)).toEqual({ kind: 'delete' });
});

describe('U2: a deleted link', () => {
  const values = { note: ' n ', tags: ['B', 'a'], expiration_date: '2001-01-01', email_stats: true, max_clicks: 4 };
  const whole = record({ long_url: 'HTTPS://A.example', ...values });
  const change = (before: KnownRecord | null): DoneChange => ({
    row: 0,
    link: { hash: 'x' },
    asked: {},
    before,
    isCertain: true,
  });
  const outcomeOf = (before: KnownRecord | null, now?: UrlRecord) =>
    undoDeletion({ change: change(before), now, isTaken: false, force: true });

  test('is made again with all that it had; what was empty is left out', () => {
    const fields = { custom_hash: 'x', long_url: 'HTTPS://A.example', ...values };
    expect(outcomeOf(whole)).toEqual({ kind: 'create', fields });
    const few = { custom_hash: 'x', long_url: 'https://a.example/', email_stats: false };
    expect(outcomeOf(record())).toEqual({ kind: 'create', fields: few });
    expect(outcomeOf(null)).toEqual(unchanged);
  });

  test.for([
    ['as it was', {}, unchanged],
    ['elsewhere', { long_url: 'https://b.example/' }, refused('the hash is taken')],
    ['to the same with another note', { note: 'm' }, refused('the hash is taken')],
    ['to the same without a tag', { tags: ['a'] }, refused('the hash is taken')],
    ['to the same with a date', { expiration_date: null }, refused('the hash is taken')],
  ] as const)('whose hash leads %s again', ([, more, outcome]) => {
    expect(outcomeOf(whole, { ...whole, ...more } as UrlRecord)).toEqual(outcome);
  });

  test.for([
    ['failed, for its hash leads elsewhere', false, { long_url: 'https://b.example/' }, {}, refused('changed since: long_url')],
    ['is open, and its hash leads elsewhere', true, { long_url: 'https://b.example/' }, {}, refused('changed since: long_url')],
    ['failed, and it was changed once more', false, { note: 'x' }, { note: 'y' }, refused('changed since: note')],
    ['failed, for it was changed, and it is as before', false, { note: 'x' }, { note: ' n ' }, unchanged],
    ['failed, and it was not changed before that', false, {}, { note: 'x' }, unchanged],
  ] as const)('whose deletion was in doubt and %s', ([, isOpen, values, more, outcome]) => {
    const other = { ...whole, ...values, ...more } as UrlRecord;
    const doubtful = { ...change(whole), seen: [{ values, tags: [] }], isCertain: false, isOpen };
    expect(undoDeletion({ change: doubtful, now: other, isTaken: false, force: true })).toEqual(outcome);
  });
});
