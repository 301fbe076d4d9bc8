import type { Dialect, Statement } from '../rows/queries.ts';
import { join, range } from './tag-ranges.ts';

/** In milliseconds, because the clocks of processes differ. */
export const clock = 'CAST(extract(epoch FROM now()) * 1000 AS BIGINT)';

export const postgresDialect: Dialect = {
  clock,
  byBytes: ' COLLATE "C"',
  idScope: 'account_id = ?',
  byId: '',
  byLongUrl: '',
  byAge: '',
  forUpdate: 'FOR UPDATE OF u',
  archivesDays: false,
  jsonAggregate: 'json_agg',
  jsonList: 'json_build_array',
  // ILIKE would convert the pattern once more for each row.
  like: (column) => `lower(${column} COLLATE "C") LIKE lower(CAST(? AS TEXT) COLLATE "C")`,
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
  range,
};

/** One statement of all changes, which see the data as it was before. */
export function joined(changes: readonly Statement[]): Statement {
  const parts = changes.map(({ sql }, index) => (index === changes.length - 1 ? sql : `part_${index} AS (${sql})`));
  const last = parts.pop() ?? '';
  return {
    sql: parts.length === 0 ? last : `WITH ${parts.join(', ')} ${last}`,
    values: changes.flatMap(({ values }) => values),
  };
}
