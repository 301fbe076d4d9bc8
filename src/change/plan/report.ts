import type { Session } from '../../cli/session.ts';
import type { Edition } from '../../contract/editions.ts';
import { fieldNames } from '../../contract/fields.ts';
import { type LinkDomains, linkText } from '../../contract/link.ts';
import { dryRunReport, type PlannedRequest, requestLine } from '../../output/dry-run.ts';
import type { Column, Row, RowsReport } from '../../output/report.ts';
import { needsDomains } from '../../output/url-columns.ts';
import { showPlan } from '../consent.ts';
import { fieldChanges, fieldChangeText } from '../decide/edit.ts';
import { refuseTooMany } from '../limits.ts';
import type { PlannedLink, PlanVerb } from './outcome.ts';
import { type ChangePlan, startPlan } from './plan.ts';
import { summaryLines } from './text.ts';

type Stream<T> = Iterable<T> | AsyncIterable<T>;

/** A change of links that exist, which `--dry-run` shows. */
interface PlannedChanges {
  readonly verb: PlanVerb;
  readonly pages: Stream<{ readonly links: readonly PlannedLink[]; readonly read?: number }>;
  /** The calls that would be made. */
  readonly requests: Stream<PlannedRequest>;
  /** The domains that the links are on, as far as they are named: then rows have short URLs. */
  readonly domains: LinkDomains;
  /** Throws what the change itself would throw. */
  inspect?(plan: ChangePlan): void;
}

/**
 * Shows what would be done, and nothing is sent. A terminal shows the plan; rows, where they are asked for, are the links that would
 * be changed, as `edit -f` reads them; JSON has the requests.
 */
export function planReport(changes: PlannedChanges, session: Session): RowsReport {
  const { pages, requests, domains, verb, inspect } = changes;
  if (session.format() === 'json') return dryRunReport(requests);
  const { streams, global } = session;
  const plan = startPlan({ verb, session });
  const asRows = wantsRows(session);
  async function* rows(): AsyncGenerator<Row[]> {
    for await (const { links, read } of pages) {
      for (const link of links) plan.add(link);
      plan.of = read;
      if (session.format() === 'csv' && links.some(clearsNote)) await session.warn(csvWarning);
      if (asRows) yield links.map(rowOf).filter((row) => row !== undefined);
    }
    refuseTooMany(plan.planned, session);
    if (!asRows) await showPlan(plan, session);
    inspect?.(plan);
    if (global.verbose) for await (const request of requests) await streams.message(requestLine(request));
  }
  const shown = shownFields(verb, domains, session.edition);
  return {
    kind: 'rows',
    key: 'changes',
    rows: rows(),
    columns,
    ...shown,
    notes: () => [...(asRows ? summaryLines(plan) : []), 'dry run: nothing was sent'],
  };
}

/** People get the plan, unless they ask for rows. */
export function wantsRows({ streams: { terminal, watched }, output, global }: Session): boolean {
  return !(terminal && watched) || output.format !== undefined || global.fields !== undefined;
}

/** In csv an empty cell changes nothing. */
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

/**
 * Rows of a pipe begin as those of the change do. csv is a file for `edit -f`, so it has every field that can be set, and the domain wherever
 * that is known. Links that are deleted or reset stay as they are until then.
 */
function shownFields(verb: PlanVerb, domains: LinkDomains, edition: Edition): Partial<RowsReport> {
  const name = needsDomains(domains) ? 'short_url' : 'hash';
  const nameInFile = domains.some((domain) => domain !== undefined) ? 'short_url' : 'hash';
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

/** A link that would be changed, with the values that it would get; of others nothing is done. */
function rowOf({ target, record, outcome }: PlannedLink): Row | undefined {
  const { long_url, total_clicks } = record ?? {};
  const name = { hash: target.hash, short_url: record?.short_url ?? (target.domain && linkText(target)) };
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
