import type { TagExpression } from '../../tag-expression.ts';
import { containing, searchedColumns } from '../search.ts';
import type { ListQuery, Order, StoredDomain, StoredUrl } from '../store.ts';
import type { AccountRows } from './account-rows.ts';
import { inOnePass, tagScope } from './tag-scope.ts';
import { compileExpression, type IdSet, materialized, type Value } from './tag-sets.ts';
import { type LabelledRow, recordColumns, urlsOf } from './url-rows.ts';

/**
 * Returns one page and the number of matches in one statement. Selects ids first, by an index if possible, and reads only the records of
 * the page. A page that is not full is the last one, which saves counting.
 */
export async function listUrls(rows: AccountRows, query: ListQuery): Promise<{ urls: StoredUrl[]; total: number }> {
  const { offset, limit, from } = query;
  const range = from.kind === 'domain' ? domainRange(rows, query, from.domain) : await tagRange(rows, query, from.expression);
  const order = orders[query.order];
  const found = await rows.queries.composed<LabelledRow & { total: number }>(
    `WITH page AS (SELECT id FROM (${range.sql}) AS matches ORDER BY ${order('')} LIMIT ? OFFSET ?),
       known AS (SELECT count(*) AS count FROM page)
     SELECT CASE WHEN known.count < ? AND (known.count > 0 OR ? = 0) THEN ? + known.count ELSE (${range.total.sql}) END AS total, u.*
     FROM known LEFT JOIN (
       SELECT ${recordColumns}, u.modified FROM page JOIN urls AS u ON u.account_id = ? AND u.id = page.id
     ) AS u ON TRUE ORDER BY ${order('u.')}`,
    [...range.values, limit, offset, limit, offset, offset, ...range.total.values, rows.accountId],
  );
  const [first] = found;
  // Without matches there is one row with the total.
  return { urls: await urlsOf(rows, first?.id === null ? [] : found), total: first?.total ?? 0 };
}

/** Takes the prefix of the columns. */
const orders: { readonly [O in Order]: (table: string) => string } = {
  created: (table) => `${table}id DESC`,
  clicks: (table) => `${table}total_clicks DESC, ${table}id DESC`,
  hash: (table) => `${table}hash COLLATE "C", ${table}id`,
  modified: (table) => `${table}modified DESC, ${table}id DESC`,
};

type Query = Pick<IdSet, 'sql' | 'values'>;

/** The unsorted query of all matching ids with the sort columns, and the query of their number. */
interface Range extends Query {
  readonly total: Query;
}

const sortable = 'id, total_clicks, hash, modified';

function domainRange({ accountId }: AccountRows, query: ListQuery, domain: StoredDomain): Range {
  const filter = searchFilter(query.search);
  const sql = `SELECT ${sortable} FROM urls WHERE account_id = ? AND domain_id = ? ${filter.sql}`;
  const values = [accountId, domain.id, ...filter.values];
  const stored = { sql: 'SELECT urls FROM domains WHERE account_id = ? AND id = ?', values: [accountId, domain.id] };
  return { sql, values, total: filter.sql === '' ? stored : numberOf({ sql, values }) };
}

async function tagRange(rows: AccountRows, query: ListQuery, expression: TagExpression): Promise<Range> {
  const filter = searchFilter(query.search);
  const scope = await tagScope(rows, expression);
  const set = compileExpression(scope, expression);
  // Ids are sufficient to sort by creation.
  if (filter.sql === '' && query.order === 'created') {
    return { ...(inOnePass(scope, expression) ?? materialized(scope, set)), total: sizeOf(rows, set) };
  }
  const condition = set.complement ? 'NOT EXISTS' : 'EXISTS';
  const sql = `SELECT ${sortable} FROM urls AS u WHERE account_id = ? ${filter.sql}
    AND ${condition} (SELECT 1 FROM (${set.sql}) AS members WHERE members.id = u.id)`;
  const values = [rows.accountId, ...filter.values, ...set.values];
  return { sql, values, total: filter.sql === '' ? sizeOf(rows, set) : numberOf({ sql, values }) };
}

/** Subtracts the members of a complement from all URLs. */
function sizeOf({ accountId }: AccountRows, set: IdSet): Query {
  const members = numberOf(set);
  if (!set.complement) return members;
  const all = 'SELECT coalesce(sum(urls), 0) FROM domains WHERE account_id = ?';
  return { sql: `SELECT (${all}) - (${members.sql})`, values: [accountId, ...members.values] };
}

function numberOf({ sql, values }: Query): Query {
  return { sql: `SELECT count(*) FROM (${sql}) AS matches`, values };
}

/** Searches three fields, ignoring the case of ASCII letters, as public deployments do. */
function searchFilter(search: string | undefined): { sql: string; values: Value[] } {
  if (search === undefined || search === '') return { sql: '', values: [] };
  const like = searchedColumns.map((column) => `${column} COLLATE "C" ILIKE ?`).join(' OR ');
  return { sql: `AND (${like})`, values: searchedColumns.map(() => containing(search)) };
}
