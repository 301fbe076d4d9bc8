import { DuplicateCandidateSearch } from '../base/duplicate-candidates.ts';
import { UsageError } from '../base/errors.ts';
import { quoted } from '../base/quoted.ts';
import { type LinkDomains, type LinkKey, linkText } from '../contract/link.ts';
import { type DomainResolver, type LinkUse, type NamedAccount, readWithDomains } from './domain-resolver.ts';
import { isName, type NamedRow, namedRows } from './hashes/named-rows.ts';
import { rowLink } from './hashes/parse-hash.ts';
import type { Source } from './source.ts';
import { firstLines } from './text-lines.ts';

/** A checked file of hashes that can be read repeatedly, each URL once. */
interface HashFile {
  /** The number of distinct URLs. */
  readonly rows: number;
  readonly domains: LinkDomains;
  /** Some hashes have no domain, and there is no working domain. */
  readonly hasBare: boolean;
  open(): AsyncGenerator<HashLine[]>;
  items(): AsyncGenerator<LinkKey>;
  /** Knows what `items` has yielded. */
  lineOf(item: LinkKey): number | undefined;
}

interface HashLine {
  readonly line: number;
  readonly item: LinkKey;
}

/**
 * Checks a file of hashes without loading it: only possible duplicates are read again. Throws a UsageError with the line of the first
 * error, for an empty file, for ambiguous links, and, if its links are to be changed, for those that the run in the file left alone.
 */
export async function checkHashFile(
  source: Source,
  account: NamedAccount,
  use: LinkUse,
  isChanged = use === 'listed change',
): Promise<HashFile> {
  const linesOf = (resolver: DomainResolver) => hashLines(source, resolver, isChanged);
  const { found: scanned, resolver } = await readWithDomains((each) => scan(source, linesOf(each)), account, use, source.name);
  const { candidates } = scanned;
  async function* open(): AsyncGenerator<HashLine[]> {
    const seen = new Set<string>();
    const isNew = (text: string): boolean => !candidates.has(text) || seen.size < seen.add(text).size;
    for await (const found of linesOf(resolver)) yield found.filter(({ item }) => isNew(linkText(item)));
  }
  const lines = new WeakMap<LinkKey, number>();
  async function* items() {
    for await (const found of open()) {
      for (const { line, item } of found) {
        lines.set(item, line);
        yield item;
      }
    }
  }
  let { rows } = scanned;
  if (candidates.count > 0) {
    rows = 0;
    for await (const found of open()) rows += found.length;
  }
  return {
    rows,
    domains: resolver.domains(),
    hasBare: resolver.bare !== undefined,
    open,
    items,
    lineOf: (item) => lines.get(item),
  };
}

/** Returns the number of lines, including duplicates, and the possible duplicates. */
async function scan(source: Source, lines: AsyncIterable<HashLine[]>) {
  const search = new DuplicateCandidateSearch();
  let rows = 0;
  for await (const found of lines) {
    rows += found.length;
    for (const { item } of found) search.add(linkText(item));
  }
  // A header or a JSON bracket is the listing of a selection without links, and so is a pipe in which list wrote nothing.
  const begins = async (isWanted?: (line: string) => boolean) => (await firstLines(source, 1, isWanted)).texts.length > 0;
  const isEmptyPipe = async () => source.mayBeEmpty && !(await begins());
  const mayBeEmpty = rows > 0 || (await begins(isName)) || (await isEmptyPipe());
  if (!mayBeEmpty) throw new UsageError(`${source.name}: no hashes`);
  return { rows, candidates: search.candidates() };
}

async function* hashLines(source: Source, resolver: DomainResolver, isChanged: boolean): AsyncGenerator<HashLine[]> {
  for await (const found of namedRows(source)) {
    yield found.map(({ line, row }) => {
      try {
        if (isChanged) refuseUntouched(row);
        return { line, item: resolver.resolve(linkOf(row), line) };
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        throw new UsageError(`${source.name}:${line}: ${error.message}`, { hint: error.hint, cause: error });
      }
    });
  }
}

function linkOf(row: NamedRow): LinkKey {
  const { short_url, short_url_with_protocol: full, domain } = row;
  const name = nameIn(row);
  if (name === undefined) throw new UsageError('hash is missing');
  const link = rowLink(name, short_url ?? full, domain);
  return short_url === undefined || full === undefined ? link : rowLink(name, full, link.domain);
}

function nameIn({ hash, short_url, short_url_with_protocol }: NamedRow): string | undefined {
  return hash ?? short_url ?? short_url_with_protocol;
}

/** The statuses of rows whose links a run found and left as they were, or may have. */
const untouched: ReadonlySet<string> = new Set(['existing', 'skipped', 'failed', 'unknown', 'not_sent']);

/** The results of a run are the list of its links only without these rows: they may name links of others. */
function refuseUntouched(row: NamedRow): void {
  const { status = '' } = row;
  if (!untouched.has(status)) return;
  const name = nameIn(row);
  throw new UsageError(`${status}: the run did not make or change ${name === undefined ? 'this link' : quoted(name)}`, {
    hint: 'to undo the run: linkctl undo <run>; or remove such rows from the file',
  });
}
