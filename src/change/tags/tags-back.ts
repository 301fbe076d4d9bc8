import { type CliError, PartialError, UnknownOutcomeError } from '../../base/errors.ts';
import type { DoneRun } from '../../bulk/past-runs/done-run.ts';
import type { RunSteps } from '../../bulk/run-plan.ts';
import { type TagChange, tagChangeOf } from '../../bulk/tag-run.ts';
import type { Session } from '../../cli/session.ts';
import { accountTags, addTags } from '../../client/account-tags.ts';
import { plainQuantity } from '../../output/quantity.ts';
import { settleTagsText } from '../rows/pending.ts';
import type { LinksLeft } from '../undo-parts.ts';
import { changedSince, deletion } from './tag-removal.ts';
import { inverse } from './tags.ts';

/** The tag steps of an undo that also changes links. */
export interface TagsBack extends RunSteps {
  readonly change: TagChange;
  /** Returns the number of tags that were left unchanged. */
  kept(): number;
  /** Returns the error about a tag that was kept because links have it now. */
  outcome(): CliError | undefined;
}

/**
 * Adds the deleted tags, in their old spelling, before the links. Deletes an added tag after the links, if none carries it. A link that does
 * may be one that is left to revert; only otherwise has somebody else attached the tag.
 */
export function tagsBack({ begin }: DoneRun, linksLeft: LinksLeft, session: Session): TagsBack | undefined {
  const change = inverse(tagChangeOf(begin));
  const { add = [], delete: deleted = [] } = change;
  if (add.length + deleted.length === 0) return undefined;
  const kept: CliError[] = [];
  return {
    change,
    outcome: () => kept[0],
    kept: () => kept.length,
    before: (client) => addTags(client, add),
    async after(client) {
      const { spelled } = await accountTags(client);
      const found = deleted.flatMap((label) => spelled(label) ?? []);
      const remove = deletion(found, { ...session, client }, changedSince);
      for (const label of found) {
        await remove(label).catch(async (error: unknown) => {
          if (!(error instanceof PartialError)) throw error;
          kept.push((await linksLeft()) ?? error);
        });
      }
    },
  };
}

/** Throws if the run may still delete a tag: the deletion would take it from the links again that the undo gives it to. */
export async function assertTagsSettled(run: DoneRun, { client }: Session): Promise<void> {
  const { begin, tagsInDoubt } = run;
  const { delete: deleted = [] } = tagChangeOf(begin);
  if (!tagsInDoubt.deleted || deleted.length === 0) return;
  const { spelled } = await accountTags(client);
  const left = deleted.filter((label) => spelled(label) !== undefined);
  if (left.length === 0) return;
  throw new UnknownOutcomeError(
    `outcome unknown for ${plainQuantity(left.length, 'tag')} of run ${begin.run}: they may still be deleted; nothing was changed`,
    { hint: `${settleTagsText(run)}; to undo the links now, add --force` },
  );
}
