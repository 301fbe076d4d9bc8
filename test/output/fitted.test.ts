import { expect, test } from 'vitest';
import { wrap } from '../../src/base/wrap.ts';
import { displayWidth } from '../../src/output/display-width.ts';
import { createWorld } from './world.ts';

const terminal = { isTTY: true, columns: 40 };

test.each([
  'これは とても 長い メモ です ね 漢字 仮名 交じり 文',
  '한국어 문장 은 여러 낱말 로 나뉜다',
  '😀😀 ✅✅ ⭐⭐ ❤️❤️ 👨‍👩‍👧‍👦 e\u0301e\u0301',
  'ＡＢＣ ｄｅｆ 、。！ a→b',
])('B58a: wide letters and emoji take two columns: %s', (words) => {
  const lines = wrap(`${words} ${words} ${words}`, 20);
  expect(lines.join(' ')).toBe(`${words} ${words} ${words}`);
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(20);
});

test.each([
  ['to see them, use ', "linkctl list --by-tags 'one, two; three four'", '; or ask somebody else for help with it'],
  ['/home/ann/.config is accessible to other users (755): ', "chmod 700 '/home/ann/my files/.config'", ''],
  ['if no such process is running on any machine: ', "rm '/home/ann/my files/lock'", ''],
  ['A tag has this label. To select the tag: ', `--by-tags '"a label of many words, of which this is one"'`, ''],
])('B58a, B45: on a terminal, %s%s stays on one line', (before, command, after) => {
  const text = createWorld({ stderr: terminal }).streams.fitted(before + command + after, 'stderr');
  expect(text.replaceAll('\n', ' ')).toBe(before + command + after);
  expect(text).toContain(command);
  for (const line of text.split('\n')) if (!line.startsWith(command)) expect(line.length).toBeLessThanOrEqual(40);
});

test('B58a: what follows an indent breaks, too', () => {
  const text = 'take the label of many words from 12 links: it is used';
  expect(createWorld({ stderr: terminal }).streams.fitted(text, 'stderr', '  ')).toBe(
    'take the label of many words from 12\nlinks: it is used',
  );
});

test('B58a: off a terminal, nothing breaks', () => {
  const text = 'more words than a line of forty columns has room for, and then some';
  expect(createWorld({ stderr: terminal }).streams.fitted(text)).toBe(text);
  expect(createWorld({ stdout: terminal }).streams.fitted(text, 'stderr')).toBe(text);
});
