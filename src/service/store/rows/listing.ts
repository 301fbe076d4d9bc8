import type { TagExpression } from '../../api/tag-expression.ts';
import type { ListQuery, Order, StoredDomain, StoredUrl } from '../store.ts';
import { type AccountRows, urlCount } from './account-rows.ts';
import { type Aggregated, aggregated, type Dialect, type IdSet, type Statement } from './queries.ts';
import { allIds, compileExpression, materialized, tagScope } from './tag-sets.ts';
import { type FoundUrls, foundTable, foundUrls, inOrder, urlsOf } from './url-rows.ts';

/**
 * Returns one page and the number of matches in one statement. Selects ids first, by an index if possible, and reads only the records of
 * the page. A page that is not full is the last one, which saves counting.
 */
export async function listUrls(rows: AccountRows, query: ListQuery): Promise<{ urls: StoredUrl[]; total: number }> {
  const { offset, limit, from } = query;
  const { dialect } = rows.queries;
  const range = from.kind === 'domain' ? domainRange(rows, query, from.domain) : await tagRange(rows, query, from.expression);
  const columns = foundUrls(rows);
  const [found] = await rows.queries.composed<FoundUrls & { total: number; ids: Aggregated<number> }>({
    sql: `WITH page AS (${range.sql} ORDER BY ${orders[query.order](dialect)} LIMIT ? OFFSET ?),
       ${foundTable('FROM page CROSS JOIN urls AS u WHERE u.account_id = ? AND u.id = page.id')}
     SELECT CASE WHEN known.count < ? AND (known.count > 0 OR CAST(? AS BIGINT) = 0) THEN ? + known.count ELSE (${range.total.sql}) END AS total,
       (SELECT ${dialect.jsonAggregate}(id) FROM page) AS ids, ${columns.sql}
     FROM (SELECT count(*) AS count FROM page) AS known`,
    values: [
      ...[...range.values, limit, offset, rows.accountId],
      ...[limit, offset, offset, ...range.total.values, ...columns.values],
    ],
  });
  if (!found) return { urls: [], total: 0 };
  return { urls: inOrder(aggregated(found.ids), await urlsOf(rows, found), ({ id }) => id), total: found.total };
}

const orders: { readonly [O in Order]: (dialect: Dialect) => string } = {
  created: () => 'id DESC',
  clicks: () => 'total_clicks DESC, id DESC',
  hash: ({ byBytes }) => `hash${byBytes}, id`,
  modified: () => 'modified DESC, id DESC',
};

/** The unsorted query of all matching ids, and the query of their number. */
interface Range extends Statement {
  readonly total: Statement;
}

function domainRange({ queries: { dialect }, accountId }: AccountRows, query: ListQuery, domain: StoredDomain): Range {
  const filter = searchFilter(query.search, dialect);
  const hint = filter.sql === '' && query.order === 'created' ? dialect.byAge : '';
  const sql = `SELECT id FROM urls ${hint} WHERE account_id = ? AND domain_id = ? ${filter.sql}`;
  const values = [accountId, domain.id, ...filter.values];
  const stored = { sql: 'SELECT urls FROM domains WHERE account_id = ? AND id = ?', values: [accountId, domain.id] };
  return { sql, values, total: filter.sql === '' ? stored : numberOf({ sql, values }) };
}

async function tagRange(rows: AccountRows, query: ListQuery, expression: TagExpression): Promise<Range> {
  const { accountId, queries } = rows;
  const { dialect } = queries;
  const filter = searchFilter(query.search, dialect);
  const scope = await tagScope(rows, expression);
  const set = compileExpression(scope, expression);
  // A search is slow, and therefore only of the links that are in the set.
  const joins = filter.sql === '' ? dialect.tagJoins(accountId, expression, scope.tagOf) : undefined;
  // Ids are sufficient to sort by creation.
  if (!joins && filter.sql === '' && query.order === 'created') return { ...materialized(scope, set), total: sizeOf(rows, set) };
  const isSelected = joins ?? dialect.isIn(set, allIds(scope));
  const sql = `SELECT u.id FROM urls AS u ${dialect.byId} WHERE account_id = ? ${filter.sql} AND ${isSelected.sql}`;
  const values = [accountId, ...filter.values, ...isSelected.values];
  return { sql, values, total: filter.sql === '' ? sizeOf(rows, set) : numberOf({ sql, values }) };
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
function searchFilter(search: string | undefined, dialect: Dialect): Statement {
  if (search === undefined || search === '') return { sql: '', values: [] };
  const columns = ['long_url', 'note', 'hash'];
  // Backslashes before special characters.
  const pattern = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  return { sql: `AND (${columns.map((column) => dialect.like(column)).join(' OR ')})`, values: columns.map(() => pattern) };
}
