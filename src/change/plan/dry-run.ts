import { rowBatches } from '../../bulk/operations/batches.ts';
import type { BulkOperation } from '../../bulk/operations/operation.ts';
import { plannedCalls } from '../../bulk/operations/planned-calls.ts';
import type { OperationSettings, RunPlan, RunRow } from '../../bulk/run-plan.ts';
import { canAsk } from '../../cli/prompt.ts';
import type { Session } from '../../cli/session.ts';
import { batchSizeOf } from '../../client/batch-limits.ts';
import { hasSeveralDomains } from '../../client/whole-listing.ts';
import type { KeptRows } from '../../files/kept-rows.ts';
import { type PlannedRequest, requestOf } from '../../output/planned-requests.ts';
import type { RowsReport } from '../../output/report.ts';
import type { ListedChange, NamedChange } from '../change.ts';
import type { PlannedLink } from '../decide/outcome.ts';
import { environmentOf } from '../environment.ts';
import { keptRows } from '../rows/read-links.ts';
import { isUndoKept, pinnedDomain } from '../run-settings.ts';
import { tagRequests } from '../tags/tags.ts';
import { ChangePlan, decidedLinks, decidedPages, refusalOf, runRowOf } from './plan.ts';
import { planReport, wantsRows } from './report.ts';

/** The rows of a run, and the operation that sends them. */
interface SentRows extends Omit<Parameters<typeof plannedCalls>[0], 'operation'>, Pick<RunPlan, 'mode'> {
  operation(settings: OperationSettings): BulkOperation;
  /** A run of typed links does not look up the default domain. */
  readonly fromArguments?: boolean | undefined;
}

/** Yields the requests that a run sends for these rows. */
export async function* requestsOf(
  { operation, mode, fromArguments = false, ...sent }: SentRows,
  session: Session,
): AsyncGenerator<PlannedRequest> {
  const { client } = session;
  const domain = fromArguments ? session.domain : await pinnedDomain(session);
  const settings = { client, domain, batchSize: sent.batchSize, mayCall: () => true };
  const run = { ...environmentOf(session), domain, plan: { mode, isOneOff: fromArguments } };
  for await (const call of plannedCalls({ ...sent, operation: operation(settings) }, run)) yield requestOf(call);
}

/** Shows the plan, rows or requests of a listed change without changing anything. Links are read once, as for the change itself. */
export async function listedDryRun(change: ListedChange, session: Session): Promise<RowsReport> {
  const plan = new ChangePlan(change.verb, session);
  const kept = keptRows<PlannedLink>(session);
  for await (const links of decidedPages(plan, change, session)) {
    const affected = links.filter((link) => runRowOf(link, change) !== undefined);
    if (affected.length > 0) kept.add(affected);
  }
  // As in the change itself, hashes are ambiguous only if the account has several domains. In a file they are even if all links are on one.
  const format = session.format();
  const isAmbiguous = wantsRows(session) && (format === 'csv' || (change.links.severalDomains && format !== 'json'));
  const severalDomains = isAmbiguous && (await hasSeveralDomains(session));
  const domains = severalDomains ? plan.domains : [];
  const requests = listedRequests(change, kept, session);
  const report = await planReport(
    { plan, pages: kept.read(), requests, domains, severalDomains, inspect: change.inspect },
    session,
  );
  // An undo of which nothing is shown goes on with what else there is to undo.
  const isEmpty = plan.planned + plan.countOf('refused') + plan.countOf('missing') === 0;
  return isEmpty && change.undoing && !change.tags ? { ...report, rows: [] } : report;
}

async function* listedRequests(
  change: ListedChange,
  kept: KeptRows<PlannedLink>,
  session: Session,
): AsyncGenerator<PlannedRequest> {
  const { options, request, tags, rereads: isRead = false, operation } = change;
  if (request) return yield request;
  function* rows(): Generator<RunRow[]> {
    for (const links of kept.read()) yield links.flatMap((link) => runRowOf(link, change) ?? []);
  }
  const payload = (item: object) => item;
  const batchSize = batchSizeOf(session, options.batchSize);
  const { add, delete: deleted } = tags?.change ?? {};
  yield* tagRequests({ add });
  yield* requestsOf({ rows: rows(), operation, payload, batchSize, isRead }, session);
  yield* tagRequests({ delete: deleted });
}

/** A row of the input, and its link. */
interface ReadRow {
  readonly row: RunRow;
  readonly link: PlannedLink;
}

/** Like `listedDryRun`, for named links. Links that are missing or already as requested need no request. */
export function namedDryRun(change: NamedChange, session: Session): RowsReport {
  const { input, payload, verb, domains, options, operation, fromArguments } = change;
  const { global } = session;
  const batchSize = batchSizeOf(session, options.batchSize);
  async function* read(): AsyncGenerator<readonly ReadRow[]> {
    for await (const all of rowBatches(input, batchSize)) {
      const rows = all.filter(({ skip }) => skip === undefined);
      const links = await decidedLinks(rows, change, { ...session, batchSize });
      yield links.map((link, nth) => ({ row: rows[nth] as RunRow, link }));
    }
  }
  const kept = keptRows<ReadRow>(session);
  const plan = new ChangePlan(verb, session, input.skipped);
  async function* shown(): AsyncGenerator<readonly PlannedLink[]> {
    for await (const rows of read()) {
      // The requests are printed after the rows.
      if (global.verbose) kept.add(rows);
      const links = rows.map(({ link }) => link);
      plan.add(links);
      yield links;
    }
  }
  async function* requests(): AsyncGenerator<PlannedRequest> {
    // On a terminal, links are read for the plan. Otherwise each batch is read before it is sent if undo or results need it.
    const isShown = !global.yes && canAsk(session);
    const isRead = !isShown && (isUndoKept(options, session) || options.results !== undefined);
    async function* rows(): AsyncGenerator<readonly RunRow[]> {
      if (!isShown && !isRead) return yield* rowBatches(input, batchSize);
      // JSON contains no rows, so nothing was read for them.
      for await (const some of session.format() === 'json' ? read() : kept.read()) {
        yield some.map(({ row, link }) => ({ ...row, before: link.record ?? null, refusal: refusalOf(link) }));
      }
    }
    yield* requestsOf({ rows: rows(), operation, payload, batchSize, isRead, fromArguments }, session);
  }
  return planReport({ plan, pages: shown(), requests: requests(), domains }, session);
}
