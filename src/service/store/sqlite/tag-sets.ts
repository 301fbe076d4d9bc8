import type { TagExpression } from '../../tag-expression.ts';
import { type AccountRows, listDomains } from './account-rows.ts';
import type { Value } from './connection.ts';
import { idOfTime } from './schema.ts';
import { findTag } from './tag-rows.ts';

/**
 * URLs that an expression selects: the ids that the query gives, or all ids of the account but those. Complements are kept
 * apart because to write one out at a million links takes seconds, and to leave a set out of a page does not.
 */
interface IdSet {
  readonly complement: boolean;
  /** A query of one column, `id`, without duplicates; an `ORDER BY id` may be put behind it. */
  readonly sql: string;
  /** Whether the query is several joined by set operators. */
  readonly isCompound: boolean;
  readonly values: readonly Value[];
}

export function compileExpression(rows: AccountRows, expression: TagExpression): IdSet {
  switch (expression.kind) {
    case 'label':
      return labelSet(rows, expression.label);
    case 'created':
      return createdSet(rows, expression.side, expression.date);
    case 'not':
      return complementOf(compileExpression(rows, expression.operand));
    case 'and':
      return intersection(expression.operands.map((operand) => compileExpression(rows, operand)));
    case 'or':
      // a|b is ~(~a&~b): one rule less to get wrong.
      return complementOf(intersection(expression.operands.map((operand) => complementOf(compileExpression(rows, operand)))));
    case 'xor':
      return symmetricDifference(expression.operands.map((operand) => compileExpression(rows, operand)));
  }
}

function complementOf(set: IdSet): IdSet {
  return { ...set, complement: !set.complement };
}

function intersection(sets: readonly IdSet[]): IdSet {
  const plain = sets.filter((set) => !set.complement);
  const complements = sets.filter((set) => set.complement);
  // ~a&~b is ~(a|b); a&~b&~c is a less (b|c).
  if (plain.length === 0) return { ...compound('UNION', complements), complement: true };
  const common = compound('INTERSECT', plain);
  return complements.length === 0 ? common : compound('EXCEPT', [common, ...complements]);
}

/** An id is in when it is in an odd number of sets; each complement inverts the result. */
function symmetricDifference(sets: readonly IdSet[]): IdSet {
  const all = compound('UNION ALL', sets);
  return {
    complement: sets.filter((set) => set.complement).length % 2 === 1,
    sql: `SELECT id FROM (${all.sql}) GROUP BY id HAVING count(*) % 2 = 1`,
    isCompound: false,
    values: all.values,
  };
}

/**
 * SQL's set operators have one precedence and work from left to right. As long as only the first operand is a compound, SQLite
 * merges ordered indexes and stops at the end of the page; a bracket costs a temporary table.
 */
function compound(operator: 'UNION' | 'UNION ALL' | 'INTERSECT' | 'EXCEPT', sets: readonly IdSet[]): IdSet {
  const ordered = operator === 'EXCEPT' ? sets : [...sets].sort((a, b) => Number(b.isCompound) - Number(a.isCompound));
  return {
    complement: false,
    sql: ordered.map((set, index) => (index === 0 ? set.sql : bracketed(set))).join(` ${operator} `),
    isCompound: sets.length > 1 || sets.some((set) => set.isCompound),
    values: ordered.flatMap((set) => set.values),
  };
}

function bracketed(set: IdSet): string {
  return set.isCompound ? `SELECT id FROM (${set.sql})` : set.sql;
}

/** The ids themselves where the set is a complement. */
export function writtenOut({ accountId }: AccountRows, set: IdSet): IdSet {
  // By row id, not by the index of the account, whose order would have to be sorted.
  const all = plainSet('SELECT id FROM urls NOT INDEXED WHERE account_id = ?', [accountId]);
  return set.complement ? compound('EXCEPT', [all, set]) : set;
}

/** The account's own tag, or else an automatic label (FIELD-NOTES 24). A label that is neither selects nothing. */
function labelSet(rows: AccountRows, label: string): IdSet {
  const tag = findTag(rows, label);
  if (tag) return plainSet('SELECT url_id AS id FROM url_tags WHERE account_id = ? AND tag_id = ?', [rows.accountId, tag.id]);
  const folded = label.toLowerCase();
  if (folded === 'visited')
    return plainSet('SELECT id FROM urls NOT INDEXED WHERE account_id = ? AND total_clicks > 0', [rows.accountId]);
  if (folded === 'email_stats')
    return plainSet('SELECT id FROM urls NOT INDEXED WHERE account_id = ? AND email_stats', [rows.accountId]);
  const domain = listDomains(rows).find(({ name }) => name === folded);
  if (domain) return plainSet('SELECT id FROM urls WHERE account_id = ? AND domain_id = ?', [rows.accountId, domain.id]);
  return plainSet('SELECT NULL AS id WHERE FALSE', []);
}

const millisecondsPerDay = 86_400_000;

/** Both comparisons leave the day itself out. Ids are ordered by creation. */
function createdSet(rows: AccountRows, side: 'after' | 'before', date: string): IdSet {
  const start = Date.parse(`${date}T00:00:00Z`);
  return side === 'after'
    ? plainSet('SELECT id FROM urls NOT INDEXED WHERE account_id = ? AND id >= ?', [
        rows.accountId,
        idOfTime(start + millisecondsPerDay),
      ])
    : plainSet('SELECT id FROM urls NOT INDEXED WHERE account_id = ? AND id < ?', [rows.accountId, idOfTime(start)]);
}

function plainSet(sql: string, values: readonly Value[]): IdSet {
  return { complement: false, sql, isCompound: false, values };
}
