import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test as base } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import type { InputUse } from '../../src/contract/formats.ts';
import { type CheckedInput, type CheckOptions, checkInput, readRows } from '../../src/input/check-input.ts';
import { utf8Text } from '../../src/input/encoding.ts';
import { formatByName } from '../../src/input/format.ts';
import type { InputRow } from '../../src/input/row.ts';
import { openSource, type Source } from '../../src/input/source.ts';

/** 2026-03-01 12:00:00 UTC. */
export const now = Date.UTC(2026, 2, 1, 12);

/** A folder of the test's own, and a way to open what is in it. */
export const test = base.extend<{
  folder: string;
  open: (operand: string, stdin?: Readable, onTerminal?: () => void) => Promise<Source>;
}>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads which fixtures are wanted from this pattern
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'linkctl-input-'));
    await use(folder);
    await rm(folder, { recursive: true, force: true });
  },
  open: async ({ folder }, use) => {
    await use((operand, stdin = Readable.from([]), onTerminal) =>
      openSource(operand, {
        system: { stdin, randomBytes },
        folder: join(folder, 'state'),
        onTerminal,
      }),
    );
  },
});

/** What a person reads: the message and the lines after it. */
export async function failure(work: Promise<unknown>): Promise<{ exitCode: number; lines: string[]; text: string }> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const lines = [error.message, ...error.details];
    return { exitCode: error.exitCode, lines, text: lines.join('\n') };
  }
  throw new Error('nothing went wrong');
}

/** A source in memory, its bytes handed out in the given pieces; `taken` counts those that were asked for, and `open` readings that have not ended. */
export function memorySource(name: string, pieces: Iterable<Buffer | string>): Source & { taken(): number; open(): number } {
  const rest = pieces[Symbol.iterator]();
  const kept: (Buffer | string)[] = [];
  let open = 0;
  async function* bytes(): AsyncGenerator<Buffer> {
    open += 1;
    try {
      for (let nth = 0; ; nth += 1) {
        const next = nth < kept.length ? { value: kept[nth] } : rest.next();
        if (next.value === undefined) return;
        kept[nth] = next.value;
        yield Buffer.from(next.value);
      }
    } finally {
      open -= 1;
    }
  }
  return {
    name,
    text: () => utf8Text(bytes(), name),
    sha256: () => createHash('sha256').update(name).digest('hex'),
    changeError: async () => undefined,
    discard: () => {},
    taken: () => kept.length,
    open: () => open,
  };
}

export interface Given extends Partial<Omit<CheckOptions, 'first'>> {
  /** Name of the file, which decides its format. */
  readonly name?: string;
}

export function optionsFor<Use extends InputUse>(use: Use, { name = 'links.csv', ...given }: Given = {}): CheckOptions<Use> {
  return { edition: 'a', format: formatByName(name), now, ...given, use };
}

/** Checks a text as `shorten` would, or as `use` says. */
export function check(text: string | Buffer, given: Given & { use?: InputUse } = {}): Promise<CheckedInput> {
  return checkInput(memorySource(given.name ?? 'links.csv', [text]), optionsFor(given.use ?? 'shorten', given));
}

export function checkEdit(text: string, given: Given = {}): Promise<CheckedInput> {
  return check(text, { name: 'edits.csv', ...given, use: 'edit' });
}

export async function rows<Use extends InputUse = 'shorten'>(
  pieces: string | Iterable<Buffer | string>,
  given: Given & { use?: Use } = {},
): Promise<InputRow<Use>[]> {
  const source = memorySource(given.name ?? 'links.csv', typeof pieces === 'string' ? [pieces] : pieces);
  return all(readRows(source, optionsFor((given.use ?? 'shorten') as Use, given)));
}

export async function all<Item>(batches: AsyncIterable<readonly Item[]>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const batch of batches) items.push(...batch);
  return items;
}

export async function written(folder: string, name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

/** Numbers in [0, 1) that are the same at every run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mix = Math.imul(state ^ (state >>> 15), state | 1);
    mix ^= mix + Math.imul(mix ^ (mix >>> 7), mix | 61);
    return ((mix ^ (mix >>> 14)) >>> 0) / 2 ** 32;
  };
}
