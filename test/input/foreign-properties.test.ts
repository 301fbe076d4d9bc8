import { expect, test } from 'vitest';
import { check, rows, seeded } from './fixtures.ts';

/** Names that go together in one file, each with the field that it is and a value. */
const columns = [
  ['destination url', 'long_url', 'https://www.example.com/a,b;c|d'],
  ['custom back half', 'custom_hash', 'Spring_1'],
  ['title', 'note', 'a "note", of; two | parts'],
  ['link tags', 'tags', 'news'],
  ['expires at', 'expiration_date', '2031-12-31'],
  ['total clicks', undefined, '7'],
  ['created at', undefined, '2025-01-31T09:00:00Z'],
] as const;

test('I1, I2: names in any order, case and spelling, behind any delimiter, are the same columns (150 random files)', async () => {
  for (let seed = 1; seed <= 150; seed += 1) {
    const random = seeded(seed);
    const pick = <Item>(items: readonly [Item, ...Item[]]): Item => items[Math.floor(random() * items.length)] ?? items[0];
    const spelled = (name: string): string => {
      const joined = name.replaceAll(' ', () => pick(['', ' ', '_', '-', '  ']));
      return pick([joined, joined.toUpperCase(), joined.replace(/^./, (first) => ` ${first.toUpperCase()}`)]);
    };
    const [first, ...others] = columns;
    const chosen = [first, ...others.filter(() => random() < 0.6)].toSorted(() => random() - 0.5);
    const sign = pick([',', ';', '\t', '|']);
    const cell = (text: string): string => (/[",;|\t]/.test(text) || random() < 0.2 ? `"${text.replaceAll('"', '""')}"` : text);
    const line = (cells: readonly string[]): string => `${cells.map(cell).join(sign)}${pick(['\n', '\r\n'])}`;
    const text = line(chosen.map(([name]) => spelled(name))) + line(chosen.map(([, , value]) => value));
    const expected = chosen.flatMap(([, field, value]) => (field ? [[field, field === 'tags' ? [value] : value]] : []));
    expect((await rows(text))[0]?.item, `seed ${seed}: ${text}`).toEqual(Object.fromEntries(expected));
    expect((await check(text)).columns?.split('; not used: ')[0]?.split(', ')).toHaveLength(expected.length);
  }
});
