import { UsageError } from '../base/errors.ts';
import { DuplicateSearch } from './duplicates.ts';
import type { InputUse } from './format.ts';
import type { KeptRows } from './kept-rows.ts';
import type { InputRow, Notice, ReadOptions } from './row.ts';
import { rowsOf } from './rows.ts';
import type { Source } from './source.ts';

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
  if (rows === 0) throw new UsageError(`${source.name}: no rows`);
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

function invalid(name: string, use: InputUse, problems: NoticeList): UsageError {
  const count = problems.count;
  return new UsageError(`${name}: ${count} ${count === 1 ? 'problem' : 'problems'}, nothing was sent`, {
    details: problems.lines('problems'),
    hint: `linkctl ${use} --print-template`,
  });
}
