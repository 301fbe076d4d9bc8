import { expect, test } from 'vitest';
import { hashesByDomain, parseHash, parseHashes, readHashes } from '../../src/input/hashes.ts';
import { all, failure, memorySource } from './fixtures.ts';

test.each([
  ['abc', { hash: 'abc' }],
  ['-abc', { hash: '-abc' }],
  ['s.ex/abc', { hash: 'abc', domain: 's.ex' }],
  ['https://s.ex/abc', { hash: 'abc', domain: 's.ex' }],
  ['HTTP://S.EX/aBc', { hash: 'aBc', domain: 's.ex' }],
  ['http://127.0.0.1:8080/abc', { hash: 'abc', domain: '127.0.0.1:8080' }],
  ['bücher.example/abc', { hash: 'abc', domain: 'xn--bcher-kva.example' }],
  ['xn--bcher-kva.example/abc', { hash: 'abc', domain: 'xn--bcher-kva.example' }],
  ['s.ex/é', { hash: 'é', domain: 's.ex' }],
])('CLI 3.5, B97: %s is %j', (text, operand) => {
  expect(parseHash(text)).toEqual(operand);
});

test.each([
  '',
  '.',
  '..',
  '/',
  '/abc',
  's.ex/',
  's.ex/..',
  's.ex/.',
  'https://s.ex/',
  'https://s.ex',
  'https://',
  'https://s.ex/a/b',
  'https://s.ex/abc?x=1',
  's.ex/abc#top',
  'a,b',
  'a b',
  'a\n',
  '\u0000',
  'ftp://s.ex/abc',
  'https://ann:secret@s.ex/abc',
  'a b/abc',
  's.ex:999999/abc',
])('R-31: %j is refused, exit 2', async (text) => {
  const told = await failure((async () => parseHash(text))());
  expect(told.exitCode).toBe(2);
  expect(told.text).toContain('is not a hash or a short URL');
  expect(told.text).not.toContain('secret');
});

test('each URL stands once, by domain and hash, in the order given', () => {
  expect(parseHashes(['a', 's.ex/a', 'a', 'https://S.EX/a', 't.ex/a', 'A'])).toEqual([
    { hash: 'a' },
    { hash: 'a', domain: 's.ex' },
    { hash: 'a', domain: 't.ex' },
    { hash: 'A' },
  ]);
});

test('4.1.7: hashes are grouped by their domain', () => {
  expect([...hashesByDomain(parseHashes(['b', 's.ex/a', 'a', 's.ex/b']))]).toEqual([
    [undefined, ['b', 'a']],
    ['s.ex', ['a', 'b']],
  ]);
});

test('CLI 3.6: a list has one hash or short URL on each line; blank lines, comments and repetitions are skipped', async () => {
  const source = memorySource('hashes.txt', ['# old\nabc\r\n\n  s.ex/d', 'ef \nabc\n', 'https://s.ex/def\n']);
  expect(await all(readHashes(source))).toEqual([{ hash: 'abc' }, { hash: 'def', domain: 's.ex' }]);
});

test('R-31: a bad line of a list is named', async () => {
  expect(await failure(all(readHashes(memorySource('hashes.txt', ['abc\n\n..\n']))))).toMatchObject({
    exitCode: 2,
    text: 'hashes.txt:3: ".." is not a hash or a short URL',
  });
});

test('a list of 200,000 hashes comes in parts', async () => {
  const pieces = Array.from({ length: 200 }, (_, piece) =>
    Array.from({ length: 1000 }, (_, index) => `h${piece}-${index}\n`).join(''),
  );
  let count = 0;
  let parts = 0;
  for await (const operands of readHashes(memorySource('hashes.txt', pieces))) {
    count += operands.length;
    parts += 1;
  }
  expect([count, parts]).toEqual([200_000, 200]);
});
