import { compileExpression, materialized } from '../rows/tag-sets.ts';
import type { GroupOutcome, Selection } from '../store.ts';
import type { AccountRows } from './account-rows.ts';
import { tagScope } from './tag-scope.ts';
import { findIds } from './url-rows.ts';

/**
 * Stores the ids of a selection in the temporary table `chosen` of this connection, so that the rest of the transaction works on exactly
 * these. Changes to `urls` that use it are NOT INDEXED, because SQLite would otherwise scan an index of the whole account. An unknown hash
 * cancels the operation, because the response cannot name it (4.2).
 */
export function selectIds(rows: AccountRows, selection: Selection): GroupOutcome {
  const { connection } = rows;
  connection.exec('CREATE TEMP TABLE IF NOT EXISTS chosen (id INTEGER PRIMARY KEY); DELETE FROM chosen');
  if (selection.kind === 'hashes') {
    const hashes = new Set(selection.hashes);
    const ids = findIds(rows, selection.domain, [...hashes]);
    if (ids.size < hashes.size) return { kind: 'unknown' };
    connection.sql('INSERT INTO chosen SELECT value FROM json_each(?)').run(JSON.stringify([...ids.values()]));
  } else {
    const scope = tagScope(rows);
    const set = materialized(scope, compileExpression(scope, selection.expression));
    connection.prepare(`INSERT INTO chosen ${set.sql}`).run(...set.values);
  }
  return { kind: 'done', count: connection.count('SELECT count(*) AS count FROM chosen') };
}

export function deleteUrls(rows: AccountRows, selection: Selection): GroupOutcome {
  const outcome = selectIds(rows, selection);
  if (outcome.kind === 'unknown' || outcome.count === 0) return outcome;
  const { connection, accountId } = rows;
  const perDomain = connection
    .sql(
      `SELECT u.domain_id AS id, count(*) AS count FROM chosen CROSS JOIN urls AS u
       WHERE u.account_id = ? AND u.id = chosen.id GROUP BY u.domain_id`,
    )
    .all<{ id: number; count: number }>(accountId);
  for (const { id, count } of perDomain) {
    connection.sql('UPDATE domains SET urls = urls - ? WHERE account_id = ? AND id = ?').run(count, accountId, id);
  }
  connection.sql('DELETE FROM url_tags WHERE account_id = ? AND url_id IN (SELECT id FROM chosen)').run(accountId);
  forgetClicks(rows);
  connection.sql('DELETE FROM urls NOT INDEXED WHERE account_id = ? AND id IN (SELECT id FROM chosen)').run(accountId);
  return outcome;
}

/** Deletes the visitors, so that each is unique again. `last_visit` is not a counter and stays. */
export function resetStats(rows: AccountRows, selection: Selection): GroupOutcome {
  const outcome = selectIds(rows, selection);
  if (outcome.kind === 'unknown' || outcome.count === 0) return outcome;
  const { connection, accountId } = rows;
  forgetClicks(rows);
  connection
    .sql(
      'UPDATE urls NOT INDEXED SET total_clicks = 0, unique_clicks = 0, day_total = 0, day_fresh = 0 WHERE account_id = ? AND id IN (SELECT id FROM chosen)',
    )
    .run(accountId);
  return outcome;
}

function forgetClicks({ connection, accountId }: AccountRows): void {
  connection.sql('DELETE FROM visitors WHERE account_id = ? AND url_id IN (SELECT id FROM chosen)').run(accountId);
  connection.sql('DELETE FROM daily_clicks WHERE account_id = ? AND url_id IN (SELECT id FROM chosen)').run(accountId);
}
