import { extname } from 'node:path';
import { csvLine } from '../../base/csv-line.ts';
import { type LinkKey, linkText } from '../../contract/link.ts';
import { joinList } from '../../contract/tag-label.ts';
import { startReplacement, type WriteSystem } from '../../files/atomic-write.ts';
import { shortUrlOf } from '../matching/row-verdict.ts';
import type { BulkOperation } from '../operations/operation.ts';
import type { RunPlan } from '../run-plan.ts';
import type { Stop } from '../sending/stop.ts';
import { renamedFrom } from './printed-row.ts';
import { destinationOf, doneStatuses, errorText, type RowOutcome } from './row-outcome.ts';

/** A file with the outcomes of all rows, in input order. */
export interface OutcomeFile<Outcome = RowOutcome> {
  add(outcome: Outcome): void;
  /** Replaces the old file if the new one is whole, otherwise discards the new one. */
  close(isWhole: boolean): void;
}

/** An error of a file stops the run, which then finishes what is in flight. */
export interface RunOfFiles {
  readonly system: WriteSystem;
  readonly stop: Stop;
}

export function openFiles({ results, failed, columns }: RunPlan, { kind, read }: BulkOperation, run: RunOfFiles): OutcomeFile[] {
  return [
    ...(results === undefined ? [] : [openResults(results, run, kind !== 'shorten' || read !== undefined)]),
    ...(failed === undefined ? [] : [openFailed(failed, run, columns)]),
  ];
}

/** `--results`: every row exactly once with its final status. */
function openResults(path: string, run: RunOfFiles, isChange: boolean): OutcomeFile {
  // Changes of existing links also show the previous destination.
  const prior = isChange ? ['old_long_url'] : [];
  const columns = ['row', 'status', 'hash', 'short_url', 'long_url', ...prior, 'code', 'message', 'line'];
  return openFile(path, run, columns, (outcome: RowOutcome) => {
    const { index, line, status, record, error, matchedByPosition, before } = outcome;
    const { hash = '', domain }: Partial<LinkKey> = outcome.payload;
    const isDone = doneStatuses.has(status);
    const message = matchedByPosition ? ['matched: position', error?.message].filter(Boolean).join('; ') : reasonOf(outcome);
    return {
      row: index + 1,
      status,
      hash: record?.hash ?? hash,
      short_url: record ? shortUrlOf(record) : domain === undefined ? '' : linkText({ domain, hash }),
      long_url: status === 'deleted' ? '' : (destinationOf(outcome) ?? ''),
      ...(isChange && { old_long_url: before?.long_url ?? '' }),
      code: error?.code || (isDone ? 0 : ''),
      message,
      line,
    };
  });
}

/** `--failed`: the failed rows with the columns of the input and the reason, to be corrected and used as input. */
function openFailed(path: string, run: RunOfFiles, columns: readonly string[]): OutcomeFile {
  const names = [...columns, 'error_code', 'error_message'];
  return openFile(path, run, names, (outcome: RowOutcome) => {
    if (outcome.status !== 'failed') return undefined;
    return { ...namedInFull(withItsLink(outcome)), error_code: outcome.error?.code ?? 0, error_message: reasonOf(outcome) };
  });
}

type Entry = Readonly<Record<string, unknown>>;

/** If a row created a link, but not as requested, the entry names that link. Used as input again, it creates no second one. */
function withItsLink({ item, record }: RowOutcome): object {
  if (!record) return item;
  if (!('hash' in item)) return { ...item, custom_hash: record.hash };
  const { custom_hash, ...rest }: { readonly custom_hash?: string; readonly hash?: unknown } = item;
  return record.hash === custom_hash ? { ...rest, hash: record.hash } : item;
}

/** Keeps the domain of a link, because its hash may exist on another domain too. */
function namedInFull({ domain, ...item }: { readonly domain?: string; readonly hash?: string }): Entry {
  return domain === undefined ? item : { ...item, hash: linkText({ domain, hash: item.hash ?? '' }) };
}

/** Characters that are buffered before they are written. */
const chunkLength = 64 * 1024;

/** Writes a line for each outcome that has an entry: JSON lines if the name ends in `.jsonl`, csv otherwise. */
export function openFile<Outcome>(
  path: string,
  { system, stop }: RunOfFiles,
  columns: readonly string[],
  entryOf: (outcome: Outcome) => Entry | undefined,
): OutcomeFile<Outcome> {
  const replacement = startReplacement(path, system);
  const isJson = extname(path).toLowerCase() === '.jsonl';
  let text = isJson ? '' : csvLine(columns);
  const write = (): void => {
    replacement.write(text);
    text = '';
  };
  /** After an error, each further write is an error too: the first one counts. */
  const guarded = (step: () => void): void => {
    try {
      step();
    } catch (error) {
      stop.because(error);
    }
  };
  return {
    add(outcome) {
      const entry = entryOf(outcome);
      if (!entry) return;
      text += isJson ? `${JSON.stringify(entry)}\n` : csvLine(columns.map((column) => cellText(column, entry[column])));
      if (text.length >= chunkLength) guarded(write);
    },
    close: (isWhole) =>
      guarded(() => {
        if (!isWhole) return replacement.discard();
        write();
        replacement.commit();
      }),
  };
}

/** Uses the notation of input files. */
function cellText(column: string, value: unknown): string {
  if (value === null) return column === 'expiration_date' ? 'never' : '';
  if (Array.isArray(value)) return joinList(value.map(String));
  return value === undefined ? '' : String(value);
}

function reasonOf(outcome: RowOutcome): string {
  const { error, status } = outcome;
  if (status === 'skipped' && !error) return 'the hash has another destination';
  const before = renamedFrom(outcome);
  if (before !== undefined && !error) return `renamed: ${before} has another destination`;
  return error ? errorText(error) : '';
}
