import { describe, expect, test } from 'vitest';
import { safe } from '../../src/base/safe-text.ts';
import { displayWidth, pad, truncate } from '../../src/output/display-width.ts';
import { createRandom } from './random.ts';

describe('B25: widths are those of the terminal', () => {
  test.each([
    ['', 0],
    ['abc', 3],
    ['例え', 4],
    ['e\u0301', 1],
    ['é', 1],
    ['👨‍👩‍👧‍👦', 2],
    ['🇳🇱', 2],
    ['1️⃣', 2],
    ['👍🏽', 2],
    ['✓', 1],
    ['…', 1],
    ['ｶﾅ', 2],
    ['한국', 4],
    ['\u1112\u1161\u11ab', 2],
    ['a\u200db', 2],
  ])('%j takes %i', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });
});

test('F42: counting ends above the limit', () => {
  expect(displayWidth('例'.repeat(100_000), 4)).toBe(6);
});

describe('B25: truncation never splits a grapheme', () => {
  test.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdefg', 6, 'abcde…'],
    ['例え例え', 6, '例え…'],
    ['例え例え', 5, '例え…'],
    ['例え例え', 4, '例…'],
    ['ab👨‍👩‍👧‍👦cd', 4, 'ab…'],
    ['e\u0301e\u0301e\u0301', 2, 'e\u0301…'],
    ['abc', 0, ''],
  ])('%j in %i columns', (text, width, cut) => {
    expect(truncate(text, width, '…')).toBe(cut);
  });

  test('whatever is cut and filled takes exactly its column', () => {
    const random = createRandom(3);
    for (let round = 0; round < 2000; round++) {
      const width = 3 + random.below(20);
      const cell = pad(truncate(safe(random.text(30)), width, '…'), width, random.pick(['right', undefined]));
      expect(displayWidth(cell)).toBe(width);
    }
  });
});
