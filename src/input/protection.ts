import { dayLength } from '../base/times.ts';
import { isZeroDay } from '../link/value.ts';
import type { DateFormat } from './dates.ts';
import { flat, type Guard, guardOf } from './fields/aliases.ts';
import { dayOfDigits, formatsOf, hasTimeOfDay, momentOf } from './fields/date-formats.ts';

/** False for empty values, words such as `no` and `none`, and the zero date of a database. */
export function hasValue(text: string): boolean {
  return !nothing.test(text) && !isZeroDay(text);
}

/** Words for what is not so, also in the languages of spreadsheets. */
const noWords = 'f false no n off none null undefined nein falsch non faux falso não nee onwaar nej nie fałsz нет ложь 否 いいえ';

/** Also as databases write it, and a JSON object whose members say it. */
const nothing = new RegExp(
  `^(?:|0(?:\\.0+)?|${noWords.replaceAll(' ', '|')}|\\\\N|-|\\[\\]|\\{(?:"[^"]*":(?:false|null|0|""),?)*\\})$`,
  'iu',
);

interface Now {
  /** In milliseconds since 1970. */
  readonly now: number;
  readonly dateFormat?: DateFormat | undefined;
}

/** Words for a public link, also in the languages of spreadsheets, and how linkctl writes the status of a row. */
const words = [
  't true y yes on ok active activated enabled live online open valid visible available running working normal default public publish published ✓ ✔',
  'created existing changed unchanged',
  'ja wahr aktiv aktiviert öffentlich veröffentlicht oui vrai actif active activé activée public publique publié publiée',
  'si sí sì sim verdadero verdadeiro vero activo activa activado activada ativo ativa ativado ativada attivo attiva attivato attivata',
  'público pública publico publica publicado publicada pubblico pubblica pubblicato pubblicata habilitado habilitada',
  'waar actief openbaar sant sann sand tak prawda aktywny aktywna ano pravda igen igaz kyllä evet doğru etkin aktif',
  'да истина активен активна активно так はい 有効 公開 是 启用 有效 公开 예',
];

/** Also the number of a truth value, and the HTTP status of a link that works. */
const on = new RegExp(`^(?:1(?:\\.0+)?|[23]\\d\\d|${words.join(' ').replaceAll(' ', '|')})$`, 'iu');

/** The value marks the link as protected or disabled at the source. An unknown word does: a link must not become public by a guess. */
export const isProtected: { readonly [G in Guard]: (text: string, now: Now) => boolean } = {
  // Any word may be a password. A service that does not reveal its passwords only says false or true.
  secret: (text) => !/^(?:|null|false)$/i.test(text),
  set: hasValue,
  unset: (text) => text !== '' && !on.test(text),
  later: (text, now) => hasValue(text) && isLater(text, now),
};

/**
 * Returns the names of the members that mark the link of a record as protected or disabled: `archived, password`. Undefined if none does.
 * Some servers send such members with the links of the API.
 */
export function protectionOf(record: object, now: Now): string | undefined {
  const names = Object.entries(flat(record)).flatMap(([name, value]) => {
    const guard = guardOf(name);
    return guard && !(guard === 'secret' && isNone(value)) && isProtected[guard](textOf(value), now) ? [name] : [];
  });
  return names.length > 0 ? names.join(', ') : undefined;
}

/** In a record, unlike in a cell, the number 0 is no password. Nor is an empty list. */
function isNone(value: unknown): boolean {
  return value === 0 || (Array.isArray(value) && value.length === 0);
}

/** Returns a JSON value as a cell of a csv would have it. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value).trim();
}

/** A time in an unknown format may be in the future, and so may a day in one of its formats, and a time of day that is not read. */
function isLater(text: string, { now, dateFormat }: Now): boolean {
  const time = momentOf(text);
  if (time !== undefined && !dateFormat) return time > now;
  const formats = dateFormat ? [dateFormat] : formatsOf(text);
  const days = formats.flatMap((format) => dayOfDigits(text, format) ?? []);
  if (days.length === 0) return (time ?? Number.POSITIVE_INFINITY) > now;
  return days.some((day) => Date.parse(day) + (hasTimeOfDay(text) ? dayLength : 0) > now);
}
