import type { Dialect, IdSet, Statement } from '../rows/queries.ts';

/** Lists arrive as JSON. */
export const sqliteDialect: Dialect = {
  clock: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  byBytes: '',
  // Ids are unique in a file, whatever their account.
  idScope: '? IS NOT NULL',
  // SQLite would otherwise scan an index of the whole account.
  byId: 'NOT INDEXED',
  byLongUrl: 'INDEXED BY urls_by_long_url',
  byAge: 'INDEXED BY urls_by_age',
  forUpdate: '',
  archivesDays: true,
  jsonAggregate: 'json_group_array',
  jsonList: 'json_array',
  like: (column) => `${column} LIKE ? ESCAPE '\\'`,
  among: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  urlsAmong: (column) => `FROM json_each(?) AS wanted CROSS JOIN urls AS u WHERE u.${column} = wanted.value AND u.account_id = ?`,
  table: (name, columns, rows) => {
    const names = Object.keys(columns) as (keyof typeof columns)[];
    const members = names.map((column, index) => `value ->> ${index} AS ${column}`).join(', ');
    return {
      sql: `(SELECT ${members} FROM json_each(?)) AS ${name}`,
      values: [rows.map((row) => names.map((column) => row[column]))],
    };
  },
  join: (operator, sets) => ({
    sql: sets.map((set, index) => (index === 0 ? set.sql : bracketed(set))).join(` ${operator} `),
    values: sets.flatMap(({ values }) => values),
  }),
  isIn: ({ complement, sql }) => `u.id ${complement ? 'NOT IN' : 'IN'} (${sql})`,
  inOnePass: () => undefined,
  deletion: (accountId, ids) => [
    {
      sql: `UPDATE domains AS d SET urls = d.urls - gone.count FROM (
          SELECT u.domain_id, count(*) AS count FROM json_each(?) AS wanted CROSS JOIN urls AS u
          WHERE u.account_id = ? AND u.id = wanted.value GROUP BY u.domain_id
        ) AS gone WHERE d.account_id = ? AND d.id = gone.domain_id`,
      values: [ids, accountId, accountId],
    },
    ...['url_tags', 'visitors', 'daily_clicks'].map((table) => deletionFrom(table, accountId, ids)),
    {
      sql: `DELETE FROM urls NOT INDEXED WHERE account_id = ? AND id IN (SELECT value FROM json_each(?))`,
      values: [accountId, ids],
    },
  ],
  reset: (accountId, ids) => [
    ...['visitors', 'daily_clicks'].map((table) => deletionFrom(table, accountId, ids)),
    {
      sql: `UPDATE urls NOT INDEXED SET total_clicks = 0, unique_clicks = 0, day_total = 0, day_fresh = 0
        WHERE account_id = ? AND id IN (SELECT value FROM json_each(?))`,
      values: [accountId, ids],
    },
  ],
};

/**
 * SQLite's set operators have equal precedence and apply from left to right. If only the first operand is compound, SQLite merges ordered
 * indexes and stops at the end of the page; a nested query needs a temporary table.
 */
function bracketed(set: IdSet): string {
  return set.isCompound ? `SELECT id FROM (${set.sql})` : set.sql;
}

function deletionFrom(table: string, accountId: number, ids: readonly number[]): Statement {
  return {
    sql: `DELETE FROM ${table} WHERE account_id = ? AND url_id IN (SELECT value FROM json_each(?))`,
    values: [accountId, ids],
  };
}
