import type { GroupOutcome, Selection } from '../store.ts';
import { compileExpression, writtenOut } from '../tag-sets.ts';
import type { AccountRows } from './account-rows.ts';
import type { PostgresValue } from './queries.ts';
import { tagScope } from './tag-scope.ts';
import { findIds } from './url-rows.ts';

/** Ids in one statement. */
const chunk = 5000;

/** The ids of a selection. With an unknown hash in the list: undefined, because the answer can name none (API.md 4.2). */
async function choose(rows: AccountRows, selection: Selection): Promise<readonly number[] | undefined> {
  if (selection.kind === 'hashes') {
    const hashes = new Set(selection.hashes);
    const ids = await findIds(rows, selection.domain, [...hashes]);
    return ids.size < hashes.size ? undefined : [...ids.values()];
  }
  const scope = await tagScope(rows, selection.expression);
  const set = writtenOut(scope, compileExpression(scope, selection.expression));
  return (await rows.queries.composed<{ id: number }>(set.sql, set.values)).map(({ id }) => id);
}

/**
 * Runs statements on the ids of a selection, some at a time; each text has the account, then the ids as its last two values. Ids in order,
 * as clicks lock them.
 */
export async function onSelected(
  rows: AccountRows,
  selection: Selection,
  change: (run: (text: string, ...values: PostgresValue[]) => Promise<unknown>) => Promise<unknown>,
): Promise<GroupOutcome> {
  const ids = await choose(rows, selection);
  if (!ids) return { kind: 'unknown' };
  const ordered = [...ids].sort((a, b) => a - b);
  for (let start = 0; start < ordered.length; start += chunk) {
    const part = ordered.slice(start, start + chunk);
    await change((text, ...values) => rows.queries.run(text, ...values, rows.accountId, part));
  }
  return { kind: 'done', count: ids.length };
}

const ofAccount = 'WHERE account_id = ? AND';

export function deleteUrls(rows: AccountRows, selection: Selection): Promise<GroupOutcome> {
  return onSelected(rows, selection, (run) =>
    Promise.all([
      run(
        `UPDATE domains AS d SET urls = d.urls - gone.count FROM
         (SELECT account_id, domain_id, count(*) AS count FROM urls ${ofAccount} id = ANY(CAST(? AS BIGINT[])) GROUP BY account_id, domain_id) AS gone
         WHERE d.account_id = gone.account_id AND d.id = gone.domain_id`,
      ),
      // The rows that clicks lock are the first to go.
      run(`DELETE FROM urls ${ofAccount} id = ANY(CAST(? AS BIGINT[]))`),
      run(`DELETE FROM url_tags ${ofAccount} url_id = ANY(CAST(? AS BIGINT[]))`),
      ...forgetClicks(run),
    ]),
  );
}

/** Counters to zero, days too, and visitors forgotten so that each is unique again. `last_visit` is no counter and stays. */
export function resetStats(rows: AccountRows, selection: Selection): Promise<GroupOutcome> {
  return onSelected(rows, selection, (run) =>
    Promise.all([
      run(
        `UPDATE urls SET total_clicks = 0, unique_clicks = 0, day_total = 0, day_fresh = 0 ${ofAccount} id = ANY(CAST(? AS BIGINT[]))`,
      ),
      ...forgetClicks(run),
    ]),
  );
}

function forgetClicks(run: (text: string) => Promise<unknown>): Promise<unknown>[] {
  return ['visitors', 'daily_clicks'].map((table) => run(`DELETE FROM ${table} ${ofAccount} url_id = ANY(CAST(? AS BIGINT[]))`));
}
