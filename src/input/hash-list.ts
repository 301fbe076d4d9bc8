import { type LinkKey, linkText } from '../contract/link.ts';
import { UsageError } from '../errors.ts';
import { csvRecords } from './csv-records.ts';
import { type DomainInForce, parseHash, placedOn } from './hashes.ts';
import type { Source } from './source.ts';
import { SuspectSearch } from './suspects.ts';
import { textLines } from './text-lines.ts';

/** A file of hashes that was checked as a whole and can be read again, each URL once. */
export interface HashFile {
  /** URLs, each counted once. */
  readonly rows: number;
  /** The first of them, for a question. */
  readonly first: readonly LinkKey[];
  open(): AsyncGenerator<HashLine[]>;
}

export interface HashLine {
  readonly line: number;
  readonly item: LinkKey;
}

/** URLs that are kept for a question. */
const keptFirst = 5;

/**
 * Checks a file of hashes without holding it: only those that may stand in it twice are looked at again. Throws a UsageError with the
 * place of the first bad line, and for a file without a hash.
 */
export async function checkHashFile(source: Source, domain: DomainInForce): Promise<HashFile> {
  const search = new SuspectSearch();
  const first = new Map<string, LinkKey>();
  let rows = 0;
  for await (const found of hashLines(source, domain)) {
    rows += found.length;
    for (const { item } of found) {
      const text = linkText(item);
      search.add(text);
      if (first.size < keptFirst) first.set(text, item);
    }
  }
  const suspects = search.suspects();
  async function* open(): AsyncGenerator<HashLine[]> {
    const seen = new Set<string>();
    const isNew = (text: string): boolean => !suspects.has(text) || seen.size < seen.add(text).size;
    for await (const found of hashLines(source, domain)) yield found.filter(({ item }) => isNew(linkText(item)));
  }
  if (suspects.count > 0) {
    rows = 0;
    for await (const found of open()) rows += found.length;
  }
  if (rows === 0) throw new UsageError(`${source.name}: no hashes`);
  return { rows, first: [...first.values()], open };
}

/** A hash or a short URL on each line, or the columns of a listing; a comma can stand in no hash, so it tells which. */
async function* hashLines(source: Source, domain: DomainInForce): AsyncGenerator<HashLine[]> {
  const lines = (await isTable(source)) ? listingLines(source) : plainLines(source);
  for await (const found of lines) {
    yield found.map(({ line, text }) => ({ line, item: operandOf(text, `${source.name}:${line}`, domain) }));
  }
}

interface Line {
  readonly line: number;
  readonly text: string;
}

async function isTable(source: Source): Promise<boolean> {
  for await (const { lines } of textLines(source)) {
    const [line] = lines.filter((text) => text.trim() !== '');
    if (line !== undefined) return /^[a-z_"]+,/i.test(line);
  }
  return false;
}

/** Blank lines and `#` comments are skipped (CLI.md 3.6). */
async function* plainLines(source: Source): AsyncGenerator<Line[]> {
  for await (const { first, lines } of textLines(source)) {
    yield lines
      .map((text, index) => ({ line: first + index, text: text.trim() }))
      .filter(({ text }) => text !== '' && !text.startsWith('#'));
  }
}

/** What `list -o csv` or `--failed` wrote: `short_url` tells namesakes on several domains apart. */
async function* listingLines(source: Source): AsyncGenerator<Line[]> {
  let column: number | undefined;
  const broken = ({ line, reason }: { line: number; reason: string }): void => {
    throw new UsageError(`${source.name}:${line}: ${reason}`);
  };
  for await (const { records, lines } of csvRecords(source.text(), ',', broken)) {
    const found: Line[] = [];
    for (const [index, record] of records.entries()) {
      const line = lines[index] ?? 0;
      if (column === undefined) {
        column = ['short_url', 'hash'].map((name) => record.indexOf(name)).find((position) => position >= 0);
        if (column === undefined) throw new UsageError(`${source.name}:${line}: column hash is missing`);
      } else found.push({ line, text: record[column] ?? '' });
    }
    yield found;
  }
}

function operandOf(text: string, place: string, domain: DomainInForce): LinkKey {
  try {
    return placedOn(parseHash(text), domain);
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${place}: ${error.message}`, { cause: error }) : error;
  }
}
