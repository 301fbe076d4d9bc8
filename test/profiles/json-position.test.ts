import { expect, test } from 'vitest';
import { jsonErrorOffset } from '../../src/profiles/json-position.ts';

test.each([
  ['{}', undefined],
  [' {"a": [1, -2.5e3, true, null, "x\\u00e9\\n", {}, []]} \n', undefined],
  ['"text"', undefined],
  ['', 0],
  ['{"a": 1', 7],
  ['{"a": 1,}', 8],
  ['{"a" 1}', 5],
  ['{"a": }', 6],
  ['[1, 2', 5],
  ['[1}', 2],
  ['[,1]', 1],
  ['[01]', 2],
  ['{a: 1}', 1],
  ["{'a': 1}", 1],
  ['{"a": tru}', 6],
  ['{"a": "line\nbreak"}', 6],
  ['{"a": "\\x"}', 6],
  ['{} {}', 3],
  ['{"a": 1]', 7],
  ['// note\n{}', 0],
])('R-25: the first token of %j that is no JSON is at %j', (text, offset) => {
  expect(jsonErrorOffset(text)).toBe(offset);
});

test('R-25: it calls bad exactly what JSON.parse calls bad, whatever is cut out or put in', () => {
  const good = JSON.stringify({ a: [1, -2.5, true, false, null, 'x"\\é'], b: { c: {}, d: [[]] } }, undefined, 1);
  for (let at = 0; at <= good.length; at++) {
    for (const insert of ['', ',', '}', ']', '"', '{', ':', '0', 'x', '\\']) {
      for (const cut of [0, 1, 5]) {
        const text = good.slice(0, at) + insert + good.slice(at + cut);
        expect([text, jsonErrorOffset(text) === undefined]).toEqual([text, isJson(text)]);
      }
    }
  }
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
