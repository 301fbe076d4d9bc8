/** Counters per calendar period, which is the start of an ISO date. */
export type Tally = { readonly name: 'calls'; readonly period: string } | { readonly name: 'urls'; readonly period: string };

/** "Today" is a UTC day, since times are UTC (4.1.6). */
export function callsOfDay(now: number): Tally {
  return { name: 'calls', period: new Date(now).toISOString().slice(0, 10) };
}

export function urlsOfMonth(now: number): Tally {
  return { name: 'urls', period: new Date(now).toISOString().slice(0, 7) };
}
