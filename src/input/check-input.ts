import { LocalError, UsageError } from '../base/errors.ts';
import { type InputUse, namesLinks } from '../contract/formats.ts';
import { enumerated } from '../contract/link.ts';
import type { KeptRows } from '../files/kept-rows.ts';
import { csvReader, csvRecords, delimiterFinder } from './csv/csv-reader.ts';
import { isRelative } from './dates.ts';
import type { Target } from './field-values.ts';
import { ColumnReport } from './fields/column-report.ts';
import { DuplicateSearch } from './hashes/repeated-hashes.ts';
import { jsonReader, rowTest } from './json/json-reader.ts';
import { jsonRecords } from './json/json-records.ts';
import { ignoreNotices, maxNotices, maxShownNotices, NoticeList, type Notices } from './notices.ts';
import { type InputRow, type ReadOptions, type RecordReader, RowDraft } from './row.ts';
import type { Source } from './source.ts';
import { type RecordBatch, textLines } from './text-lines.ts';
import { lineReader } from './url-lines.ts';

export interface CheckOptions<Use extends InputUse = InputUse> extends ReadOptions<Use> {
  /** Accepts custom hashes that differ only in case. */
  readonly allowCaseDuplicates?: boolean | undefined;
  /** Accepts a file without rows, such as the listing of an empty account. */
  readonly allowEmpty?: boolean | undefined;
  /** Every problem is listed, not only the first ones. */
  readonly listsAll?: boolean | undefined;
  /** Collects the first valid rows for a preview. */
  readonly first?: InputRow<Use>[] | undefined;
}

const previewRows = 3;

export interface CheckedInput {
  readonly rows: number;
  /** Rows that are left out: their links are protected or disabled at the source, or they change nothing. */
  readonly skipped: number;
  readonly withHash: number;
  /** Rows that say where their link must still lead. */
  readonly withOld: number;
  /** The digest of the input, in hex. */
  readonly sha256: string;
  /** The first ones as `file:line:column: reason`, and a line that counts the rest. */
  readonly warnings: readonly string[];
  /** A summary of the column mapping, if it needs to be shown. */
  readonly columns: string | undefined;
  /** Some values are not carried over, which is always reported. */
  readonly hasLosses: boolean;
  /** The file was read as another service's. */
  readonly isForeign: boolean;
  /** The fields that the columns of a csv set. */
  readonly targets: ReadonlySet<Target>;
  /** Hosts of the short URLs of new links, each with its first line. */
  readonly hosts: ReadonlyMap<string, number>;
  /** Dates of rows that are relative to today, as they were typed. */
  readonly relativeDates: ReadonlySet<string>;
}

/** Enough to find one that does not belong to the account. */
const maxHosts = 1000;

/**
 * Validates the whole input before anything is sent, and stores the rows to send in `kept`. Throws one UsageError with all
 * problems, of which it lists up to 20 or, with `listsAll`, all.
 */
export async function checkInput<Use extends InputUse>(
  source: Source,
  options: CheckOptions<Use>,
  kept?: Pick<KeptRows<InputRow<Use>>, 'add'>,
): Promise<CheckedInput> {
  const { first, listsAll } = options;
  const problems = new NoticeList(source.name, listsAll ? maxNotices : maxShownNotices);
  const warnings = new NoticeList(source.name);
  const duplicates = new DuplicateSearch();
  const totals: Totals = { rows: 0, skipped: 0, withHash: 0, withOld: 0, relativeDates: new Set() };
  let targets: ReadonlySet<Target> | undefined;
  const found = new ColumnReport();
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
      if (!hosts.has(host) && hosts.size < maxHosts) hosts.set(host, line);
    },
  };
  for await (const batch of rowsOf(source, options, notices)) {
    for (const row of batch) {
      count(row, totals);
      if (row.skip === undefined) duplicates.add(row);
    }
    if (first && first.length < previewRows)
      first.push(...batch.filter(({ skip }) => skip === undefined).slice(0, previewRows - first.length));
    if (problems.count === 0) kept?.add(batch);
  }
  const otherProblems = problems.count;
  await duplicates.confirm(() => rowsOf(source, options, ignoreNotices), problems.add, options.allowCaseDuplicates);
  const isRepeated = problems.count > otherProblems;
  if (problems.count > 0) throw invalid(source.name, options, { problems, found, hosts: isRepeated ? [...hosts.keys()] : [] });
  // A csv without even a header is not the listing of an empty account but a failed one.
  const mayBeEmpty = options.allowEmpty && (targets !== undefined || options.format !== 'csv');
  if (totals.rows === 0 && !mayBeEmpty) throw empty(source.name, options);
  return {
    ...totals,
    sha256: source.sha256(),
    warnings: warnings.lines('warnings'),
    columns: found.text(),
    hasLosses: found.hasLosses,
    isForeign: found.isForeign,
    targets: targets ?? new Set(),
    hosts,
  };
}

type Totals = { -readonly [Name in 'rows' | 'skipped' | 'withHash' | 'withOld']: CheckedInput[Name] } & {
  readonly relativeDates: Set<string>;
};

function count({ item, skip }: InputRow, totals: Totals): void {
  totals.rows += 1;
  if (item.custom_hash !== undefined) totals.withHash += 1;
  if ('old_long_url' in item) totals.withOld += 1;
  if (skip !== undefined) totals.skipped += 1;
  else if (item.expiration_date && isRelative(item.expiration_date)) totals.relativeDates.add(item.expiration_date);
}

function empty(name: string, { use, format }: ReadOptions): UsageError {
  if (format !== 'csv') return new UsageError(`${name}: no rows`);
  return new UsageError(`${name}: no rows: a header and at least one row are required`, {
    hint: `linkctl ${use} --print-template`,
  });
}

interface Problems {
  readonly problems: NoticeList;
  readonly found: ColumnReport;
  /** Those of the short URLs if hashes are repeated. */
  readonly hosts: readonly string[];
}

function invalid(name: string, { use, listsAll }: CheckOptions, { problems, found, hosts }: Problems): UsageError {
  const count = problems.count;
  const onDomains = `the rows are links of ${enumerated(hosts, 'and', 3)}, but are created on one domain: use a file for each domain`;
  // A template helps only if the names of columns are wrong.
  const hint = problems.isAboutColumns ? `linkctl ${use} --print-template` : hosts.length > 1 ? onDomains : undefined;
  return new UsageError(`${name}: ${count} ${count === 1 ? 'problem' : 'problems'}, nothing was sent`, {
    // A value that a row seems to lack may be in a column with an unknown name.
    details: [
      ...problems.lines(listsAll ? 'problems' : 'problems; --dry-run lists all'),
      ...(found.hasLosses && !problems.isAboutColumns ? [`${found.text()}`] : []),
    ],
    ...(hint !== undefined && { hint }),
  });
}

/** Rereads a source that `checkInput` has accepted, in batches, so that the file is never in memory as a whole. */
export function readRows<Use extends InputUse>(source: Source, options: ReadOptions<Use>): AsyncGenerator<InputRow<Use>[]> {
  return rowsOf(source, options, {
    ...ignoreNotices,
    problem: ({ line }) => {
      throw new LocalError(`${source.name} changed after it was checked: line ${line} is now invalid`);
    },
  });
}

/** Omits rows with a problem, which goes to `notices`. */
function rowsOf<Use extends InputUse>(
  source: Source,
  options: ReadOptions<Use>,
  notices: Notices,
): AsyncGenerator<InputRow<Use>[]> {
  const draft = new RowDraft(options, notices);
  switch (options.format) {
    case 'csv': {
      const records = csvRecords(source, options.delimiter ?? delimiterFinder(options), notices.problem);
      return readAll(records, csvReader(draft, options, notices), draft);
    }
    case 'json':
    case 'jsonl': {
      const { read, end } = jsonReader(draft, options, notices);
      return readAll(jsonRecords(source, rowTest(options), notices.problem), read, draft, end);
    }
    case 'lines': {
      if (namesLinks(options.use)) throw new UsageError('a list of URLs can only be shortened: use csv or jsonl');
      const { read, end } = lineReader(draft, options, notices);
      return readAll(textLines(source), read, draft, end);
    }
  }
}

async function* readAll<Record, Use extends InputUse>(
  batches: AsyncIterable<RecordBatch<Record>>,
  read: RecordReader<Record>,
  draft: RowDraft<Use>,
  end?: () => void,
): AsyncGenerator<InputRow<Use>[]> {
  for await (const { records, lines } of batches) {
    const rows: InputRow<Use>[] = [];
    for (let index = 0; index < lines.length; index += 1) {
      const record = records[index];
      const found = record === undefined ? 'nothing' : read(record, lines[index] ?? 0, records);
      if (found === 'end') return end?.();
      const row = found === 'row' ? draft.finish() : undefined;
      if (row) rows.push(row);
    }
    yield rows;
  }
  end?.();
}
