import type { Dialect, Statement } from '../rows/queries.ts';
import { inOnePass, join } from './tag-joins.ts';

/** In milliseconds, because the clocks of processes differ. */
export const clock = 'CAST(extract(epoch FROM now()) * 1000 AS BIGINT)';

export const postgresDialect: Dialect = {
  clock,
  byBytes: ' COLLATE "C"',
  idScope: 'account_id = ?',
  byId: '',
  byLongUrl: '',
  byAge: '',
  forUpdate: 'FOR UPDATE',
  archivesDays: false,
  jsonAggregate: 'json_agg',
  jsonList: 'json_build_array',
  like: (column) => `${column} COLLATE "C" ILIKE ?`,
  among: (column, type) => `${column} = ANY(CAST(? AS ${type}[]))`,
  urlsAmong: (column) =>
    `FROM urls AS u WHERE u.${column} = ANY(CAST(? AS ${column === 'id' ? 'BIGINT' : 'TEXT'}[])) AND u.account_id = ?`,
  table: (name, columns, rows) => {
    const names = Object.keys(columns) as (keyof typeof columns)[];
    const lists = names.map((column) => `CAST(? AS ${columns[column]}[])`).join(', ');
    return {
      sql: `unnest(${lists}) AS ${name} (${names.join(', ')})`,
      values: names.map((column) => rows.map((row) => row[column])),
    };
  },
  join,
  // An array is looked up in the index twice as fast as the same set in EXISTS, whose duplicates the planner removes first.
  isIn: ({ complement, sql }) =>
    complement ? `NOT EXISTS (SELECT 1 FROM (${sql}) AS members WHERE members.id = u.id)` : `u.id = ANY(ARRAY(${sql}))`,
  inOnePass,
  deletion: (accountId, ids) => [
    {
      sql: `WITH changed AS (DELETE FROM urls WHERE account_id = ? AND id = ANY(CAST(? AS BIGINT[])) RETURNING account_id, domain_id),
          ${forgetClicks}, links AS (DELETE FROM url_tags WHERE ${ofChanged})
        UPDATE domains AS d SET urls = d.urls - gone.count
        FROM (SELECT account_id, domain_id, count(*) AS count FROM changed GROUP BY account_id, domain_id) AS gone
        WHERE d.account_id = gone.account_id AND d.id = gone.domain_id`,
      values: [accountId, ids, accountId, ids, accountId, ids, accountId, ids],
    },
  ],
  reset: (accountId, ids) => [
    {
      sql: `WITH changed AS (UPDATE urls SET total_clicks = 0, unique_clicks = 0, day_total = 0, day_fresh = 0
          WHERE account_id = ? AND id = ANY(CAST(? AS BIGINT[])) RETURNING id), ${forgetClicks} SELECT count(*) FROM changed`,
      values: [accountId, ids, accountId, ids, accountId, ids],
    },
  ],
};

/** Counting `changed` forces the rows that clicks lock to be processed first. The values are the account and the ids. */
const ofChanged = 'account_id = ? AND url_id = ANY(CAST(? AS BIGINT[])) AND (SELECT count(*) FROM changed) >= 0';
const forgetClicks = `visits AS (DELETE FROM visitors WHERE ${ofChanged}), days AS (DELETE FROM daily_clicks WHERE ${ofChanged})`;

/** One statement of all changes, which see the data as it was before. */
export function joined(changes: readonly Statement[]): Statement {
  const parts = changes.map(({ sql }, index) => (index === changes.length - 1 ? sql : `part_${index} AS (${sql})`));
  const last = parts.pop() ?? '';
  return {
    sql: parts.length === 0 ? last : `WITH ${parts.join(', ')} ${last}`,
    values: changes.flatMap(({ values }) => values),
  };
}
