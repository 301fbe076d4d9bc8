import type { TagExpression } from '../../api/tag-expression.ts';
import type { GroupOutcome, Selection, SharedChanges } from '../store.ts';
import type { AccountRows } from './account-rows.ts';
import { type Aggregated, aggregated, only, type Statement, type Value } from './queries.ts';
import { compileExpression, materialized, tagScope } from './tag-sets.ts';
import { urlsNamed } from './url-rows.ts';

/** Ids per statement. */
const chunk = 5000;

/**
 * Locks the links, because a statement that waits for clicks of one sees its visitors and days as they were before. Returns undefined for an
 * unknown hash, because the response cannot name it (4.2).
 */
async function lockSelected(rows: AccountRows, selection: Selection): Promise<readonly number[] | undefined> {
  if (selection.kind === 'hashes') {
    const hashes = [...new Set(selection.hashes)];
    const ids = await lockIds(rows, urlsNamed(rows, selection.domain, hashes));
    return ids.length < hashes.length ? undefined : ids;
  }
  const scope = await tagScope(rows, selection.expression);
  const set = materialized(scope, compileExpression(scope, selection.expression));
  const sql = `FROM (${set.sql}) AS chosen CROSS JOIN urls AS u WHERE u.account_id = ? AND u.id = chosen.id`;
  return lockIds(rows, { sql, values: [...set.values, rows.accountId] });
}

/** Takes a query from `FROM` on. */
async function lockIds({ queries }: AccountRows, { sql, values }: Statement): Promise<readonly number[]> {
  const { jsonAggregate, forUpdate } = queries.dialect;
  const found = await queries.composed<{ ids: Aggregated<number> }>({
    sql: `SELECT ${jsonAggregate}(id) AS ids FROM (SELECT u.id ${sql} ORDER BY u.id ${forUpdate}) AS locked`,
    values,
  });
  return aggregated(only(found).ids);
}

/** Changes the selected links in chunks, in the order in which clicks lock them. */
async function changeSelected(
  rows: AccountRows,
  selection: Selection,
  change: (ids: readonly number[]) => readonly Statement[],
): Promise<GroupOutcome> {
  const ids = await lockSelected(rows, selection);
  if (!ids) return undefined;
  for (let start = 0; start < ids.length; start += chunk) await rows.queries.together(change(ids.slice(start, start + chunk)));
  return ids.length;
}

/** Sets the same fields for all selected URLs. */
export function editTagged(rows: AccountRows, expression: TagExpression, changes: SharedChanges): Promise<GroupOutcome> {
  const { note, emailStats, expirationDate, maxClicks } = changes;
  const columns: { readonly [column: string]: Value | undefined } = {
    note,
    email_stats: emailStats === undefined ? undefined : Number(emailStats),
    expiration_date: expirationDate,
    max_clicks: maxClicks,
  };
  const given = Object.entries(columns).flatMap(([column, value]) => (value === undefined ? [] : [{ column, value }]));
  const set = [...given.map(({ column }) => column), 'modified'].map((column) => `${column} = ?`).join(', ');
  const values = [...given.map(({ value }) => value), rows.now()];
  return changeSelected(rows, { kind: 'tags', expression }, (ids) =>
    given.length === 0 ? [] : [ofUrls(rows, `UPDATE urls ${rows.queries.dialect.byId} SET ${set}`, 'id', ids, values)],
  );
}

export function deleteUrls(rows: AccountRows, selection: Selection): Promise<GroupOutcome> {
  const { queries, accountId } = rows;
  const gone = `SELECT u.domain_id, count(*) AS count ${queries.dialect.urlsAmong('id')} GROUP BY u.domain_id`;
  return changeSelected(rows, selection, (ids) => [
    {
      sql: `UPDATE domains AS d SET urls = d.urls - gone.count FROM (${gone}) AS gone WHERE d.account_id = ? AND d.id = gone.domain_id`,
      values: [ids, accountId, accountId],
    },
    ...['url_tags', 'visitors', 'daily_clicks'].map((table) => ofUrls(rows, `DELETE FROM ${table}`, 'url_id', ids)),
    ofUrls(rows, `DELETE FROM urls ${queries.dialect.byId}`, 'id', ids),
  ]);
}

/** Deletes the visitors, so that each is unique again. `last_visit` is not a counter and stays. */
export function resetStats(rows: AccountRows, selection: Selection): Promise<GroupOutcome> {
  const zero = 'total_clicks = 0, unique_clicks = 0, day_total = 0, day_fresh = 0';
  return changeSelected(rows, selection, (ids) => [
    ...['visitors', 'daily_clicks'].map((table) => ofUrls(rows, `DELETE FROM ${table}`, 'url_id', ids)),
    ofUrls(rows, `UPDATE urls ${rows.queries.dialect.byId} SET ${zero}`, 'id', ids),
  ]);
}

/** Restricts a change, which takes the values, to these URLs. */
function ofUrls(
  { queries, accountId }: AccountRows,
  change: string,
  column: 'id' | 'url_id',
  ids: readonly number[],
  values: readonly Value[] = [],
): Statement {
  const sql = `${change} WHERE account_id = ? AND ${queries.dialect.among(column, 'BIGINT')}`;
  return { sql, values: [...values, accountId, ids] };
}
