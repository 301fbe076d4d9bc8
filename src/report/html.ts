import { safe } from '../base/safe-text.ts';

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
