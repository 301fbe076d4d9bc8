import { type LinkDomains, type LinkKey, linkText } from '../contract/link.ts';
import { type NamedAccount, type NamedFor, readPlaced } from './domain-resolver.ts';
import { parseHash } from './hashes/parse-hash.ts';
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
 * The URLs that are named to be read, each with its domain. The whole file is read first, so that a bad line is reported before
 * the first request. Throws a UsageError.
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
  const { checkHashFile } = await import('./hash-file.ts');
  const file = await checkHashFile(await open(named.path), account, 'reading');
  return { count: file.rows, domains: file.domains, open: () => itemsOf(file) };
}

interface RowFile<Item> {
  open(): AsyncIterable<readonly { readonly item: Item }[]> | Iterable<readonly { readonly item: Item }[]>;
}

/** The items of a file without their lines. */
export async function* itemsOf<Item>({ open }: RowFile<Item>): AsyncGenerator<Item> {
  for await (const rows of open()) for (const { item } of rows) yield item;
}

export interface PlacedOperands {
  readonly targets: readonly LinkKey[];
  readonly domains: LinkDomains;
}

/** The operands of a command line; two spellings of one URL are one. */
export async function placedOperands(
  texts: readonly string[],
  account: NamedAccount,
  use: Exclude<NamedFor, 'listed change'>,
): Promise<PlacedOperands> {
  const links = texts.map(parseHash);
  const { found, placement } = await readPlaced((open) => links.map((link) => open.place(link)), account, use);
  const targets = [...new Map(found.map((link) => [linkText(link), link])).values()];
  return { targets, domains: placement.domains() };
}
