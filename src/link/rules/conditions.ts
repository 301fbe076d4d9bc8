import { UsageError } from '../../base/errors.ts';
import { quoted } from '../../base/quoted.ts';
import { relativeDay } from '../../base/times.ts';
import { isCalendarDate } from '../../contract/fields.ts';
import { foldLabel } from '../../contract/tag-label.ts';
import { readWebAddress, type WebAddress } from '../http-url.ts';
import { canonicalUrl, isNever, lastDay } from '../value.ts';
import { readPattern } from './pattern.ts';
import { urlPrefix } from './url-prefix.ts';

export const operators = ['=', '!=', '<', '<=', '>', '>=', '^=', '~'] as const;

export type Operator = (typeof operators)[number];

export interface Comparison<Allowed extends Operator = Operator> {
  readonly operator: Allowed;
  readonly text: string;
  /** Milliseconds. */
  readonly now: number;
  /** `reason` ends the message. */
  refuse(reason: string): UsageError;
}

/** Operators of a kind of values besides `!=`, which negates `=`. Texts are refused if no value can match: negated, they would match all. */
export interface ValueKind<Value, Allowed extends Operator = Operator> {
  readonly operators: readonly Allowed[];
  /** Throws the error of `refuse` for a text that cannot be compared. */
  condition(comparison: Comparison<Allowed>): (value: Value) => boolean;
}

const ordering = ['=', '<', '<=', '>', '>='] as const;
const matching = ['=', '^=', '~'] as const;

export const numbers: ValueKind<number, (typeof ordering)[number]> = {
  operators: ordering,
  condition({ operator, text, refuse }) {
    if (!/^\d{1,15}$/.test(text)) throw refuse(`${quoted(text)} is not a whole number of 0 or more`);
    const [fits, wanted] = [comparisons[operator], Number(text)];
    return (value) => fits(value, wanted);
  },
};

/** Compares days in UTC. No day counts as the first or the last of all days. */
export function days(without: 'first' | 'last'): ValueKind<string | null, (typeof ordering)[number]> {
  const never = without === 'first' ? '' : '~';
  return {
    operators: ordering,
    condition({ operator, text, now, refuse }) {
      const day = isNever(text) || isCalendarDate(text) ? lastDay(text) || never : relativeDay(text, now);
      if (day === undefined) throw refuse(`${quoted(text)} is not a date: YYYY-MM-DD, +30d, -90d or never`);
      const fits = comparisons[operator];
      return (value) => fits(lastDay(value) || never, day);
    },
  };
}

const comparisons: { readonly [O in (typeof ordering)[number]]: <Value>(one: Value, other: Value) => boolean } = {
  '=': (one, other) => one === other,
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
};

export const booleans: ValueKind<boolean, '='> = {
  operators: ['='],
  condition({ text, refuse }) {
    if (text !== 'true' && text !== 'false') throw refuse(`${quoted(text)} is not true or false`);
    return (value) => value === (text === 'true');
  },
};

/**
 * Compares text exactly, with case. `read` returns the text to compare, and throws the error of `refuse`. Values that are the same
 * have one `form`.
 */
export function texts(
  read: (comparison: Comparison) => string,
  begins = (value: string, start: string) => value.startsWith(start),
  form = (value: string) => value,
): ValueKind<string, (typeof matching)[number]> {
  return {
    operators: matching,
    condition(comparison) {
      const { operator } = comparison;
      if (operator === '~') return patternOf(comparison);
      if (operator === '^=') required(comparison);
      const wanted = read(comparison);
      return operator === '^=' ? (value) => begins(value, wanted) : (value) => form(value) === wanted;
    },
  };
}

/** Compares labels without case (2.5). An empty text means "no tags". */
export const labels: ValueKind<readonly string[], (typeof matching)[number]> = {
  operators: matching,
  condition(comparison) {
    const { operator, text } = comparison;
    if (operator === '=') {
      const wanted = foldLabel(text);
      return wanted === '' ? (tags) => tags.length === 0 : (tags) => tags.some((label) => foldLabel(label) === wanted);
    }
    if (operator === '~') {
      // The linear engine has no flag for case, so letters are folded. Escapes such as \S keep their case.
      const typed = comparison.text.replace(/(\\.)|[^\\]+/gs, (part, escaped) => escaped ?? foldLabel(part));
      const fits = patternOf(comparison, typed);
      return (tags) => tags.some((label) => fits(foldLabel(label)));
    }
    const start = foldLabel(required(comparison));
    return (tags) => tags.some((label) => foldLabel(label).startsWith(start));
  },
};

/** Equal if both lead to the same address; a prefix must end at a boundary. Texts that match `web` must be http(s) URLs. */
export function urls(web = /^/): ValueKind<string, (typeof matching)[number]> {
  return {
    operators: matching,
    condition(comparison) {
      const { operator } = comparison;
      if (operator === '~') return patternOf(comparison);
      const text = required(comparison);
      if (operator === '^=') return refusing(comparison.refuse, () => urlPrefix(text).matches);
      if (web.test(text) && !readWebAddress(text)) throw comparison.refuse(`${quoted(text)} is not an http or https URL`);
      const wanted = canonicalUrl(text);
      return (value) => canonicalUrl(value) === wanted;
    },
  };
}

/** Other schemes than http(s) have no host. The port counts if the expression has one. */
export const hosts: ValueKind<WebAddress | null, '=' | '~'> = {
  operators: ['=', '~'],
  condition(comparison) {
    const { operator, refuse } = comparison;
    if (operator === '~') {
      const fits = patternOf(comparison);
      return (address) => address !== null && fits(address.hostname);
    }
    const text = required(comparison);
    const [, below = '', name = ''] = /^(\*\.)?(.*)$/s.exec(text) ?? [];
    const wanted = readWebAddress(`https://${name}`);
    // URLs may have commas and quotes in their host, but no name has.
    const isHost = wanted?.rest === '' && wanted.userinfo === undefined && /^(?:[\w.-]+|\[.*\])$/.test(wanted.hostname);
    if (!isHost) throw refuse(`${quoted(text)} is not a host, such as a.example, *.a.example or a.example:8080`);
    const fitsName = below
      ? ({ hostname }: WebAddress) => hostname.endsWith(`.${wanted.hostname}`)
      : ({ hostname }: WebAddress) => hostname === wanted.hostname;
    const hasPort = /:\d+$/.test(text);
    return (address) => address !== null && fitsName(address) && (!hasPort || address.port === wanted.port);
  },
};

/** Compares schemes and domains without case. */
export function words(wordOf: (text: string) => string, noun: string): ValueKind<string, '='> {
  return {
    operators: ['='],
    condition({ text, refuse }) {
      const wanted = wordOf(text);
      if (wanted === '') throw refuse(`${quoted(text)} is not a ${noun}`);
      return (value) => value === wanted;
    },
  };
}

/** An empty text would match everything. */
function required({ text, refuse }: Comparison): string {
  if (text === '') throw refuse('the value is empty');
  return text;
}

function patternOf(comparison: Comparison, text = comparison.text): (value: string) => boolean {
  required(comparison);
  const pattern = refusing(comparison.refuse, () => readPattern(text));
  return (value) => pattern.test(value);
}

/** Turns an error about the value into one about the expression. */
function refusing<Value>(refuse: Comparison['refuse'], read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw error instanceof UsageError ? refuse(error.message) : error;
  }
}
