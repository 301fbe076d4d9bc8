import { dayLength } from '../../../base/times.ts';
import { foldLabel } from '../../../contract/tag-label.ts';
import type { TagExpression } from '../../api/tag-expression.ts';
import { idOfTime } from '../click-days.ts';
import type { StoredDomain } from '../store.ts';
import type { AccountRows } from './account-rows.ts';
import type { Dialect, IdSet, SetOperator, Statement, Value } from './queries.ts';
import { tagIds } from './tag-rows.ts';

/** Resolves labels of an account. */
interface TagScope {
  readonly accountId: number;
  readonly domains: readonly StoredDomain[];
  tagOf(label: string): number | undefined;
  readonly dialect: Dialect;
}

export async function tagScope({ queries, accountId, domains }: AccountRows, expression: TagExpression): Promise<TagScope> {
  const [listed, ids] = await Promise.all([domains.list(), tagIds({ queries, accountId }, labelsOf(expression))]);
  return { accountId, domains: listed, tagOf: (label) => ids.get(foldLabel(label)), dialect: queries.dialect };
}

export function compileExpression(scope: TagScope, expression: TagExpression): IdSet {
  const setsOf = (operands: readonly TagExpression[]) => operands.map((operand) => compileExpression(scope, operand));
  switch (expression.kind) {
    case 'label':
      return labelSet(scope, expression.label);
    case 'created':
      return conditionSet(scope, creation(expression.side, expression.date));
    case 'not':
      return complementOf(compileExpression(scope, expression.operand));
    case 'and':
      return intersection(scope, setsOf(expression.operands));
    case 'or':
      // a|b is ~(~a&~b), which saves a rule.
      return complementOf(intersection(scope, setsOf(expression.operands).map(complementOf)));
    case 'xor':
      return symmetricDifference(scope, setsOf(expression.operands));
  }
}

/**
 * The folded labels whose tags must be known before compiling. No tag contains a NUL, which truncates text in one engine and is an error in
 * the other.
 */
function labelsOf(expression: TagExpression): string[] {
  if (expression.kind === 'label') return expression.label.includes('\0') ? [] : [foldLabel(expression.label)];
  if (expression.kind === 'not') return labelsOf(expression.operand);
  return 'operands' in expression ? expression.operands.flatMap(labelsOf) : [];
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
  const [only] = sets;
  if (only && sets.length === 1) return { ...only, complement: false };
  const ordered = operator === 'EXCEPT' ? sets : [...sets].sort((a, b) => b.depth - a.depth);
  const set = {
    complement: false,
    depth: Math.max(...sets.map(({ depth }) => depth)) + 1,
    ...scope.dialect.join(operator, ordered),
  };
  if (operator !== 'UNION' || !sets.every(({ tags }) => tags)) return set;
  const tags = sets.flatMap((each) => each.tags ?? []);
  return { ...set, tags, repeated: tagged(scope, tags) };
}

/** The links of all tags; a link may occur several times. */
function tagged({ accountId }: TagScope, tags: readonly number[]): Statement {
  const condition = tags.length === 1 ? 'tag_id = ?' : `tag_id IN (${tags.map(() => '?').join(', ')})`;
  return { sql: `SELECT url_id AS id FROM url_tags WHERE account_id = ? AND ${condition}`, values: [accountId, ...tags] };
}

/** Links have a label automatically, by a tag, or both. API.md does not say so: the choice is ours. Unknown labels select nothing. */
function labelSet(scope: TagScope, label: string): IdSet {
  const [tag, condition] = [scope.tagOf(label), automaticLabel(scope, label)];
  const sets: IdSet[] = [];
  if (tag !== undefined) sets.push({ ...tagged(scope, [tag]), complement: false, depth: 0, tags: [tag] });
  if (condition) sets.push(conditionSet(scope, condition));
  return sets.length === 0 ? plainSet('SELECT 0 AS id WHERE FALSE', []) : compound(scope, 'UNION', sets);
}

/** A condition on `u`. */
function automaticLabel({ domains }: TagScope, label: string): Condition | undefined {
  const folded = label.toLowerCase();
  if (folded === 'visited') return { sql: 'u.total_clicks > 0', values: [], isById: true };
  if (folded === 'email_stats') return { sql: 'u.email_stats <> 0', values: [], isById: true };
  const domain = domains.find(({ name }) => name === folded) ?? domains.find(({ name }) => name === folded.replace(/:\d+$/, ''));
  return domain && { sql: 'u.domain_id = ?', values: [domain.id], isById: false };
}

interface Condition extends Statement {
  readonly values: readonly Value[];
  /** No other index than that of the ids helps. */
  readonly isById: boolean;
}

/** Both comparisons exclude the day itself. Ids are in order of creation. */
function creation(side: 'after' | 'before', date: string): Condition {
  const start = Date.parse(`${date}T00:00:00Z`);
  return side === 'after'
    ? { sql: 'u.id >= ?', values: [idOfTime(start + dayLength)], isById: true }
    : { sql: 'u.id < ?', values: [idOfTime(start)], isById: true };
}

function conditionSet({ accountId, dialect }: TagScope, { sql, values, isById }: Condition): IdSet {
  return plainSet(`SELECT u.id FROM urls AS u ${isById ? dialect.byId : ''} WHERE u.account_id = ? AND ${sql}`, [
    accountId,
    ...values,
  ]);
}

/** The URLs of an expression: those in the set, or all, if there is none, that fulfil the conditions on `u`. */
export function partsOf(scope: TagScope, expression: TagExpression): { set: IdSet | undefined; conditions: Statement[] } {
  const conditions: Statement[] = [];
  const others: TagExpression[] = [];
  for (const part of expression.kind === 'and' ? expression.operands : [expression]) {
    const condition = conditionOf(scope, part);
    if (condition) conditions.push(condition);
    else others.push(part);
  }
  const set = others.length === 0 ? undefined : compileExpression(scope, { kind: 'and', operands: others });
  return { set, conditions };
}

function conditionOf(scope: TagScope, part: TagExpression): Statement | undefined {
  if (part.kind === 'created') return creation(part.side, part.date);
  if (part.kind === 'label' && scope.tagOf(part.label) === undefined) return automaticLabel(scope, part.label);
  const negated = part.kind === 'not' ? conditionOf(scope, part.operand) : undefined;
  return negated && { ...negated, sql: `NOT (${negated.sql})` };
}

function plainSet(sql: string, values: readonly Value[]): IdSet {
  return { complement: false, sql, depth: 0, values };
}
