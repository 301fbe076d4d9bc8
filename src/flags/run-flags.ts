import { type DaysOfRun, relativeDay } from '../base/times.ts';
import { isRelative } from '../input/dates.ts';
import { valueWarning } from '../input/field-values.ts';
import type { FieldOptions, FieldValues } from './field-flags.ts';

export interface RunFlags {
  readonly options: Readonly<Record<string, unknown>> & { readonly values: FieldValues; readonly typed: object | undefined };
  restoreOptions(options: Readonly<Record<string, unknown>>, days: DaysOfRun): readonly string[];
}

/**
 * The journal stores values and relative dates as typed. When a run is resumed, `restoreOptions` restores the values of the day on which it
 * began, and returns warnings about days that are over.
 */
export function runFlags(values: FieldValues, { expires }: FieldOptions, { flags, from }: RowsOfRun = {}): RunFlags {
  const typed = {
    ...(expires !== undefined && isRelative(expires) && { expiration_date: expires }),
    ...(from && { today: 'the day on which the run begins' }),
  };
  return {
    options: { ...flags, values, typed: Object.keys(typed).length > 0 ? typed : undefined, today: from?.day },
    restoreOptions({ values: before, today }, days) {
      Object.assign(values, before);
      if (from && typeof today === 'string') from.day = today;
      const ofFlag = expires !== undefined && isRelative(expires) ? overdueWarning(expires, days) : undefined;
      const ofRows = [...(from?.dates ?? [])].flatMap((date) => overdueWarning(date, days) ?? []);
      return [...(ofFlag === undefined ? [] : [`--expires ${ofFlag}`]), ...ofRows];
    },
  };
}

interface RowsOfRun {
  readonly flags?: Readonly<Record<string, unknown>>;
  /** Relative dates of rows count from this day. */
  readonly from?: { readonly dates: ReadonlySet<string>; day: string };
}

/** Warns about a relative date, as typed, that is over by the time that a run is resumed. */
function overdueWarning(text: string, { began, today }: DaysOfRun): string | undefined {
  const day = relativeDay(text, Date.parse(began));
  const warning = day && valueWarning('expiration_date', day, today);
  return warning && `${text}: ${warning}, because it counts from ${began}, when the run began`;
}
