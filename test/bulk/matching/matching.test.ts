import { describe, expect, test } from 'vitest';
import { matchAnswer } from '../../../src/bulk/matching/matching.ts';
import { matchSharedLinks } from '../../../src/bulk/operations/shared-links.ts';
import type { ShortenItem } from '../../../src/contract/operations.ts';
import { countWrongPairs } from './matching-trial.ts';

const ok = { code: 0, message: '' };
const taken = { code: 1215, message: 'Short URL is not correct or existed', details: 'in use' };
const refused = { code: 1216, message: 'not allowed' };

/** What each row got: a hash, an error code, or `?` for nothing. */
function got(sent: ShortenItem[], answer: unknown[], sharing = false): string {
  const { verdicts, surplus } = matchAnswer(sent, answer, sharing ? { matchSharedLinks } : {});
  const words = verdicts.map((verdict) => {
    if (verdict?.kind === 'done') return verdict.record?.hash + (verdict.evidence === 'position' ? '!' : '');
    return verdict?.kind === 'failed' ? String(verdict.error.code) : '?';
  });
  return [...words, ...surplus.map(({ hash }) => `+${hash}`)].join(' ');
}

const url = (long_url: string, more: object = {}): ShortenItem => ({ long_url, ...more });
const record = (hash: unknown, long_url: string, more: object = {}): object => ({ hash, long_url, error: ok, ...more });
const failure = (error: object, long_url: string, more: object = {}): object => ({ error, long_url, ...more });

const a = 'https://a.example/';
const b = 'https://b.example/';
const c = 'https://c.example/';

describe('R 1.5: answers are joined to rows by what they echo', () => {
  test.each<[string, ShortenItem[], unknown[], string]>([
    ['in order', [url(a), url(b)], [record('1', a), record('2', b)], '1 2'],
    ['F34: reordered', [url(a), url(b), url(c)], [record('3', c), record('1', a), record('2', b)], '1 2 3'],
    [
      'F34: reordered, with failures',
      [url(a), url(b), url(c)],
      [failure(refused, c), record('2', b), failure(taken, a)],
      '1215 2 1216',
    ],
    ['F32: shorter: the missing row is in doubt, not failed', [url(a), url(b)], [record('2', b)], '? 2'],
    ['F33: longer: the extra record is kept apart', [url(a)], [record('1', a), record('9', c)], '1 +9'],
    ['F35: an item twice', [url(a), url(a)], [record('1', a), record('1', a)], '1 ?'],
    ['R 1.5.7, F35: one hash for two rows', [url(a), url(b)], [record('1', a), record('1', b)], '1 ?'],
    ['an empty answer', [url(a), url(b)], [], '? ?'],
    [
      'R 1.5.2: by custom hash, although the long URL is one',
      [url(a, { custom_hash: 'x' }), url(a, { custom_hash: 'y' })],
      [record('y', a), record('x', a)],
      'x y',
    ],
    [
      'R 1.5.2: a failure by its custom hash',
      [url(a, { custom_hash: 'x' }), url(a, { custom_hash: 'y' })],
      [failure(taken, a, { custom_hash: 'y' }), record('x', a)],
      'x 1215',
    ],
    [
      'F38: a hash in another case',
      [url(a, { custom_hash: 'Sale' }), url(a, { custom_hash: 'b' })],
      [record('sale', a), record('b', a)],
      'sale b',
    ],
    [
      'F38: hashes that differ only in case stay apart',
      [url(a, { custom_hash: 'A' }), url(a, { custom_hash: 'a' })],
      [record('a', a), record('A', a)],
      'A a',
    ],
    ['F38: a hash with blanks around it', [url(a, { custom_hash: 'x' })], [record(' x ', a)], 'x'],
    ['a custom hash that the server ignored', [url(a, { custom_hash: 'x' })], [record('zzz', a)], 'zzz'],
    [
      'R 1.5.3: equal long URLs distinguished by note',
      [url(a, { note: 'n' }), url(a, { note: 'm' })],
      [record('2', a, { note: 'm' }), record('1', a, { note: 'n' })],
      '1 2',
    ],
    [
      'R 1.5.3: by date',
      [url(a, { expiration_date: '2030-01-01' }), url(a)],
      [record('2', a, { expiration_date: null }), record('1', a, { expiration_date: '2030-01-01' })],
      '1 2',
    ],
    [
      'R 1.5.3: by tags, whatever their order and case',
      [url(a, { tags: ['X', 'y'] }), url(a, { tags: ['z'] })],
      [record('2', a, { tags: ['Z'] }), record('1', a, { tags: ['y', 'x'] })],
      '1 2',
    ],
    ['R 1.5.3: identical rows are interchangeable', [url(a), url(a), url(a)], [record('1', a), record('2', a)], '1 2 ?'],
    [
      'R 1.5.3: failed items come after the records',
      [url(a, { note: 'n' }), url(a, { note: 'm' })],
      [failure(refused, a), record('1', a, { note: 'm' })],
      '1216 1',
    ],
    [
      'R 1.5.3: trimmed notes',
      [url(a, { note: ' n' }), url(a, { note: ' m' })],
      [record('2', a, { note: 'm' }), record('1', a, { note: 'n' })],
      '1 2',
    ],
    [
      'R 1.5.4, F37: a normalised long URL',
      [url('HTTPS://A.example'), url('http://x.example:80/%7Eu')],
      [record('2', 'http://x.example/~u'), record('1', a)],
      '1 2',
    ],
    [
      'R 1.5.4: only if it is unique',
      [url('https://a.example', { note: 'n' }), url(a, { note: 'm' }), url(b)],
      [record('9', a, { note: 'k' }), record('b', b)],
      '? ? b +9',
    ],
    [
      'R 1.5.5: position alone in an answer that is in order',
      [url(a, { note: 'n' }), url(a, { note: 'm' }), url(b)],
      [record('1', a, { note: 'N!' }), record('2', a, { note: 'M!' }), record('3', b)],
      '1! 2! 3',
    ],
    [
      'R 1.5.5: not when a known item is elsewhere',
      [url(b), url(c), url(a, { note: 'n' }), url(a, { note: 'm' })],
      [record('c', c), record('b', b), record('1', a, { note: 'N!' }), record('2', a, { note: 'M!' })],
      'b c ? ? +1 +2',
    ],
    [
      'R 1.5.5: not when the lengths differ',
      [url(a, { note: 'n' }), url(a, { note: 'm' }), url(b)],
      [record('1', a, { note: 'N!' }), record('3', b)],
      '? ? 3 +1',
    ],
    ['R 1.5.5: not when the hosts differ', [url(a), url(b)], [record('1', a), record('9', c)], '1 ? +9'],
    [
      'R 1.5.5: not when nothing shows the order',
      [url(a, { note: 'n' }), url(a, { note: 'm' })],
      [record('2', a, { note: 'M!' }), record('1', a, { note: 'N!' })],
      '? ? +2 +1',
    ],
    ['R 1.5.5: one row, one failure without an echo', [url(a)], [{ error: refused }], '1216'],
    [
      'R 1.5.6: failures of different rows with one long URL',
      [url(a, { note: 'n' }), url(a, { note: 'm' })],
      [failure(refused, a), failure(refused, a)],
      '1216 1216',
    ],
    [
      'R 1.5.6: two fates, two rows, one echo',
      [url(a, { note: 'n' }), url(a, { note: 'm' })],
      [failure(refused, a), failure(taken, a)],
      '? ?',
    ],
    ['R 1.5.8: no error member, but a hash', [url(a)], [{ hash: '1', long_url: a }], '1'],
    ['R 1.5.8: error null', [url(a)], [{ hash: '1', long_url: a, error: null }], '1'],
    ['records without notes and tags', [url(a, { note: 'n', tags: ['t'] }), url(b)], [record('2', b), record('1', a)], '1 2'],
    [
      'records without notes do not distinguish rows',
      [url(a, { note: 'n' }), url(a, { note: 'm' }), url(b)],
      [record('b', b), record('2', a), record('1', a)],
      '? ? b +2 +1',
    ],
    ['a failure with a normalised echo', [url('https://a.example'), url(b)], [record('2', b), failure(refused, a)], '1216 2'],
  ])('%s', (_, sent, answer, expected) => {
    expect(got(sent, answer)).toBe(expected);
  });
});

describe('F36, F39, F40: items that no honest server sends', () => {
  test.each<[string, unknown]>([
    ['null', null],
    ['a list', []],
    ['text', 'x'],
    ['a code in text', { hash: '1', long_url: a, error: { code: '0' } }],
    ['an error in text', { hash: '1', long_url: a, error: 'no' }],
    ['a float', { hash: '1', long_url: a, error: { code: 0.5 } }],
    ['no hash', { long_url: a, error: ok }],
    ['an empty hash', record('', a)],
    ['a number for a hash', record(7, a)],
    ['a hash with a control character', record('a\u001bb', a)],
    ['a hash with a bidi control', record('a\u202eb', a)],
    ['a hash of a megabyte', record('x'.repeat(1_000_000), a)],
  ])('%s leaves its row in doubt', (_, item) => {
    expect(got([url(a)], [item])).toBe('?');
  });

  test('a hash that resembles a path is a hash', () => {
    expect(got([url(a)], [record('../../etc/x', a)])).toBe('../../etc/x');
  });
});

describe('4.3.3: with duplicate control records are shared', () => {
  test.each<[string, ShortenItem[], unknown[], string]>([
    ['several existing records for one row', [url(a)], [record('1', a), record('2', a)], '1'],
    [
      'an existing record with another note',
      [url(a, { note: 'n' }), url(b)],
      [record('2', b), record('1', a, { note: 'old' })],
      '1 2',
    ],
    ['two spellings, one record', [url('https://a.example'), url(a)], [record('1', a)], '1 1'],
    ['a record of nobody', [url(a)], [record('1', a), record('9', c)], '1 +9'],
    ['a failure', [url(a), url(b)], [failure(refused, b), record('1', a)], '1 1216'],
    ['one row left out', [url(a), url(b)], [record('1', a)], '1 ?'],
    ['a custom hash among them', [url(a, { custom_hash: 'x' }), url(a)], [record('7', a), record('x', a)], 'x 7'],
  ])('%s', (_, sent, answer, expected) => {
    expect(got(sent, answer, true)).toBe(expected);
  });
});

/** The long run: `LINKCTL_TRIAL_ITEMS=1000000`. */
const trialItems = Number(process.env.LINKCTL_TRIAL_ITEMS ?? 20_000);

test('G14: shuffled, short and long answers give no hash to a wrong row', () => {
  expect(countWrongPairs(trialItems, 7)).toBe(0);
});
