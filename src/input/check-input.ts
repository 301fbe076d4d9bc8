import { LocalError, UsageError } from '../base/errors.ts';
import { csvReader, csvRecords, delimiterFinder } from './csv/csv-reader.ts';
import { isRelative } from './dates.ts';
import type { Target } from './field-values.ts';
import { FoundColumns } from './fields/column-report.ts';
import { type InputUse, namesLinks } from './format.ts';
import { jsonReader, rowTest } from './json/json-reader.ts';
import { jsonRecords } from './json/json-records.ts';
import type { KeptRows } from './kept-rows.ts';
import { mostNotices, NoticeList, type Notices, shownNotices, silent } from './notices.ts';
import { DuplicateSearch } from './repeated-hashes.ts';
import { type InputRow, type ReadOptions, type RecordReader, RowDraft } from './row.ts';
import type { Source } from './source.ts';
import { type RecordBatch, textLines } from './text-lines.ts';
import { lineReader } from './url-lines.ts';

export interface CheckOptions<Use extends InputUse = InputUse> extends ReadOptions<Use> {
  /** Accepts custom hashes that differ only in case. */
  readonly allowCaseDuplicates?: boolean | undefined;
  /** A file without rows is one: an empty account is listed so. */
  readonly allowEmpty?: boolean | undefined;
  /** Gets the first rows without a problem; every problem is named then. */
  readonly first?: InputRow<Use>[] | undefined;
}

/** Rows that a preview shows. */
const previewRows = 3;

/** What is known of an input that may be sent. */
export interface CheckedInput {
  readonly rows: number;
  /** Of them, those that are left out: their links are protected or off at the source. */
  readonly skipped: number;
  /** Rows that give a custom hash. */
  readonly withHash: number;
  /** Of the input's bytes, in hex. */
  readonly sha256: string;
  /** `file:line:column: what`, the first of them, and a line that counts the rest. */
  readonly warnings: readonly string[];
  /** What the columns were taken for, where that has to be said. */
  readonly columns: string | undefined;
  /** Some of it is lost: that is said in any case. */
  readonly hasLosses: boolean;
  /** What the columns of a csv set. */
  readonly targets: ReadonlySet<Target>;
  /** Hosts of the short URLs of links to be made, each with the first line that has it. */
  readonly hosts: ReadonlyMap<string, number>;
  /** Whether dates of rows count from today; they are as they were typed. */
  readonly countsFromToday: boolean;
}

/** Enough to find one that is not the account's. */
const mostHosts = 1000;

/**
 * Reads the whole input and validates every row before anything is sent. Rows that are to be sent go to `kept`
 * meanwhile. Throws one UsageError with all that is wrong, up to 20 places.
 */
export async function checkInput<Use extends InputUse>(
  source: Source,
  options: CheckOptions<Use>,
  kept?: Pick<KeptRows<InputRow<Use>>, 'add'>,
): Promise<CheckedInput> {
  const { first } = options;
  const problems = new NoticeList(source.name, first ? mostNotices : shownNotices);
  const warnings = new NoticeList(source.name);
  const duplicates = new DuplicateSearch(options.allowCaseDuplicates === true);
  let rows = 0;
  let targets: ReadonlySet<Target> | undefined;
  let withHash = 0;
  let skipped = 0;
  let countsFromToday = false;
  const found = new FoundColumns();
  const hosts = new Map<string, number>();
  const notices: Notices = {
    problem: problems.add,
    warning: warnings.add,
    header: (found) => {
      targets = found;
    },
    columns: found.add,
    lost: found.lose,
    host: (host, line) => {
      if (!hosts.has(host) && hosts.size < mostHosts) hosts.set(host, line);
    },
  };
  for await (const batch of rowsOf(source, options, notices)) {
    for (const row of batch) {
      if (row.item.custom_hash !== undefined) withHash += 1;
      if (row.skip !== undefined) {
        skipped += 1;
        continue;
      }
      if (row.item.expiration_date && isRelative(row.item.expiration_date)) countsFromToday = true;
      duplicates.add(row);
    }
    if (first && first.length < previewRows)
      first.push(...batch.filter(({ skip }) => skip === undefined).slice(0, previewRows - first.length));
    rows += batch.length;
    if (problems.count === 0) kept?.add(batch);
  }
  await duplicates.confirm(() => rowsOf(source, options, silent), problems.add);
  if (problems.count > 0) throw invalid(source.name, options.use, problems);
  // Without even a header it is no listing of an empty account, but one that failed.
  const mayBeEmpty = options.allowEmpty && (targets !== undefined || options.format !== 'csv');
  if (rows === 0 && !mayBeEmpty) throw empty(source.name, options);
  return {
    rows,
    skipped,
    withHash,
    sha256: source.sha256(),
    warnings: warnings.lines('warnings'),
    columns: found.text(),
    hasLosses: found.hasLosses,
    targets: targets ?? new Set(),
    hosts,
    countsFromToday,
  };
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
    // Of use where names of columns are wrong, not for a date or a quote.
    ...(problems.isAboutColumns && { hint: `linkctl ${use} --print-template` }),
  });
}

/** The rows of a source that `checkInput` has passed, in order, some at a time: nothing holds the whole file. */
export function readRows<Use extends InputUse>(source: Source, options: ReadOptions<Use>): AsyncGenerator<InputRow<Use>[]> {
  return rowsOf(source, options, {
    ...silent,
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
      const records = csvRecords(source.text(), options.delimiter ?? delimiterFinder(options), notices.problem);
      return readAll(records, csvReader(draft, options, notices), draft);
    }
    case 'json':
    case 'jsonl':
      return readAll(jsonRecords(source, rowTest(options), notices.problem), jsonReader(draft, options, notices), draft);
    case 'lines':
      if (namesLinks(options.use)) throw new UsageError('a list of URLs can only be shortened: use csv or jsonl');
      return readLines(source, draft, lineReader(draft, options, notices));
  }
}

async function* readLines<Use extends InputUse>(
  source: Source,
  draft: RowDraft<Use>,
  { read, end }: ReturnType<typeof lineReader>,
): AsyncGenerator<InputRow<Use>[]> {
  yield* readAll(textLines(source), read, draft);
  end();
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
      const found = record === undefined ? 'nothing' : read(record, lines[index] ?? 0, records);
      if (found === 'end') return;
      const row = found === 'row' ? draft.finish() : undefined;
      if (row) rows.push(row);
    }
    yield rows;
  }
}
