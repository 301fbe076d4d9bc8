import { describe, expect, test } from 'vitest';
import { drawQr, qrCode, qrSvg, qrWidth } from '../../src/output/qr.ts';
import { readCode, screenModules, svgModules } from './qr-reading.ts';

const texts = ['https://s.ex/abc', 'http://localhost/nsuTr7', `https://example.com/${'x'.repeat(400)}`, 'https://例え.jp/é'];
const canvases = [
  { coloured: true, halves: true },
  { coloured: true, halves: false },
  { coloured: false, halves: true },
  { coloured: false, halves: false },
];

describe.each(texts)('%s', (text) => {
  test.each(canvases)('B96: a camera reads what a terminal draws: %j', (canvas) => {
    const code = qrCode(text);
    if (!code) throw new Error('no code');
    const lines = drawQr(code, canvas);
    expect(readCode(screenModules(lines, canvas))).toBe(text);
    expect(lines.every((line) => cells(line) === qrWidth(code, canvas))).toBe(true);
  });

  test('a camera reads the SVG document', () => {
    const code = qrCode(text);
    expect(code && readCode(svgModules(qrSvg(code)))).toBe(text);
  });
});

test('four modules of light stand on every side', () => {
  const code = qrCode('https://s.ex/abc');
  if (!code) throw new Error('no code');
  const dark = (row: number, column: number): boolean => code.modules[row]?.[column] ?? false;
  for (let at = 0; at < code.size; at++) {
    for (let edge = 0; edge < 4; edge++) {
      expect([dark(edge, at), dark(at, edge), dark(code.size - 1 - edge, at), dark(at, code.size - 1 - edge)]).toEqual(
        Array(4).fill(false),
      );
    }
  }
});

test('a short URL fits a terminal of 40 columns', () => {
  const code = qrCode('https://s.example/AbCdEfGh');
  expect(code && qrWidth(code, { coloured: true, halves: true })).toBeLessThanOrEqual(40);
});

test('more than a code can hold is none', () => {
  expect(qrCode('x'.repeat(3000))).toBeUndefined();
});

test('the reader of these tests reads no code where there is none', () => {
  expect(readCode(Array.from({ length: 29 }, () => Array(29).fill(false)))).toBeUndefined();
});

function cells(line: string): number {
  return line.replace(/\u001b\[[\d;]*m/g, '').length;
}
