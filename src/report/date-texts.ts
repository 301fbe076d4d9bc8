const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Turns `2026-10-24` into `24 Oct 2026` in any locale. */
export function dayText(date: string): string {
  const [year = '', month = '', day = ''] = date.split('-');
  return `${Number(day)} ${months[Number(month) - 1]} ${year}`;
}

/** Turns milliseconds since 1970 into `24 Oct 2026, 03:05 UTC`. */
export function timeText(time: number): string {
  const text = new Date(time).toISOString();
  return `${dayText(text.slice(0, 10))}, ${text.slice(11, 16)} UTC`;
}
