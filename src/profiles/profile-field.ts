/** What one key of a profile may hold. */
export interface ProfileField {
  /** Continues "expected": `one of {a|b}`. */
  readonly expected: string;
  /** Present where the value comes with `auth login` only. */
  readonly login?: boolean;
  accepts(value: unknown): boolean;
  /** The value that typed text stands for; unaccepted values come back as something that `accepts` refuses. */
  parse(typed: string): unknown;
}

export function text(expected: string, fits: (value: string) => boolean): ProfileField {
  return { expected, accepts: (value) => typeof value === 'string' && fits(value), parse: (typed) => typed };
}

export function choice(values: readonly string[]): ProfileField {
  return text(`one of {${values.join('|')}}`, (value) => values.includes(value));
}

export function integer(least: number, most: number): ProfileField {
  return {
    expected: `a whole number from ${least} to ${most}`,
    accepts: (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
    parse: (typed) => (/^\d+$/.test(typed) ? Number(typed) : undefined),
  };
}

export const yesOrNo: ProfileField = {
  expected: 'true or false',
  accepts: (value) => typeof value === 'boolean',
  parse: (typed) => (typed === 'true' ? true : typed === 'false' ? false : undefined),
};

/** A program and its arguments. */
export const command: ProfileField = {
  expected: 'a JSON array of a program and its arguments, such as ["pass", "show", "linkctl"]',
  accepts: (value) =>
    Array.isArray(value) && value.every((word) => typeof word === 'string' && !word.includes('\0')) && Boolean(value[0]),
  parse: (typed) => {
    try {
      return JSON.parse(typed);
    } catch {
      return undefined;
    }
  },
};
