import type { Dialect, IdSet } from '../rows/queries.ts';

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
};

/**
 * SQLite's set operators have equal precedence and apply from left to right. If only the first operand is compound, SQLite merges ordered
 * indexes and stops at the end of the page; a nested query needs a temporary table.
 */
function bracketed(set: IdSet): string {
  return set.depth > 0 ? `SELECT id FROM (${set.sql})` : set.sql;
}
