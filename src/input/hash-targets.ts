import { type LinkDomains, type LinkKey, linkText } from '../contract/link.ts';
import { checkHashFile, type HashFile } from './hashes/hash-list.ts';
import { parseHash } from './hashes/hashes.ts';
import { createPlacement, domainOfBare, type NamedAccount, type NamedFor } from './placement.ts';
import type { Source } from './source.ts';

/** Hashes as named on the command line or in a file. */
export type NamedHashes =
  | { readonly kind: 'hashes'; readonly operands: readonly string[] }
  | { readonly kind: 'file'; readonly path: string };

/** URLs that are named, each once; a file of them is read again each time, and never held. */
export interface NamedTargets {
  readonly count: number;
  readonly domains: LinkDomains;
  open(): Iterable<LinkKey> | AsyncIterable<LinkKey>;
}

/**
 * The URLs that are named to be read, each with its domain. Nothing is answered before the whole file was read: a bad line is told
 * before the first request (B51). Throws a UsageError.
 */
export async function readTargets(
  named: NamedHashes,
  account: NamedAccount,
  open: (path: string) => Promise<Source>,
): Promise<NamedTargets> {
  if (named.kind === 'hashes') {
    const { targets, domains } = await placedOperands(named.operands, account, 'reading');
    return { count: targets.length, domains, open: () => targets };
  }
  const file = await checkHashFile(await open(named.path), account, 'reading');
  return { count: file.rows, domains: file.domains, open: () => itemsOf(file) };
}

/** The URLs of a file alone. */
export async function* itemsOf(file: HashFile): AsyncGenerator<LinkKey> {
  for await (const rows of file.open()) for (const { item } of rows) yield item;
}

export interface PlacedOperands {
  readonly targets: readonly LinkKey[];
  readonly domains: LinkDomains;
}

/** The operands of a command line; two spellings of one URL are one (D19). */
export async function placedOperands(
  texts: readonly string[],
  account: NamedAccount,
  use: Exclude<NamedFor, 'listed change'>,
): Promise<PlacedOperands> {
  const links = texts.map(parseHash);
  const open = createPlacement(account);
  for (const link of links) open.place(link);
  const placement = createPlacement(account, await domainOfBare(open, account, use));
  const placed = links.map((link) => placement.place(link));
  const targets = [...new Map(placed.map((link) => [linkText(link), link])).values()];
  return { targets, domains: placement.domains() };
}
