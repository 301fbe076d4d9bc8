import { checksum } from '../base/checksum.ts';
import { PartialError } from '../base/errors.ts';
import { folders } from '../base/system.ts';
import { type BatchRules, batchesOf, byDomain, byHash } from '../bulk/batches.ts';
import type { BulkOperation, OperationKind } from '../bulk/operations/operation.ts';
import type { OperationSettings, RunRow } from '../bulk/run-plan.ts';
import { type KeptRun, keptRun } from '../bulk/unfinished.ts';
import { confirm, confirmCount } from '../cli/prompt.ts';
import { type Session, whereabouts } from '../cli/session.ts';
import { editions } from '../contract/editions.ts';
import type { LinkDomains, LinkKey } from '../contract/link.ts';
import type { EditFields } from '../contract/operations.ts';
import type { BulkOptions } from '../flags/bulk-flags.ts';
import { KeptRows, readKeptRows } from '../input/kept-rows.ts';
import type { PlannedRequest } from '../output/dry-run.ts';
import { plainQuantity } from '../output/quantity.ts';
import type { RowsReport } from '../output/report.ts';
import { namesDomains } from '../output/url-columns.ts';
import { keepsUndo, sendingOf } from './checked-rows.ts';
import { consentToPlan, type PlanQuestion, refuseTooMany, typedFrom } from './consent.ts';
import { startPlan } from './plan.ts';
import { planReport } from './plan-report.ts';
import type { PlannedLink, PlannedOutcome, PlanSettings } from './planned-links.ts';
import { type RunPresentation, runReport } from './run-report.ts';
import type { SelectedLink, SelectedLinks } from './selected-links.ts';

/** A change of links that the tool finds itself: by tags, a search, a filter, or all of them. */
export interface ListedChange<Payload extends LinkKey, Link extends SelectedLink = SelectedLink> {
  /** The command as people read it: `rewrite https://a.example -> https://b.example`. */
  readonly what: string;
  readonly links: SelectedLinks<Link>;
  /** Beside the selection all that decides what is done, as it was typed: the same command resumes the run (R 1.4). */
  readonly given: Readonly<Record<string, unknown>>;
  readonly kind: OperationKind;
  readonly verb: PlanSettings['verb'];
  readonly question: PlanQuestion;
  readonly options: BulkOptions;
  readonly presentation: RunPresentation;
  decide(link: Link): PlannedOutcome;
  operation(settings: OperationSettings): BulkOperation<Payload>;
  /** What is sent for a link. */
  payload(target: LinkKey, fields: EditFields): Payload;
  /** The run that this one takes back, on the domain on which it was. */
  readonly undoes?: { readonly run: string; readonly domain: string | undefined };
}

/** A link that is to be changed, or one that is left alone and reported. */
interface ListedRow<Payload> extends RunRow {
  readonly item: Payload & object;
  readonly refusal?: string;
}

/**
 * Reads the selection whole, shows the plan, asks, and changes exactly the links that were shown, by hash (F1, W2). What was read is on
 * the disk before anything is sent; it is kept with the run, so that the same command resumes it with the same links.
 */
export async function changeListed<Payload extends LinkKey, Link extends SelectedLink = SelectedLink>(
  change: ListedChange<Payload, Link>,
  session: Session,
): Promise<RowsReport> {
  if (session.global.dryRun) return dryRun(change, session);
  const { filter } = change.links;
  const options = { ...change.links.given, ...change.given };
  const domain = change.undoes ? change.undoes.domain : await pinnedDomain(session);
  const sha256 = checksum(JSON.stringify([change.what, options]));
  const stateFolder = folders(session.system).state;
  const begun = await keptRun({ operation: change.kind, domain, sha256 }, { client: session.client, stateFolder });
  const listed = begun ? await resumed(begun, change, session) : await takeSnapshot(change, session);
  const { rows, domains } = listed;
  if (rows === 0) return nothingToDo(change, listed.refused);
  return await runReport(
    {
      ...sendingOf(change.options, session),
      operation: change.operation,
      what: change.what,
      undo: await keepsUndo(change.options, session),
      undoes: change.undoes?.run,
      isSelected: filter && ((record) => filter.matches(record)),
      domain,
      input: { name: change.what, sha256, rows, open: listed.open, readAt: listed.readAt, copyTo: listed.copyTo },
      payload: (item: Payload) => item,
      options,
      columns: ['hash', 'long_url', 'note', 'tags', 'expiration_date', 'email_stats', 'max_clicks'],
    },
    { ...namesDomains(change.presentation, domains), domains },
    session,
  );
}

/** The domain of links that name none: looked up once, so that the run and the one that resumes it are the same. */
async function pinnedDomain({ domain, edition, domains }: Session): Promise<string | undefined> {
  return domain ?? (editions[edition].severalDomains ? (await domains()).defaultDomain : undefined);
}

/** The links of a change, readable as often as needed. */
interface Listed<Payload> {
  readonly rows: number;
  readonly refused: number;
  readonly domains: LinkDomains;
  /** In milliseconds since 1970. */
  readonly readAt: number;
  open(): AsyncIterable<readonly ListedRow<Payload>[]> | Iterable<readonly ListedRow<Payload>[]>;
  readonly copyTo?: (path: string) => Promise<void>;
}

async function takeSnapshot<Payload extends LinkKey, Link extends SelectedLink>(
  change: ListedChange<Payload, Link>,
  session: Session,
): Promise<Listed<Payload>> {
  const { system, streams, atEnd } = session;
  const readAt = system.now();
  const kept = new KeptRows<ListedRow<Payload>>(folders(system).state, system);
  atEnd(async () => kept.close());
  const settings = { verb: change.verb, session, of: undefined as number | undefined };
  const plan = startPlan(settings);
  let line = 0;
  for await (const { links, read } of change.links.pages()) {
    const rows: ListedRow<Payload>[] = [];
    for (const link of links) {
      const planned = { ...link, outcome: change.decide(link) };
      plan.add(planned);
      const row = rowOf(planned, change);
      if (row) rows.push({ ...row, line: ++line });
    }
    if (rows.length > 0) kept.add(rows);
    settings.of = read;
    streams.progress.step(() => `${read} links read`);
  }
  const { planned, unchanged, refused, missing } = plan.counts;
  refuseTooMany(planned, session);
  if (planned + unchanged + refused + missing > 0) await consentToPlan(plan, change.question, session);
  const left = refused + missing;
  return {
    rows: planned === 0 ? 0 : planned + left,
    refused: left,
    domains: plan.domains,
    readAt,
    open: () => kept.read(),
    copyTo: (path) => kept.copyTo(path),
  };
}

/** The plan, the rows or the calls, and nothing is sent (B60). */
function dryRun<Payload extends LinkKey, Link extends SelectedLink>(
  change: ListedChange<Payload, Link>,
  session: Session,
): RowsReport {
  const settings = { verb: change.verb, of: undefined as number | undefined };
  async function* planned(): AsyncGenerator<PlannedLink[]> {
    for await (const { links, read } of change.links.pages()) {
      settings.of = read;
      yield links.map((link) => ({ ...link, outcome: change.decide(link) }));
    }
  }
  const domains = change.links.severalDomains ? ['several'] : [];
  return planReport(Object.assign(settings, { links: planned(), requests: requestsOf(change, session), domains }), session);
}

/** The calls as a run makes them. */
async function* requestsOf<Payload extends LinkKey, Link extends SelectedLink>(
  { kind, links: selected, options, decide, payload }: ListedChange<Payload, Link>,
  session: Session,
): AsyncGenerator<PlannedRequest> {
  const limit = sendingOf(options, session).batchSize;
  const rules: BatchRules<Payload> = { limit, ...(kind === 'edit' ? byDomain : byHash) };
  let waiting: Payload[] = [];
  for await (const { links } of selected.pages()) {
    for (const link of links) {
      const outcome = decide(link);
      if (outcome.kind === 'change' || outcome.kind === 'create') waiting.push(payload(link.target, outcome.fields));
      if (outcome.kind === 'delete' || outcome.kind === 'reset') waiting.push(payload(link.target, {}));
    }
    const whole = waiting.length - (waiting.length % limit);
    for (const batch of batchesOf(waiting.slice(0, whole), rules)) yield requestOf(kind, batch);
    waiting = waiting.slice(whole);
  }
  for (const batch of batchesOf(waiting, rules)) yield requestOf(kind, batch);
}

function requestOf(kind: OperationKind, batch: readonly LinkKey[]): PlannedRequest {
  const domain = batch[0]?.domain;
  if (kind === 'delete' || kind === 'reset') {
    const hashes = batch.map(({ hash }) => hash).join(',');
    return { method: 'DELETE', path: kind === 'reset' ? '/stats' : '/urls', query: { hashes, domain }, body: undefined };
  }
  const items = batch.map(({ domain: _, ...item }) => item);
  if (kind === 'edit') return { method: 'PATCH', path: '/urls', query: { domain }, body: { urls: items } };
  // A link that is made again gets its hash as its custom hash.
  return { method: 'POST', path: '/urls', query: { domain }, body: { urls: items.map(({ hash: _, ...item }) => item) } };
}

/** Undefined for a link that stays as it is. */
function rowOf<Payload extends LinkKey, Link extends SelectedLink>(
  { target, record, outcome }: PlannedLink,
  { payload }: ListedChange<Payload, Link>,
): Omit<ListedRow<Payload>, 'line'> | undefined {
  const before = record ?? null;
  switch (outcome.kind) {
    case 'unchanged':
      return undefined;
    case 'missing':
      return { item: payload(target, {}), before };
    case 'refused':
      return { item: payload(target, {}), before, refusal: outcome.reason };
    case 'change':
    case 'create':
      return { item: payload(target, outcome.fields), before };
    default:
      return { item: payload(target, {}), before };
  }
}

/** An unfinished run has its own links; who sees them again after days is asked again. */
async function resumed<Payload extends LinkKey, Link extends SelectedLink>(
  { begin, input, left }: KeptRun,
  { question }: ListedChange<Payload, Link>,
  session: Session,
): Promise<Listed<Payload>> {
  const place = whereabouts(session);
  const text = `Resume run ${begin.run} and ${question.verb.slice(0, 1).toLowerCase()}${question.verb.slice(1)} the remaining ${plainQuantity(left, 'link')} of ${place}?`;
  await (left < typedFrom && !question.always ? confirm(text, session) : confirmCount(text, left, session));
  const domains = new Set<string | undefined>();
  for await (const rows of readKeptRows<ListedRow<Payload>>(input)) for (const { item } of rows) domains.add(item.domain);
  return {
    rows: begin.input.rows,
    refused: 0,
    domains: [...domains],
    readAt: Date.parse(begin.at),
    open: () => readKeptRows<ListedRow<Payload>>(input),
  };
}

function nothingToDo<Payload extends LinkKey, Link extends SelectedLink>(
  { presentation, what }: ListedChange<Payload, Link>,
  refused: number,
): RowsReport {
  return {
    ...presentation,
    kind: 'rows',
    rows: [],
    members: () => ({ summary: { rows: refused } }),
    notes: () => (refused === 0 ? [`${what}: nothing to change`] : []),
    outcome: () =>
      refused > 0 ? new PartialError(`${plainQuantity(refused, 'link')} left alone; nothing was changed`) : undefined,
  };
}
