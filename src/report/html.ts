import { safe } from '../base/safe-text.ts';
import { isoTime } from '../base/times.ts';

/** Text that is HTML and needs no escaping. */
export interface Html {
  readonly html: string;
}

type Part = Html | string | number | readonly Html[];

/** Escapes all parts that are not `Html`, so that data of a server stays text. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: texts.map((text, index) => `${index > 0 ? partHtml(parts[index - 1] ?? '') : ''}${text}`).join('') };
}

/** Control characters and direction marks are made visible, as on a terminal. */
function partHtml(part: Part): string {
  if (typeof part === 'string') return safe(part).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
  if (typeof part === 'number') return String(part);
  return 'html' in part ? part.html : part.map((one) => one.html).join('');
}

export const nothing: Html = { html: '' };

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Turns `2026-10-24` into `24 Oct 2026`, and `2026-10` into `Oct 2026`, in any locale. */
export function dayText(date: string): string {
  const [year = '', month = '', day] = date.split('-');
  return `${day === undefined ? '' : `${Number(day)} `}${months[Number(month) - 1]} ${year}`;
}

/** Turns milliseconds since 1970 into `24 Oct 2026, 03:05 UTC`. */
export function timeText(time: number): string {
  const text = isoTime(time);
  return `${dayText(text.slice(0, 10))}, ${text.slice(11, 16)} UTC`;
}
