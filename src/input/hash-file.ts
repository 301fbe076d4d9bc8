import { DuplicateCandidateSearch, type DuplicateCandidates } from '../base/duplicate-candidates.ts';
import { UsageError } from '../base/errors.ts';
import { type LinkDomains, type LinkKey, linkText } from '../contract/link.ts';
import { type NamedAccount, type NamedFor, type Placement, readPlaced } from './domain-resolver.ts';
import { hashTexts } from './hashes/hash-lines.ts';
import { parseHash } from './hashes/parse-hash.ts';
import type { Source } from './source.ts';

/** A file of hashes that was checked as a whole and can be read again, each URL once. */
export interface HashFile {
  /** URLs, each counted once. */
  readonly rows: number;
  readonly domains: LinkDomains;
  open(): AsyncGenerator<HashLine[]>;
}

export interface HashLine {
  readonly line: number;
  readonly item: LinkKey;
}

/**
 * Checks a file of hashes without holding it: only those that may be in it twice are read again. Throws a UsageError with the
 * place of the first bad line, for a file without a hash, and where it is not known which links are meant.
 */
export async function checkHashFile(source: Source, account: NamedAccount, use: NamedFor): Promise<HashFile> {
  const scanWith = (placement: Placement): Promise<Scanned> => scan(source, placement);
  const { found: scanned, placement } = await readPlaced(scanWith, account, use, source.name);
  const { candidates } = scanned;
  async function* open(): AsyncGenerator<HashLine[]> {
    const seen = new Set<string>();
    const isNew = (text: string): boolean => !candidates.has(text) || seen.size < seen.add(text).size;
    for await (const found of hashLines(source, placement)) yield found.filter(({ item }) => isNew(linkText(item)));
  }
  let { rows } = scanned;
  if (candidates.count > 0) {
    rows = 0;
    for await (const found of open()) rows += found.length;
  }
  return { rows, domains: placement.domains(), open };
}

interface Scanned {
  /** Lines, some of which may name the same link. */
  readonly rows: number;
  readonly candidates: DuplicateCandidates;
}

async function scan(source: Source, placement: Placement): Promise<Scanned> {
  const search = new DuplicateCandidateSearch();
  let rows = 0;
  for await (const found of hashLines(source, placement)) {
    rows += found.length;
    for (const { item } of found) search.add(linkText(item));
  }
  if (rows === 0) throw new UsageError(`${source.name}: no hashes`);
  return { rows, candidates: search.candidates() };
}

async function* hashLines(source: Source, placement: Placement): AsyncGenerator<HashLine[]> {
  for await (const found of hashTexts(source)) {
    yield found.map(({ line, text }) => ({ line, item: linkOf(text, source.name, line, placement) }));
  }
}

function linkOf(text: string, name: string, line: number, placement: Placement): LinkKey {
  try {
    return placement.place(parseHash(text), line);
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${name}:${line}: ${error.message}`, { cause: error }) : error;
  }
}
