import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Modules that come along as soon as the file is imported: packages by name, ours by their imports. */
function loadedWith(file: URL, seen = new Set<string>()): Set<string> {
  if (seen.has(file.href)) return seen;
  seen.add(file.href);
  const source = readFileSync(file, 'utf8');
  for (const [, name = ''] of source.matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)';/gms)) {
    if (name.startsWith('.')) loadedWith(new URL(name, file), seen);
    else seen.add(name);
  }
  return seen;
}

test.each(['print.ts', 'failures.ts', 'streams.ts', 'fields.ts'])('B98: %s comes without a library', (name) => {
  const loaded = loadedWith(new URL(`../../src/output/${name}`, import.meta.url));
  expect([...loaded].filter((module) => !module.startsWith('file:') && !module.startsWith('node:'))).toEqual([]);
});

test('B98: rows in a pipe come without one, too', () => {
  for (const name of ['formats/rows.ts', 'formats/separated.ts', 'formats/json.ts']) {
    const loaded = loadedWith(new URL(`../../src/output/${name}`, import.meta.url));
    expect([...loaded].filter((module) => !module.startsWith('file:') && !module.startsWith('node:'))).toEqual([]);
  }
});

test('a table brings its library, so the test above would see one', () => {
  expect(loadedWith(new URL('../../src/output/formats/table.ts', import.meta.url))).toContain('cli-table3');
});
