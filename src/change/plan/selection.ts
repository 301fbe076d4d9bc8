import type { BulkOperation, OperationKind } from '../../bulk/operations/operation.ts';
import { plannedCalls } from '../../bulk/operations/planned-calls.ts';
import type { OperationSettings, RunRow } from '../../bulk/run-plan.ts';
import type { Session } from '../../cli/session.ts';
import { editions } from '../../contract/editions.ts';
import type { LinkDomains, LinkKey } from '../../contract/link.ts';
import type { EditFields } from '../../contract/operations.ts';
import type { BulkOptions } from '../../flags/bulk-flags.ts';
import type { PlannedRequest } from '../../output/dry-run.ts';
import type { RowsReport } from '../../output/report.ts';
import { consentToPlan, type PlanQuestion } from '../consent.ts';
import { refuseTooMany } from '../limits.ts';
import type { SelectedLink, SelectedLinks } from '../rows/selected-links.ts';
import { sendingOf } from '../sending.ts';
import { isPlanned, type PlannedLink, type PlannedOutcome, type PlanSettings } from './outcome.ts';
import { type ChangePlan, startPlan } from './plan.ts';
import { planReport, wantsRows } from './report.ts';

/** Links that were selected, and what is to be done to them. */
export interface PlannedSelection<Payload extends LinkKey, Link extends SelectedLink = SelectedLink> {
  readonly links: SelectedLinks<Link>;
  readonly kind: OperationKind;
  readonly verb: PlanSettings['verb'];
  readonly caution?: PlanSettings['caution'];
  readonly question: PlanQuestion;
  readonly options: BulkOptions;
  decide(link: Link): PlannedOutcome;
  /** What is sent for a link. */
  payload(target: LinkKey, fields: EditFields, kind: PlannedOutcome['kind']): Payload;
  /** Refuses a change that its author cannot have meant, when the whole plan is known. */
  refuse?(plan: ChangePlan): void;
  operation(settings: OperationSettings): BulkOperation<Payload>;
  /** All that was read is compared again at sending, however short a time passed. */
  readonly comparesAgain?: boolean;
  /** The run that this one takes back, on the domain on which it was. */
  readonly undoes?: { readonly run: string; readonly domain: string | undefined };
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
  const { options, request, requestsBefore, comparesAgain = false } = change;
  const { batchSize } = sendingOf(options, session);
  async function* rows(): AsyncGenerator<RunRow[]> {
    for await (const { links } of decidedPages(change, session)) yield links.flatMap((link) => rowOf(link, change) ?? []);
  }
  if (request) {
    for await (const _ of rows());
    yield request;
    return;
  }
  const domain = await pinnedDomain(session, change.undoes?.domain);
  const operation = change.operation({ client: session.client, domain, batchSize, mayCall: () => true });
  const payload = (item: object) => item as Payload;
  const calls = plannedCalls({ rows: rows(), operation, payload, batchSize, isRead: comparesAgain });
  let isFirst = true;
  for (let next = await calls.next(); isFirst || !next.done; isFirst = false) {
    // What comes before them is known when links were read.
    if (isFirst) yield* requestsBefore?.() ?? [];
    if (next.done) return;
    yield next.value;
    next = await calls.next();
  }
}

/** The domain of links that name none: looked up once, so that the run and the one that resumes it are the same. */
export async function pinnedDomain({ domain, edition, domains }: Session, named?: string): Promise<string | undefined> {
  return named ?? domain ?? (editions[edition].severalDomains ? (await domains()).defaultDomain : undefined);
}

/** The row of a run for a link; undefined for one that stays as it is. */
export function rowOf<Payload extends LinkKey, Link extends SelectedLink>(
  { target, record, outcome }: PlannedLink,
  { payload }: PlannedSelection<Payload, Link>,
): (RunRow & { readonly item: Payload }) | undefined {
  if (outcome.kind === 'unchanged' || outcome.kind === 'left') return undefined;
  const row = { line: undefined, item: payload(target, fieldsOf(outcome), outcome.kind), before: record ?? null };
  return outcome.kind === 'refused' ? { ...row, refusal: refusalOf(outcome) } : row;
}

function refusalOf({ reason, code }: Extract<PlannedOutcome, { kind: 'refused' }>): RunRow['refusal'] {
  return code === undefined ? reason : { code, message: reason };
}

/** What a link shall get. */
export function fieldsOf(outcome: PlannedOutcome): EditFields {
  return 'fields' in outcome ? (outcome.fields ?? {}) : {};
}
