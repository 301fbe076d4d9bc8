/** Attempts of a request after the first one. */
export const defaultRetries = 4;

/** Milliseconds from now. Accepts seconds, also fractional, and HTTP dates; undefined if invalid. */
export function retryAfter(value: string, now: number): number | undefined {
  const text = value.trim();
  if (/^[A-Z][a-z]{2},? /.test(text)) {
    const time = Date.parse(text);
    return Number.isNaN(time) ? undefined : Math.max(0, time - now);
  }
  if (!/^\d+(\.\d+)?$/.test(text)) return undefined;
  const seconds = Number(text);
  return seconds > 2 ** 31 ? undefined : seconds * 1000;
}
