import type { TagExpression } from '../../api/tag-expression.ts';
import type { IdSet, SetOperator, Statement, TagOf } from '../rows/queries.ts';

/**
 * Writes INTERSECT and EXCEPT of tags as conditions on the first set, so that the planner joins ordered indexes and a page ends early.
 * Writes a UNION of few tags as disjoint parts, because removing duplicates of two large sets takes twice as long as excluding them.
 */
export function join(operator: SetOperator, sets: readonly IdSet[]): Statement {
  const [first, ...others] = sets;
  if (!first || others.length === 0) return first ?? { sql: '', values: [] };
  if (operator === 'UNION ALL' || !sets.every(isJoinable)) return operated(operator, sets);
  if (operator === 'INTERSECT') return filtered(first, 'EXISTS', others);
  if (operator === 'EXCEPT') return filtered(first, 'NOT EXISTS', others);
  // Their texts are repeated.
  if (sets.length > 3) return operated(operator, sets);
  return operated('UNION ALL', [first, ...others.map((set, index) => filtered(set, 'NOT EXISTS', sets.slice(0, index + 1)))]);
}

/**
 * The planner expects few rows of a set within sets, and may then compare each row of one with each row of the other. For these, set
 * operators and arrays take linear time, whatever it expects.
 */
function isJoinable({ depth }: IdSet): boolean {
  return depth <= 1;
}

function filtered(first: Statement, condition: 'EXISTS' | 'NOT EXISTS', others: readonly Statement[]): Statement {
  const conditions = others.map(({ sql }) => `${condition} (SELECT 1 FROM (${sql}) AS other WHERE other.id = first.id)`);
  return {
    sql: `SELECT first.id FROM (${first.sql}) AS first WHERE ${conditions.join(' AND ')}`,
    values: [first, ...others].flatMap(({ values }) => values),
  };
}

/** Adds brackets because INTERSECT binds tighter than UNION. */
function operated(operator: SetOperator, sets: readonly Statement[]): Statement {
  return { sql: sets.map(({ sql }) => `(${sql})`).join(` ${operator} `), values: sets.flatMap(({ values }) => values) };
}

/** A condition on `u.id`. An array is looked up in the index twice as fast as the same set in EXISTS, whose duplicates are removed first. */
export function isIn(set: IdSet, all: IdSet): Statement {
  if (set.complement && isJoinable(set)) {
    return { sql: `NOT EXISTS (SELECT 1 FROM (${set.sql}) AS members WHERE members.id = u.id)`, values: set.values };
  }
  const { sql, values } = set.complement ? operated('EXCEPT', [all, set]) : set;
  return { sql: `u.id = ANY(ARRAY(${sql}))`, values };
}

/**
 * A condition on `u` for "and" of tags, "or" of tags, and complements of these. The planner joins them to the links in the order of their
 * ids, so that a page of the newest ends early, or to all links, which takes half as long as looking up each of many. Returns undefined for
 * other expressions.
 */
export function tagJoins(accountId: number, expression: TagExpression, tagOf: TagOf): Statement | undefined {
  const conditions: string[] = [];
  const values: number[] = [];
  for (const part of expression.kind === 'and' ? expression.operands : [expression]) {
    const ids = tagIds(part.kind === 'not' ? part.operand : part, tagOf);
    if (!ids) return undefined;
    const link = `SELECT 1 FROM url_tags AS l WHERE l.account_id = ? AND l.url_id = u.id AND l.tag_id IN (${ids.map(() => '?').join(', ')})`;
    conditions.push(`${part.kind === 'not' ? 'NOT ' : ''}EXISTS (${link})`);
    values.push(accountId, ...ids);
  }
  return { sql: conditions.join(' AND '), values };
}

/** The tags of a label, or of "or" of labels. */
function tagIds(part: TagExpression, tagOf: TagOf): number[] | undefined {
  const labels = part.kind === 'or' ? part.operands : [part];
  const ids = labels.flatMap((label) => (label.kind === 'label' ? (tagOf(label.label)?.id ?? []) : []));
  return ids.length === labels.length ? ids : undefined;
}
