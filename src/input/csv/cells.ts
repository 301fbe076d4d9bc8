import { utcDay } from '../../base/days.ts';
import { quoted } from '../../base/quoted.ts';
import { splitList } from '../../contract/tag-label.ts';
import { type DateFormat, dateFormats, dayOf, dayOfDigits, exampleOf, formatsOf, isDigits, notDate } from '../dates.ts';
import { cellValue, isRefused, jsonValue, type Refused, type WireValue } from '../field-values.ts';
import type { Setting } from '../fields/members.ts';
import type { Notices } from '../notices.ts';
import { momentOf } from '../protection.ts';
import type { ReadOptions } from '../row.ts';

/** A cell that is not empty, as a value; undefined where it is part of a column that is refused as a whole. */
export type CellReader = (text: string, line: number) => WireValue | Refused | undefined;

/** How the cells of one column are read: the texts around them are trimmed, except in notes. */
export function cellReader(
  { target, name }: Setting,
  { isForeign, index }: { readonly isForeign: boolean; readonly index: number },
  { dateFormat, tagSeparator }: ReadOptions,
  notices: Notices,
): CellReader {
  switch (target) {
    case 'note':
      return (text) => cellValue(target, text);
    case 'custom_hash':
      return isForeign
        ? (text, line) => cellValue(target, hashIn(text.trim(), { name, line, column: index + 1 }, notices))
        : (text) => cellValue(target, text.trim());
    case 'tags':
      return remembering((text) => tagsOf(text, isForeign, tagSeparator));
    case 'expiration_date': {
      const doubt = new DateDoubt(name, index, notices);
      const read = dateFormat ? remembering((text) => formattedDate(text, dateFormat)) : doubt.reader();
      return (text, line) => {
        if (isForeign && hasTimeOfDay(text)) notices.lost(`time of day of ${name}`);
        return read(isForeign ? dayOfMoment(text) : text, line);
      };
    }
    default:
      return (text) => cellValue(target, text.trim());
  }
}

/** Others write paths: `/keyword/`, and `docs/start`, of which the last part is the hash. */
function hashIn(text: string, { name, line, column }: Cell, notices: Notices): string {
  if (!text.includes('/')) return text;
  const parts = text.split('/').filter((part) => part !== '');
  const hash = parts.at(-1) ?? text;
  if (parts.length > 1)
    notices.warning({ line, column, reason: `${name}: of ${quoted(text)} the last part is the hash: ${hash}` });
  return hash;
}

interface Cell {
  readonly name: string;
  readonly line: number;
  readonly column: number;
}

/** Some services write seconds or milliseconds since 1970. */
function dayOfMoment(text: string): string {
  const time = /^\d{10}(\d{3})?$/.test(text) ? momentOf(text) : undefined;
  return time === undefined ? text : utcDay(time);
}

/** A link works to the end of its last day, whatever the hour at which it ended elsewhere. */
function hasTimeOfDay(text: string): boolean {
  if (text.length <= 10 && !/^\d{10}$/.test(text)) return false;
  const time = momentOf(text.trim());
  return time !== undefined && time % 86_400_000 !== 0;
}

/** Dates and tags often repeat, and remembering them is faster than checking again. */
function remembering(valueIn: (text: string) => WireValue | Refused): CellReader {
  const known = new Map<string, WireValue | Refused>();
  return (text) => {
    let value = known.get(text);
    if (value === undefined) {
      if (known.size === 1000) known.clear();
      value = valueIn(text.trim());
      known.set(text, value);
    }
    return value;
  };
}

/** The labels of a cell: of another service separated by commas, or else by semicolons or pipes. */
function tagsOf(text: string, isForeign: boolean, separator: string | undefined): WireValue | Refused {
  if (separator === undefined && !(isForeign && !text.includes(','))) return cellValue('tags', text);
  const entries = separator === ',' ? splitList(text) : text.split(separator ?? (text.includes(';') ? ';' : '|'));
  if (!entries) return cellValue('tags', text);
  return jsonValue(
    'tags',
    entries.map((entry) => entry.trim()).filter((entry) => entry !== ''),
  );
}

function formattedDate(text: string, format: DateFormat): WireValue | Refused {
  const day = dayOf(text);
  return day === undefined
    ? (dayOfDigits(text, format) ?? notDate(text, `; expected ${format}, such as ${exampleOf(format)}, or YYYY-MM-DD`))
    : day;
}

const fullYears = `YYYY-MM-DD, or ${exampleOf('dmy')} with --date-format dmy`;

/** A column of dates that are written in digits, without a format: one problem, however many rows. */
class DateDoubt {
  readonly #name: string;
  readonly #column: number;
  readonly #notices: Notices;
  #example: string | undefined;
  #formats: readonly DateFormat[] = dateFormats;

  constructor(name: string, index: number, notices: Notices) {
    this.#name = name;
    this.#column = index + 1;
    this.#notices = notices;
  }

  reader(): CellReader {
    const valueIn = remembering((text) => cellValue('expiration_date', text));
    return (text, line) => {
      const value = valueIn(text, line);
      if (value === undefined || !isRefused(value)) return value;
      const formats = formatsOf(text.trim());
      if (formats.length === 0) return isDigits(text.trim()) ? notDate(text.trim(), `; expected ${fullYears}`) : value;
      this.#add(text.trim(), formats, line);
      return undefined;
    };
  }

  #add(text: string, formats: readonly DateFormat[], line: number): void {
    this.#formats = this.#formats.filter((format) => formats.includes(format));
    if (this.#example !== undefined) return;
    this.#example = text;
    const reason = (): string => this.#reason();
    // Which format it is may be known only from the last row.
    this.#notices.problem({
      line,
      column: this.#column,
      get reason() {
        return reason();
      },
    });
  }

  #reason(): string {
    const dates = `${this.#name}: dates such as ${quoted(this.#example ?? '')}`;
    if (this.#formats.length === 0) return `${dates} are not all of one format: write them as YYYY-MM-DD`;
    const flags = this.#formats.map((format) => `--date-format ${format}`).join(' or ');
    return `${dates} look like ${this.#formats.join(' or ')}: add ${flags}`;
  }
}
