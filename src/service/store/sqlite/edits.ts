import { foldLabel } from '../../../contract/tag-label.ts';
import type { TagExpression } from '../../tag-expression.ts';
import { hashesOfEdits, planEdits } from '../rows/edit-plan.ts';
import { storedValues } from '../rows/stored-urls.ts';
import type { Value } from '../rows/tag-sets.ts';
import type { Edit, EditOutcome, SharedChanges, StoredDomain, StoredUrl } from '../store.ts';
import type { AccountRows } from './account-rows.ts';
import { selectIds } from './groups.ts';
import { attachTag, detachTag, findTag, tagsOf } from './tag-rows.ts';
import { findIds, readUrls } from './url-rows.ts';

/** Runs in the caller's write transaction. */
export function editUrls(rows: AccountRows, domain: StoredDomain, edits: readonly Edit[]): readonly EditOutcome[] {
  const ids = findIds(rows, domain, hashesOfEdits(edits));
  const labelOf = (folded: string) => findTag(rows, folded)?.label;
  const plan = planEdits(edits, { urls: readUrls(rows, [...ids.values()]), labelOf });
  for (const url of plan.steps) updateUrl(rows, url);
  const tags = tagsOf(rows, plan.labels);
  for (const { urlId, label } of plan.attached) attachTag(rows, tags.get(foldLabel(label))?.id ?? 0, urlId);
  for (const { urlId, label } of plan.detached) detachTag(rows, findTag(rows, foldLabel(label))?.id ?? 0, urlId);
  return plan.outcomes;
}

/** Sets the same fields for all selected URLs. */
export function editTagged(rows: AccountRows, expression: TagExpression, changes: SharedChanges): number {
  const outcome = selectIds(rows, { kind: 'tags', expression });
  if (outcome.kind === 'unknown') return 0;
  const columns: [string, Value | undefined][] = [
    ['note', changes.note],
    ['email_stats', changes.emailStats === undefined ? undefined : Number(changes.emailStats)],
    ['expiration_date', changes.expirationDate],
    ['max_clicks', changes.maxClicks],
  ];
  for (const [column, value] of columns) {
    if (value === undefined) continue;
    rows.connection
      .sql(`UPDATE urls NOT INDEXED SET ${column} = ?, modified = ? WHERE account_id = ? AND id IN (SELECT id FROM chosen)`)
      .run(value, rows.now(), rows.accountId);
  }
  return outcome.count;
}

function updateUrl({ connection, accountId, now }: AccountRows, url: StoredUrl): void {
  connection
    .sql(
      `UPDATE urls SET hash = ?, long_url = ?, long_url_key = ?, note = ?, email_stats = ?, expiration_date = ?, max_clicks = ?, modified = ?
       WHERE account_id = ? AND id = ?`,
    )
    .run(...storedValues(url), now(), accountId, url.id);
}
