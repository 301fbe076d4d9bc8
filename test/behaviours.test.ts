import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Behaviours of the command-line contract, B1 to B98. */
const all = Array.from({ length: 98 }, (_, index) => index + 1);

/** Those that no test of ours can hold, and why. */
const reasons: Readonly<Record<number, string>> = {};

/** What a name of a test cites: `B4: …`, `B54, B55: …`, `B93 to B95: …`. Text elsewhere in a test proves nothing. */
function cited(source: string): number[] {
  const names = [
    ...source.matchAll(/\b(?:test|it|plainTest|describe)(?:\.(?:each|for|runIf)\b[\s\S]*?\)|\.\w+)*\(\s*(['"`])(.*?)\1/g),
  ].map((match) => match[2] ?? '');
  return names.flatMap((name) => [
    ...[...name.matchAll(/\bB(\d{1,2})\b/g)].map(([, number]) => Number(number)),
    ...[...name.matchAll(/\bB(\d{1,2}) to B(\d{1,2})\b/g)].flatMap(([, from, to]) => all.slice(Number(from) - 1, Number(to))),
  ]);
}

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.test.ts') && path !== 'behaviours.test.ts',
);
const held = new Set(files.flatMap((path) => cited(readFileSync(join(import.meta.dirname, path), 'utf8'))));

test('each of B1 to B98 has a test that is named by its number, or a reason why it has none', () => {
  expect(all.filter((number) => !held.has(number) && !reasons[number]).map((number) => `B${number}`)).toEqual([]);
});

test('a reason stands only where there is no test', () => {
  expect(Object.keys(reasons).filter((number) => held.has(Number(number)))).toEqual([]);
});

test('only names of tests are read, with lists and ranges', () => {
  expect(cited("test('B4, B5: it', () => { /* B6 */ expect('B7') });")).toEqual([4, 5]);
  expect(cited("test.for([['B8']])('B93 to B95, R-1: %s', () => {})")).toEqual([93, 95, 93, 94, 95]);
  expect(cited('test.each(rows)(`B10: it`, () => {}); describe("B11", () => {})')).toEqual([10, 11]);
});
