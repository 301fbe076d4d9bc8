import { foldLabel } from '../../../contract/tag-label.ts';
import type { TagExpression } from '../../tag-expression.ts';
import { labelsOf, type TagScope } from '../tag-sets.ts';
import { type AccountRows, listDomains } from './account-rows.ts';
import { findTags } from './tag-rows.ts';

/**
 * INTERSECT and EXCEPT as conditions on the first set: so the planner joins ordered indexes where it can, and a page ends early. They
 * would bind tighter than UNION, too, which is in brackets for that.
 */
export async function tagScope(rows: AccountRows, expression: TagExpression): Promise<TagScope> {
  const [domains, tags] = await Promise.all([listDomains(rows), findTags(rows, labelsOf(expression))]);
  return {
    accountId: rows.accountId,
    domains,
    tagOf: (label) => tags.get(foldLabel(label)),
    urls: 'urls',
    join: (operator, sets) => {
      const [first, ...others] = sets.map(({ sql }) => sql);
      if (others.length === 0) return first ?? '';
      if (operator === 'UNION' || operator === 'UNION ALL') return sets.map(({ sql }) => `(${sql})`).join(` ${operator} `);
      const condition = operator === 'INTERSECT' ? 'EXISTS' : 'NOT EXISTS';
      const conditions = others.map((sql) => `${condition} (SELECT 1 FROM (${sql}) AS other WHERE other.id = first.id)`);
      return `SELECT first.id FROM (${first}) AS first WHERE ${conditions.join(' AND ')}`;
    },
  };
}
