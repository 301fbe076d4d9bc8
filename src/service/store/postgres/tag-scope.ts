import { foldLabel } from '../../../contract/tag-label.ts';
import type { TagExpression } from '../../tag-expression.ts';
import { type IdSet, labelsOf, type SetOperator, type TagScope } from '../tag-sets.ts';
import type { AccountRows } from './account-rows.ts';
import { findTags } from './tag-rows.ts';

export async function tagScope(rows: AccountRows, expression: TagExpression): Promise<TagScope> {
  const [domains, tags] = await Promise.all([rows.domains.list(), findTags(rows, labelsOf(expression))]);
  return { accountId: rows.accountId, domains, tagOf: (label) => tags.get(foldLabel(label)), urls: 'urls', join };
}

type Query = Pick<IdSet, 'sql' | 'values'>;

/**
 * INTERSECT and EXCEPT as conditions on the first set: so the planner joins ordered indexes where it can, and a page ends early. UNION of
 * few tags is made of parts that have nothing in common: to find what two large sets share takes twice the time of leaving it out.
 */
function join(operator: SetOperator, sets: readonly IdSet[]): Query {
  const [first, ...others] = sets;
  if (!first || others.length === 0) return first ?? { sql: '', values: [] };
  if (operator === 'INTERSECT') return filtered(first, 'EXISTS', others);
  if (operator === 'EXCEPT') return filtered(first, 'NOT EXISTS', others);
  const isSmall = sets.length <= 3 && !sets.some(({ isCompound }) => isCompound);
  if (operator === 'UNION ALL' || !isSmall) return appended(operator, sets);
  return appended('UNION ALL', [first, ...others.map((set, index) => filtered(set, 'NOT EXISTS', sets.slice(0, index + 1)))]);
}

function filtered(first: Query, condition: 'EXISTS' | 'NOT EXISTS', others: readonly Query[]): Query {
  const conditions = others.map(({ sql }) => `${condition} (SELECT 1 FROM (${sql}) AS other WHERE other.id = first.id)`);
  return {
    sql: `SELECT first.id FROM (${first.sql}) AS first WHERE ${conditions.join(' AND ')}`,
    values: [first, ...others].flatMap(({ values }) => values),
  };
}

/** In brackets: without them INTERSECT would bind tighter than UNION. */
function appended(operator: 'UNION' | 'UNION ALL', sets: readonly Query[]): Query {
  return { sql: sets.map(({ sql }) => `(${sql})`).join(` ${operator} `), values: sets.flatMap(({ values }) => values) };
}
