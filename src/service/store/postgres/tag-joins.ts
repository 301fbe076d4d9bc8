import type { TagExpression } from '../../api/tag-expression.ts';
import type { IdSet, SetOperator, Statement, TagOf } from '../rows/queries.ts';

/**
 * Writes INTERSECT and EXCEPT as conditions on the first set, so that the planner joins ordered indexes and a page ends early. Writes a
 * UNION of few tags as disjoint parts, because removing duplicates of two large sets takes twice as long as excluding them.
 */
export function join(operator: SetOperator, sets: readonly IdSet[]): Statement {
  const [first, ...others] = sets;
  if (!first || others.length === 0) return first ?? { sql: '', values: [] };
  if (operator === 'INTERSECT') return filtered(first, 'EXISTS', others);
  if (operator === 'EXCEPT') return filtered(first, 'NOT EXISTS', others);
  const isSmall = sets.length <= 3 && !sets.some(({ isCompound }) => isCompound);
  if (operator === 'UNION ALL' || !isSmall) return unionOf(operator, sets);
  return unionOf('UNION ALL', [first, ...others.map((set, index) => filtered(set, 'NOT EXISTS', sets.slice(0, index + 1)))]);
}

function filtered(first: Statement, condition: 'EXISTS' | 'NOT EXISTS', others: readonly Statement[]): Statement {
  const conditions = others.map(({ sql }) => `${condition} (SELECT 1 FROM (${sql}) AS other WHERE other.id = first.id)`);
  return {
    sql: `SELECT first.id FROM (${first.sql}) AS first WHERE ${conditions.join(' AND ')}`,
    values: [first, ...others].flatMap(({ values }) => values),
  };
}

/** Adds brackets because INTERSECT binds tighter than UNION. */
function unionOf(operator: 'UNION' | 'UNION ALL', sets: readonly Statement[]): Statement {
  return { sql: sets.map(({ sql }) => `(${sql})`).join(` ${operator} `), values: sets.flatMap(({ values }) => values) };
}

/**
 * Evaluates an expression of tags in one pass over the tags of each URL, in the order of ids, so that a page of the newest links ends
 * early. As sets, two operands of "or" would be read completely and sorted. Returns undefined for an expression with automatic labels,
 * without "or", or that matches untagged URLs.
 */
export function inOnePass(accountId: number, expression: TagExpression, tagOf: TagOf): Statement | undefined {
  const tags = new Set<number>();
  const values: number[] = [];
  let hasAutomatic = false;
  const condition = (part: TagExpression): string => {
    switch (part.kind) {
      case 'label': {
        const tag = tagOf(part.label);
        hasAutomatic ||= !tag;
        tags.add(tag?.id ?? 0);
        values.push(tag?.id ?? 0);
        return 'bool_or(tag_id = ?)';
      }
      case 'created':
        hasAutomatic = true;
        return 'FALSE';
      case 'not':
        return `(NOT ${condition(part.operand)})`;
      default:
        return part.operands.map(condition).reduce((left, right) => `(${left} ${operators[part.kind]} ${right})`);
    }
  };
  const having = condition(expression);
  // Without "or", sets are as fast because they are joined in order.
  if (hasAutomatic || !/ (OR|<>) /.test(having) || matchesUntagged(expression)) return undefined;
  const places = [...tags].map(() => '?').join(', ');
  return {
    sql: `SELECT url_id AS id FROM url_tags WHERE account_id = ? AND tag_id IN (${places}) GROUP BY url_id HAVING ${having}`,
    values: [accountId, ...tags, ...values],
  };
}

/** `<>` of booleans is XOR. */
const operators = { and: 'AND', or: 'OR', xor: '<>' } as const;

/**
 * A condition on `u` for "and" of tags, "or" of tags, and complements of these. The planner joins them to all links, if there are many,
 * which takes half as long as looking up each one. Returns undefined for other expressions.
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

/** True if the expression selects URLs without tags. */
function matchesUntagged(expression: TagExpression): boolean {
  switch (expression.kind) {
    case 'label':
    case 'created':
      return false;
    case 'not':
      return !matchesUntagged(expression.operand);
    case 'and':
      return expression.operands.every(matchesUntagged);
    case 'or':
      return expression.operands.some(matchesUntagged);
    case 'xor':
      return expression.operands.filter(matchesUntagged).length % 2 === 1;
  }
}
