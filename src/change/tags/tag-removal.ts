import { type CliError, PartialError, UsageError } from '../../base/errors.ts';
import { flagText, shellWord } from '../../base/quoted.ts';
import { editItemsOperation } from '../../bulk/operations/editing.ts';
import { type TagChange, unfinishedTags } from '../../bulk/tag-run.ts';
import { confirm } from '../../cli/prompt.ts';
import type { Session } from '../../cli/session.ts';
import {
  accountTags,
  addTags,
  carriers,
  contradiction,
  countCarriers,
  deleteTag,
  isNoTag,
  type LabelCount,
} from '../../client/account-tags.ts';
import type { Client } from '../../client/client.ts';
import { lacksKey } from '../../contract/records.ts';
import { isSameLabel, labelExpression } from '../../contract/tag-label.ts';
import { mayBe } from '../../link/same.ts';
import { dryRunReport } from '../../output/planned-requests.ts';
import { grouped, quantity } from '../../output/quantity.ts';
import { batchesOf, type Row, type RowsReport } from '../../output/report.ts';
import { hashChangePresentation } from '../../output/url-columns.ts';
import type { SelectedPage } from '../../select/selected-links.ts';
import { accountLabel } from '../account-label.ts';
import type { ListedChange } from '../change.ts';
import { environmentOf } from '../environment.ts';
import { requireAnswer } from '../limits.ts';
import { runPlannedChange, unfinishedTagsOf } from '../run.ts';
import { isUndoKept, keepsUndo } from '../run-settings.ts';
import {
  absence,
  changeEach,
  type LabelChange,
  missingTag,
  namedTags,
  recordedTags,
  showMissing,
  withoutLabels,
} from './tags.ts';

export interface RemovalOptions {
  readonly ignoreMissing?: boolean;
  readonly undo?: boolean;
}

/** Tags to delete, and optionally a tag to attach instead. */
interface TagRemoval {
  readonly labels: readonly string[];
  readonly into?: string;
  readonly options: RemovalOptions;
}

interface KnownRemoval extends TagRemoval {
  /** The labels that exist in the account, as it spells them. */
  readonly found: readonly string[];
  /** `into` as the account spells it. */
  readonly target: string | undefined;
  /** Deletes the tags, and adds `into` if it does not exist. */
  readonly tags: TagChange;
  /** An unfinished run deletes the tags and changes no links. */
  readonly isAlone: boolean;
}

/** Detaches the tags from their links before deleting them, because the API's deletion would detach them without a record. */
export async function removeTags(removal: TagRemoval, session: Session): Promise<RowsReport> {
  await requireAnswer(session, removal.into === undefined ? 'tags delete' : 'tags merge');
  const known = await knownRemoval(removal, session);
  const { found, labels, isAlone } = known;
  const { yes, dryRun } = session.global;
  if (dryRun || (!yes && found.length > 0)) await showMissing(labels, found, session);
  if (dryRun) {
    const planned = found.length === 0 ? dryRunReport([]) : await removeByRun(known, session);
    return { ...planned, outcome: () => absence(labels, found, removal.options.ignoreMissing) };
  }
  if (found.length === 0) return changeEach(labels, deletion(found, session), wordsOf(known));
  return await (isAlone ? removeUnused : removeByRun)(known, session);
}

/** Takes the tags from an unfinished run of the same command, if there is one, because it may already have deleted some. */
async function knownRemoval(removal: TagRemoval, session: Session): Promise<KnownRemoval> {
  const { labels, into, options } = removal;
  const what = titleOf(removal);
  const keeps = isUndoKept(options, session);
  const ofLinks = keeps ? await unfinishedTagsOf({ what, ...identified(removal) }, session) : undefined;
  const alone = keeps && !ofLinks ? await unfinishedTags({ what }, environmentOf(session)) : undefined;
  const begun = ofLinks ?? alone;
  const { labels: listed, spelled } = await accountTags(session.client, begun?.delete);
  const hidden = labels.find((label) => listed.some((other) => lacksKey(other) && mayBe(other, label) && !spelled(label)));
  if (hidden) throw new UsageError(`not sent: tag ${JSON.stringify(hidden)} may be one that contains the API key`);
  const target = into && (spelled(into) ?? into);
  const found = labels.flatMap((label) => spelled(label) ?? []);
  const added = begun ? begun.add : target !== undefined && spelled(target) === undefined ? [target] : undefined;
  return {
    ...removal,
    found,
    target,
    // The members keep this order, because runs are compared by the JSON text of their options.
    tags: { delete: begun?.delete ?? found, ...(added && { add: added }) },
    isAlone: alone !== undefined,
  };
}

/** Identifies the run of a removal. */
function identified({ labels, into }: TagRemoval) {
  return { kind: 'edit', given: { labels, into } } as const;
}

/** A run that edits links by hash: it detaches the tags and attaches `into`. */
function detaching(known: KnownRemoval, session: Session): ListedChange {
  const { found, target, options } = known;
  async function* pages(): AsyncGenerator<SelectedPage> {
    for await (const { rows, read, linkOf } of carriers(session, found)) {
      yield { links: rows.map((record) => ({ target: linkOf(record), record })), read };
    }
  }
  return {
    what: titleOf(known),
    ...identified(known),
    links: { severalDomains: session.edition === 'a', pages },
    verb: 'change',
    question: { verb: questionOf(found, target) },
    options,
    presentation: { ...hashChangePresentation('urls', 'Changed'), doing: 'changing the tags of' },
    decide: ({ record }) => withoutLabels(record, found, target),
    operation: editItemsOperation,
  };
}

function titleOf({ labels, into }: TagRemoval): string {
  const words = labels.map(shellWord).join(' ');
  return into === undefined ? `tags delete ${words}` : `tags merge ${words} ${flagText('--into', into)}`;
}

function wordsOf({ into, options: { ignoreMissing = false } }: TagRemoval): LabelChange {
  return { done: into === undefined ? 'deleted' : 'merged', ignoreMissing };
}

function questionOf(found: readonly string[], into: string | undefined): string {
  if (into !== undefined) return `Merge ${namedTags(found)} into ${JSON.stringify(into)} on`;
  return `Delete ${namedTags(found)} and detach ${found.length === 1 ? 'it' : 'them'} from`;
}

/** Deletes tags that no link carries, in a run without rows. */
async function removeUnused(known: KnownRemoval, session: Session): Promise<RowsReport> {
  const { labels, found, options, tags } = known;
  if (!known.isAlone) await confirm(`Delete ${namedTags(found)}, used by no link, of ${accountLabel(session)}?`, session);
  const report = changeEach(labels, deletion(found, session), wordsOf(known));
  const prepare = () => addTags(session.client, tags.add);
  if (await keepsUndo(options, session)) {
    return await recordedTags(report, { what: titleOf(known), change: tags }, session, prepare);
  }
  await prepare();
  return report;
}

/** Changes the links, then deletes the tags as the last step of the run. If any link was not changed, the tags are kept. */
async function removeByRun(known: KnownRemoval, session: Session): Promise<RowsReport> {
  const { labels, found, tags } = known;
  let work = deletion(found, session);
  const removed: Row[] = [];
  let links = 0;
  let isBegun = false;
  let ending: CliError | undefined;
  const report = changeEach(labels, (label) => work(label), { ...wordsOf(known), links: () => links });
  const after = async (client: Client): Promise<void> => {
    isBegun = true;
    work = deletion(found, { ...session, client });
    for await (const some of batchesOf(report)) removed.push(...some);
  };
  const { dryRun } = session.global;
  const steps = { change: tags, before: (client: Client) => addTags(client, tags.add), after };
  const run = await runPlannedChange({ ...detaching(known, session), tags: steps }, session);
  const deletions = `then ${namedTags(found)} would be deleted`;
  if (dryRun) return { ...run, notes: () => (run.notes?.() ?? []).toSpliced(-1, 0, deletions) };
  if (run.runRows === undefined) return await removeUnused(known, session);
  async function* rows(): AsyncGenerator<Iterable<Row>> {
    for await (const some of batchesOf(run)) {
      const all = [...some];
      const failed = all.filter((row) => run.failure?.(row) || run.unreached?.(row));
      links += all.length - failed.length;
      yield failed;
    }
    for (const line of run.notes?.() ?? []) await session.note(line);
    ending = run.outcome?.();
    yield removed;
  }
  return {
    ...report,
    rows: rows(),
    failure: (row) => run.failure?.(row) ?? report.failure?.(row),
    unreached: (row) => run.unreached?.(row) === true,
    notes: () => {
      if (!ending) return [];
      return isBegun ? report.unreachedNotes(ending) : [`not deleted: ${namedTags(found)}`];
    },
    outcome: () => ending ?? report.outcome?.(),
    ...(run.printed && { printed: run.printed }),
    abandoned: () => run.abandoned?.() ?? report.abandoned?.(),
    unwritten: () => [...(run.unwritten?.() ?? []), ...(report.unwritten?.() ?? [])],
  };
}

type Work = (label: string) => Promise<Row>;

/**
 * Makes the function that deletes a tag. It throws if links carry the tag; all tags are counted before the first is deleted. `reasonOf`
 * says why that many links carry it: a removal has detached it from all links that it listed.
 */
export function deletion(found: readonly string[], session: Session, reasonOf = gotMeanwhile): Work {
  const { client } = session;
  let counts: readonly LabelCount[] | undefined;
  return async (label) => {
    const known = found.find((one) => isSameLabel(one, label));
    if (known === undefined) throw missingTag(label);
    counts ??= await countLinks(found, session);
    const links = linksOf(known, counts);
    if (links > 0) throw tagKept(known, reasonOf(links));
    await deleteTag(client, known).catch(async (error: unknown) => {
      if (!isNoTag(error)) throw error;
      // Someone else may have deleted the tag meanwhile.
      if ((await accountTags(client)).spelled(known) !== undefined) throw contradiction(known);
    });
    return { label };
  };
}

function gotMeanwhile(links: number): string {
  return `${quantity(links, 'link')} got it while this ran`;
}

/** The run that is undone left the tag on no link. */
export function changedSince(links: number): string {
  return `changed since: ${quantity(links, 'link')} ${links === 1 ? 'has' : 'have'} it`;
}

/** Counts the links of tags to delete. */
export async function countLinks(found: readonly string[], session: Session): Promise<readonly LabelCount[]> {
  return await countCarriers(session, found, (read) => session.streams.progress.step(() => `${grouped(read)} links read`));
}

export function linksOf(label: string, counts: readonly LabelCount[]): number {
  return counts.find((one) => one.label === label)?.links ?? 0;
}

export function tagKept(label: string, reason: string): PartialError {
  return new PartialError(`tag ${JSON.stringify(label)} was kept: ${reason}`, {
    hint: `linkctl list ${flagText('--by-tags', labelExpression(label))}`,
  });
}
