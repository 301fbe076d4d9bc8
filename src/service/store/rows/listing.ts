import type { TagExpression } from '../../api/tag-expression.ts';
import type { ListQuery, Order, StoredDomain, StoredUrl } from '../store.ts';
import { type AccountRows, urlCount } from './account-rows.ts';
import { type Aggregated, aggregated, type Dialect, type IdSet, only, type Range, type Statement } from './queries.ts';
import { allIds, compileExpression, materialized, partsOf, tagScope } from './tag-sets.ts';
import { type FoundUrls, foundTable, foundUrls, inOrder, urlsOf } from './url-rows.ts';

/**
 * Returns one page and the number of matches in one statement. Selects ids first, by an index if possible, and reads only the records of
 * the page. A page that is not full is the last one, which saves counting.
 */
export async function listUrls(rows: AccountRows, query: ListQuery): Promise<{ urls: StoredUrl[]; total: number }> {
  const { offset, limit, from } = query;
  const { dialect } = rows.queries;
  const range = from.kind === 'domain' ? domainRange(rows, query, from.domain) : await tagRange(rows, query, from.expression);
  const order = range.isOrdered ? '' : `ORDER BY ${orders[query.order](dialect)}`;
  const columns = foundUrls(rows);
  const answer = await rows.queries.composed<FoundUrls & { total: number; ids: Aggregated<number> }>({
    sql: `WITH ${range.table ? `${range.table.sql}, ` : ''}page AS (${range.sql} ${order} LIMIT ? OFFSET ?),
       ${foundTable('FROM page CROSS JOIN urls AS u WHERE u.account_id = ? AND u.id = page.id')}
     SELECT CASE WHEN known.count < ? AND (known.count > 0 OR CAST(? AS BIGINT) = 0) THEN ? + known.count ELSE (${range.total.sql}) END AS total,
       (SELECT ${dialect.jsonAggregate}(id) FROM page) AS ids, ${columns.sql}
     FROM (SELECT count(*) AS count FROM page) AS known`,
    values: [
      ...[...(range.table?.values ?? []), ...range.values, limit, offset, rows.accountId],
      ...[limit, offset, offset, ...range.total.values, ...columns.values],
    ],
  });
  const found = only(answer);
  return { urls: inOrder(aggregated(found.ids), await urlsOf(rows, found), ({ id }) => id), total: found.total };
}

/** The columns of each order besides the id. */
const sortedBy: { readonly [O in Order]: readonly string[] } = {
  created: [],
  clicks: ['total_clicks'],
  hash: ['hash'],
  modified: ['modified'],
};

const orders: { readonly [O in Order]: (dialect: Dialect) => string } = {
  created: () => 'id DESC',
  clicks: () => 'total_clicks DESC, id DESC',
  hash: ({ byBytes }) => `hash${byBytes}, id`,
  modified: () => 'modified DESC, id DESC',
};

type CountedRange = Range & Required<Pick<Range, 'total'>>;

function domainRange({ queries: { dialect }, accountId }: AccountRows, query: ListQuery, domain: StoredDomain): CountedRange {
  const filter = searchFilter(query.search, dialect);
  const hint = !filter && query.order === 'created' ? dialect.byAge : '';
  const sql = `SELECT id FROM urls ${hint} WHERE account_id = ? AND domain_id = ? ${filter ? `AND ${filter.sql}` : ''}`;
  const values = [accountId, domain.id, ...(filter?.values ?? [])];
  const stored = { sql: 'SELECT urls FROM domains WHERE account_id = ? AND id = ?', values: [accountId, domain.id] };
  return { sql, values, total: filter ? numberOf({ sql, values }) : stored };
}

async function tagRange(rows: AccountRows, query: ListQuery, expression: TagExpression): Promise<CountedRange> {
  const { accountId, queries } = rows;
  const { dialect } = queries;
  const filter = searchFilter(query.search, dialect);
  const scope = await tagScope(rows, expression);
  if (dialect.range) {
    const { set, conditions } = partsOf(scope, expression);
    const range = dialect.range({ set, conditions, filter }, sortedBy[query.order], allIds(scope));
    return { ...range, total: range.total ?? sizeOf(rows, set ?? allIds(scope)) };
  }
  const set = compileExpression(scope, expression);
  // Ids are sufficient to sort by creation.
  if (!filter && query.order === 'created') return { ...materialized(scope, set), total: sizeOf(rows, set) };
  // A search is slow, and therefore only of the links that are in the set.
  const conditions = `${filter ? `AND ${filter.sql}` : ''} AND u.id ${set.complement ? 'NOT IN' : 'IN'} (${set.sql})`;
  const sql = `SELECT u.id FROM urls AS u ${dialect.byId} WHERE account_id = ? ${conditions}`;
  const values = [accountId, ...(filter?.values ?? []), ...set.values];
  return { sql, values, total: filter ? numberOf({ sql, values }) : sizeOf(rows, set) };
}

/** Subtracts the members of a complement from all URLs. */
function sizeOf({ accountId }: AccountRows, set: IdSet): Statement {
  const members = numberOf(set);
  if (!set.complement) return members;
  return { sql: `SELECT (${urlCount}) - (${members.sql})`, values: [accountId, ...members.values] };
}

function numberOf({ sql, values }: Statement): Statement {
  return { sql: `SELECT count(*) FROM (${sql}) AS matches`, values };
}

/** Searches three fields, ignoring the case of ASCII letters, as public deployments do. */
function searchFilter(search: string | undefined, dialect: Dialect): Statement | undefined {
  if (search === undefined || search === '') return undefined;
  const columns = ['long_url', 'note', 'hash'];
  // Backslashes before special characters.
  const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  return { sql: `(${columns.map((column) => dialect.like(column)).join(' OR ')})`, values: columns.map(() => pattern) };
}
