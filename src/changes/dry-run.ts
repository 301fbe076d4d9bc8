import type { Invocation } from '../cli/invocation.ts';
import type { Session } from '../cli/session.ts';
import { namedUrls } from '../client/named-urls.ts';
import { isJson } from '../contract/formats.ts';
import { type LinkKey, linkText } from '../contract/link.ts';
import type { EditFields } from '../contract/operations.ts';
import type { UrlRecord } from '../contract/records.ts';
import { dryRunReport, type PlannedRequest, requestLine } from '../output/dry-run.ts';
import { quantity } from '../output/quantity.ts';
import type { Column, Row, RowsReport } from '../output/report.ts';
import { fieldChanges, fieldChangeText } from './field-changes.ts';

type Batches<T> = Iterable<readonly T[]> | AsyncIterable<readonly T[]>;

/** What a change would do: people see the effect on each item, programs every request (B60). */
export interface DryRun {
  readonly requests: Iterable<PlannedRequest> | AsyncIterable<PlannedRequest>;
  readonly changes: Batches<PlannedChange>;
  /** What is changed, and what would be done to it: `URL`, `deleted`. */
  readonly noun: string;
  readonly done: string;
  readonly columns: readonly Column[];
  /** Things in all, where `changes` are only the first. */
  readonly count?: number;
}

export interface PlannedChange {
  readonly row: Row;
  readonly state: 'planned' | 'unchanged' | 'not found';
}

/** Lines that a terminal shows; a pipe and every other format get them all. */
const shownChanges = 5;

/** Sends nothing that changes anything. With `-v` people get the requests, too. */
export function dryRun({ requests, changes, noun, done, columns, count }: DryRun, invocation: Invocation): RowsReport {
  const format = invocation.format();
  if (isJson(format)) return dryRunReport(requests);
  const { streams, global } = invocation;
  const atMost = format === 'table' && streams.terminal ? shownChanges : Number.POSITIVE_INFINITY;
  const counts = { planned: 0, unchanged: 0, 'not found': 0 };
  let shown = 0;
  async function* rows(): AsyncGenerator<Row[]> {
    for await (const batch of changes) {
      for (const { state } of batch) counts[state] += 1;
      const some = batch.slice(0, Math.max(0, atMost - shown));
      shown += some.length;
      yield some.map(({ row }) => row);
    }
    if (global.verbose) for await (const request of requests) await streams.message(requestLine(request));
  }
  const summary = (): string[] => {
    const { planned, unchanged, 'not found': missing } = counts;
    const more = (count ?? planned + unchanged + missing) - shown;
    return [
      ...(more > 0 ? [`${streams.glyphs.ellipsis} and ${quantity(more, noun)} more`] : []),
      // Of a part nobody knows how much of the rest would stay as it is.
      ...(count === undefined
        ? [
            [
              `${quantity(planned, noun)} would be ${done}`,
              ...(unchanged > 0 ? [`${unchanged} unchanged`] : []),
              ...(missing > 0 ? [`${missing} not found`] : []),
            ].join(', '),
          ]
        : []),
    ];
  };
  return {
    kind: 'rows',
    key: 'changes',
    rows: rows(),
    columns,
    notes: () => [...summary(), 'dry run: nothing was sent'],
  };
}

export const linkChangeColumns: readonly Column[] = [
  { name: 'hash', essential: true },
  { name: 'long_url', title: 'LONG URL', shrinks: true, essential: true },
  { name: 'total_clicks', title: 'CLICKS', align: 'right' },
  { name: 'change', shrinks: true },
];

/** What `--dry-run` says of the same change of links that exist. */
export interface PlannedChangeOfAll {
  /** What every link is given. */
  readonly fields?: EditFields;
  /** How a call begins: the hashes follow in the path or in the query. */
  readonly request: { readonly method: string; readonly path: string };
  /** How people read it: `delete`, `would be deleted`. */
  readonly planned: { readonly change: string; readonly done: string };
}

/** What would become of one link. */
export function changeText({ fields, planned }: PlannedChangeOfAll, record: UrlRecord): string | undefined {
  return fields ? editText(fields, record) : planned.change;
}

/** A change of links that exist. */
export interface PlannedLinks<Target extends LinkKey> {
  /** The targets as the calls have them, and as they are listed. */
  readonly calls: Batches<Target>;
  readonly targets: Batches<Target>;
  request(targets: readonly Target[]): PlannedRequest;
  /** What would become of a link; undefined where it stays as it is. */
  textOf(target: Target, record: UrlRecord): string | undefined;
  /** What would be done to it: `changed`. */
  readonly done: string;
  /** Links that are read in one call. */
  readonly batchSize: number;
}

/** Reads the links in groups as they are now, and lists what would become of each. */
export function dryRunOfLinks<Target extends LinkKey>(
  { calls, targets: batches, request, textOf, done, batchSize }: PlannedLinks<Target>,
  session: Session,
): RowsReport {
  async function* requests(): AsyncGenerator<PlannedRequest> {
    for await (const targets of calls) yield request(targets);
  }
  async function* changes(): AsyncGenerator<PlannedChange[]> {
    for await (const targets of batches) {
      const found = new Map<string, UrlRecord>();
      for await (const { target, record } of namedUrls(session.client, targets, batchSize)) {
        if (record) found.set(linkText(target), record);
      }
      yield targets.map((target) => {
        const record = found.get(linkText(target));
        return plannedChange(linkText(target), record, record && textOf(target, record));
      });
    }
  }
  return dryRun({ requests: requests(), changes: changes(), noun: 'link', done, columns: linkChangeColumns }, session);
}

/** One link, as it is and as it would be. */
export function plannedChange(hash: string, record: UrlRecord | undefined, change: string | undefined): PlannedChange {
  const state = record === undefined ? 'not found' : change === undefined ? 'unchanged' : 'planned';
  const { long_url, total_clicks } = record ?? {};
  return { row: { hash, long_url, total_clicks, change: change ?? state }, state };
}

/** `note: "old" -> "new"; tags: +a -b`; nothing where the link is as it is asked for. */
export function editText(fields: EditFields, record: UrlRecord): string | undefined {
  return fieldChanges(fields, record).map(fieldChangeText).join('; ') || undefined;
}
