import { expect, test } from 'vitest';
import { displayWidth } from '../../src/output/display-width.ts';
import { fitMarked, type MarkedText, underline, withStyle } from '../../src/output/marked-text.ts';

/** `[` and `]` around what is marked. */
function marked(text: string): MarkedText {
  const parts = text.split(/[[\]]/);
  const marks = parts.flatMap((part, index) =>
    index % 2 ? [{ at: parts.slice(0, index).join('').length, length: part.length }] : [],
  );
  return { text: parts.join(''), marks };
}

const shown = (text: MarkedText): string => withStyle(text, (part) => `[${part}]`);

test.each([
  ['what fits stays as it is', 40, ['https://[old].example/a', 'https://[new].example/a'], undefined],
  [
    'a long end is cut',
    20,
    ['https://[old].example/a/b', 'https://[new].example/a'],
    ['https://[old].example…', 'https://[new].example…'],
  ],
  [
    'a long beginning is cut for both at the same column',
    20,
    ['https://a.example/one/two/[old]/x', 'https://a.example/one/two/[newer]/x'],
    ['…ple/one/two/[old]/x', '…ple/one/two/[newer]/x'],
  ],
  ['what is longer than the line is marked as far as it is seen', 12, ['a[bcdefghijklmnop]', 'a[b]'], ['a[bcdefghijk…]', 'a[b]']],
  [
    'one without marks is cut where the other is',
    20,
    ['https://a.example/one/two/three', 'https://a.example/one/two/three[?x=y]'],
    ['…e/one/two/three', '…e/one/two/three[?x=y]'],
  ],
])('W2: %s', (_, width, texts, lines) => {
  const fitted = fitMarked(texts.map(marked), width, '…');
  for (const { text } of fitted) expect(displayWidth(text)).toBeLessThanOrEqual(width);
  expect(fitted.map(shown)).toEqual(lines ?? texts);
});

test('B25: no character is split, and what is below a wide one is as wide', () => {
  const family = '👨‍👩‍👧';
  const [one] = fitMarked([marked(`https://a.example/${family.repeat(10)}/[${family}語]`)], 20, '…');
  expect(one && shown(one)).toMatch(/^…(👨‍👩‍👧)+\/\[👨‍👩‍👧語\]$/u);
  expect(one && underline(one).length).toBe(displayWidth(one?.text ?? ''));
  expect(underline(marked(`${family}[語]`))).toBe('  ~~');
});

test('B96: a line of ~ stands below what is marked, and there is none without', () => {
  expect(underline(marked('a[bc]d[e]f'))).toBe(' ~~ ~');
  expect(underline(marked('abc'))).toBe('');
});
