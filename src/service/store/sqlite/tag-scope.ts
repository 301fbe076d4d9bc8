import { foldLabel } from '../../../contract/tag-label.ts';
import type { IdSet, TagScope } from '../rows/tag-sets.ts';
import { type AccountRows, listDomains } from './account-rows.ts';
import { findTag } from './tag-rows.ts';

export function tagScope(rows: AccountRows): TagScope {
  return {
    accountId: rows.accountId,
    domains: listDomains(rows),
    tagOf: (label) => findTag(rows, foldLabel(label)),
    // Reads by row id, because the order of the account index would need sorting.
    urls: 'urls NOT INDEXED',
    join: (operator, sets) => ({
      sql: sets.map((set, index) => (index === 0 ? set.sql : bracketed(set))).join(` ${operator} `),
      values: sets.flatMap(({ values }) => values),
    }),
  };
}

/**
 * SQLite's set operators have equal precedence and apply from left to right. If only the first operand is compound, SQLite merges ordered
 * indexes and stops at the end of the page; a nested query needs a temporary table.
 */
function bracketed(set: IdSet): string {
  return set.isCompound ? `SELECT id FROM (${set.sql})` : set.sql;
}
