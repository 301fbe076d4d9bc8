import { expect, test } from 'vitest';
import { differences, foldText } from '../../src/link/difference.ts';

const long = `/${'a'.repeat(900)}/${'b'.repeat(900)}`;

test.each([
  ['https://old.example/shop/1', 'https://new.example/shop/1', 'old.example -> new.example'],
  ['http://a.example/x', 'https://a.example/x', 'http -> https'],
  ['https://old.example/shop/x', 'https://new.example/store/x', 'old.example/shop -> new.example/store'],
  ['http://old.example/x', 'https://new.example/x', 'http://old.example -> https://new.example'],
  ['https://a.example/x', 'https://a.example/x?utm_source=x', '+?utm_source=x'],
  ['https://a.example/x?b=1#end', 'https://a.example/x?b=1&utm_source=x#end', '+&utm_source=x'],
  ['https://a.example/x?utm_source=x', 'https://a.example/x', '-?utm_source=x'],
  ['https://a.example/x?utm_source=x&b=1', 'https://a.example/x?b=1', '-utm_source=x&'],
  ['https://a.example/x?a=1&b=2', 'https://a.example/x?a=1&b=3', 'b=2 -> b=3'],
  ['http://a.example/x/y', 'https://a.example/x/y?utm_source=x', 'http -> https, +?utm_source=x'],
  ['https://a.example:80/x', 'https://a.example:81/x', 'a.example:80 -> a.example:81'],
  ['https://me:pw@old.example/', 'https://me:pw@new.example/', 'old.example -> new.example'],
  ['https://a.example/caf%C3%A9', 'https://a.example/caf%C3%A8', 'caf%C3%A9 -> caf%C3%A8'],
  ['https://a.example/x', 'https://a.example/x', ''],
  [`https://old.example${long}`, `https://new.example${long}`, 'old.example -> new.example'],
  ['nothing', 'shared', 'nothing -> shared'],
  ['', 'https://a.example', '+https://a.example'],
  ['https://a.example/x', '', '-https://a.example/x'],
  ['https://a.example/e\u0301', 'https://a.example/e\u0300', 'e\u0301 -> e\u0300'],
  ['https://a.example/x/', 'https://a.example/x/\u0301y', '/ -> /\u0301y'],
  ['https://a.example/👩‍👩‍👧', 'https://a.example/👩‍👩‍👦', '👩‍👩‍👧 -> 👩‍👩‍👦'],
])('W2: from %s to %s is %s', (before, after, text) => {
  expect(foldText(before, after)).toBe(text);
});

test.each([
  ['http://old.example/x/y?a=1&b=2#end', 'https://new.example/x/z?b=2&c=3#end'],
  ['https://a.example/a/b/a/b', 'https://a.example/b/a'],
  [
    `https://a.example/?${'a=1&'.repeat(300)}`,
    `https://a.example/?${Array.from({ length: 200 }, (_, index) => `b=${index}`).join('&')}`,
  ],
  ['', ''],
])('W2: what is between the differences of %# is the same in both URLs', (before, after) => {
  let [from, made] = [0, ''];
  for (const { removed, removedAt, added, addedAt } of differences(before, after)) {
    expect(before.slice(removedAt, removedAt + removed.length)).toBe(removed);
    expect(after.slice(addedAt, addedAt + added.length)).toBe(added);
    made += before.slice(from, removedAt) + added;
    from = removedAt + removed.length;
  }
  expect(made + before.slice(from)).toBe(after);
});
