import { DuplicateCandidateSearch, type DuplicateCandidates } from '../base/duplicate-candidates.ts';
import { LocalError, UsageError } from '../base/errors.ts';
import { linkText } from '../contract/link.ts';
import { csvReader, csvRecords } from './csv/csv.ts';
import type { InputUse } from './format.ts';
import { jsonReader } from './jsonl.ts';
import type { KeptRows } from './kept-rows.ts';
import { lineReader } from './lines.ts';
import { type InputRow, type Notice, type Notices, type ReadOptions, type RecordReader, RowDraft } from './row.ts';
import type { Source } from './source.ts';
import { type RecordBatch, textLines } from './text-lines.ts';

export interface CheckOptions<Use extends InputUse = InputUse> extends ReadOptions<Use> {
  /** Accepts custom hashes that differ only in case (C16). */
  readonly allowCaseDuplicates?: boolean | undefined;
}

/** What is known of an input that may be sent. */
export interface CheckedInput {
  readonly rows: number;
  /** Rows that give a custom hash. */
  readonly withHash: number;
  /** Of the input's bytes, in hex. */
  readonly sha256: string;
  /** `file:line:column: what`, the first of them, and a line that counts the rest. */
  readonly warnings: readonly string[];
}

/**
 * Reads the whole input and validates every row before anything is sent (R-28, B51). Rows that are to be sent go to `kept`
 * meanwhile. Throws one UsageError with all that is wrong, up to 20 places.
 */
export async function checkInput<Use extends InputUse>(
  source: Source,
  options: CheckOptions<Use>,
  kept?: Pick<KeptRows<InputRow<Use>>, 'add'>,
): Promise<CheckedInput> {
  const problems = new NoticeList(source.name);
  const warnings = new NoticeList(source.name);
  const duplicates = new DuplicateSearch(options.allowCaseDuplicates === true);
  let rows = 0;
  let withHash = 0;
  for await (const batch of rowsOf(source, options, { problem: problems.add, warning: warnings.add })) {
    for (const row of batch) {
      if (row.item.custom_hash !== undefined) withHash += 1;
      duplicates.add(row);
    }
    rows += batch.length;
    if (problems.count === 0) kept?.add(batch);
  }
  await duplicates.confirm(source, options, problems.add);
  if (problems.count > 0) throw invalid(source.name, options.use, problems);
  if (rows === 0) throw empty(source.name, options);
  return { rows, withHash, sha256: source.sha256(), warnings: warnings.lines('warnings') };
}

const shownNotices = 20;

/** Keeps as many as are shown and counts the rest. */
class NoticeList {
  readonly #name: string;
  readonly #shown: Notice[] = [];
  count = 0;

  constructor(name: string) {
    this.#name = name;
  }

  readonly add = (notice: Notice): void => {
    this.count += 1;
    if (this.#shown.length < shownNotices) this.#shown.push(notice);
  };

  lines(what: string): string[] {
    const lines = this.#shown
      .toSorted((one, other) => one.line - other.line)
      .map(({ line, column, reason }) => `${[this.#name, line, ...(column === undefined ? [] : [column])].join(':')}: ${reason}`);
    const more = this.count - lines.length;
    return more > 0 ? [...lines, `... and ${more} more ${what}`] : lines;
  }
}

function empty(name: string, { use, format }: ReadOptions): UsageError {
  if (format !== 'csv') return new UsageError(`${name}: no rows`);
  return new UsageError(`${name}: no rows: a header and at least one row are required`, {
    hint: `linkctl ${use} --print-template`,
  });
}

function invalid(name: string, use: InputUse, problems: NoticeList): UsageError {
  const count = problems.count;
  return new UsageError(`${name}: ${count} ${count === 1 ? 'problem' : 'problems'}, nothing was sent`, {
    details: problems.lines('problems'),
    hint: `linkctl ${use} --print-template`,
  });
}

/** The rows of a source that `checkInput` has passed, in order, some at a time: nothing holds the whole file. */
export function readRows<Use extends InputUse>(source: Source, options: ReadOptions<Use>): AsyncGenerator<InputRow<Use>[]> {
  return rowsOf(source, options, {
    warning: () => {},
    problem: ({ line }) => {
      throw new LocalError(`${source.name} changed after it was checked: line ${line} is now invalid`);
    },
  });
}

/** The rows of a source, without those that have a problem; `notices` gets the problem. */
function rowsOf<Use extends InputUse>(
  source: Source,
  options: ReadOptions<Use>,
  notices: Notices,
): AsyncGenerator<InputRow<Use>[]> {
  const draft = new RowDraft(options, notices);
  switch (options.format) {
    case 'csv': {
      const records = csvRecords(source.text(), options.delimiter ?? ',', notices.problem);
      return readAll(records, csvReader(draft, options, notices), draft);
    }
    case 'jsonl':
      return readAll(textLines(source), jsonReader(draft, options, notices), draft);
    case 'lines':
      if (options.use !== 'shorten') throw new UsageError('a list of URLs can be shortened, not edited: use csv or jsonl');
      return readAll(textLines(source), lineReader(draft, notices), draft);
  }
}

async function* readAll<Record, Use extends InputUse>(
  batches: AsyncIterable<RecordBatch<Record>>,
  read: RecordReader<Record>,
  draft: RowDraft<Use>,
): AsyncGenerator<InputRow<Use>[]> {
  for await (const { records, lines } of batches) {
    const rows: InputRow<Use>[] = [];
    for (let index = 0; index < lines.length; index += 1) {
      const record = records[index];
      const found = record === undefined ? 'nothing' : read(record, lines[index] ?? 0);
      if (found === 'end') return;
      const row = found === 'row' ? draft.finish() : undefined;
      if (row) rows.push(row);
    }
    yield rows;
  }
}

/**
 * Finds hashes that two rows of a file give (C16): every request must hold distinct ones, or an answer could not be matched to
 * its row (R 1.5). Custom hashes that differ only in case are refused as well, unless they are allowed or come from a
 * listing, which shows that the server has both. The hashes that an edit names exist, so they may differ only in case.
 */
class DuplicateSearch {
  readonly #allowCaseDuplicates: boolean;
  readonly #named = new DuplicateCandidateSearch();
  readonly #custom = new DuplicateCandidateSearch();

  constructor(allowCaseDuplicates: boolean) {
    this.#allowCaseDuplicates = allowCaseDuplicates;
  }

  add({ item }: InputRow): void {
    if ('hash' in item) this.#named.add(linkText(item).toLowerCase());
    if (item.custom_hash !== undefined) this.#custom.add(newUrl(item).toLowerCase());
  }

  /** Reads the source once more if anything may be repeated, and reports the rows that repeat a hash. */
  async confirm<Use extends InputUse>(source: Source, options: ReadOptions<Use>, problem: Notices['problem']): Promise<void> {
    const candidates = { named: this.#named.candidates(), custom: this.#custom.candidates() };
    if (candidates.named.count + candidates.custom.count === 0) return;
    const repeatedName = repetitions('hash', candidates.named);
    const repeatedCustom = repetitions('custom_hash', candidates.custom);
    for await (const rows of rowsOf(source, options, { problem: () => {}, warning: () => {} })) {
      for (const { line, item, listed } of rows) {
        const reason =
          ('hash' in item ? repeatedName(linkText(item), line, true) : undefined) ??
          (item.custom_hash ? repeatedCustom(newUrl(item), line, listed || this.#allowCaseDuplicates) : undefined);
        if (reason) problem({ line, reason });
      }
    }
  }
}

/** Renamed URLs of two domains may get the same hash. */
function newUrl(item: InputRow['item']): string {
  const { custom_hash = '' } = item;
  return 'hash' in item ? linkText({ hash: custom_hash, domain: item.domain }) : custom_hash;
}

/** Says why the hash of a line is refused, one line after the other. */
function repetitions(
  name: string,
  candidates: DuplicateCandidates,
): (hash: string, line: number, anyCase: boolean) => string | undefined {
  const firstLines = new Map<string, number>();
  const firstLinesFolded = new Map<string, number>();
  return (hash, line, anyCase) => {
    const folded = hash.toLowerCase();
    if (!candidates.has(folded)) return undefined;
    const same = firstLines.get(hash);
    const similar = firstLinesFolded.get(folded);
    if (same === undefined) firstLines.set(hash, line);
    if (similar === undefined) firstLinesFolded.set(folded, line);
    if (same !== undefined) return `${name}: ${JSON.stringify(hash)} is already on line ${same}`;
    if (similar === undefined || anyCase) return undefined;
    return `${name}: ${JSON.stringify(hash)} differs only in case from the one on line ${similar}`;
  };
}
