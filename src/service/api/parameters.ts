import { fields } from '../../contract/fields.ts';
import { Refusal } from './refusal.ts';
import { parseTagExpression, type TagExpression } from './tag-expression.ts';

/** Reads a non-negative integer, or `fallback` if the query lacks it. Anything else is 1305, as our choice. */
export function readNumber(query: URLSearchParams, name: string, fallback: number): number {
  const text = query.get(name);
  if (text === null || text === '') return fallback;
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number)) throw new Refusal(1305);
  return number;
}

/** Reads the entries of `hashes` (4.1.8), trimmed: 1305 for none, 1221 above the bound. */
export function readHashes(query: URLSearchParams, bound: number): string[] {
  const hashes = (query.get('hashes') ?? '')
    .split(',')
    .map((hash) => hash.trim())
    .filter((hash) => hash !== '');
  if (hashes.length === 0) throw new Refusal(1305);
  if (hashes.length > bound) throw new Refusal(1221);
  return hashes;
}

/** Text that no field can contain is not searched, because engines treat it differently. */
export function readSearch(query: URLSearchParams): { readonly text: string | undefined; readonly isPossible: boolean } {
  const text = query.get('search') || undefined;
  return { text, isPossible: text === undefined || (text.length <= fields.long_url.length.max && !text.includes('\0')) };
}

/** A malformed expression is 1305. */
export function readTagExpression(query: URLSearchParams): TagExpression {
  const expression = parseTagExpression(query.get('tags') ?? '');
  if (!expression) throw new Refusal(1305);
  return expression;
}

/** `tags` takes precedence over `hashes` (4.3.9). */
export function selectionKind(query: URLSearchParams): 'hashes' | 'tags' | undefined {
  return query.has('tags') ? 'tags' : query.has('hashes') ? 'hashes' : undefined;
}
