import { DuplicateCandidateSearch, type DuplicateCandidates } from '../base/duplicate-candidates.ts';
import { UsageError } from '../base/errors.ts';
import { type LinkDomains, type LinkKey, linkText } from '../contract/link.ts';
import { type DomainResolver, type LinkUse, type NamedAccount, readWithDomains } from './domain-resolver.ts';
import { hashTexts } from './hashes/hash-lines.ts';
import { parseHash } from './hashes/parse-hash.ts';
import type { Source } from './source.ts';

/** A checked file of hashes that can be read repeatedly, each URL once. */
interface HashFile {
  /** The number of distinct URLs. */
  readonly rows: number;
  readonly domains: LinkDomains;
  open(): AsyncGenerator<HashLine[]>;
}

interface HashLine {
  readonly line: number;
  readonly item: LinkKey;
}

/**
 * Checks a file of hashes without loading it: only possible duplicates are read again. Throws a UsageError with the line of the first
 * error, for a file without hashes, and for ambiguous links.
 */
export async function checkHashFile(source: Source, account: NamedAccount, use: LinkUse): Promise<HashFile> {
  const scanWith = (resolver: DomainResolver): Promise<Scanned> => scan(source, resolver);
  const { found: scanned, resolver } = await readWithDomains(scanWith, account, use, source.name);
  const { candidates } = scanned;
  async function* open(): AsyncGenerator<HashLine[]> {
    const seen = new Set<string>();
    const isNew = (text: string): boolean => !candidates.has(text) || seen.size < seen.add(text).size;
    for await (const found of hashLines(source, resolver)) yield found.filter(({ item }) => isNew(linkText(item)));
  }
  let { rows } = scanned;
  if (candidates.count > 0) {
    rows = 0;
    for await (const found of open()) rows += found.length;
  }
  return { rows, domains: resolver.domains(), open };
}

interface Scanned {
  /** The number of lines, including duplicates. */
  readonly rows: number;
  readonly candidates: DuplicateCandidates;
}

async function scan(source: Source, resolver: DomainResolver): Promise<Scanned> {
  const search = new DuplicateCandidateSearch();
  let rows = 0;
  for await (const found of hashLines(source, resolver)) {
    rows += found.length;
    for (const { item } of found) search.add(linkText(item));
  }
  if (rows === 0) throw new UsageError(`${source.name}: no hashes`);
  return { rows, candidates: search.candidates() };
}

async function* hashLines(source: Source, resolver: DomainResolver): AsyncGenerator<HashLine[]> {
  for await (const found of hashTexts(source)) {
    yield found.map(({ line, text }) => ({ line, item: linkOf(text, source.name, line, resolver) }));
  }
}

function linkOf(text: string, name: string, line: number, resolver: DomainResolver): LinkKey {
  try {
    return resolver.resolve(parseHash(text), line);
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`${name}:${line}: ${error.message}`, { cause: error }) : error;
  }
}
