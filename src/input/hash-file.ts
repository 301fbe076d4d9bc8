import { DuplicateCandidateSearch, type DuplicateCandidates } from '../base/duplicate-candidates.ts';
import { UsageError } from '../base/errors.ts';
import { quoted } from '../base/quoted.ts';
import { type LinkDomains, type LinkKey, linkText } from '../contract/link.ts';
import { csvRecords } from './csv/csv-reader.ts';
import { type DomainResolver, type LinkUse, type NamedAccount, readWithDomains } from './domain-resolver.ts';
import { listingColumns } from './fields/members.ts';
import { parseHash } from './hashes/parse-hash.ts';
import { jsonRecords, parseJson } from './json/json-records.ts';
import type { Notice } from './notices.ts';
import type { Source } from './source.ts';
import { firstLines, isFilled, type RecordBatch, textLines } from './text-lines.ts';

/** A checked file of hashes that can be read repeatedly, each URL once. */
interface HashFile {
  /** The number of distinct URLs. */
  readonly rows: number;
  readonly domains: LinkDomains;
  /** Some hashes have no domain, and there is no working domain. */
  readonly hasBare: boolean;
  open(): AsyncGenerator<HashLine[]>;
}

interface HashLine {
  readonly line: number;
  readonly item: LinkKey;
}

/**
 * Checks a file of hashes without loading it: only possible duplicates are read again. Throws a UsageError with the line of the first
 * error, for an empty file, and for ambiguous links.
 */
export async function checkHashFile(source: Source, account: NamedAccount, use: LinkUse): Promise<HashFile> {
  const { found: scanned, resolver } = await readWithDomains((each) => scan(source, each), account, use, source.name);
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
  return { rows, domains: resolver.domains(), hasBare: resolver.bare !== undefined, open };
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
  // A header or a JSON bracket is the listing of a selection without links, and so is a pipe in which list wrote nothing.
  const begins = async (isWanted?: (line: string) => boolean) => (await firstLines(source, 1, isWanted)).texts.length > 0;
  const isEmptyPipe = async () => source.copyTo !== undefined && !(await begins());
  const mayBeEmpty = rows > 0 || (await begins(isName)) || (await isEmptyPipe());
  if (!mayBeEmpty) throw new UsageError(`${source.name}: no hashes`);
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

interface HashText {
  /** From 1. */
  readonly line: number;
  /** A hash or a short URL, unchecked. */
  readonly text: string;
}

/** Accepts one hash or short URL per line, and listings in all output formats: a header or a JSON bracket is never taken for a hash. */
async function* hashTexts(source: Source): AsyncGenerator<HashText[]> {
  const { line, texts } = await firstLines(source, 1, isName);
  const [text = ''] = texts;
  const head = text.trim();
  if (/^[{[]/.test(head)) return yield* jsonNames(source);
  if (/^[a-z_"]+,/i.test(head)) return yield* csvNames(source);
  const cells = text.split('\t').map((cell) => cell.trim());
  const isHead = cells.every((cell) => listingColumns.has(cell));
  if ((cells.length > 1 && !isHead) || /\S {2,}\S/.test(head)) {
    throw new UsageError(
      `${source.name}:${line}: more than one column: create the file with linkctl list --fields short_url or -o csv`,
    );
  }
  if (isHead || tableHeads.has(head)) return yield* plainLines(source, isHead ? columnOf(cells, `${source.name}:${line}`) : 0);
  yield* plainLines(source);
}

/** The unambiguous column first. */
const naming = ['short_url', 'short_url_with_protocol', 'hash'] as const;

/** The titles of these columns in tables. */
const tableHeads: ReadonlySet<string> = new Set(['SHORT URL', 'HASH']);

const isName = (line: string): boolean => isFilled(line) && !line.trim().startsWith('#');

/** Reads the names of records. A record without one, such as a header, is left out. */
async function* namesIn<Record>(
  batches: AsyncIterable<RecordBatch<Record>>,
  nameIn: (record: Record, line: number) => string | undefined,
): AsyncGenerator<HashText[]> {
  for await (const { records, lines } of batches) {
    yield records.flatMap((record, index) => {
      const line = lines[index] ?? 0;
      const text = nameIn(record, line);
      return text === undefined ? [] : { line, text };
    });
  }
}

/** Skips blank lines and `#` comments. With a column, the first other line is a header. */
function plainLines(source: Source, column?: number): AsyncGenerator<HashText[]> {
  let isHead = column !== undefined;
  return namesIn(textLines(source), (line) => {
    if (!isName(line)) return undefined;
    if (!isHead) return (column === undefined ? line : (line.split('\t')[column] ?? '')).trim();
    isHead = false;
    return undefined;
  });
}

/** Reads the output of `list -o csv` or `--failed`. */
function csvNames(source: Source): AsyncGenerator<HashText[]> {
  let columns: ReadonlyMap<string, number> | undefined;
  return namesIn(csvRecords(source, ',', refuserOf(source)), (record, line) => {
    const header = columns;
    if (header) return nameOf((column) => record[header.get(column) ?? -1]) ?? '';
    if (naming.every((name) => !record.includes(name))) throw new UsageError(`${source.name}:${line}: column hash is missing`);
    columns = new Map([...naming, 'domain'].map((name) => [name, record.indexOf(name)]));
    return undefined;
  });
}

function columnOf(cells: readonly string[], place: string): number {
  const column = naming.map((name) => cells.indexOf(name)).find((position) => position >= 0);
  if (column !== undefined) return column;
  throw new UsageError(`${place}: ${quoted(cells.join(' '))} is a column name, but not hash or short_url`, {
    hint: 'for a link with this hash, use its short URL; to create the file: linkctl list --fields short_url',
  });
}

/** Reads a JSON document or JSON lines. */
function jsonNames(source: Source): AsyncGenerator<HashText[]> {
  const isRow = (object: object): boolean => naming.some((name) => Object.hasOwn(object, name));
  return namesIn(jsonRecords(source, isRow, refuserOf(source)), (text, line) =>
    text.trim() === '' ? undefined : nameInJson(parseJson(text), `${source.name}:${line}`),
  );
}

function refuserOf({ name }: Source): (notice: Notice) => void {
  return ({ line, reason }) => {
    throw new UsageError(`${name}:${line}: ${reason}`);
  };
}

function nameInJson(record: unknown, place: string): string {
  const members = new Map<string, unknown>(Object.entries(record ?? {}));
  const name = nameOf((member) => members.get(member));
  if (name === undefined) throw new UsageError(`${place}: expected a JSON object with short_url or hash`);
  return name;
}

/** Returns undefined for a row without a name. A bare hash is on the domain of its row. */
function nameOf(cellOf: (column: string) => unknown): string | undefined {
  const textOf = (column: string): string | undefined => {
    const value = cellOf(column);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const column = naming.find((each) => textOf(each) !== undefined);
  const name = column && textOf(column);
  const domain = textOf('domain');
  return column === 'hash' && name && domain && !name.includes('/') ? linkText({ hash: name, domain }) : name;
}
