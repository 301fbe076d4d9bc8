import { rowBatches } from '../bulk/operations/cut-input.ts';
import type { BulkOperation } from '../bulk/operations/operation.ts';
import { plannedCalls } from '../bulk/operations/planned-calls.ts';
import type { OperationSettings, RunInput, RunRow } from '../bulk/run-plan.ts';
import type { Invocation } from '../cli/invocation.ts';
import { canAsk } from '../cli/prompt.ts';
import type { Session } from '../cli/session.ts';
import { isJson } from '../contract/formats.ts';
import type { LinkKey } from '../contract/link.ts';
import type { EditFields } from '../contract/operations.ts';
import type { UrlRecord } from '../contract/records.ts';
import type { BulkOptions } from '../flags/bulk-flags.ts';
import { dryRunReport, type PlannedRequest, requestLine } from '../output/dry-run.ts';
import { quantity } from '../output/quantity.ts';
import type { Column, Row, RowsReport } from '../output/report.ts';
import { pinnedDomain } from './listed-plan.ts';
import { plannedLinks } from './plan-report.ts';
import type { PlannedLink, PlannedOutcome, PlanVerb } from './planned-links.ts';
import { sendingOf } from './sending-flags.ts';

type Batches<T> = Iterable<readonly T[]> | AsyncIterable<readonly T[]>;

/** What a change would do: people see the effect on each item, programs every request (B60). */
export interface DryRun {
  readonly requests: Iterable<PlannedRequest> | AsyncIterable<PlannedRequest>;
  readonly changes: Batches<PlannedChange>;
  /** What is changed, and what would be done to it: `URL`, `deleted`. */
  readonly noun: string;
  readonly done: string;
  readonly columns: readonly Column[];
  /** Of these, what a pipe gets, and what all others get: all without it. */
  readonly pipedFields?: readonly string[];
  readonly shownFields?: readonly string[];
  /** Lines that a table shows, wherever it is printed; without it five, on a terminal. */
  readonly shownRows?: number;
  /** What else is known when all was shown. */
  notes?(): readonly string[];
}

export interface PlannedChange {
  readonly row: Row;
  readonly state: 'planned' | 'unchanged' | 'not found';
}

/** Lines that a terminal shows; a pipe and every other format get them all. */
const shownChanges = 5;

/** Sends nothing that changes anything. With `-v` people get the requests, too. */
export function dryRun(planned: DryRun, invocation: Invocation): RowsReport {
  const { requests, changes, noun, done, columns, pipedFields, shownFields, shownRows, notes } = planned;
  const format = invocation.format();
  if (isJson(format)) return dryRunReport(requests);
  const { streams, global } = invocation;
  const mostOfTable = shownRows ?? (streams.terminal ? shownChanges : Number.POSITIVE_INFINITY);
  const atMost = format === 'table' ? mostOfTable : Number.POSITIVE_INFINITY;
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
    const more = planned + unchanged + missing - shown;
    return [
      ...(more > 0 ? [`${streams.glyphs.ellipsis} and ${quantity(more, noun)} more`] : []),
      [
        `${quantity(planned, noun)} would be ${done}`,
        ...(unchanged > 0 ? [`${unchanged} unchanged`] : []),
        ...(missing > 0 ? [`${missing} not found`] : []),
      ].join(', '),
    ];
  };
  return {
    kind: 'rows',
    key: 'changes',
    rows: rows(),
    columns,
    ...(pipedFields && { pipedFields }),
    ...(shownFields && { tableFields: shownFields, csvFields: shownFields }),
    notes: () => [...summary(), ...(notes?.() ?? []), 'dry run: nothing was sent'],
  };
}

/** Rows of links that are named. */
interface NamedRequests<Item extends object, Payload extends LinkKey> {
  readonly input: Pick<RunInput<Item>, 'open'>;
  payload(item: Item): Payload;
  operation(settings: OperationSettings): BulkOperation<Payload>;
  readonly options: BulkOptions;
  /** Says which links are left alone. */
  outcomeOf?(target: Payload, record: UrlRecord | undefined): PlannedOutcome;
  /** Of links that were typed, nobody looks the default domain up. */
  readonly isTyped?: boolean;
}

/** The calls of a run of links that are named, without those that it finds to be as they should be, or not to exist. */
export async function* namedRequests<Item extends object, Payload extends LinkKey>(
  {
    input,
    payload,
    operation,
    options,
    isTyped = false,
    outcomeOf = () => ({ kind: 'unchanged' }),
  }: NamedRequests<Item, Payload>,
  session: Session,
): AsyncGenerator<PlannedRequest> {
  const { client } = session;
  const { batchSize, results } = sendingOf(options, session);
  // On a terminal the plan has read them; else each batch is read before it is sent, if anything is kept of it.
  const isShown = !session.global.yes && canAsk(session);
  const isRead = !isShown && (options.undo !== false || results !== undefined);
  async function* rows(): AsyncGenerator<readonly RunRow[]> {
    for await (const all of rowBatches(input, batchSize)) {
      const some = all.filter(({ skip }) => skip === undefined);
      if (!isShown && !isRead) yield some;
      else {
        const targets = some.map(({ item }) => payload(item));
        for await (const links of plannedLinks([targets], outcomeOf, { client, batchSize }))
          yield some.map((row, nth) => ({ ...row, before: links[nth]?.record ?? null, refusal: refusalIn(links[nth]) }));
      }
    }
  }
  const domain = isTyped ? session.domain : await pinnedDomain(session);
  yield* plannedCalls({
    rows: rows(),
    operation: operation({ client, domain, batchSize, mayCall: () => true }),
    payload: (item) => payload(item as Item),
    batchSize,
    isRead,
  });
}

function refusalIn(link: PlannedLink | undefined): string | undefined {
  return link?.outcome.kind === 'refused' ? link.outcome.reason : undefined;
}

/** The same change of links that exist. */
export interface ChangeOfLinks {
  /** What every link is given. */
  readonly fields?: EditFields;
  /** How a call begins: the hashes follow in the path or in the query. */
  readonly request: { readonly method: string; readonly path: string };
  readonly verb: Exclude<PlanVerb, 'restore' | 'back' | 'create' | 'copy' | 'apply' | 'differ'>;
}
