import { type CliError, PartialError } from '../base/errors.ts';
import { type TagChange, tagChangeOf } from '../bulk/tag-run.ts';
import type { DoneRun } from '../bulk/undo.ts';
import { confirm } from '../cli/prompt.ts';
import { type Session, whereabouts } from '../cli/session.ts';
import { renameTag } from '../client/tag-changes.ts';
import { foldLabel } from '../contract/tag-label.ts';
import { batchesOf, type Row, type RowsReport } from '../output/report.ts';
import { requireAnswer } from './consent.ts';
import { deletion } from './tag-removal.ts';
import { changeEach, recordedTags } from './tags.ts';

/** One tag that is put back. */
interface Step {
  /** As it is now, or is to be. */
  readonly label: string;
  /** For the plan: `rename "promotion" back to "promo"`. */
  readonly text: string;
  /** Why it is left alone. */
  readonly refusal?: string;
  act(): Promise<unknown>;
}

/** Takes back a run that changed tags and no links, where they are as the run left them (U2, U3). */
export async function undoTagRun({ begin }: DoneRun, what: string, session: Session): Promise<RowsReport> {
  const { global, streams, profile } = session;
  await requireAnswer(session, 'named');
  const change = tagChangeOf(begin);
  const steps = await stepsBack(change, session);
  for (const { text, refusal } of steps) await streams.message(`  ${text}${refusal === undefined ? '' : `: ${refusal}`}`);
  const doable = steps.filter(({ refusal }) => refusal === undefined);
  const work = async (label: string): Promise<Row> => {
    const step = steps.find((one) => one.label === label);
    if (step?.refusal !== undefined) throw new PartialError(`tag ${JSON.stringify(label)}: ${step.refusal}`);
    await step?.act();
    return { label };
  };
  const labels = global.dryRun ? [] : steps.map(({ label }) => label);
  const report = changeEach(labels, work, { key: 'tags', done: 'restored', sentence: 'Restored tag' });
  if (global.dryRun) return { ...report, notes: () => ['dry run: nothing was sent'] };
  if (steps.length === 0) return { ...report, notes: () => [`${what}: nothing to change`] };
  if (doable.length === 0) return report;
  await confirm(`Undo run ${begin.run} of ${whereabouts(session)}?`, session);
  return await recordedTags(report, { what, change: inverse(change), profile, undoes: begin.run }, session);
}

function inverse({ rename, add = [], delete: deleted = [] }: TagChange): TagChange {
  return { ...(rename && { rename: { from: rename.to, to: rename.from } }), add: deleted, delete: add };
}

/** What is so already is no step. */
async function stepsBack({ rename, add = [], delete: deleted = [] }: TagChange, session: Session): Promise<Step[]> {
  const { client } = session;
  const { tags } = await client.send('listTags', {});
  const labels = tags.map(({ label }) => label);
  const has = (wanted: string): boolean => labels.some((label) => foldLabel(label) === foldLabel(wanted));
  const toDelete = add.filter(has);
  const remove = deletion(toDelete, session);
  return [
    ...(rename ? renameBack(rename, labels, has, session) : []),
    ...deleted
      .filter((label) => !has(label))
      .map((label) => ({ label, text: `add ${JSON.stringify(label)}`, act: () => client.send('addTag', { body: { label } }) })),
    ...toDelete.map((label) => ({ label, text: `delete ${JSON.stringify(label)}`, act: () => remove(label) })),
  ];
}

function renameBack(
  { from, to }: NonNullable<TagChange['rename']>,
  labels: readonly string[],
  has: (label: string) => boolean,
  { client }: Session,
): Step[] {
  const isSpelling = foldLabel(from) === foldLabel(to);
  // Of a change of case alone, only the exact text shows whether it is still so.
  if (isSpelling ? labels.includes(from) : has(from) && !has(to)) return [];
  const text = `rename ${JSON.stringify(to)} back to ${JSON.stringify(from)}`;
  const act = () => renameTag(client, to, from, true);
  if (!has(to)) return [{ label: from, text, refusal: `changed since: there is no tag ${JSON.stringify(to)}`, act }];
  if (!isSpelling && has(from)) {
    return [{ label: from, text, refusal: `changed since: there is another tag ${JSON.stringify(from)}`, act }];
  }
  return [{ label: from, text, act }];
}

/** Tags that a run deleted with their links exist again when it is taken back, also those that no link had. */
export function withTagsBack(report: RowsReport, { begin }: DoneRun, session: Session): RowsReport {
  const labels = tagChangeOf(begin).delete ?? [];
  if (labels.length === 0 || session.global.dryRun) return report;
  let ending: CliError | undefined;
  async function* rows(): AsyncGenerator<Iterable<Row>> {
    yield* batchesOf(report);
    ending = report.outcome?.();
    if (ending && ending.kind !== 'partial') return;
    // After the links, which give each its old spelling.
    for (const label of labels) await session.client.send('addTag', { body: { label } });
  }
  return { ...report, rows: rows(), outcome: () => ending };
}
