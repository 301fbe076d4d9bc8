import { type CliError, PartialError } from '../base/errors.ts';
import type { DoneRun } from '../bulk/past-runs/done-run.ts';
import type { RunSteps } from '../bulk/run-plan.ts';
import { type TagChange, type TagRun, tagChangeOf, unfinishedTags } from '../bulk/tag-run.ts';
import { confirm } from '../cli/prompt.ts';
import { accountLabel, type Session } from '../cli/session.ts';
import { type AccountTags, accountTags, addTags, renameTag } from '../client/tag-changes.ts';
import { foldLabel } from '../contract/tag-label.ts';
import { dryRunReport } from '../output/planned-requests.ts';
import { batchesOf, type Row, type RowsReport } from '../output/report.ts';
import { environmentOf } from './environment.ts';
import { requireAnswer } from './limits.ts';
import { deletion } from './tag-removal.ts';
import { changeEach, inverse, recordedTags, tagRequests } from './tags.ts';

/** One tag that is put back. */
interface Step {
  /** As it is now, or is to be. */
  readonly label: string;
  readonly change: TagChange;
  /** For the plan: `rename "promotion" back to "promo"`. */
  readonly text: string;
  /** Why it is left alone. */
  readonly refusal?: string;
  /** Throws the refusal. */
  act(): Promise<unknown>;
}

/** Undoes a run that changed tags and no links, where they are as the run left them. */
export async function undoTagRun(
  { begin }: DoneRun,
  undo: Pick<TagRun, 'what' | 'direction'>,
  session: Session,
): Promise<RowsReport> {
  const { global, streams } = session;
  await requireAnswer(session, 'named');
  const change = inverse(tagChangeOf(begin));
  const run = { ...undo, undoes: begin.run };
  // One that was killed may have done all of it: then only its end is to be written down.
  const begun = await unfinishedTags(run, environmentOf(session));
  const steps = await stepsOf(change, session);
  for (const { text, refusal } of steps) await streams.message(`  ${text}${refusal === undefined ? '' : `: ${refusal}`}`);
  const doable = steps.filter(({ refusal }) => refusal === undefined);
  const work = async (label: string): Promise<Row> => {
    await steps.find((step) => step.label === label)?.act();
    return { label };
  };
  const labels = global.dryRun ? [] : steps.map(({ label }) => label);
  const report = changeEach(labels, work, { done: 'restored' });
  if (global.dryRun && session.format() === 'json') return dryRunReport(doable.flatMap((step) => tagRequests(step.change)));
  if (global.dryRun) return { ...report, notes: () => ['dry run: nothing was sent'] };
  const nothing = { ...report, notes: () => [`${undo.what}: nothing to change`] };
  if (!begun && steps.length === 0) return nothing;
  if (doable.length === 0 && (!begun || steps.length > 0)) return report;
  if (doable.length > 0) await confirm(`Undo run ${begin.run} of ${accountLabel(session)}?`, session);
  const done = await recordedTags(report, { ...run, change: begun ?? change }, session);
  return steps.length === 0 ? nothing : done;
}

/** The steps of a change of tags. There is none for what is so already. */
async function stepsOf({ rename, add = [], delete: deleted = [] }: TagChange, session: Session): Promise<Step[]> {
  const { client } = session;
  const tags = await accountTags(client);
  const isKnown = (label: string): boolean => tags.spelled(label) !== undefined;
  const toDelete = deleted.filter(isKnown);
  const remove = deletion(toDelete, session);
  const toAdd = add.filter((label) => !isKnown(label));
  const step = (word: 'add' | 'delete', label: string, act: Step['act']): Step => {
    return { label, change: { [word]: [label] }, text: `${word} ${JSON.stringify(label)}`, act };
  };
  return [
    ...(rename ? renaming(rename, tags, session) : []),
    ...toAdd.map((label) => step('add', label, () => addTags(client, [label]))),
    ...toDelete.map((label) => step('delete', label, () => remove(label))),
  ];
}

function renaming(rename: NonNullable<TagChange['rename']>, { labels, spelled }: AccountTags, { client }: Session): Step[] {
  const { from, to } = rename;
  const [old, other] = [spelled(from), spelled(to)];
  const isSpelling = foldLabel(from) === foldLabel(to);
  // Of a change of case alone, only the exact text shows whether it is still so.
  if (isSpelling ? labels.includes(to) : other !== undefined && old === undefined) return [];
  const step = { label: to, change: { rename }, text: `rename ${JSON.stringify(from)} back to ${JSON.stringify(to)}` };
  const refused = (reason: string): Step[] => {
    const refusal = `changed since: ${reason}`;
    const act = (): Promise<never> => Promise.reject(new PartialError(`tag ${JSON.stringify(to)}: ${refusal}`));
    return [{ ...step, refusal, act }];
  };
  if (old === undefined) return refused(`there is no tag ${JSON.stringify(from)}`);
  if (!isSpelling && other !== undefined) return refused(`there is another tag ${JSON.stringify(to)}`);
  return [{ ...step, act: () => renameTag(client, from, to, true) }];
}

/** The steps about tags of the undo of a run that changed links, too. */
interface TagsBack extends RunSteps {
  readonly change: TagChange;
  /** Of tags that stay, as links got them meanwhile. */
  kept(): CliError | undefined;
}

/** Tags that the run deleted exist again, as they were spelled, before links get them; one that it made goes when no link has it any more. */
export function tagsBack({ begin }: DoneRun, session: Session): TagsBack | undefined {
  const change = inverse(tagChangeOf(begin));
  const { add = [], delete: deleted = [] } = change;
  if (add.length + deleted.length === 0) return undefined;
  let kept: CliError | undefined;
  return {
    change,
    kept: () => kept,
    before: () => addTags(session.client, add),
    async after() {
      for (const { act } of await stepsOf({ delete: deleted }, session)) {
        await act().catch((error: unknown) => {
          if (!(error instanceof PartialError)) throw error;
          kept ??= error;
        });
      }
      return true;
    },
  };
}

/** The same where the links are as they were already, so that there is no run. */
export function withTagsAlone(report: RowsReport, tags: TagsBack): RowsReport {
  async function* rows(): AsyncGenerator<Iterable<Row>> {
    yield* batchesOf(report);
    await tags.before();
    await tags.after(() => false);
  }
  return { ...report, rows: rows() };
}
