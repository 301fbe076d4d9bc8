import { quoted } from '../../base/quoted.ts';
import { utcDay } from '../../base/times.ts';
import { splitList } from '../../contract/tag-label.ts';
import { type DateFormat, dateFormats, dayOf, notDate, type Refused } from '../dates.ts';
import { cellValue, isRefused, jsonValue, type WireValue } from '../field-values.ts';
import { lastPartUsed } from '../hashes/parse-hash.ts';
import type { Notices } from '../notices.ts';
import type { CellReader, ReadOptions } from '../row.ts';
import { areDigits, dateExamples, dayOfDigits, formatsOf, hasTimeOfDay, momentOf } from './date-formats.ts';
import type { Setting } from './members.ts';

/** Trims the cells, except in notes. */
export function cellReader(
  { target, name }: Setting,
  isForeign: boolean,
  { dateFormat, tagSeparator }: ReadOptions,
  notices: Notices,
): CellReader {
  switch (target) {
    case 'note':
      return (text) => cellValue(target, text);
    case 'custom_hash':
      return isForeign
        ? (text, line, column) =>
            cellValue(
              target,
              hashIn(text.trim(), (reason) => notices.warning({ line, column, reason: `${name}: ${reason}` })),
            )
        : (text) => cellValue(target, text.trim());
    case 'tags':
      return cached((text) => tagsOf(text, isForeign, tagSeparator));
    case 'expiration_date': {
      const read = dateFormat ? cached((text) => formattedDate(text, dateFormat)) : unformattedDates(name, notices);
      return (text, line, column) => {
        const value = read(isForeign ? dayOfMoment(text) : text, line, column);
        // Links expire at the end of a day.
        if (isForeign && typeof value === 'string' && hasTimeOfDay(text.trim())) notices.lost(`time of day of ${name}`);
        return value;
      };
    }
    default:
      return (text) => cellValue(target, text.trim());
  }
}

/** Other services write paths such as `/keyword/` or `docs/start`, whose last part becomes the hash. */
function hashIn(text: string, warn: (reason: string) => void): string {
  const parts = text.split('/').filter((part) => part !== '');
  const hash = parts.at(-1) ?? text;
  if (parts.length > 1) warn(lastPartUsed(text, hash));
  return hash;
}

/** Some services write seconds or milliseconds since 1970. */
function dayOfMoment(text: string): string {
  const time = /^\d{10}(\d{3})?$/.test(text) ? momentOf(text) : undefined;
  return time === undefined ? text : utcDay(time);
}

/** Dates and tags often repeat, and a cache is faster than parsing them again. */
function cached(valueIn: (text: string) => WireValue | Refused): (text: string) => WireValue | Refused {
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

/** The file of another service may separate labels by semicolons or pipes instead of commas. */
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
    ? (dayOfDigits(text, format) ?? notDate(text, `; expected ${format}, such as ${dateExamples[format]}, or YYYY-MM-DD`))
    : day;
}

const fullYears = `YYYY-MM-DD, or ${dateExamples.dmy} with --date-format dmy`;

/** Reports a column of ambiguous dates as one problem, regardless of the number of rows. */
function unformattedDates(name: string, notices: Notices): CellReader {
  const valueIn = cached((text) => cellValue('expiration_date', text));
  let example: string | undefined;
  let formats: readonly DateFormat[] = dateFormats;
  const reason = (): string => {
    const dates = `${name}: dates such as ${quoted(example ?? '')}`;
    if (formats.length === 0) return `${dates} are not all of one format: write them as YYYY-MM-DD`;
    const flags = formats.map((format) => `--date-format ${format}`).join(' or ');
    return `${dates} look like ${formats.join(' or ')}: add ${flags}`;
  };
  return (text, line, column) => {
    const value = valueIn(text);
    if (!isRefused(value)) return value;
    const date = text.trim();
    const fitting = formatsOf(date);
    if (fitting.length === 0) return areDigits(date) ? notDate(date, `; expected ${fullYears}`) : value;
    formats = formats.filter((format) => fitting.includes(format));
    if (example !== undefined) return undefined;
    example = date;
    // A getter because the format may be known only after the last row.
    notices.problem({
      line,
      column,
      get reason() {
        return reason();
      },
    });
    return undefined;
  };
}
