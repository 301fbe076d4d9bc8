import { type LinkKey, linkText } from '../contract/link.ts';
import { checkHashFile } from './hash-list.ts';
import { type DomainInForce, parseHash, placedOn } from './hashes.ts';
import type { Source } from './source.ts';

/** Hashes as named on the command line or in a file. */
export type NamedHashes =
  | { readonly kind: 'hashes'; readonly operands: readonly string[] }
  | { readonly kind: 'file'; readonly path: string };

/** URLs that are named, each once; a file of them is read again each time, and never held. */
export interface NamedTargets {
  readonly count: number;
  open(): Iterable<LinkKey> | AsyncIterable<LinkKey>;
}

/**
 * The URLs that are named, each with its domain. Nothing is answered before the whole file was read: a bad line is told before the
 * first request (B51). Throws a UsageError.
 */
export async function readTargets(
  named: NamedHashes,
  domain: DomainInForce,
  open: (path: string) => Promise<Source>,
): Promise<NamedTargets> {
  if (named.kind === 'hashes') {
    const operands = placedOperands(named.operands, domain);
    return { count: operands.length, open: () => operands };
  }
  const file = await checkHashFile(await open(named.path), domain);
  async function* items(): AsyncGenerator<LinkKey> {
    for await (const rows of file.open()) for (const { item } of rows) yield item;
  }
  return { count: file.rows, open: items };
}

/** The operands of a command line; two spellings of one URL are one. */
export function placedOperands(texts: readonly string[], domain: DomainInForce): LinkKey[] {
  const placed = texts.map((text) => placedOn(parseHash(text), domain));
  return [...new Map(placed.map((operand) => [linkText(operand), operand])).values()];
}
