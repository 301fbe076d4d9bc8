import { quoted } from '../../base/quoted.ts';
import type { Edition } from '../../contract/editions.ts';
import { type Field, fieldNames, fields } from '../../contract/fields.ts';
import type { UrlRecord } from '../../contract/records.ts';
import type { InputUse } from '../format.ts';
import type { Target } from '../values.ts';
import { meaningOf } from './aliases.ts';

/** A column or a JSON member that sets something. */
export interface Setting {
  /** As the file names it. */
  readonly name: string;
  readonly target: Target;
  /** The field, where only the other edition has it: accepted when it changes nothing. */
  readonly foreign?: Field;
}

/** What a column or a JSON member is; without a target it is a read-only field of a listing, which is ignored (B91). */
export type Member = Setting | { readonly name: string; readonly target?: undefined };

/** Every name that a file for this use may have. A Map, as the names come from outside (R-33). */
export function knownMembers(use: InputUse, edition: Edition): ReadonlyMap<string, Member> {
  const members = new Map<string, Member>(passedOver.map((name) => [name, { name }]));
  for (const target of fieldNames(use, edition === 'a' ? 'b' : 'a')) {
    members.set(target, { name: target, target, foreign: fields[target] });
  }
  for (const target of fieldNames(use, edition)) members.set(target, { name: target, target });
  if (use === 'edit') {
    for (const name of ['short_url', 'domain'] as const) members.set(name, { name, target: name });
    for (const name of planColumns) members.set(name, { name });
  }
  members.set('hash', { name: 'hash', target: use === 'edit' ? 'hash' : 'custom_hash' });
  return members;
}

/** What a row of this use cannot be without. */
export function requiredTarget(use: InputUse): Target {
  return use === 'edit' ? 'hash' : 'long_url';
}

/** Names that a file for one use may have, and whether others are ignored. */
export interface NameRules {
  readonly use: InputUse;
  readonly known: ReadonlyMap<string, Member>;
  readonly ignoreUnknown: boolean;
}

/**
 * Why an unknown name is refused; undefined where it is ignored, to be named (I4). What looks like a field is never
 * ignored, as links without their hashes, tags or last days would be made: only a note can be done without.
 */
export function nameProblem(what: string, given: string, { use, known, ignoreUnknown }: NameRules): string | undefined {
  const settable = [...known.values()].filter((member) => member.target && !member.foreign).map(({ name }) => name);
  const field = fieldMeant(given, use, settable);
  const name = quoted(given);
  if (ignoreUnknown) {
    return field && field !== 'note' ? `${what} ${name} looks like ${field}: rename or remove it` : undefined;
  }
  if (field) return `unknown ${what} ${name}, did you mean ${field}?`;
  if (meaningOf(given) === 'unsettable') return `${what} ${name} cannot be set: to skip it, add --ignore-unknown-columns`;
  return `unknown ${what} ${name}; expected one of ${settable.join(', ')}`;
}

/** `--ignore-unknown-columns` names what it leaves out (D35). */
export function ignoredNotice(what: string, names: readonly string[]): string {
  return `ignored ${names.length === 1 ? what : `${what}s`} ${names.map(quoted).join(', ')}`;
}

/** Short URLs are ignored, and without a hash beside them the links get others (I4). */
export function hashNotice(use: InputUse, names: readonly string[]): string | undefined {
  const loses = use === 'shorten' && names.includes('short_url') && !names.includes('hash') && !names.includes('custom_hash');
  return loses ? 'column short_url is ignored; without hash or custom_hash, the links get new hashes' : undefined;
}

/** The field that an unknown name is another word for, or a near miss of. */
function fieldMeant(given: string, use: InputUse, settable: readonly string[]): string | undefined {
  const meaning = meaningOf(given);
  if (meaning === 'unsettable' || meaning === 'utm') return undefined;
  // The hash that an edit names, not the one that it gives; a short URL holds the hash.
  const hash = use === 'edit' ? 'hash' : 'custom_hash';
  const field = meaning === 'custom_hash' || (meaning === 'short_url' && !settable.includes(meaning)) ? hash : meaning;
  return field !== undefined && settable.includes(field) ? field : nearestField(given, settable);
}

function nearestField(given: string, settable: readonly string[]): string | undefined {
  const wanted = given.trim().toLowerCase();
  return settable
    .map((candidate) => ({ candidate, distance: distanceBetween(wanted, candidate) }))
    .filter(({ candidate, distance }) => distance <= Math.min(3, candidate.length * 0.4) || candidate.endsWith(`_${wanted}`))
    .sort((one, other) => one.distance - other.distance)[0]?.candidate;
}

const readOnly = [
  'short_url',
  'short_url_with_protocol',
  'total_clicks',
  'unique_clicks',
  'last_visit',
  'links',
  'error',
] as const satisfies readonly (keyof UrlRecord)[];

/** The columns that a listing can have. */
export const listingColumns: ReadonlySet<string> = new Set(['hash', ...readOnly, ...fieldNames('edit', 'a')]);

/** Columns of a listing, and of the file of failed rows, that cannot be set (B91). */
const passedOver: readonly string[] = [...readOnly, 'error_code', 'error_message'];

/** What a dry run says beside the values that its links would get (W2). */
const planColumns: readonly string[] = ['old_long_url', 'change'];

/** Levenshtein's. */
function distanceBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, character] of [...one.slice(0, 64)].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (character === other[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
