import type { Command } from 'commander';
import { RejectedError, UsageError } from '../base/errors.ts';
import { shellWord } from '../base/quoted.ts';
import { recordCall } from '../bulk/recorded-call.ts';
import { recordTagRun, unfinishedTags } from '../bulk/tag-run.ts';
import { environmentOf } from '../change/environment.ts';
import { refuseTooMany } from '../change/limits.ts';
import { plannedRows } from '../change/plan/report.ts';
import { keepsUndo, markShown } from '../change/run-settings.ts';
import { type RemovalOptions, removeTags } from '../change/tags/tag-removal.ts';
import { changeEach, consentToTags, countTagged, labelColumns, recordedTags, tagRequests } from '../change/tags/tags.ts';
import { undoLineOf } from '../change/typed-report.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/runner.ts';
import { openSession } from '../cli/session.ts';
import { type AccountTags, accountTags, countLabels, deleteTag, isNoTag, renameTag } from '../client/account-tags.ts';
import { cacheLabels } from '../completion/label-storage.ts';
import type { TagRecord } from '../contract/records.ts';
import { foldLabel, isSameLabel } from '../contract/tag-label.ts';
import { addNoUndoFlag } from '../flags/bulk-flags.ts';
import { missingInput } from '../flags/missing-input.ts';
import { describe } from '../help/description.ts';
import { flagLabels } from '../input/field-values.ts';
import { grouped } from '../output/quantity.ts';
import { batchesOf, type DoneReport, type Report, type Row, type RowsReport } from '../output/report.ts';

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
  command
    .argument('<label...>', 'one label per argument; a comma is part of the label')
    .option('--ignore-missing', 'ignore tags that do not exist');
  addNoUndoFlag(command);
  return command;
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
  if (invocation.global.dryRun) {
    return plan(labels, { change: 'add', done: 'added', requests: tagRequests({ add: labels }) }, invocation);
  }
  const session = await openSession(invocation);
  let spelled: AccountTags['spelled'] = () => undefined;
  const work = async (label: string): Promise<Row> => {
    const { tags } = await session.client.send('addTag', { body: { label: spelled(label) ?? label } });
    return applied(label, tags);
  };
  // Only tags that this command created count, and may be undone.
  const isNew = (label: string): boolean => spelled(label) === undefined;
  const report = changeEach(labels, work, { done: 'added', isNeeded: isNew });
  let recorded: RowsReport = report;
  async function* rows(): AsyncGenerator<Iterable<Row>> {
    ({ spelled } = await accountTags(session.client));
    const add = labels.filter(isNew);
    const run = { what: `tags add ${add.map(shellWord).join(' ')}`, change: { add } };
    if (add.length > 0) recorded = await recordedTags(report, run, session);
    yield* batchesOf(recorded);
  }
  return {
    ...report,
    rows: rows(),
    notes: () => recorded.notes?.() ?? [],
    unwritten: () => recorded.unwritten?.() ?? [],
    printed: async () => recorded.printed?.(),
  };
}

async function changeLabel(_options: object, invocation: Invocation, operands: string[]): Promise<Report> {
  const [old = '', label = ''] = [...readLabels(operands.slice(0, 1)), ...readLabels(operands.slice(1))];
  if (invocation.global.dryRun) {
    const requests = tagRequests({ rename: { from: old, to: label } });
    return plan([old], { change: `rename to ${JSON.stringify(label)}`, done: 'renamed', requests }, invocation);
  }
  const session = await openSession(invocation);
  const what = `tags rename ${shellWord(old)} ${shellWord(label)}`;
  const environment = environmentOf(session);
  const begun = (await unfinishedTags({ what }, environment))?.rename;
  const spelled = begun ? undefined : (await accountTags(session.client)).spelled(old);
  if (spelled === label) return labelReport({ label }, `Tag "${label}" already has this label`);
  // Undo restores the account's spelling of the label.
  const rename = begun ?? { from: spelled ?? old, to: label };
  if (!begun && session.global.maxAffected !== undefined) await countTagged([rename.from], session);
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

function labelReport(tag: TagRecord, sentence: string): DoneReport {
  return { kind: 'done', sentence, record: { tags: [tag] }, lines: [tag.label] };
}

/** Changes the links first; with `--no-undo` only DELETE /tags/[label], after confirmation, changes anything. */
async function deleteTags(options: RemovalOptions, invocation: Invocation, operands: string[]): Promise<RowsReport> {
  const labels = readLabels(operands);
  const session = await openSession(invocation);
  if (options.undo !== false) return await removeTags({ labels, options }, session);
  if (invocation.global.dryRun) {
    return plan(labels, { change: 'delete', done: 'deleted', requests: tagRequests({ delete: labels }) }, invocation);
  }
  await keepsUndo(options, session);
  const { spelled } = await consentToTags(labels, session);
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

function plan(
  labels: readonly string[],
  { change, ...planned }: Pick<Parameters<typeof plannedRows>[0], 'requests' | 'done'> & { readonly change: string },
  invocation: Invocation,
): RowsReport {
  const rows = [labels.map((label) => ({ label, change }))];
  const columns = [{ name: 'label', essential: true }, { name: 'change' }];
  return plannedRows({ ...planned, rows, noun: 'tag', columns }, invocation);
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
