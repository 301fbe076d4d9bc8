import { editsBetween, nearestName } from '../../base/near-names.ts';
import { quoted, shellQuoted } from '../../base/quoted.ts';
import type { Edition } from '../../contract/editions.ts';
import { type Field, fieldNames, fields } from '../../contract/fields.ts';
import { type InputUse, namesLinks } from '../../contract/formats.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { joinList } from '../../contract/tag-label.ts';
import { utmNames } from '../../link/rules/utm.ts';
import type { Target } from '../field-values.ts';
import { aliases, folded, isUnrelated, meaningOf } from './aliases.ts';

/** A column or JSON member that sets a field. */
export interface Setting {
  /** The name in the file. */
  readonly name: string;
  readonly target: Target;
  /** Present if only the other edition has the field: accepted only if it changes nothing. */
  readonly foreign?: Field;
  /** Its values are appended to those of the previous column. */
  readonly isContinued?: boolean;
}

/** Without a target it is a read-only field of a listing, which is ignored. */
type Member = Setting | { readonly name: string; readonly target?: undefined };

/** A Map because the names come from outside. */
export function knownMembers(use: InputUse, edition: Edition): ReadonlyMap<string, Member> {
  const members = new Map<string, Member>(ignoredColumns.map((name) => [name, { name }]));
  const fieldUse = namesLinks(use) ? 'edit' : 'shorten';
  for (const target of fieldNames(fieldUse, edition === 'a' ? 'b' : 'a')) {
    members.set(target, { name: target, target, foreign: fields[target] });
  }
  for (const target of fieldNames(fieldUse, edition)) members.set(target, { name: target, target });
  if (namesLinks(use)) {
    members.set('domain', { name: 'domain', target: 'domain' });
    for (const name of reportColumns) members.set(name, { name });
  }
  members.set('hash', { name: 'hash', target: namesLinks(use) ? 'hash' : 'custom_hash' });
  if (use === 'edit') {
    // The flag is called --new-hash.
    members.set('new_hash', { name: 'new_hash', target: 'custom_hash' });
    members.set('old_long_url', { name: 'old_long_url', target: 'old_long_url' });
  }
  // A file of links does not rename them: both names identify the link.
  if (use === 'apply') members.set('custom_hash', { name: 'custom_hash', target: 'hash' });
  members.delete('short_url');
  for (const name of ['short_url', ...utmNames] as const) members.set(name, { name, target: name });
  return members;
}

/** Every row needs it. */
export function requiredTarget(use: InputUse): Target {
  return namesLinks(use) ? 'hash' : 'long_url';
}

export function missingNotice(use: InputUse, what: 'column' | 'value'): string {
  const name = `${what === 'column' ? 'column ' : ''}${requiredTarget(use)} is missing`;
  return use === 'apply' ? `${name}: a link is compared by its hash, custom_hash or short_url` : name;
}

/** The flag as it can be pasted into a shell, whatever the file calls its column. */
export function columnsFlag(target: string, name: string): string {
  return `--columns ${shellQuoted(joinList([`${target}=${name}`]))}`;
}

export interface NameRules {
  readonly what: 'column' | 'member';
  readonly use: InputUse;
  readonly known: ReadonlyMap<string, Member>;
  readonly isStrict: boolean;
}

/**
 * Returns undefined for a name that is ignored. A name that resembles a field is never ignored, because links would be created without
 * their hashes, tags or expiry.
 */
export function nameProblem(given: string, rules: NameRules): string | undefined {
  const missed = missedField(given, rules);
  const name = `unknown ${rules.what} ${quoted(given)}`;
  if (missed) return `${name}, did you mean ${missed}? rename or remove it, or add ${columnsFlag(missed, given)}`;
  return rules.isStrict ? `${name}: remove it, or leave out --strict-columns` : undefined;
}

/** Excludes common words, and names that only resemble aliases of the note, which is not essential. */
function missedField(given: string, rules: NameRules): string | undefined {
  if (isUnrelated(given) || targetMeant(given, rules) !== undefined) return undefined;
  const field = nearestName(given, settableNames(rules)) ?? nearestAlias(given, rules);
  return field === 'note' && nearestName(given, ['note']) === undefined ? undefined : field;
}

function settableNames({ known }: NameRules): string[] {
  return [...known.values()].filter((member) => member.target && !isOfOtherEdition(member)).map(({ name }) => name);
}

/** A field of the other edition cannot be set, so it is no suggestion. */
function isOfOtherEdition(member: Member | undefined): boolean {
  return member?.target !== undefined && member.foreign !== undefined;
}

/** Accepts our names in other spellings, and names of other services. In an edit, a foreign hash identifies the link. */
export function targetMeant(given: string, { use, known }: Pick<NameRules, 'use' | 'known'>): Target | 'unsettable' | undefined {
  const fold = folded(given);
  for (const { name, target } of known.values()) if (folded(name) === fold) return target ?? 'unsettable';
  const meaning = meaningOf(given);
  return meaning === 'custom_hash' && namesLinks(use) ? 'hash' : meaning;
}

/** Tolerates one or two wrong letters. */
function nearestAlias(given: string, rules: NameRules): string | undefined {
  const wanted = folded(given);
  const isNear = (name: string) => name.length >= 5 && editsBetween(wanted, name) <= (name.length >= 9 ? 2 : 1);
  const near = aliases.find(([name, meaning]) => !isOfOtherEdition(rules.known.get(meaning)) && isNear(name));
  const meant = near && targetMeant(near[0], rules);
  return meant === 'unsettable' ? undefined : meant;
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

export const listingColumns: ReadonlySet<string> = new Set(['hash', ...readOnly, ...fieldNames('edit', 'a')]);

/**
 * The names of the columns are those of linkctl for a link: no other service has a `hash` or `custom_hash` beside one of the URLs, or a
 * `short_url` or `hash` beside a `note` and no destination of another name.
 */
export function areOurs(names: readonly string[]): boolean {
  const own = new Set(names.map((name) => name.toLowerCase()));
  if ((own.has('hash') || own.has('custom_hash')) && (own.has('short_url') || own.has('long_url'))) return true;
  const hasOtherUrl = names.some((name) => meaningOf(name) === 'long_url' && name.toLowerCase() !== 'long_url');
  return (names.includes('short_url') || names.includes('hash')) && names.includes('note') && !hasOtherUrl;
}

/** Together they are those of `--results`, which no listing, check or other service has. */
const resultNames = ['row', 'status', 'code', 'message'] as const;

export function areResults(has: (name: string) => boolean): boolean {
  return resultNames.every(has);
}

/** Read-only columns of listings and of the file of failed rows. */
const ignoredColumns: readonly string[] = [...readOnly, 'error_code', 'error_message'];

/** Columns that dry runs and checks add to their output. */
const reportColumns: readonly string[] = ['old_long_url', 'change', 'row', 'http_status', 'final_url', 'milliseconds', 'reason'];
