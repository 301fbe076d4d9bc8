import { fields } from '../contract/fields.ts';
import { isHash } from './field-rules.ts';
import { Refusal } from './refusal.ts';
import type { Selection, StoredDomain } from './store/store.ts';
import { parseTagExpression, type TagExpression } from './tag-expression.ts';

/** A whole number from 0, or `fallback` where the query has none. Anything else: 1305, as our choice. */
export function readNumber(query: URLSearchParams, name: string, fallback: number): number {
  const text = query.get(name);
  if (text === null || text === '') return fallback;
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number)) throw new Refusal(1305);
  return number;
}

/** The entries of `hashes` (4.1.8), without the blanks around them (V3): 1305 without any, 1221 above the bound. */
export function readHashes(query: URLSearchParams, bound: number): string[] {
  const hashes = (query.get('hashes') ?? '')
    .split(',')
    .map((hash) => hash.trim())
    .filter((hash) => hash !== '');
  if (hashes.length === 0) throw new Refusal(1305);
  if (hashes.length > bound) throw new Refusal(1221);
  return hashes;
}

/** A text to be searched for; undefined for none. One that no field can hold would be understood by each engine in its own way. */
export function readSearch(query: URLSearchParams): { readonly text: string | undefined; readonly isPossible: boolean } {
  const text = query.get('search') || undefined;
  return { text, isPossible: text === undefined || (text.length <= fields.long_url.length.max && !text.includes('\0')) };
}

/** A malformed expression is 1305 (FIELD-NOTES 25). */
export function readTagExpression(query: URLSearchParams): TagExpression {
  const expression = parseTagExpression(query.get('tags') ?? '');
  if (!expression) throw new Refusal(1305);
  return expression;
}

/** Whether URLs are named or described. Where both are there, `tags` wins (4.3.9). */
export function selectionKind(query: URLSearchParams): 'hashes' | 'tags' | undefined {
  return query.has('tags') ? 'tags' : query.has('hashes') ? 'hashes' : undefined;
}

/**
 * What a group operation works on: 1305 without a selection: an empty one must not mean everything. One unknown hash in the list refuses the
 * whole call with 1306: an answer of `{error}` can name none.
 */
export async function readSelection(
  query: URLSearchParams,
  bound: number,
  workingDomain: () => Promise<StoredDomain>,
): Promise<Selection> {
  const kind = selectionKind(query);
  if (kind === undefined) throw new Refusal(1305);
  if (kind === 'tags') return { kind, expression: readTagExpression(query) };
  return hashSelection(await workingDomain(), readHashes(query, bound));
}

/** Of hashes that a link can have: else 1306. */
export function hashSelection(domain: StoredDomain, hashes: readonly string[]): Selection {
  if (!hashes.every(isHash)) throw new Refusal(1306);
  return { kind: 'hashes', domain, hashes };
}
