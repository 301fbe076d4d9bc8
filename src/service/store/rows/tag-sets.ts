import { foldLabel } from '../../../contract/tag-label.ts';
import type { TagExpression } from '../../api/tag-expression.ts';
import { dayLength, idOfTime } from '../click-days.ts';
import type { StoredDomain } from '../store.ts';
import type { AccountRows } from './account-rows.ts';
import type { Dialect, IdSet, SetOperator, TagOf, Value } from './queries.ts';
import { findTags } from './tag-rows.ts';

/** Resolves labels of an account. */
interface TagScope {
  readonly accountId: number;
  readonly domains: readonly StoredDomain[];
  readonly tagOf: TagOf;
  readonly dialect: Dialect;
}

export async function tagScope({ queries, accountId, domains }: AccountRows, expression: TagExpression): Promise<TagScope> {
  const [listed, tags] = await Promise.all([domains.list(), findTags({ queries, accountId }, labelsOf(expression))]);
  return { accountId, domains: listed, tagOf: (label) => tags.get(foldLabel(label)), dialect: queries.dialect };
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
      // a|b is ~(~a&~b), which saves a rule.
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

/** The folded labels whose tags must be known before compiling. */
function labelsOf(expression: TagExpression): string[] {
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

/** Writes out a complement. */
export function materialized(scope: TagScope, set: IdSet): IdSet {
  return set.complement ? compound(scope, 'EXCEPT', [allIds(scope), set]) : set;
}

export function allIds({ accountId, dialect }: Pick<TagScope, 'accountId' | 'dialect'>): IdSet {
  return plainSet(`SELECT id FROM urls ${dialect.byId} WHERE account_id = ?`, [accountId]);
}

function complementOf(set: IdSet): IdSet {
  return { ...set, complement: !set.complement };
}

function intersection(scope: TagScope, sets: readonly IdSet[]): IdSet {
  const plain = sets.filter((set) => !set.complement);
  const complements = sets.filter((set) => set.complement);
  // ~a&~b is ~(a|b), and a&~b&~c is a without (b|c).
  if (plain.length === 0) return { ...compound(scope, 'UNION', complements), complement: true };
  const common = compound(scope, 'INTERSECT', plain);
  return complements.length === 0 ? common : compound(scope, 'EXCEPT', [common, ...complements]);
}

/** An id is selected if it is in an odd number of sets. Each complement inverts the result. */
function symmetricDifference(scope: TagScope, sets: readonly IdSet[]): IdSet {
  const all = compound(scope, 'UNION ALL', sets);
  return {
    complement: sets.filter((set) => set.complement).length % 2 === 1,
    sql: `SELECT id FROM (${all.sql}) AS members GROUP BY id HAVING count(*) % 2 = 1`,
    depth: all.depth + 1,
    values: all.values,
  };
}

function compound(scope: TagScope, operator: SetOperator, sets: readonly IdSet[]): IdSet {
  const ordered = operator === 'EXCEPT' ? sets : [...sets].sort((a, b) => b.depth - a.depth);
  return {
    complement: false,
    depth: Math.max(...sets.map(({ depth }) => depth)) + Number(sets.length > 1),
    ...scope.dialect.join(operator, ordered),
  };
}

/** No tag contains a NUL, which truncates text in one engine and is an error in the other. */
function isStorable(label: string): boolean {
  return !label.includes('\0');
}

/** A tag of the account takes precedence over an automatic label. Unknown labels select nothing. */
function labelSet({ accountId, domains, tagOf, dialect: { byId } }: TagScope, label: string): IdSet {
  const tag = isStorable(label) ? tagOf(label) : undefined;
  if (tag) return plainSet('SELECT url_id AS id FROM url_tags WHERE account_id = ? AND tag_id = ?', [accountId, tag.id]);
  const folded = label.toLowerCase();
  if (folded === 'visited') return plainSet(`SELECT id FROM urls ${byId} WHERE account_id = ? AND total_clicks > 0`, [accountId]);
  if (folded === 'email_stats')
    return plainSet(`SELECT id FROM urls ${byId} WHERE account_id = ? AND email_stats <> 0`, [accountId]);
  const domain = domains.find(({ name }) => name === folded) ?? domains.find(({ name }) => name === folded.replace(/:\d+$/, ''));
  if (domain) return plainSet('SELECT id FROM urls WHERE account_id = ? AND domain_id = ?', [accountId, domain.id]);
  return plainSet('SELECT 0 AS id WHERE FALSE', []);
}

/** Both comparisons exclude the day itself. Ids are in order of creation. */
function createdSet({ accountId, dialect: { byId } }: TagScope, side: 'after' | 'before', date: string): IdSet {
  const start = Date.parse(`${date}T00:00:00Z`);
  return side === 'after'
    ? plainSet(`SELECT id FROM urls ${byId} WHERE account_id = ? AND id >= ?`, [accountId, idOfTime(start + dayLength)])
    : plainSet(`SELECT id FROM urls ${byId} WHERE account_id = ? AND id < ?`, [accountId, idOfTime(start)]);
}

function plainSet(sql: string, values: readonly Value[]): IdSet {
  return { complement: false, sql, depth: 0, values };
}
