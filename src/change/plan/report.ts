import type { Invocation } from '../../cli/invocation.ts';
import type { Session } from '../../cli/session.ts';
import type { Edition } from '../../contract/editions.ts';
import { fieldNames } from '../../contract/fields.ts';
import { isJson } from '../../contract/formats.ts';
import { type LinkDomains, linkText } from '../../contract/link.ts';
import { dryRunReport, type PlannedRequest, requestLine } from '../../output/planned-requests.ts';
import { quantity } from '../../output/quantity.ts';
import type { Column, Row, RowsReport } from '../../output/report.ts';
import { showPlan } from '../consent.ts';
import { fieldChanges, fieldChangeText, type PlannedLink } from '../decide/outcome.ts';
import type { ChangePlan, PlanVerb } from './plan.ts';
import { summaryLines } from './text.ts';

type Stream<T> = Iterable<T> | AsyncIterable<T>;

interface Planned extends Pick<RowsReport, 'columns' | 'tableFields' | 'pipedFields' | 'csvFields'> {
  readonly requests: Stream<PlannedRequest>;
  readonly rows: Stream<readonly Row[]>;
  /** Called after all rows are shown. */
  notes?(): readonly string[];
}

/** Shows rows and changes nothing. `-v` also prints the requests. */
function dryRun({ requests, rows, notes, ...fields }: Planned, { global, streams }: Invocation): RowsReport {
  async function* shown(): AsyncGenerator<readonly Row[]> {
    yield* rows;
    if (global.verbose) for await (const request of requests) await streams.message(requestLine(request));
  }
  return {
    ...fields,
    kind: 'rows',
    key: 'changes',
    rows: shown(),
    notes: () => [...(notes?.() ?? []), 'dry run: nothing was sent'],
  };
}

/** URLs or tags that would be created or changed. */
interface PlannedRows extends Planned {
  /** Words for a row and its change, such as `URL` and `deleted`. */
  readonly noun: string;
  readonly done: string;
  /** Replaces `2 URLs would be shortened` if not every row is one. */
  countText?(rows: number): string;
  /** Maximum number of rows in a table, also in a pipe. By default, five on a terminal and all in a pipe. */
  readonly shownRows?: number;
}

/** Maximum on a terminal; pipes and other formats get all rows. */
const usualRows = 5;

/** JSON contains every request; other formats show the rows. */
export function plannedRows(planned: PlannedRows, invocation: Invocation): RowsReport {
  const { requests, rows, noun, done, shownRows, notes, countText, ...fields } = planned;
  const format = invocation.format();
  if (isJson(format)) return dryRunReport(requests);
  const { terminal, glyphs } = invocation.streams;
  const mostOfTable = shownRows ?? (terminal ? usualRows : Number.POSITIVE_INFINITY);
  const atMost = format === 'table' ? mostOfTable : Number.POSITIVE_INFINITY;
  let count = 0;
  async function* first(): AsyncGenerator<readonly Row[]> {
    for await (const some of rows) {
      yield some.slice(0, Math.max(0, atMost - count));
      count += some.length;
    }
  }
  const lines = () => [
    ...(count > atMost ? [`${glyphs.ellipsis} and ${quantity(count - atMost, noun)} more`] : []),
    countText?.(count) ?? `${quantity(count, noun)} would be ${done}`,
    ...(notes?.() ?? []),
  ];
  return dryRun({ ...fields, requests, rows: first(), notes: lines }, invocation);
}

interface PlannedChanges extends Pick<Planned, 'requests'> {
  /** Complete after the pages are read. */
  readonly plan: ChangePlan;
  readonly pages: Stream<readonly PlannedLink[]>;
  /** The domains of the links. Rows have short URLs if there are several. */
  readonly domains: LinkDomains;
  /** The account has several domains, so that a file must name each link with its own, also if all are on one. */
  readonly severalDomains?: boolean;
  /** Throws the error that the change itself would throw. */
  inspect?(plan: ChangePlan): void;
}

/** A terminal shows the plan. Rows are the links that would be changed, as input for `edit -f`. JSON contains the requests. */
export function planReport(changes: PlannedChanges, session: Session): RowsReport {
  const { plan, pages, requests, domains, severalDomains = false, inspect } = changes;
  if (session.format() === 'json') return dryRunReport(requests);
  const asRows = wantsRows(session);
  async function* rows(): AsyncGenerator<Row[]> {
    for await (const links of pages) {
      if (session.format() === 'csv' && links.some(clearsNote)) await session.warn(csvWarning);
      if (asRows) yield links.map(shownRowOf).filter((row) => row !== undefined);
    }
    if (!asRows) await showPlan(plan, session);
    inspect?.(plan);
  }
  const fields = shownFields(plan.verb, { domains, severalDomains }, session.edition);
  // An undo has read who has the old hashes.
  const hasHashes = () => plan.verb === 'change' && plan.renamed > 0;
  const notes = () => [...(asRows ? summaryLines(plan) : []), ...uncheckedNotes({ hashes: hasHashes() })];
  return dryRun({ requests, rows: rows(), columns, ...fields, notes }, session);
}

/** A dry run sends no request about these. */
export function uncheckedNotes({ hashes, domain = false }: { readonly hashes: boolean; readonly domain?: boolean }): string[] {
  const parts = [...(hashes ? ['custom hashes'] : []), ...(domain ? ['--domain'] : [])];
  return parts.length > 0 ? [`not checked: ${parts.join(', ')}`] : [];
}

/** A terminal shows the plan unless `-o` or `--fields` requests rows. */
export function wantsRows({ streams: { terminal, watched }, output, global }: Session): boolean {
  return !(terminal && watched) || output.format !== undefined || global.fields !== undefined;
}

/** An empty csv cell changes nothing. */
function clearsNote({ outcome }: PlannedLink): boolean {
  return outcome.kind === 'change' && outcome.fields.note === '';
}

const csvWarning = 'csv cannot clear a note: for edit -f, use -o jsonl';

const columns: readonly Column[] = [
  { name: 'hash', essential: true },
  { name: 'short_url', essential: true },
  { name: 'long_url', title: 'LONG URL', shrinks: true, essential: true },
  { name: 'old_long_url', title: 'OLD LONG URL', shrinks: true },
  { name: 'total_clicks', title: 'CLICKS', align: 'right' },
  ...fieldNames('edit', 'a')
    .filter((name) => name !== 'long_url')
    .map((name) => ({ name, shrinks: true })),
  { name: 'change', shrinks: true },
];

/** Piped rows begin with the columns of the change itself. csv is input for `edit -f`, with all settable fields and the domain if known or needed. */
function shownFields(
  verb: PlanVerb,
  { domains, severalDomains }: Required<Pick<PlannedChanges, 'domains' | 'severalDomains'>>,
  edition: Edition,
): Partial<Planned> {
  const name = domains.length > 1 ? 'short_url' : 'hash';
  const nameInFile = severalDomains || domains.some((domain) => domain !== undefined) ? 'short_url' : 'hash';
  if (verb === 'delete' || verb === 'reset') {
    const fields = ['long_url', 'total_clicks', 'change'];
    return { tableFields: [name, ...fields], pipedFields: [name, ...fields], csvFields: [nameInFile, ...fields] };
  }
  const settable = fieldNames('edit', edition).filter((field) => field !== 'long_url');
  const urls = ['long_url', 'old_long_url'];
  return {
    tableFields: [name, 'change'],
    pipedFields: [name, ...urls, 'change'],
    csvFields: [nameInFile, ...urls, ...settable, 'change'],
  };
}

/** Returns the link with its new values; undefined if it would not be changed. */
function shownRowOf({ target, record, outcome }: PlannedLink): Row | undefined {
  const { long_url, total_clicks } = record ?? {};
  const name = { hash: target.hash, short_url: record?.short_url ?? linkText(target) };
  switch (outcome.kind) {
    case 'delete':
    case 'reset':
      return { ...name, long_url, total_clicks, change: outcome.kind };
    case 'create':
    case 'copy':
      return { ...name, ...outcome.fields, change: outcome.kind };
    case 'change': {
      const changes = record ? fieldChanges(outcome.fields, record) : [];
      const values = Object.fromEntries(changes.map(({ field, after }) => [field, after === null ? 'never' : after]));
      return { ...name, ...values, old_long_url: long_url, total_clicks, change: changes.map(fieldChangeText).join('; ') };
    }
    default:
      return undefined;
  }
}
