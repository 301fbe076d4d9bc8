import { type LinkKey, linkText } from '../contract/link.ts';
import { UsageError } from '../errors.ts';
import { hashTexts } from './hash-lines.ts';
import { type DomainInForce, parseHash, placedOn } from './hashes.ts';
import type { Source } from './source.ts';
import { SuspectSearch } from './suspects.ts';

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

async function* hashLines(source: Source, domain: DomainInForce): AsyncGenerator<HashLine[]> {
  for await (const found of hashTexts(source)) {
    yield found.map(({ line, text }) => ({ line, item: operandOf(text, `${source.name}:${line}`, domain) }));
  }
}

function operandOf(text: string, place: string, domain: DomainInForce): LinkKey {
  try {
    return placedOn(parseHash(text), domain);
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${place}: ${error.message}`, { cause: error }) : error;
  }
}
