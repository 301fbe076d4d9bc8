import type { DoneChange } from '../../bulk/past-runs/done-change.ts';
import type { DoneRun } from '../../bulk/past-runs/done-run.ts';
import { newestFirst } from '../../bulk/past-runs/run-names.ts';
import { type TagChange, tagChangeOf } from '../../bulk/tag-run.ts';
import type { Session } from '../../cli/session.ts';
import { isOneOf } from '../../client/account-tags.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { isSameLabel } from '../../contract/tag-label.ts';
import { foldersOf } from '../environment.ts';

interface Rename extends NonNullable<TagChange['rename']> {
  readonly run: string;
}

/** Returns a function that says which label of a change is on the link under another name, because a later run renamed the tag. */
export function laterLabels({ begin }: DoneRun, session: Session) {
  let renames: readonly Rename[] | undefined;
  return ({ asked: { tags = [] }, before }: DoneChange, now: UrlRecord | undefined): string | undefined => {
    const isNow = isOneOf(now?.tags ?? []);
    const wasBefore = isOneOf(before?.tags ?? []);
    const added = tags.flatMap((instruction) => (instruction.startsWith('+') ? instruction.slice(1) : []));
    for (const label of added.filter((one) => now && before && !isNow(one) && !wasBefore(one))) {
      renames ??= renamesAfter(begin, session);
      const { last, by } = labelAfter(label, renames);
      if (by !== undefined && isNow(last) && !wasBefore(last)) return `tag ${JSON.stringify(label)} renamed since by run ${by}`;
    }
    return undefined;
  };
}

/** Oldest first. */
function renamesAfter({ run: first, server, account }: DoneRun['begin'], session: Session): Rename[] {
  const found: Rename[] = [];
  for (const { run, begin } of newestFirst(foldersOf(session))) {
    if (run === first) break;
    const rename = begin?.server === server && begin.account === account ? tagChangeOf(begin).rename : undefined;
    if (rename) found.unshift({ run, ...rename });
  }
  return found;
}

function labelAfter(label: string, renames: readonly Rename[]): { readonly last: string; readonly by: string | undefined } {
  let [last, by]: [string, string | undefined] = [label, undefined];
  for (const { run, from, to } of renames) if (isSameLabel(from, last)) [last, by] = [to, run];
  return { last, by };
}
