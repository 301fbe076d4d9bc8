import { isObject } from '../../contract/records.ts';

export class Mismatch extends Error {
  /** From the top of the answer: `urls[3].hash`. Empty for the whole answer. */
  readonly field: string;
  readonly problem: string;

  constructor(field: string, problem: string) {
    super(`unexpected answer from the server${field === '' ? `: ${problem}` : ` (field ${field}: ${problem})`}`);
    this.name = 'Mismatch';
    this.field = field;
    this.problem = problem;
  }
}

/** Returns the value, converted if the server wrote it in another type. Throws `Mismatch`. */
export type Shape = (value: unknown) => unknown;

export const integer = scalar('an integer', Number.isSafeInteger);

/** Most members of a link are texts. */
export function text(value: unknown): string {
  if (typeof value !== 'string') throw mismatch('text', value);
  return value;
}

export function shortText(most: number): Shape {
  return (value) => {
    const { length } = text(value);
    if (length > most) throw new Mismatch('', `expected at most ${most} characters, got ${length}`);
    return value;
  };
}

/** Some servers write numbers as text. */
export function number(value: unknown): number {
  const converted = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  if (!Number.isFinite(converted)) throw mismatch('a number', value);
  return converted as number;
}

/** Some servers write flags as numbers, or as text. */
export function flag(value: unknown): boolean {
  const nth = flags.indexOf(String(value));
  if (nth < 0) throw mismatch('true or false', value);
  return nth % 2 === 1;
}

/** Every second one is true. */
const flags = ['false', 'true', '0', '1'];

export function anything(value: unknown): unknown {
  return value;
}

export function scalar(expected: string, holds: (value: unknown) => boolean): Shape {
  return (value) => {
    if (!holds(value)) throw mismatch(expected, value);
    return value;
  };
}

/** Accepts a value that is missing or null. */
export function optional(shape: Shape): Shape {
  return (value) => (value === undefined || value === null ? value : shape(value));
}

/**
 * Reads null and an empty text as undefined, because some servers write them for a value that they do not show. The member stays, and JSON
 * output has null for it.
 */
export function shownText(value: unknown): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : text(value);
}

/** Accepts every value, and converts it if possible: for what a command can do without. */
export function orAsIs(shape: Shape): Shape {
  return (value) => {
    try {
      return shape(value);
    } catch {
      return value;
    }
  };
}

/** Some servers write null for an empty list. */
export function list(shape: Shape): Shape {
  return (value) => {
    if (value === null) return [];
    if (!Array.isArray(value)) throw mismatch('a list', value);
    let i = 0;
    try {
      for (; i < value.length; i += 1) shape(value[i]);
    } catch (error) {
      throw within(`[${i}]`, error);
    }
    return value;
  };
}

/** Accepts unknown members, because servers add their own. No object of JavaScript has one of the names already. */
export function record(members: { readonly [name: string]: Shape }): Shape {
  const read = Object.entries(members).map(([name, shape]) => ({ name, shape }));
  return (value) => readMembers(objectIn(value), read);
}

/** Takes an empty list for an empty object: PHP writes both as `[]`. */
export function mapOf(shape: Shape): Shape {
  return (value) => {
    const object = Array.isArray(value) && value.length === 0 ? {} : objectIn(value);
    return readMembers(
      object,
      Object.keys(object).map((name) => ({ name, shape })),
    );
  };
}

/** Indexes are counted here and in lists: the first hundreds of links are read by code that V8 only interprets. */
function readMembers(
  object: { [name: string]: unknown },
  members: readonly { readonly name: string; readonly shape: Shape }[],
): unknown {
  let name = '';
  try {
    for (let i = 0; i < members.length; i += 1) {
      const member = members[i] as (typeof members)[number];
      name = member.name;
      const value = object[name];
      const converted = member.shape(value);
      if (converted !== value) object[name] = converted;
    }
  } catch (error) {
    throw within(name, error);
  }
  return object;
}

function objectIn(value: unknown): { [name: string]: unknown } {
  if (!isObject(value)) throw mismatch('an object', value);
  return value;
}

function mismatch(expected: string, value: unknown): Mismatch {
  return new Mismatch('', `expected ${expected}, got ${typeName(value)}`);
}

/** Paths are built only for failures, from the inside out. */
function within(outer: string, error: unknown): unknown {
  if (!(error instanceof Mismatch)) return error;
  const separator = error.field === '' || error.field.startsWith('[') ? '' : '.';
  return new Mismatch(`${outer}${separator}${error.field}`, error.problem);
}

function typeName(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'text';
  if (isObject(value)) return 'an object';
  return Number.isFinite(value) ? 'number' : String(value);
}
