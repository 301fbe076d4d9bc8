import type { Invocation } from '../../cli/invocation.ts';
import { isJson } from '../../contract/formats.ts';
import { dryRunReport, type PlannedRequest, requestLine } from '../../output/dry-run.ts';
import { quantity } from '../../output/quantity.ts';
import type { Column, Row, RowsReport } from '../../output/report.ts';

type Stream<T> = Iterable<T> | AsyncIterable<T>;

/** URLs or tags that would be made or changed: people see a row of each, programs every request. */
interface PlannedRows {
  readonly requests: Stream<PlannedRequest>;
  readonly rows: Stream<readonly Row[]>;
  /** A row is one of these, and this would be done to it: `URL`, `deleted`. */
  readonly noun: string;
  readonly done: string;
  readonly columns: readonly Column[];
  /** Of these, what a pipe gets, and what all others get: all without it. */
  readonly pipedFields?: readonly string[];
  readonly shownFields?: readonly string[];
  /** Lines that a table shows, wherever it is printed; without it five, on a terminal. */
  readonly shownRows?: number;
  /** Asked for when all was shown. */
  notes?(): readonly string[];
}

/** Lines that a terminal shows; a pipe and every other format get them all. */
const usualRows = 5;

/** Sends nothing that changes anything. With `-v` people get the requests, too. */
export function plannedRows(planned: PlannedRows, invocation: Invocation): RowsReport {
  const { requests, rows, noun, done, columns, pipedFields, shownFields, shownRows, notes } = planned;
  const format = invocation.format();
  if (isJson(format)) return dryRunReport(requests);
  const { streams, global } = invocation;
  const mostOfTable = shownRows ?? (streams.terminal ? usualRows : Number.POSITIVE_INFINITY);
  const atMost = format === 'table' ? mostOfTable : Number.POSITIVE_INFINITY;
  let count = 0;
  async function* shown(): AsyncGenerator<readonly Row[]> {
    for await (const some of rows) {
      yield some.slice(0, Math.max(0, atMost - count));
      count += some.length;
    }
    if (global.verbose) for await (const request of requests) await streams.message(requestLine(request));
  }
  return {
    kind: 'rows',
    key: 'changes',
    rows: shown(),
    columns,
    ...(pipedFields && { pipedFields }),
    ...(shownFields && { tableFields: shownFields, csvFields: shownFields }),
    notes: () => [
      ...(count > atMost ? [`${streams.glyphs.ellipsis} and ${quantity(count - atMost, noun)} more`] : []),
      `${quantity(count, noun)} would be ${done}`,
      ...(notes?.() ?? []),
      'dry run: nothing was sent',
    ],
  };
}
