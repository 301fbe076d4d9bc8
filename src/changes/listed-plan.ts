import { type BatchRules, batchesOf, byDomain, byHash } from '../bulk/batches.ts';
import type { OperationKind } from '../bulk/operations/operation.ts';
import { keyedMode } from '../bulk/operations/recreate.ts';
import type { Session } from '../cli/session.ts';
import { editions } from '../contract/editions.ts';
import type { LinkDomains, LinkKey } from '../contract/link.ts';
import type { EditFields } from '../contract/operations.ts';
import type { BulkOptions } from '../flags/bulk-flags.ts';
import type { PlannedRequest } from '../output/dry-run.ts';
import type { RowsReport } from '../output/report.ts';
import { sendingOf } from './checked-rows.ts';
import { consentToPlan, type PlanQuestion, refuseTooMany } from './consent.ts';
import { type ChangePlan, startPlan } from './plan.ts';
import { planReport, wantsRows } from './plan-report.ts';
import { isPlanned, type PlannedLink, type PlannedOutcome, type PlanSettings } from './planned-links.ts';
import type { SelectedLink, SelectedLinks } from './selected-links.ts';

/** Links that were selected, and what is to be done to them. */
export interface PlannedSelection<Payload extends LinkKey, Link extends SelectedLink = SelectedLink> {
  readonly links: SelectedLinks<Link>;
  readonly kind: OperationKind;
  /** What is done for a row, where rows are of several kinds. */
  kindOf?(payload: Payload): OperationKind;
  readonly verb: PlanSettings['verb'];
  readonly caution?: PlanSettings['caution'];
  readonly question: PlanQuestion;
  readonly options: BulkOptions;
  decide(link: Link): PlannedOutcome;
  /** What is sent for a link. */
  payload(target: LinkKey, fields: EditFields, kind: PlannedOutcome['kind']): Payload;
  /** Refuses a change that its author cannot have meant, when the whole plan is known. */
  refuse?(plan: ChangePlan): void;
  /** Calls that are made before those for the links, known when the links were read. */
  requestsBefore?(): readonly PlannedRequest[];
  /** Instead of that, the one call that is made for all of them. */
  readonly request?: PlannedRequest;
}

interface DecidedPage {
  readonly links: readonly PlannedLink[];
  /** Links read so far, those that the filter left out included. */
  readonly read: number;
}

/** Reads the selection whole, shows what would be done to it and asks (W2). `take` gets the links as they are read. */
export async function consentToLinks<Payload extends LinkKey, Link extends SelectedLink>(
  change: PlannedSelection<Payload, Link>,
  session: Session,
  take: (links: readonly PlannedLink[]) => void = () => {},
): Promise<ChangePlan> {
  const { verb, caution } = change;
  const settings: { -readonly [K in keyof PlanSettings]: PlanSettings[K] } = { verb, caution, session };
  const plan = startPlan(settings);
  for await (const { links, read } of decidedPages(change, session)) {
    for (const link of links) plan.add(link);
    take(links);
    settings.of = read;
    session.streams.progress.step(() => `${read} links read`);
  }
  change.refuse?.(plan);
  const { planned, unchanged, refused, missing, left } = plan.counts;
  if (planned + unchanged + refused + missing + left > 0) await consentToPlan(plan, change.question, session);
  return plan;
}

/** Links with what is to be done to each. Throws where more would be changed than `--max-affected` allows (B57). */
async function* decidedPages<Payload extends LinkKey, Link extends SelectedLink>(
  { links: selected, decide }: PlannedSelection<Payload, Link>,
  session: Session,
): AsyncGenerator<DecidedPage> {
  let planned = 0;
  for await (const { links, read } of selected.pages()) {
    if (links.length > 0) refuseTooMany(planned, session, true);
    const decided = links.map((link) => ({ ...link, outcome: decide(link) }));
    for (const { outcome } of decided) planned += Number(isPlanned(outcome));
    yield { links: decided, read };
  }
  refuseTooMany(planned, session);
}

/** The plan, the rows or the calls, and nothing is sent (B60). */
export async function dryRunOf<Payload extends LinkKey, Link extends SelectedLink>(
  change: PlannedSelection<Payload, Link>,
  session: Session,
): Promise<RowsReport> {
  const { verb, caution } = change;
  const settings: Pick<PlanSettings, 'verb' | 'caution'> & { of?: number } = { verb, caution };
  async function* planned(): AsyncGenerator<PlannedLink[]> {
    for await (const { links, read } of decidedPages(change, session)) {
      settings.of = read;
      yield [...links];
    }
  }
  const domains = wantsRows(session) ? await plannedDomains(change, session) : [];
  const { refuse } = change;
  return planReport(
    Object.assign(settings, { links: planned(), requests: requestsOf(change, session), domains, refuse }),
    session,
  );
}

/** The domains of what would be changed: as in the change itself, a hash names a link where all are on one. */
async function plannedDomains<Payload extends LinkKey, Link extends SelectedLink>(
  change: PlannedSelection<Payload, Link>,
  session: Session,
): Promise<LinkDomains> {
  const { edition, domains } = session;
  if (!change.links.severalDomains || session.format() === 'json') return [];
  if (!editions[edition].severalDomains || (await domains()).names.length < 2) return [];
  const plan = startPlan({ verb: change.verb, session });
  for await (const { links } of decidedPages(change, session)) for (const link of links) plan.add(link);
  return plan.domains;
}

/** The calls as a run makes them. */
async function* requestsOf<Payload extends LinkKey, Link extends SelectedLink>(
  change: PlannedSelection<Payload, Link>,
  session: Session,
): AsyncGenerator<PlannedRequest> {
  const { kind, kindOf = () => kind, options, payload, request, requestsBefore } = change;
  const limit = sendingOf(options, session).batchSize;
  const group = (row: Payload): string => `${kindOf(row)} ${byDomain.group(row)}`;
  const rules: BatchRules<Payload> = { limit, ...(kind === 'edit' ? {} : byHash), group };
  const requests = (rows: readonly Payload[]): PlannedRequest[] =>
    [...batchesOf(rows, rules)].map((batch) => requestOf(batch[0] ? kindOf(batch[0]) : kind, batch, session));
  let isFirst = true;
  let waiting: Payload[] = [];
  for await (const { links } of decidedPages(change, session)) {
    if (request) continue;
    if (isFirst) yield* requestsBefore?.() ?? [];
    isFirst = false;
    for (const { target, outcome } of links) {
      if (isPlanned(outcome)) waiting.push(payload(target, fieldsOf(outcome), outcome.kind));
    }
    const whole = waiting.length - (waiting.length % limit);
    yield* requests(waiting.slice(0, whole));
    waiting = waiting.slice(whole);
  }
  if (isFirst && !request) yield* requestsBefore?.() ?? [];
  yield* requests(waiting);
  if (request) yield request;
}

function requestOf(
  kind: OperationKind,
  batch: readonly (LinkKey & { readonly operation?: unknown })[],
  { edition }: Session,
): PlannedRequest {
  const domain = batch[0]?.domain;
  if (kind === 'delete' || kind === 'reset') {
    const hashes = batch.map(({ hash }) => hash).join(',');
    return { method: 'DELETE', path: kind === 'reset' ? '/stats' : '/urls', query: { hashes, domain }, body: undefined };
  }
  const items = batch.map(({ domain: _, operation: __, ...item }) => item);
  if (kind === 'edit') return { method: 'PATCH', path: '/urls', query: { domain }, body: { urls: items } };
  // A link that is made gets its hash as its custom hash.
  const made = items.map(({ hash, ...item }) => ({ custom_hash: hash, ...item }));
  const query = { domain, disable_long_url_duplicates: keyedMode(edition).duplicates };
  return { method: 'POST', path: '/urls', query, body: { urls: made } };
}

/** What a link shall get. */
export function fieldsOf(outcome: PlannedOutcome): EditFields {
  return 'fields' in outcome ? (outcome.fields ?? {}) : {};
}
