import { FailedError, UsageError } from '../base/errors.ts';
import { type EditedRow, editItemsOperation } from '../bulk/operations/edit.ts';
import type { BulkOperation } from '../bulk/operations/operation.ts';
import { type RecreatedRow, recreateOperation } from '../bulk/operations/recreate.ts';
import { deleteOperation } from '../bulk/operations/removal.ts';
import type { OperationSettings } from '../bulk/run-plan.ts';
import type { DoneChange, DoneRun } from '../bulk/undo.ts';
import type { Session } from '../cli/session.ts';
import { batchSizeOf } from '../client/batch-limits.ts';
import { namedUrls } from '../client/named-urls.ts';
import { editions } from '../contract/editions.ts';
import { type LinkKey, linkText, recordDomain } from '../contract/link.ts';
import type { EditFields } from '../contract/operations.ts';
import type { UrlRecord } from '../contract/records.ts';
import type { BulkOptions } from '../flags/bulk-flags.ts';
import { sameUrl } from '../links/canonical-url.ts';
import type { RowsReport } from '../output/report.ts';
import { hashChangePresentation } from '../output/url-columns.ts';
import { requireAnswer } from './consent.ts';
import { changeListed, type ListedChange } from './listed-change.ts';
import type { SelectedLink, SelectedPage } from './selected-links.ts';
import { undoTagRun, withTagsBack } from './tag-undo.ts';
import { type UndoDecision, undoCreation, undoDeletion, undoEdit } from './undo-decision.ts';

/** Takes a run back, as a run of its own (U2). `title`: what it did, as people read it. */
export async function undoRun(
  run: DoneRun,
  { title, options, force }: { readonly title: string; readonly options: BulkOptions; readonly force: boolean },
  session: Session,
): Promise<RowsReport> {
  const { begin, folder } = run;
  assertSameAccount(run, session);
  if (begin.operation === 'tags') return await undoTagRun(run, titleOfUndo(title), session);
  const way = waysBack[begin.operation];
  if (!way) {
    throw new FailedError(`run ${begin.run} cannot be undone: counters cannot be restored`, {
      details: [`the counters before it are in ${folder}`],
    });
  }
  if (begin.operation !== 'shorten' && begin.undo !== true) {
    throw new FailedError(`run ${begin.run} cannot be undone: it was made with --no-undo`);
  }
  await requireAnswer(session, 'named');
  const links = {
    given: { undo: begin.run, force },
    filterAt: async () => undefined,
    severalDomains: false,
    pages: () => undoPages(run, batchSizeOf(session, options.batchSize), session),
  };
  const report = await changeListed<LinkKey, UndoLink>(
    {
      ...way,
      what: titleOfUndo(title),
      links,
      given: {},
      options,
      question: { verb: 'Undo the change of' },
      decide: (link) => way.decide({ ...link, now: link.record, force }),
      operation: (settings) => way.operation({ ...settings, edition: session.edition }),
      payload: (target, fields) => ({ ...target, ...fields }),
      undoes: { run: begin.run, domain: begin.domain },
    },
    session,
  );
  return withTagsBack(report, run, session);
}

/** The undo of an undo is called redo, and that of a redo undo. */
function titleOfUndo(title: string): string {
  const [, word, rest] = /^(undo|redo) (.*)$/s.exec(title) ?? [];
  return `${word === 'undo' ? 'redo' : 'undo'} ${rest ?? title}`;
}

/** A link of the run, as it is now. */
interface UndoLink extends SelectedLink {
  readonly change: DoneChange;
  readonly isTaken: boolean;
}

interface WayBack extends Pick<ListedChange<LinkKey>, 'kind' | 'verb' | 'presentation'> {
  decide(decision: UndoDecision): ReturnType<typeof undoEdit>;
  operation(settings: OperationSettings & Pick<Session, 'edition'>): BulkOperation<LinkKey>;
}

/** By what the run did; a reset has none. */
const waysBack: { readonly [K in DoneRun['begin']['operation']]?: WayBack } = {
  shorten: {
    kind: 'delete',
    verb: 'delete',
    presentation: { ...hashChangePresentation('deleted', 'Deleted'), doing: 'deleting' },
    decide: undoCreation,
    operation: deleteOperation,
  },
  edit: {
    kind: 'edit',
    verb: 'change',
    presentation: { ...hashChangePresentation('urls', 'Changed back'), doing: 'changing back' },
    decide: undoEdit,
    operation: (settings): BulkOperation<EditedRow> => editItemsOperation(settings),
  },
  delete: {
    kind: 'shorten',
    verb: 'restore',
    presentation: { ...hashChangePresentation('urls', 'Restored'), doing: 'restoring' },
    decide: undoDeletion,
    operation: (settings): BulkOperation<RecreatedRow> => recreateOperation(settings),
  },
};

/** A journal says what was done on one account: on another one the same hashes are other links. */
export function assertSameAccount({ begin }: Pick<DoneRun, 'begin'>, { client: { identity } }: Session): void {
  if (begin.server === identity.server && begin.account === identity.username) return;
  throw new UsageError(
    `run ${begin.run} belongs to ${begin.account} on ${begin.server}, not to ${identity.username} on ${identity.server}`,
    {
      hint: begin.profile ? `add --profile ${begin.profile}` : 'select its profile with --profile',
    },
  );
}

/** Reads the links of the run as they are now: a renamed one by both hashes. */
async function* undoPages(
  { begin, changes }: DoneRun,
  batchSize: number,
  { client }: Session,
): AsyncGenerator<SelectedPage<UndoLink>> {
  const domainOf = ({ link, before }: DoneChange): string | undefined =>
    editions[client.edition].severalDomains
      ? (link.domain ?? (before ? recordDomain(before) : undefined) ?? begin.domain)
      : undefined;
  let read = 0;
  for await (const done of changes()) {
    const placed = done.map((change) => ({ change, domain: domainOf(change) ?? undefined }));
    const targets = placed.flatMap(({ change, domain }) => hashesOf(change).map((hash) => ({ hash, domain })));
    const found = new Map<string, UrlRecord>();
    for await (const { target, record } of namedUrls(client, targets, batchSize)) {
      if (record) found.set(linkText(target), record);
    }
    read += done.length;
    yield {
      read,
      links: placed.map(({ change, domain }) => linkNow(change, domain, (hash) => found.get(linkText({ hash, domain })))),
    };
  }
}

/** The hash that the run named, and the one that it gave. */
function hashesOf({ link: { hash }, asked: { custom_hash } }: DoneChange): string[] {
  return custom_hash === undefined || custom_hash === hash ? [hash] : [hash, custom_hash];
}

function linkNow(change: DoneChange, domain: string | undefined, find: (hash: string) => UrlRecord | undefined): UndoLink {
  const { link, asked, before } = change;
  const old = find(link.hash);
  const renamed = asked.custom_hash === undefined ? undefined : find(asked.custom_hash);
  const isRenamed = renamed !== undefined && (!old || leadsAsLeft(renamed, asked, before?.long_url));
  const record = isRenamed ? renamed : old;
  return { target: { hash: record?.hash ?? link.hash, domain }, record, change, isTaken: isRenamed && old !== undefined };
}

/** Of two links that may be the one that was renamed, the one that leads where the run left it. */
function leadsAsLeft({ long_url }: UrlRecord, asked: EditFields, before: string | undefined): boolean {
  return sameUrl(long_url, asked.long_url ?? before);
}
