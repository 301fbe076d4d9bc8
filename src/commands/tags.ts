import type { Command } from 'commander';
import { RejectedError, UsageError } from '../base/errors.ts';
import { shellWord } from '../base/quoted.ts';
import { recordCall } from '../bulk/recorded-call.ts';
import { recordTagRun, type TagChange, unfinishedTags } from '../bulk/tag-run.ts';
import { environmentOf } from '../change/environment.ts';
import { refuseTooMany } from '../change/limits.ts';
import { plannedRows } from '../change/plan/report.ts';
import { keepsUndo, markShown } from '../change/run-settings.ts';
import { type RemovalOptions, removeTags } from '../change/tags/tag-removal.ts';
import {
  absence,
  changeEach,
  consentToTags,
  countTagged,
  labelColumns,
  missingTag,
  recordedTags,
  tagRequests,
} from '../change/tags/tags.ts';
import { undoLineOf } from '../change/typed-report.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/runner.ts';
import { openSession, type Session } from '../cli/session.ts';
import { type AccountTags, accountTags, countLabels, deleteTag, isNoTag, renameTag } from '../client/account-tags.ts';
import { refusedLabel } from '../client/api-messages.ts';
import { cacheLabels } from '../completion/label-storage.ts';
import type { TagRecord } from '../contract/records.ts';
import { foldLabel, isSameLabel } from '../contract/tag-label.ts';
import { missingInput } from '../flags/missing-input.ts';
import { describe } from '../help/description.ts';
import { flagLabels } from '../input/field-values.ts';
import { grouped, quantity } from '../output/quantity.ts';
import type { Row, RowsReport } from '../output/report.ts';

export function register(command: Command, run: Runner): void {
  describe(command.command('list', { isDefault: true }).alias('ls'), {
    summary: 'List the tags',
    description: 'List the tags of the account.',
    examples: ['linkctl tags', 'linkctl tags --count', 'linkctl tags -o json'],
    fields: countColumns,
    onlyReads: true,
    notes: [
      '--count shows how many links carry each tag. It reads all links of all domains: one API call for every 1,000 links (500 on edition B).',
    ],
  })
    .option('--count', 'count the links of each tag')
    .action(run(listTags));
  describe(command.command('add'), {
    summary: 'Add tags',
    description: 'Add tags. Existing tags stay unchanged.',
    fields: labelColumns,
    examples: ['linkctl tags add promo', "linkctl tags add 'spring sale' autumn"],
    globals: ['--max-affected', '--dry-run'],
  })
    .argument('<label...>', 'one label per argument; a comma is part of the label')
    .action(run(addTags));
  describe(command.command('rename'), {
    summary: 'Rename a tag',
    description: 'Rename a tag. Its links keep the tag. linkctl undo renames it back.',
    fields: labelColumns,
    examples: ['linkctl tags rename promo promotion'],
    globals: ['--max-affected', '--dry-run'],
  })
    .argument('<old>', 'current label')
    .argument('<new>', 'new label')
    .action(run(changeLabel));
  const remove = addRemovalFlags(command.command('delete').alias('rm'));
  remove.action(run(deleteTags));
  describe(remove, {
    summary: 'Delete tags',
    description: 'Delete tags. Their links are kept and lose the tag.',
    examples: ['linkctl tags delete promo', 'linkctl tags delete promo spring --ignore-missing --yes --max-affected 500'],
    ...removalHelp,
  });
  const merge = addRemovalFlags(command.command('merge'));
  merge.option('--into <label>', 'tag to attach instead; created if it does not exist').action(run(mergeTags));
  describe(merge, {
    summary: 'Merge tags into another tag',
    description: 'Merge tags into another tag: their links get that tag instead, and the merged tags are deleted.',
    examples: ['linkctl tags merge promo Promos --into promotion', "linkctl tags merge 'R&D' --into research --dry-run"],
    ...removalHelp,
  });
  describe(command, {
    examples: [
      'linkctl tags',
      'linkctl tags list --count',
      'linkctl tags add promo',
      'linkctl tags rename promo promotion',
      'linkctl tags delete promotion',
    ],
    notes: ['Labels are not case-sensitive. Tag expressions for --by-tags: linkctl help tags.'],
  });
}

function addRemovalFlags(command: Command): Command {
  return command
    .argument('<label...>', 'one label per argument; a comma is part of the label')
    .option('--ignore-missing', 'ignore tags that do not exist')
    .option('--no-undo', 'do not keep what undo needs: saves one request per batch (as config set undo off)');
}

/** A tag belongs to all domains, so `--domain` would be ignored. */
const onAllDomains = 'a tag is on all domains of the account';

const removalHelp = {
  notes: [
    'The links of the tags, on all domains, are listed and shown first. They are changed by hash, so linkctl undo can revert it. ' +
      'Tags that someone adds while this runs are kept. If a label contains operators such as & or |, the whole account is read twice. ' +
      '--max-affected counts links; scripts need it.',
  ],
  fields: labelColumns,
  globals: ['--yes', '--max-affected', '--dry-run', '--no-input'],
  refusesDomain: onAllDomains,
};

const countColumns = [{ name: 'label' }, { name: 'links', align: 'right' as const }];

/** GET /tags has no counts, so `--count` reads the listings. */
async function listTags({ count }: { count?: boolean }, invocation: Invocation): Promise<RowsReport> {
  const session = await openSession(invocation);
  const { client, streams } = session;
  if (count && session.domainNamed) throw new UsageError(`--domain does not apply to tags --count: ${onAllDomains}`);
  async function* rows(): AsyncGenerator<readonly Row[]> {
    const { tags } = await client.send('listTags', {});
    const labels = tags.map(({ label }) => label);
    cacheLabels('tags', labels, session);
    if (!count) return yield tags;
    const step = (read: number): void => streams.progress.step(() => `${grouped(read)} links`);
    yield (await countLabels(session, labels, step)).map((one) => ({ ...one }));
  }
  return { kind: 'rows', key: 'tags', rows: rows(), columns: count ? countColumns : labelColumns, empty: 'no tags' };
}

/** Repeating POST /tags is harmless: an existing tag stays unchanged (4.2). */
async function addTags(_options: object, invocation: Invocation, operands: string[]): Promise<RowsReport> {
  const labels = readLabels(operands);
  refuseTooMany(labels.length, invocation, { noun: 'tag' });
  const session = await openSession(invocation);
  const { spelled } = await accountTags(session.client);
  // Only tags that this command created count, and may be undone.
  const isNew = (label: string): boolean => spelled(label) === undefined;
  const add = labels.filter(isNew);
  if (session.global.dryRun) {
    const requests = tagRequests({ add: labels.map((label) => spelled(label) ?? label) });
    return plan(add, { change: 'add', done: 'added', unchanged: labels.length - add.length, requests }, session);
  }
  const work = async (label: string): Promise<Row> => {
    const { tags } = await session.client.send('addTag', { body: { label: spelled(label) ?? label } });
    return applied(label, tags);
  };
  const report = changeEach(labels, work, { done: 'added', isNeeded: isNew });
  if (add.length === 0) return report;
  return await recordedTags(report, { what: `tags add ${add.map(shellWord).join(' ')}`, change: { add } }, session);
}

async function changeLabel(_options: object, invocation: Invocation, operands: string[]): Promise<RowsReport> {
  const [old = '', label = ''] = [...readLabels(operands.slice(0, 1)), ...readLabels(operands.slice(1))];
  const session = await openSession(invocation);
  const { dryRun, maxAffected } = session.global;
  const what = `tags rename ${shellWord(old)} ${shellWord(label)}`;
  const environment = environmentOf(session);
  const begun = (await unfinishedTags({ what }, environment))?.rename;
  const tags = begun && !dryRun ? undefined : await accountTags(session.client);
  // Undo restores the account's spelling of the label.
  const rename = begun ?? { from: tags?.spelled(old) ?? old, to: label };
  const isSame = !begun && tags?.spelled(old) === label;
  if (!begun && !isSame && maxAffected !== undefined) await countTagged([rename.from], session);
  if (dryRun && tags) return planOfRename(rename, { tags, isSame, isBegun: begun !== undefined }, session);
  if (isSame) return labelReport({ label }, `Tag "${label}" already has this label`);
  const run = { what, change: { rename }, profile: session.profile };
  const act = (mayBeDone: boolean) => renameTag(session.client, rename.from, label, mayBeDone);
  // If no tag has either label, nothing was renamed, or the tag was deleted since.
  const { run: name, result } = await recordTagRun(run, environment, { act, leavesNothing: isNoTag });
  const tag = applied(label, result);
  const sentence = `Renamed tag "${old}" to "${tag.label}"`;
  const undoLine = undoLineOf(name);
  return {
    ...labelReport(tag, sentence),
    ...(session.streams.watched && { notes: () => [undoLine] }),
    unwritten: () => [sentence, undoLine],
    printed: () => markShown(name, session),
  };
}

function labelReport(tag: TagRecord, sentence: string): RowsReport {
  return {
    kind: 'rows',
    key: 'tags',
    rows: [{ ...tag }],
    columns: labelColumns,
    sentence: (_tag, { tick }) => `${tick} ${sentence}`,
  };
}

/** Changes the links first; with `--no-undo` only DELETE /tags/[label], after confirmation, changes anything. */
async function deleteTags(options: RemovalOptions, invocation: Invocation, operands: string[]): Promise<RowsReport> {
  const labels = readLabels(operands);
  const session = await openSession(invocation);
  if (options.undo !== false) return await removeTags({ labels, options }, session);
  const { dryRun } = session.global;
  await keepsUndo(options, session);
  const { spelled } = await consentToTags(labels, session);
  if (dryRun) {
    const found = labels.flatMap((label) => spelled(label) ?? []);
    const planned = plan(found, { change: 'delete', done: 'deleted', requests: tagRequests({ delete: found }) }, session);
    return { ...planned, outcome: () => absence(labels, found, options.ignoreMissing) };
  }
  const work = async (label: string): Promise<Row> => {
    const what = `tags delete ${shellWord(label)} --no-undo`;
    await recordCall({ what, profile: session.profile }, environmentOf(session), () =>
      deleteTag(session.client, spelled(label) ?? label),
    );
    return { label };
  };
  return changeEach(labels, work, { done: 'deleted', ignoreMissing: options.ignoreMissing });
}

async function mergeTags(
  options: RemovalOptions & { into?: string },
  invocation: Invocation,
  operands: string[],
): Promise<RowsReport> {
  if (options.into === undefined) throw missingInput("flag '--into'", missing);
  const [into = ''] = readLabels([options.into], '--into');
  const all = readLabels(operands);
  const labels = all.filter((label) => !isSameLabel(label, into));
  if (labels.length === 0) {
    throw new UsageError(`nothing to merge: ${JSON.stringify(all[0])} is the tag to merge into`, {
      hint:
        all[0] === into ? undefined : `to change its spelling: linkctl tags rename ${shellWord(all[0] ?? '')} ${shellWord(into)}`,
    });
  }
  const session = await openSession(invocation);
  return await removeTags({ labels, into, options }, session);
}

const missing = { command: 'tags merge', usage: '<label...> --into <label> [flags]', example: 'promo Promos --into promotion' };

type Planned = Pick<Parameters<typeof plannedRows>[0], 'requests' | 'done'>;

/** `unchanged` is the number of further tags that are as requested already. */
function plan(
  labels: readonly string[],
  { change, unchanged = 0, ...planned }: Planned & { readonly change: string; readonly unchanged?: number },
  session: Session,
): RowsReport {
  const rows = [labels.map((label) => ({ label, change }))];
  const columns = [{ name: 'label', essential: true }, { name: 'change' }];
  const rest = unchanged > 0 ? `, ${grouped(unchanged)} unchanged` : '';
  const countText = (count: number): string => `${quantity(count, 'tag')} would be ${planned.done}${rest}`;
  return plannedRows({ ...planned, rows, noun: 'tag', columns, countText }, session);
}

interface KnownRename {
  readonly tags: AccountTags;
  /** The tag has the new label already. */
  readonly isSame: boolean;
  /** An earlier process may have renamed the tag already. */
  readonly isBegun: boolean;
}

/** Throws what the server would answer. */
function planOfRename(
  rename: NonNullable<TagChange['rename']>,
  { tags, isSame, isBegun }: KnownRename,
  session: Session,
): RowsReport {
  const { from, to } = rename;
  const [old, taken] = [tags.spelled(from), tags.spelled(to)];
  const isDone = isSame || (isBegun && old === undefined && taken !== undefined);
  if (old === undefined && !isDone) throw missingTag(from);
  if (!isDone && taken !== undefined && !isSameLabel(from, to)) {
    const { message, hint } = refusedLabel({ label: from, newLabel: to });
    throw new RejectedError(message, { apiCode: 1311, hint });
  }
  const change = { change: `rename to ${JSON.stringify(to)}`, done: 'renamed', unchanged: isDone ? 1 : 0 };
  return plan(isDone ? [] : [from], { ...change, requests: isSame ? [] : tagRequests({ rename }) }, session);
}

/** An answer with other labels means that the change was not applied; an answer without labels proves nothing. */
function applied(label: string, tags: readonly TagRecord[] | null | undefined): TagRecord {
  const tag = tags?.find((one) => isSameLabel(one.label, label));
  if (!tag && tags?.[0]) {
    throw new RejectedError(`not applied: requested tag "${label}", but the server returned "${tags[0].label}"`);
  }
  return tag ?? { label };
}

/** Removes repeated labels: case makes no difference (2.5). Throws a UsageError. */
function readLabels(operands: readonly string[], name = '<label>'): string[] {
  const seen = new Set<string>();
  return flagLabels(name, operands).filter((label) => seen.size < seen.add(foldLabel(label)).size);
}
