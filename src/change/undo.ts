import { CliError, FailedError, UsageError } from '../base/errors.ts';
import { folders } from '../base/system.ts';
import { type AppliedRow, applyOperation } from '../bulk/operations/apply.ts';
import { type EditedRow, editItemsOperation } from '../bulk/operations/edit.ts';
import type { BulkOperation } from '../bulk/operations/operation.ts';
import { type RecreatedRow, recreateOperation } from '../bulk/operations/recreate.ts';
import { deleteOperation } from '../bulk/operations/removal.ts';
import type { DoneChange, EarlierLink } from '../bulk/records/done-change.ts';
import { assertIdle, type DoneRun, newerLinks } from '../bulk/records/done-run.ts';
import { runFolders, titleOf } from '../bulk/records/run-names.ts';
import { assertSameAccount, isOfProfile } from '../bulk/records/same-account.ts';
import type { OperationSettings } from '../bulk/run-plan.ts';
import { undoableBefore } from '../bulk/runs.ts';
import type { Session } from '../cli/session.ts';
import { batchSizeOf } from '../client/batch-limits.ts';
import { namedUrls } from '../client/named-urls.ts';
import { editions } from '../contract/editions.ts';
import { type LinkKey, linkText, recordDomain } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import { isLocalhost } from '../contract/web-address.ts';
import type { BulkOptions } from '../flags/bulk-flags.ts';
import { sameUrl } from '../link/value.ts';
import { grouped, plainQuantity } from '../output/quantity.ts';
import type { RowsReport } from '../output/report.ts';
import { hashChangePresentation } from '../output/url-columns.ts';
import { isAlike, type UndoDecision, undoCreation, undoDeletion, undoEdit } from './decide/undo.ts';
import { requireAnswer } from './limits.ts';
import type { PlannedOutcome } from './plan/outcome.ts';
import { clicks } from './plan/screen.ts';
import { shownLinks } from './plan/text.ts';
import { appliedRow } from './rows/comparison.ts';
import type { SelectedLink, SelectedPage } from './rows/selected-links.ts';
import { changeListed, type ListedChange } from './run.ts';
import { tagsBack, undoTagRun, withTagsAlone } from './tag-undo.ts';

/** What to take back, and how. */
interface UndoRequest {
  /** What the run did, as people read it. */
  readonly title: string;
  readonly options: BulkOptions;
  /** Also what changed since. */
  readonly force: boolean;
}

/** Takes a run back, as a run of its own (U2). */
export async function undoRun(run: DoneRun, { title, options, force }: UndoRequest, session: Session): Promise<RowsReport> {
  const { begin, lost } = run;
  const { system, client, domainNamed, global } = session;
  if (domainNamed) throw new UsageError('--domain does not apply to undo: each link is changed on the domain that it was on');
  assertSameAccount(begin, client.identity);
  const way = waysBack[run.kind];
  if (begin.operation === 'tags') return await undoTagRun(run, titleOfUndo(title), session);
  if (begin.operation === 'check') throw await notUndoable(run, session, 'a check changes nothing');
  if (begin.operation === 'api') throw await notUndoable(run, session, 'what the call changed is not known');
  if (!way) throw await notUndoable(run, session, 'counters cannot be restored', await lostCounters(run, session));
  if (begin.operation !== 'shorten' && begin.undo !== true) {
    const details = ['it was made with --no-undo, or by an earlier version'];
    throw await notUndoable(run, session, 'what its links were was not kept', details);
  }
  await requireAnswer(session, 'named');
  if (!global.dryRun) await assertIdle(begin.run, runFolders(folders(system).state), system);
  const local = await localDomain(begin, session);
  await session.note(
    isRedo(title)
      ? `taking back run ${begin.run}, so this is done again: ${title.slice('undo '.length)}`
      : `taking back run ${begin.run}: ${title}`,
  );
  if (lost > 0) {
    await session.warn(`links of ${plainQuantity(lost, 'row')} whose outcome is unknown are left alone`);
  }
  const doubts: Doubts = { rows: lost };
  const tags = tagsBack(run, session);
  const report = await changeListed<LinkKey, UndoLink>(
    {
      ...way,
      presentation: { ...way.presentation, ...(!isRedo(title) && { undoLine: `to redo it: linkctl redo ${begin.run}` }) },
      what: titleOfUndo(title),
      links: {
        given: { undo: begin.run, force },
        filterAt: async () => undefined,
        severalDomains: editions[client.edition].severalDomains,
        pages: () => undoPages(run, { way, force, local, batchSize: batchSizeOf(session, options.batchSize), doubts }, session),
      },
      given: {},
      options,
      decide: ({ outcome }) => outcome,
      operation: (settings) => way.operation({ ...settings, edition: session.edition }),
      payload: way.payload ?? ((target, fields) => ({ ...target, ...fields })),
      undoes: { run: begin.run, domain: local ?? begin.domain },
      tags,
    },
    session,
  );
  const isAlone = tags !== undefined && report.runRows === undefined && !global.dryRun;
  const done = isAlone ? withTagsAlone(report, tags) : report;
  if (global.dryRun) return done;
  return { ...done, outcome: () => withDoubts(done.outcome?.() ?? tags?.kept(), doubts, begin.run) };
}

/** Rows of the run of which nobody knows whether they are still to come: nothing of them is there to take back. */
interface Doubts {
  rows: number;
}

/** What may still be done to links after the undo matters more than what was left alone. */
function withDoubts(outcome: CliError | undefined, { rows }: Doubts, run: string): CliError | undefined {
  if (rows === 0 || (outcome && outcome.kind !== 'partial')) return outcome;
  return new CliError('unknown', `outcome unknown for ${plainQuantity(rows, 'row')} of run ${run}: they may still be applied`, {
    details: outcome ? [outcome.message] : [],
    hint: `check with linkctl list, then repeat linkctl undo ${run}`,
  });
}

/** Why a run stays, and the one before it that does not have to. */
async function notUndoable(
  { begin }: DoneRun,
  { client, system }: Session,
  why: string,
  details: readonly string[] = [],
): Promise<FailedError> {
  const found = await undoableBefore(folders(system).state, begin, (other) => isOfProfile(other, client.identity));
  const hint =
    found && `the run before it that can be undone: linkctl undo ${found.run} (${titleOf(found.begin)}, ${found.begin.at})`;
  return new FailedError(`run ${begin.run} (${titleOf(begin)}) cannot be undone: ${why}`, { details, hint });
}

/** The largest of the counters that a reset erased: nothing else shows them any more (U3). */
async function lostCounters({ changes, images }: DoneRun, session: Session): Promise<string[]> {
  let largest: EarlierLink[] = [];
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

function clicksOf({ total_clicks = 0 }: EarlierLink): number {
  return total_clicks;
}

/** What takes back an undo brings back the change. */
function isRedo(title: string): boolean {
  return title.startsWith('undo ');
}

/** The undo of an undo is called redo, and that of a redo undo. */
function titleOfUndo(title: string): string {
  const [, word, rest] = /^(undo|redo) (.*)$/s.exec(title) ?? [];
  return `${word === 'undo' ? 'redo' : 'undo'} ${rest ?? title}`;
}

/** A link of the run, as it is now, and what is to be done to it. */
interface UndoLink extends SelectedLink {
  readonly outcome: PlannedOutcome;
}

interface WayBack extends Pick<ListedChange<LinkKey>, 'kind' | 'verb' | 'presentation' | 'question'> {
  readonly payload?: ListedChange<LinkKey>['payload'];
  decide(decision: UndoDecision): PlannedOutcome;
  operation(settings: OperationSettings & Pick<Session, 'edition'>): BulkOperation<LinkKey>;
}

/** By what the run did; a reset has none. */
const waysBack: { readonly [K in DoneRun['begin']['operation']]?: WayBack } = {
  shorten: {
    kind: 'delete',
    verb: 'delete',
    question: { verb: 'Delete' },
    presentation: { ...hashChangePresentation('deleted', 'Deleted'), doing: 'deleting' },
    decide: undoCreation,
    operation: deleteOperation,
  },
  edit: {
    kind: 'edit',
    verb: 'change',
    question: { verb: 'Change back' },
    presentation: { ...hashChangePresentation('urls', 'Changed back'), doing: 'changing back' },
    decide: undoEdit,
    operation: (settings): BulkOperation<EditedRow> => editItemsOperation(settings),
  },
  delete: {
    kind: 'shorten',
    verb: 'restore',
    question: { verb: 'Restore' },
    presentation: { ...hashChangePresentation('urls', 'Restored'), doing: 'restoring' },
    decide: undoDeletion,
    operation: (settings): BulkOperation<RecreatedRow> => recreateOperation(settings),
  },
  apply: {
    kind: 'apply',
    verb: 'back',
    question: { verb: 'Take back the changes to' },
    presentation: { ...hashChangePresentation('urls', 'Taken back'), doing: 'taking back' },
    decide: (decision) => wayBackOf(decision.change)(decision),
    operation: (settings): BulkOperation<AppliedRow> => applyOperation(settings),
    payload: appliedRow,
  },
};

/** What an apply did to a link: a deletion asks for nothing. */
function wayBackOf({ before, asked }: DoneChange): typeof undoEdit {
  if (before === undefined) return undoCreation;
  return Object.keys(asked).length === 0 ? undoDeletion : undoEdit;
}

interface Reading {
  readonly local: string | undefined;
  readonly way: WayBack;
  readonly force: boolean;
  readonly batchSize: number;
  /** Counts the rows in doubt whose links are as they were. */
  readonly doubts: Doubts;
}

/** What the domain of a service on this computer is called now: runs keep it without its port, which may be another one. */
async function localDomain({ domain }: DoneRun['begin'], session: Session): Promise<string | undefined> {
  return domain !== undefined && isLocalhost(domain) ? (await session.domains()).names.find(isLocalhost) : undefined;
}

/** Reads the links of the run as they are now: a renamed one by both hashes. */
async function* undoPages(
  run: DoneRun,
  { way, force, local = 'localhost', batchSize, doubts }: Reading,
  { client }: Session,
): AsyncGenerator<SelectedPage<UndoLink>> {
  const { begin, changes, lost } = run;
  const { severalDomains } = editions[client.edition];
  const domainOf = ({ link, before }: DoneChange): string | undefined => {
    const domain = link.domain ?? begin.domain ?? (before ? recordDomain(before) : undefined);
    if (!severalDomains || domain === undefined) return undefined;
    return isLocalhost(domain) ? local : domain;
  };
  /** Hashes that links of a chain give back before others need them. */
  const freed = new Set<string>();
  let read = 0;
  doubts.rows = lost;
  let isNewer: ((hash: string) => boolean) | undefined;
  for await (const done of changes()) {
    if (done.length === 0) continue;
    if (done.some(isToProve)) isNewer ??= await newerLinks(run, client);
    const placed = done.map((change) => ({ change, domain: domainOf(change) }));
    const targets = placed.flatMap(({ change, domain }) => hashesOf(change).map((hash) => ({ hash, domain })));
    const found = new Map<string, UrlRecord>();
    for await (const { target, record } of namedUrls(client, targets, batchSize)) {
      if (record) found.set(linkText(target), record);
    }
    read += done.length;
    const links = placed.map(({ change, domain }): UndoLink => {
      const { record, isTaken } = linkNow(change, {
        find: (hash) => found.get(linkText({ hash, domain })),
        isFreed: (hash) => freed.has(linkText({ hash, domain })),
      });
      const known = isToProve(change) && record && isNewer?.(record.hash) ? { ...change, isProven: true } : change;
      const outcome = way.decide({ change: known, now: record, isTaken, force });
      if (outcome.kind === 'unchanged' && change.isOpen) doubts.rows += 1;
      const target = { hash: record?.hash ?? change.link.hash, domain };
      if (change.isChained && outcome.kind === 'change' && outcome.fields.custom_hash !== undefined) freed.add(linkText(target));
      return { target, record, outcome };
    });
    yield { read, links };
  }
}

/** A link that a run was told to have made, and that may have been there. */
function isToProve({ before, isProven }: DoneChange): boolean {
  return before === undefined && !isProven;
}

/** The hash that the run named, and the one that it gave. */
function hashesOf({ link: { hash }, asked: { custom_hash } }: DoneChange): string[] {
  return custom_hash === undefined || custom_hash === hash ? [hash] : [hash, custom_hash];
}

interface LinksNow {
  find(hash: string): UrlRecord | undefined;
  isFreed(hash: string): boolean;
}

/** Where the link of a change is now, and whether another one has its old hash. */
function linkNow(change: DoneChange, { find, isFreed }: LinksNow): { record: UrlRecord | undefined; isTaken: boolean } {
  const { link, asked, before, isCertain } = change;
  const old = find(link.hash);
  if (asked.custom_hash === undefined || asked.custom_hash === link.hash || !before) return { record: old, isTaken: false };
  const renamed = find(asked.custom_hash);
  // A row in doubt may not have been applied: then the link is as it was, where it was.
  const stayed = old !== undefined && !isCertain && isAlike(before, old);
  if (renamed && !stayed && (!old || sameUrl(renamed.long_url, asked.long_url ?? before.long_url))) {
    return { record: renamed, isTaken: old !== undefined && !isFreed(link.hash) };
  }
  // Of a link that is not where the run left it, the old hash may be somebody else's by now.
  const isBack = old !== undefined && (!isCertain || [before.long_url, asked.long_url].some((url) => sameUrl(old.long_url, url)));
  return { record: isBack ? old : undefined, isTaken: false };
}
