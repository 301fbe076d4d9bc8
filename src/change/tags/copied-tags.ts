import { type CliError, PartialError } from '../../base/errors.ts';
import { quoted } from '../../base/quoted.ts';
import type { RunSteps } from '../../bulk/run-plan.ts';
import { recordTagRun, type TagChange, unfinishedTags } from '../../bulk/tag-run.ts';
import { confirm } from '../../cli/prompt.ts';
import type { Session } from '../../cli/session.ts';
import { accountTags, addTags } from '../../client/account-tags.ts';
import { removedKey } from '../../contract/records.ts';
import { plainQuantity, quantity } from '../../output/quantity.ts';
import { batchesOf, type Row, type RowsReport } from '../../output/report.ts';
import { accountLabel } from '../account-label.ts';
import type { ListedChange } from '../change.ts';
import { environmentOf } from '../environment.ts';
import type { CopyAccounts } from '../rows/copy-domains.ts';
import { markShown } from '../run-settings.ts';
import { undoLineOf } from '../typed-report.ts';
import { isRefusal, namedTags } from './tags.ts';

/** Tags that no copied link carries and that the target lacks. They are added before the links. */
export interface CopiedTags extends RunSteps {
  /** Complete after the links were read. */
  labels: readonly string[];
  readonly change: TagChange | undefined;
  /** Says how many were added. */
  notes(): string[];
  outcome(): CliError | undefined;
}

/** Returns the tags to add, and prints them before the question. */
export async function unusedTags(
  hasLabel: (label: string) => boolean,
  { source, target }: CopyAccounts,
): Promise<readonly string[]> {
  const there = await accountTags(target.client);
  const unused: string[] = [];
  for (const label of (await accountTags(source.client)).labels) {
    if (there.spelled(label) !== undefined || hasLabel(label)) continue;
    if (label.includes(removedKey)) await target.warn(`tag not copied: the API key was removed from ${quoted(label)}`);
    else unused.push(label);
  }
  if (unused.length > 0) await target.note(`${namedTags(unused)}: used by no copied link, would be added`);
  return unused;
}

/** A tag that the target refuses is reported, and the links are copied. */
export function copiedTags({ warn }: Session): CopiedTags {
  let added = 0;
  const refusals: CliError[] = [];
  const tags: CopiedTags = {
    labels: [],
    get change() {
      return tags.labels.length > 0 ? { add: tags.labels } : undefined;
    },
    async before(client) {
      for (const label of tags.labels) {
        try {
          await addTags(client, [label]);
          added += 1;
        } catch (error) {
          if (!isRefusal(error)) throw error;
          refusals.push(error);
          await warn(`tag not added: ${error.message}`);
        }
      }
    },
    after: async () => undefined,
    notes: () => (added > 0 ? [`${plainQuantity(added, 'tag')} added`] : []),
    outcome() {
      const [first] = refusals;
      return first && new PartialError(`${plainQuantity(refusals.length, 'tag')} not added`, { hint: first.hint });
    },
  };
  return tags;
}

/** Without links to copy, the tags are added by a run of their own. */
export async function withTagsAlone(
  report: RowsReport,
  tags: CopiedTags,
  { what, presentation: { undoLine = undoLineOf } }: Pick<ListedChange, 'what' | 'presentation'>,
  target: Session,
): Promise<RowsReport> {
  const environment = environmentOf(target);
  tags.labels = (await unfinishedTags({ what }, environment))?.add ?? tags.labels;
  const { labels, change } = tags;
  if (!change) return report;
  await confirm(`Add ${quantity(labels.length, 'tag')} to ${accountLabel(target)}?`, target);
  const isBegun = (): boolean => tags.notes().length > 0;
  const act = async (): Promise<void> => {
    await tags.before(target.client);
    const refusal = tags.outcome();
    // Nothing was changed, so nothing is recorded.
    if (refusal && !isBegun()) throw refusal;
  };
  let made = '';
  async function* rows(): AsyncGenerator<Iterable<Row>> {
    const { run } = await recordTagRun({ what, change: change ?? {}, profile: target.profile }, environment, { act, isBegun });
    made = run;
    yield* batchesOf(report);
  }
  const printed = async (): Promise<void> => {
    await report.printed?.();
    await markShown(made, target);
  };
  return { ...report, rows: rows(), notes: () => [undoLine(made)], printed };
}
