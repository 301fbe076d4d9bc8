/** `YYYY-MM-DD` in UTC (4.1.6), from milliseconds. */
export function utcDay(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** The day that `+30d` or `-90d` names, counted from today in UTC; undefined for any other text. `now` is in milliseconds. */
export function relativeDay(text: string, now: number): string | undefined {
  return /^[+-]\d{1,5}d$/.test(text) ? utcDay(now + Number.parseInt(text, 10) * 86_400_000) : undefined;
}
