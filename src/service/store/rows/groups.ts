import type { GroupOutcome, Selection } from '../store.ts';
import type { AccountRows } from './account-rows.ts';
import { type Aggregated, aggregated } from './queries.ts';
import { compileExpression, materialized, tagScope } from './tag-sets.ts';
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
  const sql = `SELECT ${rows.queries.dialect.jsonAggregate}(id) AS ids FROM (${set.sql}) AS chosen`;
  const [found] = await rows.queries.composed<{ ids: Aggregated<number> }>({ sql, values: set.values });
  return aggregated(found?.ids ?? null);
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

export function deleteUrls(rows: AccountRows, selection: Selection): Promise<GroupOutcome> {
  const { queries, accountId } = rows;
  return onSelected(rows, selection, (ids) => queries.together(queries.dialect.deletion(accountId, ids)));
}

/** Deletes the visitors, so that each is unique again. `last_visit` is not a counter and stays. */
export function resetStats(rows: AccountRows, selection: Selection): Promise<GroupOutcome> {
  const { queries, accountId } = rows;
  return onSelected(rows, selection, (ids) => queries.together(queries.dialect.reset(accountId, ids)));
}
