import { quoted } from '../../base/quoted.ts';
import type { Target } from '../field-values.ts';
import { namesLinks } from '../format.ts';
import { folded, type Guard, guardOf, isLoss, rankOf } from './aliases.ts';
import { type NameRules, nameProblem, type Setting, targetMeant } from './members.ts';

/** Columns that `--columns` names, by their folded headers. */
export type NamedColumns = ReadonlyMap<string, { readonly header: string; readonly target: Target }>;

export interface ColumnRules extends NameRules {
  readonly named: NamedColumns;
}

/** What links lose where a column cannot be set; with `guard` it says of some that they are protected or off. */
export interface Loss {
  /** As the file names it. */
  readonly name: string;
  readonly guard?: Guard | undefined;
}

/** What a column is taken for. `unused`: known, and not set. `ignored`: unknown. `empty`: it has no name, and must have no values. */
export type Sense =
  | { readonly kind: 'set'; readonly setting: Setting }
  | { readonly kind: 'lost'; readonly loss: Loss }
  | { readonly kind: 'unused' | 'ignored' | 'empty' }
  | { readonly kind: 'refused'; readonly reason: string };

interface Header {
  readonly name: string;
  readonly fold: string;
  readonly isNamed: boolean;
  /** What the name means by itself; undefined where it means nothing, or something only beside others. */
  readonly meaning: Target | 'unsettable' | undefined;
}

interface Context {
  readonly rules: ColumnRules;
  readonly headers: readonly Header[];
  readonly meanings: ReadonlySet<string | undefined>;
}

/** What each header of a file is taken for: by `--columns`, by the API's names, by the table, and by what stands beside it. */
export function sensesOf(names: readonly string[], rules: ColumnRules): Sense[] {
  const headers = names.map((name) => headerOf(name, rules));
  const meanings = new Set(headers.map(({ meaning }) => meaning));
  const context = { rules, headers, meanings };
  const firsts = new Map(headers.map(({ fold }, index) => [fold, index] as const).reverse());
  const senses = headers.map((header, index): Sense => {
    if (header.name === '') return mergedSense(index, context);
    if (firsts.get(header.fold) === index) return senseOf(header, context);
    return header.name.includes('.') ? { kind: 'unused' } : refused(`duplicate column ${header.name}`);
  });
  return withoutRivals(senses, context);
}

function headerOf(name: string, rules: ColumnRules): Header {
  const fold = folded(name);
  const target = rules.named.get(fold)?.target;
  const meaning = target ?? (contextual.has(fold) ? undefined : targetMeant(name, rules));
  return { name, fold, isNamed: target !== undefined, meaning };
}

/** Names that mean something only beside others. */
const contextual: ReadonlySet<string> = new Set(['link', 'source', 'label']);

function senseOf(header: Header, context: Context): Sense {
  const { meaning, name } = header;
  if (meaning === 'unsettable') {
    const isLost = context.rules.use === 'shorten' && isLoss(name);
    return isLost ? { kind: 'lost', loss: { name, guard: guardOf(name) } } : { kind: 'unused' };
  }
  if (meaning !== undefined) return setting(header, meaning, context);
  return contextual.has(header.fold) ? contextualSense(header, context) : unknownSense(header, context);
}

function setting({ name }: Header, target: Target, { rules }: Context): Sense {
  const member = rules.known.get(target);
  if (rules.use === 'shorten' && member?.target && member.foreign) return { kind: 'lost', loss: { name } };
  return { kind: 'set', setting: { name, target, ...(member?.target && member.foreign && { foreign: member.foreign }) } };
}

function contextualSense(header: Header, context: Context): Sense {
  const { meanings, headers, rules } = context;
  const hash = namesLinks(rules.use) ? 'hash' : 'custom_hash';
  if (header.fold === 'link') {
    // Something must name the links.
    const isName = namesLinks(rules.use) && !meanings.has('hash') && !meanings.has('short_url');
    if (meanings.has('long_url') || isName) return setting(header, 'short_url', context);
    return either(header, ['the destination', 'long_url'], ['the short URL', 'short_url']);
  }
  if (header.fold === 'source') {
    if (headers.some(({ fold }) => fold === 'target')) return setting(header, hash, context);
    if (meanings.has('long_url') && meanings.has(hash)) return { kind: 'unused' };
    return either(
      header,
      ['the hash', hash],
      meanings.has('long_url') ? ['a UTM source', 'utm_source'] : ['the destination', 'long_url'],
    );
  }
  if (!meanings.has('tags') || meanings.has('note')) return setting(header, 'note', context);
  return either(header, ['the note', 'note'], ['a tag', 'tags']);
}

/** Refused with both of its readings. */
function either({ name }: Header, ...readings: readonly (readonly [words: string, target: Target])[]): Sense {
  const words = readings.map(([text]) => text).join(' or ');
  const flags = readings.map(([, target]) => `--columns '${target}=${name}'`).join(' or ');
  return refused(`column ${quoted(name)} may be ${words}: add ${flags}`);
}

function refused(reason: string): Sense {
  return { kind: 'refused', reason };
}

/** A header that spans several columns has its name in the first. Of tags, the others hold tags, too. */
function mergedSense(index: number, { headers }: Context): Sense {
  const first = headers.slice(0, index).findLast(({ name }) => name !== '');
  if (first?.meaning !== 'tags') return { kind: 'empty' };
  return { kind: 'set', setting: { name: first.name, target: 'tags', isContinued: true } };
}

function unknownSense({ name }: Header, { rules }: Context): Sense {
  const reason = nameProblem(name, rules);
  return reason === undefined ? { kind: 'ignored' } : refused(reason);
}

/** Where several columns set one field: `--columns` decides, then what goes together by the table; any others are refused. */
function withoutRivals(senses: readonly Sense[], { headers, rules }: Context): Sense[] {
  const setters = new Map<string, number[]>();
  for (const [index, sense] of senses.entries()) {
    if (sense.kind !== 'set' || sense.setting.isContinued) continue;
    const same = setters.get(sense.setting.target) ?? [];
    setters.set(sense.setting.target, same);
    same.push(index);
  }
  const namedOf = (target: Target) => setters.get(target)?.find((position) => headers[position]?.isNamed);
  // The hash comes from one of the two.
  const isFromShortUrl = namedOf('short_url') !== undefined && namedOf('custom_hash') === undefined;
  return senses.map((sense, index) => {
    if (sense.kind !== 'set' || sense.setting.isContinued) return sense;
    const { target } = sense.setting;
    if (rules.use === 'shorten' && target === 'custom_hash' && isFromShortUrl) return { kind: 'unused' };
    // Of several the first that is not empty counts.
    if (target === 'short_url') return sense;
    const all = setters.get(target) ?? [];
    const named = namedOf(target);
    if (all.length === 1 || named === index) return sense;
    if (named !== undefined) return { kind: 'unused' };
    if (target === 'note') return firstByRank(all, headers) === index ? sense : { kind: 'unused' };
    if (all[0] !== index) return sense;
    const names = all.map((position) => quoted(headers[position]?.name ?? '')).join(' and ');
    return refused(`columns ${names} may each be ${target}: add --columns '${target}=${headers[index]?.name}' to choose one`);
  });
}

function firstByRank(positions: readonly number[], headers: readonly Header[]): number | undefined {
  const rank = (position: number): number => rankOf(headers[position]?.name ?? '', 'note');
  return positions.toSorted((one, other) => rank(one) - rank(other))[0];
}
