import { rowBatches } from '../../bulk/operations/batches.ts';
import type { BulkOperation } from '../../bulk/operations/operation.ts';
import { plannedCalls } from '../../bulk/operations/planned-calls.ts';
import type { OperationSettings, RunRow } from '../../bulk/run-plan.ts';
import { canAsk } from '../../cli/prompt.ts';
import type { Session } from '../../cli/session.ts';
import { batchSizeOf } from '../../client/batch-limits.ts';
import { editions } from '../../contract/editions.ts';
import type { LinkDomains, LinkKey } from '../../contract/link.ts';
import type { PlannedRequest } from '../../output/planned-requests.ts';
import type { RowsReport } from '../../output/report.ts';
import type { SelectedLink } from '../../select/selected-links.ts';
import type { ListedChange, NamedChange } from '../change.ts';
import type { PlannedLink } from '../decide/outcome.ts';
import { pinnedDomain, refusalOf, rowOf } from '../sending.ts';
import { ChangePlan, decidedLinks, decidedPages } from './plan.ts';
import { planReport, wantsRows } from './report.ts';

/** Rows as a run of them has them, and what it sends for them. */
interface SentRows<Payload extends object> extends Omit<Parameters<typeof plannedCalls>[0], 'operation'> {
  operation(settings: OperationSettings): BulkOperation<Payload>;
  readonly domain: string | undefined;
}

/** The calls that a run of these rows makes. */
export function requestsOf<Payload extends object>(
  { operation, domain, ...sent }: SentRows<Payload>,
  { client }: Session,
): AsyncGenerator<PlannedRequest> {
  const settings = { client, domain, batchSize: sent.batchSize, mayCall: () => true };
  return plannedCalls({ ...sent, operation: operation(settings) });
}

/** The plan of a change of links that are listed, its rows or its calls; nothing is sent. */
export async function listedDryRun<Payload extends LinkKey, Link extends SelectedLink>(
  change: ListedChange<Payload, Link>,
  session: Session,
): Promise<RowsReport> {
  const { verb, inspect } = change;
  const domains = wantsRows(session) ? await plannedDomains(change, session) : [];
  const requests = listedRequests(change, session);
  return planReport({ verb, pages: decidedPages(change, session), requests, domains, inspect }, session);
}

/** The domains of what would be changed: as in the change itself, a hash names a link where all are on one. */
async function plannedDomains<Payload extends LinkKey, Link extends SelectedLink>(
  change: ListedChange<Payload, Link>,
  session: Session,
): Promise<LinkDomains> {
  const { edition, domains } = session;
  if (!change.links.severalDomains || session.format() === 'json') return [];
  if (!editions[edition].severalDomains || (await domains()).names.length < 2) return [];
  const plan = new ChangePlan(change.verb, session);
  for await (const { links } of decidedPages(change, session)) plan.add(links);
  return plan.domains;
}

async function* listedRequests<Payload extends LinkKey, Link extends SelectedLink>(
  change: ListedChange<Payload, Link>,
  session: Session,
): AsyncGenerator<PlannedRequest> {
  const { options, request, requestsBefore, comparesAgain: isRead = false, operation } = change;
  async function* rows(): AsyncGenerator<RunRow[]> {
    for await (const { links } of decidedPages(change, session)) yield links.flatMap((link) => rowOf(link, change) ?? []);
  }
  if (request) {
    for await (const _ of rows());
    yield request;
    return;
  }
  const domain = await pinnedDomain(session, change.undoes?.domain);
  const payload = (item: object) => item as Payload;
  const batchSize = batchSizeOf(session, options.batchSize);
  const calls = requestsOf({ rows: rows(), operation, payload, batchSize, isRead, domain }, session);
  // The calls before them are known when links were read.
  const first = await calls.next();
  yield* requestsBefore?.() ?? [];
  if (first.done) return;
  yield first.value;
  yield* calls;
}

/** The same for a change of links that are named, without calls for those that the run finds to be as they should be, or not to exist. */
export function namedDryRun<Payload extends LinkKey, Item extends object>(
  change: NamedChange<Payload, Item>,
  session: Session,
): RowsReport {
  const { input, payload, decide, verb, domains, options, operation, fromArguments } = change;
  const { client, global } = session;
  const batchSize = batchSizeOf(session, options.batchSize);
  async function* pages(areRead = true) {
    for await (const all of rowBatches(input, batchSize)) {
      const rows = all.filter(({ skip }) => skip === undefined);
      const targets = rows.map(({ item }) => payload(item));
      const links: PlannedLink[] = areRead ? await decidedLinks(targets, decide, { client, batchSize }) : [];
      yield { rows, links };
    }
  }
  async function* requests(): AsyncGenerator<PlannedRequest> {
    // On a terminal the plan has read them; else each batch is read before it is sent, if anything is kept of it.
    const isShown = !global.yes && canAsk(session);
    const isRead = !isShown && (options.undo !== false || options.results !== undefined);
    async function* rows(): AsyncGenerator<readonly RunRow[]> {
      for await (const { rows: some, links } of pages(isShown || isRead)) {
        yield some.map((row, nth) => ({ ...row, ...readRow(links[nth]) }));
      }
    }
    // Of links that were typed, nobody looks the default domain up.
    const domain = fromArguments ? session.domain : await pinnedDomain(session);
    const sent = { rows: rows(), operation, payload: (item: object) => payload(item as Item), batchSize, isRead, domain };
    yield* requestsOf(sent, session);
  }
  return planReport({ verb, pages: pages(), requests: requests(), domains }, session);
}

function readRow(link: PlannedLink | undefined): Pick<RunRow, 'before' | 'refusal'> {
  return link ? { before: link.record ?? null, refusal: refusalOf(link) } : {};
}
