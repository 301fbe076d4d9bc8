import type { TagExpression } from '../../tag-expression.ts';
import { containing, searchedColumns } from '../search.ts';
import type { ListQuery, Order, StoredDomain, StoredUrl } from '../store.ts';
import { compileExpression, type Value, writtenOut } from '../tag-sets.ts';
import { type AccountRows, countUrls } from './account-rows.ts';
import { tagScope } from './tag-scope.ts';
import { readUrls } from './url-rows.ts';

/** One page and the number of all matches. Ids first, over an index where there is one; only the page's records are read. */
export async function listUrls(rows: AccountRows, query: ListQuery): Promise<{ urls: StoredUrl[]; total: number }> {
  const { offset, limit, from } = query;
  const range = from.kind === 'domain' ? domainRange(rows, query, from.domain) : await tagRange(rows, query, from.expression);
  const page = await rows.queries.composed<{ id: number }>(
    `SELECT id FROM (${range.sql}) AS matches ORDER BY ${orders[query.order]} LIMIT ? OFFSET ?`,
    [...range.values, limit, offset],
  );
  const ids = page.map(({ id }) => id);
  // A page that is not full ends the matches: no need to count them.
  const isLast = ids.length < limit && (ids.length > 0 || offset === 0);
  const [urls, total] = await Promise.all([readUrls(rows, ids), isLast ? offset + ids.length : range.count()]);
  return { urls, total };
}

const orders: { readonly [O in Order]: string } = {
  created: 'id DESC',
  clicks: 'total_clicks DESC, id DESC',
  hash: 'hash COLLATE "C", id',
  modified: 'modified DESC, id DESC',
};

/** The query of all matching ids and what they are ordered by, without an order, and their number. */
interface Range {
  readonly sql: string;
  readonly values: readonly Value[];
  readonly count: () => Promise<number>;
}

const sortable = 'id, total_clicks, hash, modified';

function domainRange(rows: AccountRows, query: ListQuery, domain: StoredDomain): Range {
  const filter = searchFilter(query.search);
  const sql = `SELECT ${sortable} FROM urls WHERE account_id = ? AND domain_id = ? ${filter.sql}`;
  const values = [rows.accountId, domain.id, ...filter.values];
  return { sql, values, count: () => (filter.sql === '' ? countUrls(rows, domain) : countRows(rows, sql, values)) };
}

async function tagRange(rows: AccountRows, query: ListQuery, expression: TagExpression): Promise<Range> {
  const filter = searchFilter(query.search);
  const scope = await tagScope(rows, expression);
  const set = compileExpression(scope, expression);
  const countSet = async () => {
    const members = await countRows(rows, set.sql, set.values);
    return set.complement ? (await countUrls(rows)) - members : members;
  };
  // The ids alone have all that an order by creation needs.
  if (filter.sql === '' && query.order === 'created') return { ...writtenOut(scope, set), count: countSet };
  const condition = set.complement ? 'NOT EXISTS' : 'EXISTS';
  const sql = `SELECT ${sortable} FROM urls AS u WHERE account_id = ? ${filter.sql}
    AND ${condition} (SELECT 1 FROM (${set.sql}) AS members WHERE members.id = u.id)`;
  const values = [rows.accountId, ...filter.values, ...set.values];
  return { sql, values, count: () => (filter.sql === '' ? countSet() : countRows(rows, sql, values)) };
}

/** Text in any of three fields, without regard to the case of ASCII letters. Not shown in API.md; as public deployments do (FIELD-NOTES 15). */
function searchFilter(search: string | undefined): { sql: string; values: Value[] } {
  if (search === undefined || search === '') return { sql: '', values: [] };
  const like = searchedColumns.map((column) => `${column} COLLATE "C" ILIKE ?`).join(' OR ');
  return { sql: `AND (${like})`, values: searchedColumns.map(() => containing(search)) };
}

async function countRows({ queries }: AccountRows, sql: string, values: readonly Value[]): Promise<number> {
  const [counted] = await queries.composed<{ count: number }>(`SELECT count(*) AS count FROM (${sql}) AS matches`, values);
  return counted?.count ?? 0;
}
