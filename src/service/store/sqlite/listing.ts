import type { TagExpression } from '../../tag-expression.ts';
import { compileExpression, materialized, type Value } from '../rows/tag-sets.ts';
import { containing, searchedColumns } from '../search.ts';
import type { ListQuery, Order, StoredDomain, StoredUrl } from '../store.ts';
import { type AccountRows, countUrls } from './account-rows.ts';
import { tagScope } from './tag-scope.ts';
import { readUrls } from './url-rows.ts';

/** Returns one page and the number of matches. Selects ids first, by an index if possible, and reads only the records of the page. */
export function listUrls(rows: AccountRows, query: ListQuery): { urls: StoredUrl[]; total: number } {
  const { offset, limit } = query;
  const range =
    query.from.kind === 'domain' ? domainRange(rows, query, query.from.domain) : tagRange(rows, query, query.from.expression);
  const page = rows.connection
    .prepare(`${range.sql} ORDER BY ${orders[query.order]} LIMIT ? OFFSET ?`)
    .all<{ id: number }>(...range.values, limit, offset);
  const ids = page.map(({ id }) => id);
  // A page that is not full is the last one, which saves counting.
  const isLast = ids.length < limit && (ids.length > 0 || offset === 0);
  return { urls: readUrls(rows, ids), total: isLast ? offset + ids.length : range.count() };
}

const orders: { readonly [O in Order]: string } = {
  created: 'id DESC',
  clicks: 'total_clicks DESC, id DESC',
  hash: 'hash, id',
  modified: 'modified DESC, id DESC',
};

/** The unsorted query of all matching ids, and their number. */
interface Range {
  readonly sql: string;
  readonly values: readonly Value[];
  readonly count: () => number;
}

function domainRange(rows: AccountRows, query: ListQuery, domain: StoredDomain): Range {
  const filter = searchFilter(query.search);
  const index = filter.sql === '' && query.order === 'created' ? 'INDEXED BY urls_by_age' : '';
  const sql = `SELECT id FROM urls ${index} WHERE account_id = ? AND domain_id = ? ${filter.sql}`;
  const values = [rows.accountId, domain.id, ...filter.values];
  return { sql, values, count: () => (filter.sql === '' ? countUrls(rows, domain) : countRows(rows, sql, values)) };
}

function tagRange(rows: AccountRows, query: ListQuery, expression: TagExpression): Range {
  const filter = searchFilter(query.search);
  const scope = tagScope(rows);
  const set = compileExpression(scope, expression);
  const countSet = () => {
    const members = countRows(rows, set.sql, set.values);
    return set.complement ? countUrls(rows) - members : members;
  };
  // Ids are sufficient to sort by creation.
  if (filter.sql === '' && query.order === 'created') return { ...materialized(scope, set), count: countSet };
  const sql = `SELECT id FROM urls NOT INDEXED WHERE account_id = ? AND id ${set.complement ? 'NOT IN' : 'IN'} (${set.sql}) ${filter.sql}`;
  const values = [rows.accountId, ...set.values, ...filter.values];
  return { sql, values, count: () => (filter.sql === '' ? countSet() : countRows(rows, sql, values)) };
}

/** Searches three fields, ignoring the case of ASCII letters, as public deployments do. */
function searchFilter(search: string | undefined): { sql: string; values: Value[] } {
  if (search === undefined || search === '') return { sql: '', values: [] };
  const like = searchedColumns.map((column) => `${column} LIKE ? ESCAPE '\\'`).join(' OR ');
  return { sql: `AND (${like})`, values: searchedColumns.map(() => containing(search)) };
}

function countRows({ connection }: AccountRows, sql: string, values: readonly Value[]): number {
  return connection.prepare(`SELECT count(*) AS count FROM (${sql})`).get<{ count: number }>(...values)?.count ?? 0;
}
