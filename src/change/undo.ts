import { FailedError, NotFoundError } from '../base/errors.ts';
import { applyOperation, recreateOperation } from '../bulk/operations/applying.ts';
import { editItemsOperation } from '../bulk/operations/editing.ts';
import type { BulkOperation } from '../bulk/operations/operation.ts';
import { deleteOperation } from '../bulk/operations/removal.ts';
import type { DoneChange } from '../bulk/past-runs/done-change.ts';
import type { DoneRun } from '../bulk/past-runs/done-run.ts';
import { assertIdle, noteMissed } from '../bulk/past-runs/later-lines.ts';
import type { RevertibleRun } from '../bulk/past-runs/reverted-changes.ts';
import { newestFirst, titleOf } from '../bulk/past-runs/run-names.ts';
import { isTrace } from '../bulk/past-runs/trace.ts';
import { assertSameAccount } from '../bulk/past-runs/undo-chain.ts';
import type { OperationSettings } from '../bulk/run-plan.ts';
import { isRevertible } from '../bulk/runs.ts';
import { recordTagRun } from '../bulk/tag-run.ts';
import type { Invocation } from '../cli/invocation.ts';
import { openSession, type Session } from '../cli/session.ts';
import { batchSizeOf } from '../client/batch-limits.ts';
import { editions } from '../contract/editions.ts';
import type { LinkKey } from '../contract/link.ts';
import type { KnownRecord } from '../contract/records.ts';
import type { BulkOptions } from '../flags/bulk-flags.ts';
import { withDefaults } from '../link/defaults.ts';
import { grouped, plainQuantity } from '../output/quantity.ts';
import type { RowsReport } from '../output/report.ts';
import { hashChangePresentation } from '../output/url-columns.ts';
import type { ListedChange } from './change.ts';
import type { PlannedLink, PlannedOutcome } from './decide/outcome.ts';
import { type UndoDecision, undoCreation, undoDeletion, undoEdit } from './decide/undo.ts';
import { environmentOf, foldersOf } from './environment.ts';
import { requireAnswer } from './limits.ts';
import type { MakeItem } from './plan/plan.ts';
import { clicks } from './plan/screen.ts';
import { shownLinks } from './plan/text.ts';
import { assertSettled, type Pending, withPending } from './rows/pending.ts';
import { undonePages } from './rows/undone-links.ts';
import { type Direction, namedRun, runBefore } from './rows/undone-run.ts';
import { runPlannedChange } from './run.ts';
import { appliedRow } from './run-settings.ts';
import { undoTagRun } from './tags/tag-undo.ts';
import { assertTagsSettled, type TagsBack, tagsBack } from './tags/tags-back.ts';
import { isAnyLeft, type LinksLeft, revertParts } from './undo-parts.ts';

export interface UndoOptions extends BulkOptions {
  readonly force?: boolean;
}

/** Why `--domain` is refused. */
export const onTheirDomains = 'each link is changed on the domain that it was on';

/** Finds the run of `undo` or `redo` and undoes it. A redo undoes an undo. */
export async function undoOrRedo(
  direction: Direction,
  options: UndoOptions,
  invocation: Invocation,
  named: string | undefined,
): Promise<RowsReport> {
  const session = await openSession(invocation);
  const run = await namedRun(named, direction, (some) => isAnyLeft([some], session), session);
  if (run === undefined) throw new NotFoundError(direction.nothing.message, { hint: direction.nothing.hint });
  // All undos and redos of a run are on its account.
  const [{ begin } = {}] = newestFirst(foldersOf(session), (name) => name === run);
  if (begin) assertSameAccount(begin, session.client);
  return await revertParts(run, { ...direction, force: options.force }, session, (part, linksLeft) =>
    undoRun(part, options, session, linksLeft),
  );
}

/** Undoes a run. The undo is a run, too. */
async function undoRun(part: RevertibleRun, options: UndoOptions, session: Session, linksLeft: LinksLeft): Promise<RowsReport> {
  const { run } = part;
  const { begin, untraceableRows } = run;
  const { system, global } = session;
  const undo = undoOf(run);
  if (begin.operation === 'tags') return await undoTagRun(part, { ...undo, force: options.force }, session);
  const method = await undoMethodOf(run, session);
  // Of a run in progress, everything may be in doubt, and its command cannot be repeated.
  if (!global.dryRun) await assertIdle(begin.run, foldersOf(session), system);
  if (!options.force) assertSettled(run);
  await requireAnswer(session, 'named');
  if (!options.force) await assertTagsSettled(run, session);
  await session.note(
    undo.direction === 'redo'
      ? `redoing run ${begin.undoes ?? begin.run}: ${subjectOf(begin)}`
      : `undoing run ${begin.run}: ${titleOf(begin)}`,
  );
  if (untraceableRows > 0) {
    await session.warn(`links of ${plainQuantity(untraceableRows, 'row')} whose outcome is unknown are left unchanged`);
  }
  const pending: Pending = { rows: untraceableRows, tags: 0 };
  const tags = tagsBack(run, linksLeft, session);
  const change = changeOf(part, method, { undo, options, pending, tags }, session);
  // Links of the run without a domain are on its domain.
  const domain = begin.domain && (await session.currentDomain(begin.domain));
  const report = await runPlannedChange(change, { ...session, domain });
  if (global.dryRun) return report;
  const isWithoutLinks = report.runRows === undefined;
  const isSettled = pending.rows === 0;
  if (isWithoutLinks && pending.rows > untraceableRows) await noteMissed(begin.run, foldersOf(session), system);
  if (isWithoutLinks && (isSettled || options.force) && !report.outcome?.()) {
    // While rows may still be applied, tags stay as they are, because links may get them.
    if (tags && isSettled) return await undoTagRun(part, { ...undo, force: options.force }, session);
    // Links that are found as they should be are undone: what somebody does to them later is not part of the run. By force, the same is true
    // of rows that may still be applied, so that the next undo goes further back.
    const nothing = { ...undo, operation: method.kind, change: {}, profile: session.profile };
    await recordTagRun(nothing, environmentOf(session), { act: async () => undefined });
  }
  // If links were undone, now or before, the same command starts again from the first row.
  const isAsBefore = isWithoutLinks && !options.force && run.undoneBy.length === 0;
  const after = isAsBefore ? { ...run, unrepeatableRows: 0 } : { ...run, isSettledLater: false };
  return { ...report, outcome: () => withPending(report.outcome?.() ?? tags?.outcome(), pending, after, options.force) };
}

interface Undoing {
  readonly undo: ReturnType<typeof undoOf>;
  readonly options: UndoOptions;
  readonly pending: Pending;
  readonly tags: TagsBack | undefined;
}

function changeOf(
  part: RevertibleRun,
  method: UndoMethod,
  { undo: { what, undoLine, ...undoing }, options, pending, tags }: Undoing,
  session: Session,
): ListedChange {
  const { force = false } = options;
  const [verb, doing, done] = method.words ?? changeWords[undoing.direction];
  const reading = { decide: method.decide, force, batchSize: batchSizeOf(session, options.batchSize), pending };
  return {
    kind: method.kind,
    verb: method.verb,
    question: { verb },
    presentation: {
      ...hashChangePresentation(method.key ?? 'urls', done),
      doing,
      ...(undoLine && { undoLine }),
    },
    what,
    links: {
      severalDomains: editions[session.edition].severalDomains,
      pages: () => undonePages(part, reading, session),
    },
    given: { undo: undoing.undoes, force },
    options,
    decide: ({ outcome }: PlannedLink) => outcome,
    // A link of the run that somebody else has deleted is undone, also if that was after the beginning of an undo that is resumed.
    operation: (settings) => ({ ...method.operation(settings), mayBeGone: true }),
    ...(method.payload && { payload: method.payload }),
    // An undo that is resumed by force counts the rows in doubt anew.
    undoing: { ...undoing, pending, kept: () => (force ? 0 : pending.rows) + (tags?.kept() ?? 0) || undefined },
    tags,
  };
}

/** Throws a FailedError if the run cannot be undone. The hint names the newest earlier run that can. */
async function undoMethodOf(run: DoneRun, session: Session): Promise<UndoMethod> {
  const { begin, kind } = run;
  const method = undoMethods[kind];
  if (method && isRevertible(begin)) return method;
  const [why, ...details] = isTrace(begin) ? deleted : method ? unrecorded : await reasonOf(run, session);
  const hint = await runBefore(begin, session);
  throw new FailedError(`run ${begin.run} (${titleOf(begin)}) cannot be undone: ${why}`, { details, hint });
}

const deleted = ['its record was deleted', 'records are kept for 30 days, of typed links the newest 200 of each account'];
const unrecorded = ['the previous state of its links was not recorded', 'it was run with --no-undo, or by an earlier version'];

async function reasonOf(run: DoneRun, session: Session): Promise<string[]> {
  const reason = reasons[run.begin.operation];
  return reason === undefined ? ['counters cannot be restored', ...(await lostCounters(run, session))] : [reason];
}

const reasons: { readonly [K in DoneRun['begin']['operation']]?: string } = {
  check: 'a check changes nothing',
  api: 'the changes of this call are unknown',
};

/** Returns the largest counters that a reset erased, because nothing else shows them any more. */
async function lostCounters({ changes, images }: DoneRun, session: Session): Promise<string[]> {
  let largest: KnownRecord[] = [];
  let count = 0;
  for await (const some of changes()) {
    const links = some.flatMap(({ before }) => before ?? []);
    count += links.length;
    largest = [...largest, ...links].sort((one, other) => clicksOf(other) - clicksOf(one)).slice(0, shownLinks);
  }
  const lines = largest.map((link) => `${session.shortUrl(link)}: ${clicks(link, true)}`);
  const more = count > lines.length ? [`and ${grouped(count - lines.length)} more in ${images}`] : [];
  return count === 0 ? [] : ['the counters before it:', ...lines, ...more];
}

function clicksOf({ total_clicks = 0 }: KnownRecord): number {
  return total_clicks;
}

/** Undoing an undo is called redo; undoing a redo is an undo again. */
function undoOf({ begin, size }: DoneRun) {
  const direction = begin.direction === 'undo' ? ('redo' as const) : ('undo' as const);
  const undoLine = direction === 'undo' ? () => `to redo it: linkctl redo ${begin.run}` : undefined;
  return { what: `${direction} ${subjectOf(begin)}`, direction, undoes: begin.run, undoneSize: size, undoLine };
}

/** Returns the title of the first run in a chain of undos and redos. */
function subjectOf(begin: DoneRun['begin']): string {
  const title = titleOf(begin);
  return begin.direction ? title.slice(`${begin.direction} `.length) : title;
}

/** For the question, the header (`undoing`) and each link (`Undone`). */
type Words = readonly [question: string, doing: string, done: string];

const changeWords: { readonly [D in 'undo' | 'redo']: Words } = {
  undo: ['Undo the changes to', 'undoing the changes to', 'Undone'],
  redo: ['Redo the changes to', 'redoing the changes to', 'Redone'],
};

interface UndoMethod extends Pick<ListedChange, 'kind' | 'verb'> {
  /** `changeWords` by default. */
  readonly words?: Words;
  /** JSON member for the rows; `urls` by default. */
  readonly key?: string;
  readonly payload?: MakeItem;
  decide(decision: UndoDecision): PlannedOutcome;
  operation(settings: OperationSettings): BulkOperation<LinkKey>;
}

/** By the operation of the run. A reset cannot be undone. */
const undoMethods: { readonly [K in DoneRun['begin']['operation']]?: UndoMethod } = {
  shorten: {
    kind: 'delete',
    verb: 'delete',
    words: ['Delete', 'deleting', 'Deleted'],
    key: 'deleted',
    decide: undoCreation,
    operation: deleteOperation,
  },
  edit: {
    kind: 'edit',
    verb: 'change',
    decide: undoEdit,
    operation: editItemsOperation,
  },
  delete: {
    kind: 'shorten',
    verb: 'restore',
    words: ['Restore', 'restoring', 'Restored'],
    decide: undoDeletion,
    payload: (target, fields) => ({ ...target, ...withDefaults(fields) }),
    operation: recreateOperation,
  },
  apply: {
    kind: 'apply',
    verb: 'back',
    decide: (decision) => undoApplied(decision.change)(decision),
    operation: applyOperation,
    payload: (target, fields, kind) => appliedRow(target, kind === 'create' ? withDefaults(fields) : fields, kind),
  },
};

/** A change that requested no fields was a deletion. */
function undoApplied({ before, asked }: DoneChange): typeof undoEdit {
  if (before === undefined) return undoCreation;
  return Object.keys(asked).length === 0 ? undoDeletion : undoEdit;
}
