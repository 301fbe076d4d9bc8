import { foldLabel } from '../../contract/tag-label.ts';
import type { TagExpression } from '../tag-expression.ts';
import { idOfTime } from './ids.ts';
import type { StoredDomain } from './store.ts';

export type Value = string | number | null;

/**
 * URLs that an expression selects: the ids that the query gives, or all ids of the account but those. Complements are kept
 * apart because to write one out at a million links takes seconds, and to leave a set out of a page does not.
 */
export interface IdSet {
  readonly complement: boolean;
  /** A query of one column, `id`, without duplicates, with a `?` for each value. */
  readonly sql: string;
  /** Whether the query is several joined by set operators. */
  readonly isCompound: boolean;
  readonly values: readonly Value[];
}

export type SetOperator = 'UNION' | 'UNION ALL' | 'INTERSECT' | 'EXCEPT';

/** What labels mean in an account, and how an engine joins sets. */
export interface TagScope {
  readonly accountId: number;
  readonly domains: readonly StoredDomain[];
  tagOf(label: string): { readonly id: number } | undefined;
  /** The table of URLs, with what makes the engine read it by id. */
  readonly urls: string;
  /** At least one set, none of them a complement; the first of EXCEPT is what the others are taken from. */
  join(operator: SetOperator, sets: readonly IdSet[]): Pick<IdSet, 'sql' | 'values'>;
}

export function compileExpression(scope: TagScope, expression: TagExpression): IdSet {
  switch (expression.kind) {
    case 'label':
      return labelSet(scope, expression.label);
    case 'created':
      return createdSet(scope, expression.side, expression.date);
    case 'not':
      return complementOf(compileExpression(scope, expression.operand));
    case 'and':
      return intersection(
        scope,
        expression.operands.map((operand) => compileExpression(scope, operand)),
      );
    case 'or': {
      // a|b is ~(~a&~b): one rule less to get wrong.
      const complements = expression.operands.map((operand) => complementOf(compileExpression(scope, operand)));
      return complementOf(intersection(scope, complements));
    }
    case 'xor':
      return symmetricDifference(
        scope,
        expression.operands.map((operand) => compileExpression(scope, operand)),
      );
  }
}

/** The labels of an expression, folded: those whose tags an engine has to know before it compiles. */
export function labelsOf(expression: TagExpression): string[] {
  switch (expression.kind) {
    case 'label':
      return isStorable(expression.label) ? [foldLabel(expression.label)] : [];
    case 'created':
      return [];
    case 'not':
      return labelsOf(expression.operand);
    default:
      return expression.operands.flatMap(labelsOf);
  }
}

/** The ids themselves where the set is a complement. */
export function writtenOut(scope: TagScope, set: IdSet): IdSet {
  const all = plainSet(`SELECT id FROM ${scope.urls} WHERE account_id = ?`, [scope.accountId]);
  return set.complement ? compound(scope, 'EXCEPT', [all, set]) : set;
}

function complementOf(set: IdSet): IdSet {
  return { ...set, complement: !set.complement };
}

function intersection(scope: TagScope, sets: readonly IdSet[]): IdSet {
  const plain = sets.filter((set) => !set.complement);
  const complements = sets.filter((set) => set.complement);
  // ~a&~b is ~(a|b); a&~b&~c is a less (b|c).
  if (plain.length === 0) return { ...compound(scope, 'UNION', complements), complement: true };
  const common = compound(scope, 'INTERSECT', plain);
  return complements.length === 0 ? common : compound(scope, 'EXCEPT', [common, ...complements]);
}

/** An id is in when it is in an odd number of sets; each complement inverts the result. */
function symmetricDifference(scope: TagScope, sets: readonly IdSet[]): IdSet {
  const all = compound(scope, 'UNION ALL', sets);
  return {
    complement: sets.filter((set) => set.complement).length % 2 === 1,
    sql: `SELECT id FROM (${all.sql}) AS members GROUP BY id HAVING count(*) % 2 = 1`,
    isCompound: false,
    values: all.values,
  };
}

function compound(scope: TagScope, operator: SetOperator, sets: readonly IdSet[]): IdSet {
  const ordered = operator === 'EXCEPT' ? sets : [...sets].sort((a, b) => Number(b.isCompound) - Number(a.isCompound));
  return {
    complement: false,
    isCompound: sets.length > 1 || sets.some((set) => set.isCompound),
    ...scope.join(operator, ordered),
  };
}

/** No tag has a NUL in its label, at which one engine ends a text and which another one refuses. */
function isStorable(label: string): boolean {
  return !label.includes('\0');
}

/** The account's own tag, or else an automatic label (FIELD-NOTES 24). A label that is neither selects nothing. */
function labelSet({ accountId, domains, tagOf, urls }: TagScope, label: string): IdSet {
  const tag = isStorable(label) ? tagOf(label) : undefined;
  if (tag) return plainSet('SELECT url_id AS id FROM url_tags WHERE account_id = ? AND tag_id = ?', [accountId, tag.id]);
  const folded = label.toLowerCase();
  if (folded === 'visited') return plainSet(`SELECT id FROM ${urls} WHERE account_id = ? AND total_clicks > 0`, [accountId]);
  if (folded === 'email_stats') return plainSet(`SELECT id FROM ${urls} WHERE account_id = ? AND email_stats <> 0`, [accountId]);
  const domain = domains.find(({ name }) => name === folded) ?? domains.find(({ name }) => name === folded.replace(/:\d+$/, ''));
  if (domain) return plainSet('SELECT id FROM urls WHERE account_id = ? AND domain_id = ?', [accountId, domain.id]);
  return plainSet('SELECT 0 AS id WHERE FALSE', []);
}

const millisecondsPerDay = 86_400_000;

/** Both comparisons leave the day itself out. Ids are ordered by creation. */
function createdSet({ accountId, urls }: TagScope, side: 'after' | 'before', date: string): IdSet {
  const start = Date.parse(`${date}T00:00:00Z`);
  return side === 'after'
    ? plainSet(`SELECT id FROM ${urls} WHERE account_id = ? AND id >= ?`, [accountId, idOfTime(start + millisecondsPerDay)])
    : plainSet(`SELECT id FROM ${urls} WHERE account_id = ? AND id < ?`, [accountId, idOfTime(start)]);
}

function plainSet(sql: string, values: readonly Value[]): IdSet {
  return { complement: false, sql, isCompound: false, values };
}
