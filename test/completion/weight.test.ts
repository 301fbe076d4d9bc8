import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const top = join(import.meta.dirname, '..', '..');

/** What is too heavy for a key press (T12). */
const heavy = ['undici', 'conf', 'csv-parse', 'cli-table3', 'chalk', '@photostructure/sqlite', '@fastify/busboy'];

/** Everything that comes along when these files are imported, without what is imported only when something is run. */
async function comesAlong(entries: readonly string[]): Promise<Map<string, string[]>> {
  const { metafile } = await build({
    absWorkingDir: top,
    entryPoints: ['src/cli/main.ts'],
    outdir: 'nowhere',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    write: false,
    metafile: true,
    external: ['@photostructure/sqlite'],
    logLevel: 'error',
  });
  const ways = new Map<string, string[]>();
  const visit = (file: string, way: readonly string[]): void => {
    if (ways.has(file)) return;
    ways.set(file, [...way, file]);
    for (const { path, kind } of metafile.inputs[file]?.imports ?? []) if (kind !== 'dynamic-import') visit(path, [...way, file]);
  };
  for (const entry of entries) visit(entry, []);
  return ways;
}

function heavyOnes(ways: ReadonlyMap<string, string[]>): string[] {
  const isHeavy = (file: string): boolean => heavy.some((name) => file === name || file.startsWith(`node_modules/${name}/`));
  return [...ways].filter(([file]) => isHeavy(file)).map(([, way]) => way.join(' -> '));
}

test('B98: help, the version and completions load no library that only calls, tables, files or storage need', async () => {
  const commands = readdirSync(join(top, 'src', 'commands')).flatMap((name) =>
    name.endsWith('.ts') ? `src/commands/${name}` : [],
  );
  const ways = await comesAlong(['src/cli/main.ts', 'src/completion/answer.ts', 'src/help/topics.ts', ...commands]);
  expect(ways.has('node_modules/commander/index.js')).toBe(true);
  expect(heavyOnes(ways)).toEqual([]);
});
