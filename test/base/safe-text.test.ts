import { describe, expect, test } from 'vitest';
import { jsonText, safe, safeLines, safeTsv } from '../../src/base/safe-text.ts';
import { createRandom } from '../output/random.ts';

describe('R-45: text of strangers is shown, and drives nothing', () => {
  test.each([
    ['an escape sequence', '\u001b[2J', '\\x1b[2J'],
    ['a title', '\u001b]0;x\u0007', '\\x1b]0;x\\x07'],
    ['a line end', 'a\r\nb', 'a\\r\\nb'],
    ['a tab', 'a\tb', 'a\\tb'],
    ['DEL', '\u007f', '\\x7f'],
    ['C1', '\u009b31m', '\\x9b31m'],
    ['an override', 'a\u202eb', 'a\\u202eb'],
    ['an isolate', '\u2066', '\\u2066'],
    ['an Arabic letter mark', '\u061c', '\\u061c'],
    ['a line separator', '\u2028', '\\u2028'],
    ['a BOM', '\ufeff', '\\ufeff'],
    ['a soft hyphen, which terminals show or hide', 'a\u00adb', 'a\\xadb'],
    ['a space of no width', 'a\u200bb', 'a\\u200bb'],
    ['a word joiner', 'a\u2060b', 'a\\u2060b'],
    ['half a surrogate pair', 'a\ud83d', 'a\\ud83d'],
    ['an invisible tag', '\u{e0041}', '\\u{e0041}'],
    ['a family, joined by ZWJ', '👨‍👩‍👧‍👦', '👨‍👩‍👧‍👦'],
    ['letters of the world', 'é 例え नमस्ते', 'é 例え नमस्ते'],
    ['a word with ZWNJ', 'می\u200cخواهم', 'می\u200cخواهم'],
    ['a backslash', 'C:\\temp', 'C:\\temp'],
  ])('%s', (_, text, shown) => {
    expect(safe(text)).toBe(shown);
  });

  test('text of several lines keeps its lines and tabs', () => {
    expect(safeLines('a\tb\n\u001b[2J\n')).toBe('a\tb\n\\x1b[2J\n');
  });
});

test('B16: in tsv a backslash is doubled, so that an escape can be distinguished from text that looks like one', () => {
  expect(safeTsv('a\tb\\t\nc')).toBe('a\\tb\\\\t\\nc');
});

test('B16: tsv cells can be read back without loss', () => {
  const random = createRandom(1);
  for (let round = 0; round < 2000; round++) {
    const text = random.text(12);
    const cell = safeTsv(text);
    const read = cell.replace(
      /\\(?:\\|[tnr]|x([0-9a-f]{2})|u([0-9a-f]{4})|u\{([0-9a-f]+)\})/g,
      (written: string, two?: string, four?: string, more?: string) => {
        const hex = two ?? four ?? more;
        if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
        return { '\\\\': '\\', '\\t': '\t', '\\n': '\n', '\\r': '\r' }[written] ?? '';
      },
    );
    expect(read).toBe(text);
  }
});

describe('R-46: JSON is safe and loses nothing', () => {
  test.each([
    ['\u007f', '"\\u007f"'],
    ['\u009b', '"\\u009b"'],
    ['\u2028', '"\\u2028"'],
    ['\u202e', '"\\u202e"'],
    ['a\u00adb', '"a\\u00adb"'],
    ['\u{e0041}', '"\\udb40\\udc41"'],
    ['é👩‍👧', '"é👩‍👧"'],
  ])('%j', (text, json) => {
    expect(jsonText(text)).toBe(json);
  });

  test('any text comes back as it was, with nothing raw in between', () => {
    const random = createRandom(2);
    for (let round = 0; round < 2000; round++) {
      const value = { note: random.text(12), [random.text(3)]: [random.text(5), null, 1.5, true] };
      const json = jsonText(value);
      expect(JSON.parse(json)).toEqual(value);
      expect(json).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
    }
  });

  test('pretty JSON keeps its line feeds', () => {
    expect(jsonText({ a: '\u007f' }, true)).toBe('{\n  "a": "\\u007f"\n}');
  });

  test('what JSON does not know is null or left out', () => {
    expect(jsonText({ list: [undefined, 1], gone: undefined, none: Number.NaN })).toBe('{"list":[null,1],"none":null}');
  });

  test('nothing at all is null', () => {
    expect(jsonText(undefined)).toBe('null');
  });
});
