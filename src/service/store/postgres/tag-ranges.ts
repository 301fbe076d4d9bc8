import type { IdSet, JoinedSet, Range, Selected, SetOperator, Statement } from '../rows/queries.ts';

/**
 * Writes INTERSECT and EXCEPT of tags as conditions on the first set, so that the planner chooses how to join ordered indexes. Ids may
 * repeat until the whole set is known: removing duplicates of each part by hashing takes longer than finding them.
 */
export function join(operator: SetOperator, sets: readonly IdSet[]): JoinedSet {
  if (operator === 'UNION ALL') return operated(operator, sets);
  if (operator === 'UNION') return deduplicated(operated('UNION ALL', sets.map(shortest)));
  if (!sets.every(isJoinable)) return operated(operator, sets.map(shortest));
  if (operator === 'EXCEPT') return { ...filtered(sets, 'NOT EXISTS'), isDifferenceOfTags: sets.every(({ tags }) => tags) };
  const single = sets.find(({ repeated }) => !repeated);
  return filtered(single ? [single, ...sets.filter((set) => set !== single)] : sets, 'EXISTS');
}

/**
 * The planner expects few rows of a set within sets, and may then compare each row of one with each row of the other. For these, set
 * operators and arrays take linear time, whatever it expects.
 */
function isJoinable({ depth }: IdSet): boolean {
  return depth <= 1;
}

function shortest({ sql, values, repeated }: IdSet): Statement {
  return repeated ?? { sql, values };
}

function deduplicated(repeated: Statement): JoinedSet {
  return { sql: `SELECT DISTINCT id FROM (${repeated.sql}) AS found`, values: repeated.values, repeated };
}

function filtered(sets: readonly IdSet[], condition: 'EXISTS' | 'NOT EXISTS'): JoinedSet {
  const [first, ...others] = sets.map(shortest);
  const conditions = others.map(({ sql }) => `${condition} (SELECT 1 FROM (${sql}) AS other WHERE other.id = first.id)`);
  const statement = {
    sql: `SELECT first.id FROM (${first?.sql}) AS first WHERE ${conditions.join(' AND ')}`,
    values: sets.flatMap((set) => shortest(set).values),
  };
  return sets[0]?.repeated ? deduplicated(statement) : statement;
}

/** Adds brackets because INTERSECT binds tighter than UNION. */
function operated(operator: SetOperator, sets: readonly Statement[]): Statement {
  return { sql: sets.map(({ sql }) => `(${sql})`).join(` ${operator} `), values: sets.flatMap(({ values }) => values) };
}

/**
 * A page that ends early where an index has the order, and a number that is found without sorting. All others are read into a table of
 * which the page and the number are made, since finding the links takes longer than both.
 */
export function range({ set, conditions, filter }: Selected, columns: readonly string[], all: IdSet): Range {
  const isOutside = set?.complement && isJoinable(set);
  const isWhole = !filter && conditions.length === 0;
  if (isWhole) {
    if (isOutside) return links(columns, all, [isMember(set)]);
    if (set && columns.length === 0) return set.complement ? tabled(others(set, all)) : idsOf(set);
  }
  // An index has the hashes beside the ids, so that a join with tags reads no links. With a search it would search all links.
  const isByHash = isWhole && (set?.tags || set?.isDifferenceOfTags) && !set.complement && columns.includes('hash');
  const members = set ? [isOutside || isByHash ? isMember(set) : isAmong(set, all)] : [];
  const found = links(columns, all, [...members, ...conditions, ...(filter ? [filter] : [])]);
  return !filter && columns.length === 0 && (!set || isOutside) ? counted(found) : tabled(found);
}

/** In the order of ids, which are sufficient. */
function idsOf(set: IdSet): Range {
  const { sql, values } = shortest(set);
  if (!set.repeated) return set.depth === 0 ? counted(set) : tabled(set);
  if (!set.tags) return listed({ sql, values });
  const total = { sql: `SELECT count(DISTINCT id) FROM (${sql}) AS matches`, values };
  return { sql: `SELECT id FROM (${sql}) AS found GROUP BY id`, values, total };
}

/** Sorting ids for an array removes duplicates in a third of the time that a table of the different ids takes. */
function listed({ sql, values }: Statement): Range {
  const ids = `SELECT array_agg(DISTINCT id ORDER BY id DESC) AS ids FROM (${sql}) AS found`;
  return {
    table: { sql: `matches AS MATERIALIZED (${ids})`, values },
    sql: 'SELECT unnest(ids) AS id FROM matches',
    values: [],
    isOrdered: true,
    total: { sql: 'SELECT coalesce(cardinality(ids), 0) FROM matches', values: [] },
  };
}

function links(columns: readonly string[], { values }: IdSet, conditions: readonly Statement[]): Statement {
  return {
    sql: `SELECT ${['id', ...columns].map((column) => `u.${column}`).join(', ')} FROM urls AS u
      WHERE u.account_id = ? ${conditions.map(({ sql }) => `AND ${sql}`).join(' ')}`,
    values: [...values, ...conditions.flatMap((condition) => condition.values)],
  };
}

function isMember(set: IdSet): Statement {
  const { sql, values } = shortest(set);
  return { sql: `${set.complement ? 'NOT ' : ''}EXISTS (SELECT 1 FROM (${sql}) AS members WHERE members.id = u.id)`, values };
}

function others(set: IdSet, all: IdSet): Statement {
  return operated('EXCEPT', [all, shortest(set)]);
}

/** An array is sorted, rid of duplicates and looked up in the index, which takes less time than a join of as many links. */
function isAmong(set: IdSet, all: IdSet): Statement {
  const { sql, values } = set.complement ? others(set, all) : shortest(set);
  return { sql: `u.id = ANY(ARRAY(${sql}))`, values };
}

function counted({ sql, values }: Statement): Range {
  return { sql, values, total: { sql: `SELECT count(*) FROM (${sql}) AS matches`, values } };
}

function tabled({ sql, values }: Statement): Range {
  const table = { sql: `matches AS MATERIALIZED (${sql})`, values };
  return { table, sql: 'SELECT * FROM matches', values: [], total: { sql: 'SELECT count(*) FROM matches', values: [] } };
}
