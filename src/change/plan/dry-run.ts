import { fileBatches, rowBatches } from '../../bulk/operations/batches.ts';
import type { BulkOperation } from '../../bulk/operations/operation.ts';
import { plannedCalls } from '../../bulk/operations/planned-calls.ts';
import type { OperationSettings, RunRow } from '../../bulk/run-plan.ts';
import { canAsk } from '../../cli/prompt.ts';
import type { Session } from '../../cli/session.ts';
import { batchSizeOf } from '../../client/batch-limits.ts';
import { editions } from '../../contract/editions.ts';
import type { LinkDomains, LinkKey } from '../../contract/link.ts';
import type { PlannedRequest } from '../../output/dry-run.ts';
import type { RowsReport } from '../../output/report.ts';
import type { SelectedLink } from '../../select/selected-links.ts';
import type { ListedChange, NamedChange } from '../change.ts';
import { decidedLinks, decidedPages } from '../decide/links.ts';
import { pinnedDomain, rowOf } from '../sending.ts';
import type { PlannedLink } from './outcome.ts';
import { startPlan } from './plan.ts';
import { planReport, wantsRows } from './report.ts';

/** Rows as a run of them has them, and what it sends for them. */
interface SentRows<Payload extends object> {
  readonly rows: AsyncIterable<readonly RunRow[]>;
  operation(settings: OperationSettings): BulkOperation<Payload>;
  payload(item: object): Payload;
  readonly batchSize: number;
  /** Links are read right before they are changed. */
  readonly isRead: boolean;
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
  const plan = startPlan({ verb: change.verb, session });
  for await (const { links } of decidedPages(change, session)) for (const link of links) plan.add(link);
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

/** The same for a change of links that are named. */
export function namedDryRun<Payload extends LinkKey, Item extends object>(
  change: NamedChange<Payload, Item>,
  session: Session,
): RowsReport {
  const { input, payload, decide, verb, domains, options } = change;
  const { client } = session;
  const batchSize = batchSizeOf(session, options.batchSize);
  async function* pages(): AsyncGenerator<{ readonly links: PlannedLink[] }> {
    const batches = fileBatches(input, payload, { limit: batchSize });
    for await (const targets of batches) yield { links: await decidedLinks(targets, decide, { client, batchSize }) };
  }
  return planReport({ verb, pages: pages(), requests: namedRequests(change, batchSize, session), domains }, session);
}

/** The calls without those for links that the run finds to be as they should be, or not to exist. */
async function* namedRequests<Payload extends LinkKey, Item extends object>(
  { input, payload, decide, options, operation, fromArguments }: NamedChange<Payload, Item>,
  batchSize: number,
  session: Session,
): AsyncGenerator<PlannedRequest> {
  const { client, global } = session;
  // On a terminal the plan has read them; else each batch is read before it is sent, if anything is kept of it.
  const isShown = !global.yes && canAsk(session);
  const isRead = !isShown && (options.undo !== false || options.results !== undefined);
  async function* rows(): AsyncGenerator<readonly RunRow[]> {
    for await (const all of rowBatches(input, batchSize)) {
      const some = all.filter(({ skip }) => skip === undefined);
      if (!isShown && !isRead) yield some;
      else {
        const targets = some.map(({ item }) => payload(item));
        const links = await decidedLinks(targets, decide, { client, batchSize });
        yield some.map((row, nth) => ({ ...row, before: links[nth]?.record ?? null, refusal: refusalOf(links[nth]) }));
      }
    }
  }
  // Of links that were typed, nobody looks the default domain up.
  const domain = fromArguments ? session.domain : await pinnedDomain(session);
  yield* requestsOf({ rows: rows(), operation, payload: (item) => payload(item as Item), batchSize, isRead, domain }, session);
}

function refusalOf(link: PlannedLink | undefined): string | undefined {
  return link?.outcome.kind === 'refused' ? link.outcome.reason : undefined;
}
