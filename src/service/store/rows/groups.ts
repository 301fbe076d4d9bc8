import type { GroupOutcome, Selection } from '../store.ts';
import type { AccountRows } from './account-rows.ts';
import { tagScope } from './tag-scope.ts';
import { compileExpression, materialized } from './tag-sets.ts';
import { findIds } from './url-rows.ts';

/** Ids per statement. */
const chunk = 5000;

/** Returns undefined for an unknown hash, because the response cannot name it (4.2). */
async function selectIds(rows: AccountRows, selection: Selection): Promise<readonly number[] | undefined> {
  if (selection.kind === 'hashes') {
    const hashes = new Set(selection.hashes);
    const ids = await findIds(rows, selection.domain, [...hashes]);
    return ids.size < hashes.size ? undefined : [...ids.values()];
  }
  const scope = await tagScope(rows, selection.expression);
  const set = materialized(scope, compileExpression(scope, selection.expression));
  return (await rows.queries.composed<{ id: number }>(set.sql, set.values)).map(({ id }) => id);
}

/** Runs `change` on chunks of ids, in the order in which clicks lock them. */
export async function onSelected(
  rows: AccountRows,
  selection: Selection,
  change: (ids: readonly number[]) => Promise<unknown>,
): Promise<GroupOutcome> {
  const ids = await selectIds(rows, selection);
  if (!ids) return { kind: 'unknown' };
  const ordered = [...ids].sort((a, b) => a - b);
  for (let start = 0; start < ordered.length; start += chunk) await change(ordered.slice(start, start + chunk));
  return { kind: 'done', count: ids.length };
}

/** Counting `changed` forces the rows that clicks lock to be processed first. The values are the account and the ids. */
const ofChanged = 'account_id = ? AND url_id = ANY(CAST(? AS BIGINT[])) AND (SELECT count(*) FROM changed) >= 0';
const forgetClicks = `visits AS (DELETE FROM visitors WHERE ${ofChanged}), days AS (DELETE FROM daily_clicks WHERE ${ofChanged})`;

export function deleteUrls(rows: AccountRows, selection: Selection): Promise<GroupOutcome> {
  const { queries, accountId } = rows;
  return onSelected(rows, selection, (ids) =>
    queries.run(
      `WITH changed AS (DELETE FROM urls WHERE account_id = ? AND id = ANY(CAST(? AS BIGINT[])) RETURNING account_id, domain_id),
         ${forgetClicks}, links AS (DELETE FROM url_tags WHERE ${ofChanged})
       UPDATE domains AS d SET urls = d.urls - gone.count
       FROM (SELECT account_id, domain_id, count(*) AS count FROM changed GROUP BY account_id, domain_id) AS gone
       WHERE d.account_id = gone.account_id AND d.id = gone.domain_id`,
      ...[accountId, ids, accountId, ids, accountId, ids, accountId, ids],
    ),
  );
}

/** Deletes the visitors, so that each is unique again. `last_visit` is not a counter and stays. */
export function resetStats(rows: AccountRows, selection: Selection): Promise<GroupOutcome> {
  const { queries, accountId } = rows;
  return onSelected(rows, selection, (ids) =>
    queries.run(
      `WITH changed AS (UPDATE urls SET total_clicks = 0, unique_clicks = 0, day_total = 0, day_fresh = 0
         WHERE account_id = ? AND id = ANY(CAST(? AS BIGINT[])) RETURNING id), ${forgetClicks} SELECT count(*) FROM changed`,
      ...[accountId, ids, accountId, ids, accountId, ids],
    ),
  );
}
