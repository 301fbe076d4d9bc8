import { describe, expect, test } from 'vitest';
import {
  asApplied,
  asInFile,
  type BaseListing,
  type Decisions,
  decider,
  type FileLink,
  sinceBase,
} from '../../src/change/decide/apply.ts';
import { asCopied } from '../../src/change/decide/copy.ts';
import type { PlannedOutcome } from '../../src/change/decide/outcome.ts';
import { outcomeOf } from '../../src/change/decide/outcome.ts';
import { inverse, withoutLabels } from '../../src/change/tags/tags.ts';
import type { KnownRecord, UrlRecord } from '../../src/contract/records.ts';

const target = { hash: 'x' };
const url = 'https://a.example/';

function record(more: Partial<UrlRecord> = {}): UrlRecord {
  const links = { qr_small: '', qr_big: '' };
  const values = {
    note: '',
    email_stats: false,
    expiration_date: null,
    max_clicks: 0,
    tags: [],
    total_clicks: 3,
    unique_clicks: 2,
  };
  return { hash: 'x', short_url: 's.ex/x', long_url: url, ...values, links, ...more };
}

const item = (more: Partial<FileLink> = {}): FileLink => ({ hash: 'x', long_url: url, ...more });
const unchanged: PlannedOutcome = { kind: 'unchanged' };
const change = (fields: object) => ({ kind: 'change', fields });
const refused = (reason: string, more: object = {}) => ({ kind: 'refused', reason, ...more });
const untouched = (reason: string) => ({ kind: 'untouched', reason });

function decided(decisions: Decisions, here: FileLink | undefined, there: UrlRecord | undefined): PlannedOutcome {
  return decider(decisions)({ target, item: here, record: there });
}

describe('P1: a file and the account', () => {
  test.for<[string, FileLink | undefined, UrlRecord | undefined, object]>([
    ['only in the file', item({ note: '', tags: [] }), undefined, { kind: 'create', fields: { long_url: url } }],
    ['only in the account', undefined, record(), { kind: 'delete' }],
    ['in neither', undefined, undefined, { kind: 'missing' }],
    ['equal', item({ note: '' }), record(), unchanged],
    ['equal in another spelling', item({ long_url: 'https://A.example' }), record(), unchanged],
    ['a field that the file leaves out', { hash: 'x' }, record({ note: 'n' }), unchanged],
    ['another note', item({ note: 'n' }), record(), change({ note: 'n' })],
    ['another destination', item({ long_url: 'https://b.example/' }), record(), change({ long_url: 'https://b.example/' })],
    ['other tags', item({ tags: ['a', 'B'] }), record({ tags: ['b', 'c'] }), change({ tags: ['+a', '-c'] })],
    [
      'no date any more',
      item({ expiration_date: null }),
      record({ expiration_date: '2031-01-01' }),
      change({ expiration_date: null }),
    ],
  ])('%s', ([, here, there, outcome]) => {
    expect(decided(asInFile, here, there)).toEqual(outcome);
  });
});

describe('P2: what apply makes and deletes', () => {
  test.for<[string, string | undefined, FileLink | undefined, UrlRecord | undefined, object]>([
    ['a new link', undefined, item(), undefined, { kind: 'create', fields: { long_url: url } }],
    ['no destination', undefined, { hash: 'x' }, undefined, refused('no such link, and the row has no long_url')],
    ['no custom hash', undefined, item({ hash: 'a b' }), undefined, refused('no such link, and its hash is not a custom hash')],
    ['besides the file', undefined, undefined, record({ tags: ['git'] }), untouched('not in the file, left unchanged')],
    ['besides, with the label', 'GIT', undefined, record({ tags: ['git'] }), { kind: 'delete' }],
    ['besides, with another label', 'git', undefined, record({ tags: ['other'] }), untouched('not in the file, left unchanged')],
    ['in both', 'git', item({ note: 'n' }), record(), change({ note: 'n' })],
  ])('%s', ([, prune, here, there, outcome]) => {
    expect(decided(asApplied(prune), here, there)).toEqual(outcome);
  });
});

describe('W5: a file that was made from a listing', () => {
  const base = (was: FileLink | undefined): BaseListing => ({ sha256: '', name: 'base.csv', isForeign: false, of: () => was });
  const was = item({ note: 'was', tags: ['a'] });
  test.for<[string, FileLink | undefined, FileLink | undefined, UrlRecord | undefined, object]>([
    ['as the listing, changed since', was, was, record({ note: 'since', tags: ['a'] }), unchanged],
    ['changed in the file alone', was, { ...was, note: 'n' }, record({ note: 'was', tags: ['a'] }), change({ note: 'n' })],
    ['changed alike on both', was, { ...was, note: 'n' }, record({ note: 'n', tags: ['a'] }), unchanged],
    ['a label with blanks around it', was, { ...was, tags: [' a'] }, record({ note: 'was', tags: ['a'] }), unchanged],
    [
      'labels with and without blanks are both wanted',
      was,
      { ...was, tags: ['a', 'a '] },
      record({ note: 'was', tags: ['a'] }),
      change({ tags: ['+a '] }),
    ],
    [
      'labels with and without blanks were both there',
      { ...was, tags: ['a', 'a '] },
      { ...was, tags: ['a '] },
      record({ note: 'was', tags: ['a', 'A '] }),
      change({ tags: ['-a'] }),
    ],
    [
      'changed otherwise on both',
      was,
      { ...was, note: 'n' },
      record({ note: 'since' }),
      refused('changed since base.csv: note', { fields: { note: 'n' } }),
    ],
    [
      'tags beside other labels',
      was,
      { ...was, tags: ['b'] },
      record({ note: 'x', tags: ['a', 'c'] }),
      change({ tags: ['+b', '-a'] }),
    ],
    ['deleted since, as the listing', was, was, undefined, untouched('deleted since base.csv, left unchanged')],
    [
      'deleted since, changed in the file',
      was,
      { ...was, note: 'n' },
      undefined,
      refused('deleted since base.csv', { fields: { note: 'n' } }),
    ],
    ['new in the file', undefined, item(), undefined, { kind: 'create', fields: { long_url: url } }],
    [
      'new in the file and in the account',
      undefined,
      item({ note: 'n' }),
      record(),
      refused('exists, and is not in base.csv', { fields: { note: 'n' } }),
    ],
    ['taken out of the file', was, undefined, record({ note: 'was', tags: ['a'] }), { kind: 'delete' }],
    ['taken out, changed since', was, undefined, record({ note: 'since', tags: ['a'] }), refused('changed since the base')],
    ['new in the account', undefined, undefined, record(), untouched('created since the base, left unchanged')],
  ])('%s', ([, listed, here, there, outcome]) => {
    expect(decided(sinceBase(asInFile, base(listed)), here, there)).toEqual(outcome);
  });
});

describe('P4: a link and the account that it is copied to', () => {
  const link: KnownRecord = { hash: 'x', long_url: url, note: 'n', tags: [], max_clicks: 5 };
  const copied = { custom_hash: 'x', long_url: url, note: 'n' };
  const fields = { ...copied, max_clicks: 5 };
  const hidden = refused('the server does not show the destination');
  test.for<['a' | 'b', UrlRecord | undefined, object]>([
    ['a', undefined, { kind: 'copy', fields }],
    ['b', undefined, { kind: 'copy', fields: copied, losesBound: true }],
    ['a', record({ note: 'n', max_clicks: 5 }), unchanged],
    ['a', record({ note: 'n' }), refused('it exists with other values: max_clicks', { fields })],
    ['a', record({ long_url: 'https://b.example/' }), refused('another link has the hash there', { fields })],
    ['a', record({ long_url: undefined }), hidden],
  ])('to edition %s, which has %j', ([edition, there, outcome]) => {
    expect(asCopied(edition)({ target, item: link, record: there })).toEqual(outcome);
  });

  test('F40: a link whose destination the server does not show is not copied', () => {
    expect(asCopied('a')({ target, item: { hash: 'x' }, record: undefined })).toEqual(hidden);
    expect(asCopied('a')({ target, item: { hash: 'x' }, record: record() })).toEqual(hidden);
  });
});

test('I12: a link that is protected is not created, but one that exists is compared as ever', () => {
  const reason = 'protected or disabled: archived (shorten -f --include-protected makes it a public link)';
  const both = { target, item: item(), protection: 'archived' };
  for (const decisions of [asInFile, asApplied(undefined)]) {
    expect(decider(decisions)({ ...both, record: undefined })).toEqual(refused(reason, { fields: { long_url: url } }));
    expect(decider(decisions)({ ...both, record: record() })).toEqual(unchanged);
  }
  expect(asCopied('a')({ ...both, record: record() })).toEqual(unchanged);
  expect(asCopied('a')({ ...both, record: undefined })).toEqual(refused(reason, { fields: { custom_hash: 'x', long_url: url } }));
});

test('P4: a copy of a link whose URL the server shows with blanks has them encoded, as servers accept them', () => {
  const shown = { hash: 'x', long_url: `${url}My Report\u00a0.pdf` };
  const fields = { custom_hash: 'x', long_url: `${url}My%20Report%C2%A0.pdf` };
  expect(asCopied('a')({ target, item: shown, record: undefined })).toEqual({ kind: 'copy', fields });
});

test('an edit of links, their deletion and the loss of their counters', () => {
  expect(outcomeOf({ note: 'n' }, record())).toEqual(change({ note: 'n' }));
  expect(outcomeOf({ note: 'n' }, record({ note: 'n' }))).toEqual(unchanged);
  expect(outcomeOf('delete', record())).toEqual({ kind: 'delete' });
  expect(outcomeOf('reset', record())).toEqual({ kind: 'reset' });
  expect(outcomeOf('delete', undefined)).toEqual({ kind: 'missing' });
});

describe('W4: the tags of a link, and of an account', () => {
  test.for<[string[], string | undefined, string[], string[]]>([
    [['a'], undefined, ['A', 'b'], ['-A']],
    [['a', 'b'], 'c', ['A', 'b'], ['+c', '-A', '-b']],
    [['a'], 'c', ['a', 'C'], ['-a']],
  ])('without %j, into %s: %j', ([labels, into, tags, instructions]) => {
    expect(withoutLabels(record({ tags }), labels, into)).toEqual(change({ tags: instructions }));
  });

  test('the inverse of a change', () => {
    const done = { rename: { from: 'a', to: 'b' }, add: ['c'], delete: ['d'] };
    expect(inverse(done)).toEqual({ rename: { from: 'b', to: 'a' }, add: ['d'], delete: ['c'] });
    expect(inverse({})).toEqual({ add: [], delete: [] });
  });
});
