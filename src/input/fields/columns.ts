import { quoted } from '../../base/quoted.ts';
import { namesLinks } from '../../contract/formats.ts';
import type { Target } from '../field-values.ts';
import { folded, type Guard, guardOf, isLoss, isPlace, rankOf } from './aliases.ts';
import { areOurs, areResults, columnsFlag, type NameRules, nameProblem, type Setting, targetMeant } from './members.ts';

/** The columns of `--columns`, by folded header. */
export type NamedColumns = ReadonlyMap<string, { readonly header: string; readonly target: Target }>;

export interface ColumnRules extends NameRules {
  readonly named: NamedColumns;
  /** Decided already: a file is read as its base was. */
  readonly isForeign?: boolean | undefined;
}

/** A column whose values cannot be carried over. With `guard`, some values mark protected or disabled links. */
export interface Loss {
  /** The name in the file. */
  readonly name: string;
  readonly guard?: Guard | undefined;
  /** The values are hosts of short URLs. */
  readonly isPlace?: boolean;
}

/** `unused`: known, but not settable. `ignored`: unknown. `empty`: without a name, so there must be no values. */
export type ColumnRole =
  | { readonly kind: 'set'; readonly setting: Setting }
  | { readonly kind: 'lost'; readonly loss: Loss }
  | { readonly kind: 'unused' | 'ignored' | 'empty'; readonly loss?: Loss }
  | { readonly kind: 'refused'; readonly reason: string };

interface Header {
  readonly name: string;
  readonly fold: string;
  readonly isNamed: boolean;
  /** The meaning of the name alone; undefined if it has none, or only next to others. */
  readonly meaning: Target | 'unsettable' | undefined;
}

interface Context {
  readonly rules: ColumnRules;
  readonly headers: readonly Header[];
  readonly meanings: ReadonlySet<string | undefined>;
}

/** Decides by `--columns`, the names of the API, the aliases, and the other columns, in this order. */
export function columnRoles(names: readonly string[], rules: ColumnRules): ColumnRole[] {
  const headers = names.map((name) => headerOf(name, rules));
  const meanings = new Set(headers.map(({ meaning }) => meaning));
  const context = { rules, headers, meanings };
  const firsts = new Map(headers.map(({ fold }, index) => [fold, index] as const).reverse());
  const roles = headers.map((header, index): ColumnRole => {
    if (header.name === '') return mergedRole(index, context);
    if (firsts.get(header.fold) === index) return roleOf(header, context);
    return header.name.includes('.') ? { kind: 'unused' } : refused(`duplicate column ${header.name}`);
  });
  return resolveConflicts(roles, context);
}

function headerOf(name: string, rules: ColumnRules): Header {
  const fold = folded(name);
  const target = rules.named.get(fold)?.target;
  const meaning = target ?? (contextual.has(fold) ? undefined : targetMeant(name, rules));
  return { name, fold, isNamed: target !== undefined, meaning };
}

/** Names whose meaning depends on the other columns. */
const contextual: ReadonlySet<string> = new Set(['link', 'source', 'label']);

/** Recognizes names that have a meaning, if only next to others. */
export function knownNames(rules: ColumnRules): (name: string) => boolean {
  return (name) => {
    const { fold, meaning } = headerOf(name, rules);
    return meaning !== undefined || contextual.has(fold);
  };
}

function roleOf(header: Header, context: Context): ColumnRole {
  const { meaning, name } = header;
  if (isErrorCode(header, context)) return context.rules.use === 'shorten' ? refused(resultsAsInput) : { kind: 'unused' };
  if (meaning === 'unsettable')
    return isAboutStatistics(header, context) ? { kind: 'unused' } : unsettableRole(name, context.rules);
  if (meaning !== undefined) return setting(header, meaning, context);
  return contextual.has(header.fold) ? contextualRole(header, context) : unknownRole(name, context.rules);
}

/** The role of a name that no field has: only what a link would lose is of interest, or the domain of links that are made again. */
export function unsettableRole(name: string, { use }: Pick<ColumnRules, 'use'>): ColumnRole {
  if (use === 'edit') return { kind: 'unused' };
  const loss = { name, guard: guardOf(name) };
  // Of the links of a listing, only those that are missing are created.
  if (use === 'apply') return isLoss(name) && loss.guard ? { kind: 'lost', loss } : { kind: 'unused' };
  if (isPlace(name)) return { kind: 'unused', loss: { name, isPlace: true } };
  return isLoss(name) ? { kind: 'lost', loss } : { kind: 'unused' };
}

/** The service whose links have slashtags says so whether their statistics are public. */
function isAboutStatistics({ fold }: Header, { headers }: Context): boolean {
  return fold === 'ispublic' && headers.some((other) => other.fold === 'slashtag');
}

/** Elsewhere a code is a hash. */
function isErrorCode({ fold, isNamed }: Header, { headers }: Context): boolean {
  return fold === 'code' && !isNamed && areResults((name) => headers.some((other) => other.fold === name));
}

/** Failed rows have no hash there, so they would make links with generated ones. */
const resultsAsInput = 'these are the results of a run, not its rows: --failed writes the rows to send again';

/** The role of a name of the API. */
export function ownRole(name: string, { known, use }: ColumnRules): ColumnRole {
  const member = known.get(name);
  if (!member?.target) return { kind: 'unused' };
  return use === 'shorten' && member.foreign ? { kind: 'lost', loss: { name } } : { kind: 'set', setting: member };
}

function setting({ name }: Header, target: Target, { rules }: Context): ColumnRole {
  const member = rules.known.get(target);
  if (rules.use === 'shorten' && member?.target && member.foreign) return { kind: 'lost', loss: { name } };
  return { kind: 'set', setting: { name, target, ...(member?.target && member.foreign && { foreign: member.foreign }) } };
}

function contextualRole(header: Header, context: Context): ColumnRole {
  const { meanings, headers, rules } = context;
  const hash = namesLinks(rules.use) ? 'hash' : 'custom_hash';
  if (header.fold === 'link') {
    // Without any other name, this column names the links.
    const isName = namesLinks(rules.use) && !meanings.has('hash') && !meanings.has('short_url');
    if (meanings.has('long_url') || isName) return setting(header, 'short_url', context);
    return ambiguous(header, ['the destination', 'long_url'], ['the short URL', 'short_url']);
  }
  if (header.fold === 'source') {
    if (headers.some(({ fold }) => fold === 'target')) return setting(header, hash, context);
    if (meanings.has('long_url') && meanings.has(hash)) return { kind: 'unused' };
    return ambiguous(
      header,
      ['the hash', hash],
      meanings.has('long_url') ? ['a UTM source', 'utm_source'] : ['the destination', 'long_url'],
    );
  }
  if (!meanings.has('tags') || meanings.has('note')) return setting(header, 'note', context);
  return ambiguous(header, ['the note', 'note'], ['a tag', 'tags']);
}

/** Refuses the column and shows how to choose between its meanings. */
function ambiguous({ name }: Header, ...readings: readonly (readonly [words: string, target: Target])[]): ColumnRole {
  const words = readings.map(([text]) => text).join(' or ');
  const flags = readings.map(([, target]) => columnsFlag(target, name)).join(' or ');
  return refused(`column ${quoted(name)} may be ${words}: add ${flags}`);
}

function refused(reason: string): ColumnRole {
  return { kind: 'refused', reason };
}

/** A merged header has its name in the first column. If that one is tags, the others contain tags, too. */
function mergedRole(index: number, { headers }: Context): ColumnRole {
  const first = headers.slice(0, index).findLast(({ name }) => name !== '');
  if (first?.meaning !== 'tags') return { kind: 'empty' };
  return { kind: 'set', setting: { name: first.name, target: 'tags', isContinued: true } };
}

/** Ignored, unless the name is refused: because it resembles a field, or by `--strict-columns`. */
export function unknownRole(name: string, rules: ColumnRules): ColumnRole {
  const reason = nameProblem(name, rules);
  return reason === undefined ? { kind: 'ignored' } : refused(reason);
}

/** If several columns set one field, `--columns` decides, then the precedence of aliases; any others are refused. */
function resolveConflicts(roles: readonly ColumnRole[], { headers, rules }: Context): ColumnRole[] {
  const setters = new Map<string, number[]>();
  for (const [index, role] of roles.entries()) {
    if (role.kind !== 'set' || role.setting.isContinued) continue;
    const same = setters.get(role.setting.target) ?? [];
    setters.set(role.setting.target, same);
    same.push(index);
  }
  const namedOf = (target: Target) => setters.get(target)?.find((position) => headers[position]?.isNamed);
  // The hash comes from only one of the two.
  const isFromShortUrl = namedOf('short_url') !== undefined && namedOf('custom_hash') === undefined;
  return roles.map((role, index) => {
    if (role.kind !== 'set' || role.setting.isContinued) return role;
    const { target } = role.setting;
    if (rules.use === 'shorten' && target === 'custom_hash' && isFromShortUrl) return { kind: 'unused' };
    // The first one that is not empty is used.
    if (target === 'short_url') return role;
    const all = setters.get(target) ?? [];
    const named = namedOf(target);
    if (all.length === 1 || named === index) return role;
    if (named !== undefined) return { kind: 'unused' };
    if (target === 'note') return firstByRank(all, headers) === index ? role : { kind: 'unused' };
    if (all[0] !== index) return role;
    const names = all.map((position) => quoted(headers[position]?.name ?? '')).join(' and ');
    return refused(
      `columns ${names} may each be ${target}: add ${columnsFlag(target, headers[index]?.name ?? '')} to choose one`,
    );
  });
}

/** The note of our own file is its note, whatever titles a user adds. */
function firstByRank(positions: readonly number[], headers: readonly Header[]): number | undefined {
  const isOurs = areOurs(headers.map(({ name }) => name));
  const rank = (position: number): number => {
    const name = headers[position]?.name ?? '';
    return isOurs && name.toLowerCase() === 'note' ? -1 : rankOf(name, 'note');
  };
  return positions.toSorted((one, other) => rank(one) - rank(other))[0];
}
