import { foldLabel } from '../../../contract/tag-label.ts';
import type { TagExpression } from '../../tag-expression.ts';
import { hashesOfEdits, planEdits } from '../edit-plan.ts';
import type { Edit, EditOutcome, SharedChanges, StoredDomain, StoredUrl } from '../store.ts';
import type { AccountRows } from './account-rows.ts';
import { onSelected } from './groups.ts';
import type { PostgresValue } from './queries.ts';
import { attachTags, detachTags, findTags, type TagLink, type TagRow, tagsOf } from './tag-rows.ts';
import { findIds, readUrls, unnestedUrls, unnestedValues } from './url-rows.ts';

/** Applies edits in order inside the caller's transaction. */
export async function editUrls(rows: AccountRows, domain: StoredDomain, edits: readonly Edit[]): Promise<readonly EditOutcome[]> {
  const ids = await findIds(rows, domain, hashesOfEdits(edits));
  const named = edits.flatMap(({ changes }) => changes.tags.map(({ label }) => foldLabel(label)));
  const [urls, known] = await Promise.all([readUrls(rows, [...ids.values()]), findTags(rows, [...new Set(named)])]);
  const plan = planEdits(edits, { urls, labelOf: (folded) => known.get(folded)?.label });
  await updateUrls(rows, plan.steps, urls);
  const tags = new Map([...known, ...(await tagsOf(rows, plan.labels))]);
  await attachTags(rows, linksOf(plan.attached, tags));
  await detachTags(rows, linksOf(plan.detached, tags));
  return plan.outcomes;
}

function linksOf(changes: readonly { urlId: number; label: string }[], tags: ReadonlyMap<string, TagRow>): TagLink[] {
  return changes.flatMap(({ urlId, label }) => {
    const tag = tags.get(foldLabel(label));
    return tag ? [{ tagId: tag.id, urlId }] : [];
  });
}

/** In one statement; step by step where hashes change, because one may pass from a URL to another. */
async function updateUrls(rows: AccountRows, steps: readonly StoredUrl[], before: readonly StoredUrl[]): Promise<void> {
  const hashes = new Map(before.map(({ id, hash }) => [id, hash]));
  const isRenamed = steps.some(({ id, hash }) => hashes.get(id) !== hash);
  if (isRenamed) for (const url of steps) await writeUrls(rows, [url]);
  else await writeUrls(rows, [...new Map(steps.map((url) => [url.id, url])).values()]);
}

async function writeUrls({ queries, accountId, now }: AccountRows, urls: readonly StoredUrl[]): Promise<void> {
  if (urls.length === 0) return;
  const ordered = [...urls].sort((a, b) => a.id - b.id);
  await queries.run(
    `UPDATE urls AS u SET hash = e.hash, long_url = e.long_url, long_url_key = e.long_url_key, note = e.note, email_stats = e.email_stats,
       expiration_date = e.expiration_date, max_clicks = e.max_clicks, modified = ?
     FROM ${unnestedUrls} AS e (id, hash, long_url, long_url_key, note, email_stats, expiration_date, max_clicks)
     WHERE u.account_id = ? AND u.id = e.id`,
    now(),
    ...unnestedValues(ordered),
    accountId,
  );
}

/** Sets the same fields of every URL that the expression selects. */
export async function editTagged(rows: AccountRows, expression: TagExpression, changes: SharedChanges): Promise<number> {
  const { note, emailStats, expirationDate, maxClicks } = changes;
  const columns: [string, PostgresValue | undefined][] = [
    ['note', note],
    ['email_stats', emailStats === undefined ? undefined : Number(emailStats)],
    ['expiration_date', expirationDate],
    ['max_clicks', maxClicks],
  ];
  const now = rows.now();
  const outcome = await onSelected(rows, { kind: 'tags', expression }, async (run) => {
    for (const [column, value] of columns) {
      if (value === undefined) continue;
      await run(`UPDATE urls SET ${column} = ?, modified = ? WHERE account_id = ? AND id = ANY(CAST(? AS BIGINT[]))`, value, now);
    }
  });
  return outcome.kind === 'done' ? outcome.count : 0;
}
