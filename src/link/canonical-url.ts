import { parseUrl } from '../contract/web-address.ts';

/**
 * A form in which two spellings of one long URL are equal: servers normalise what they are given (F37). For comparing only;
 * what is sent is what was typed.
 */
export function canonicalUrl(text: string): string {
  const url = parseUrl(text.trim());
  if (!url) return text.trim();
  return url.href.replace(percentEncoded, evenOut).replace(/[?#]+$/, '');
}

/** Whether two spellings lead to the same address. */
export function sameUrl(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'string' && typeof other === 'string' && canonicalUrl(one) === canonicalUrl(other));
}

/** The host in the form that the address bar would show it, or undefined where the text is no URL. */
export function canonicalHost(text: string): string | undefined {
  return parseUrl(text.trim())?.host;
}

const percentEncoded = /%[0-9a-f]{2}/gi;

/** Characters that mean the same encoded or not; the others, such as `/` and `&`, do not. */
const sameEither = /[A-Za-z0-9\-._~!$'()*,;:@|{}^`"<>[\]\\ ]/;

function evenOut(sequence: string): string {
  const character = String.fromCharCode(Number.parseInt(sequence.slice(1), 16));
  return sameEither.test(character) ? character : sequence.toUpperCase();
}
