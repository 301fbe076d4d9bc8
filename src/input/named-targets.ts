import { type LinkDomains, type LinkKey, linkText } from '../contract/link.ts';
import { type LinkUse, type NamedAccount, readWithDomains } from './domain-resolver.ts';
import { parseHash } from './hashes/parse-hash.ts';
import type { Source } from './source.ts';

export type NamedHashes =
  | { readonly kind: 'hashes'; readonly operands: readonly string[] }
  | { readonly kind: 'file'; readonly path: string };

/** Distinct URLs. A file is read again each time and never loaded as a whole. */
export interface NamedTargets {
  readonly count: number;
  readonly domains: LinkDomains;
  open(): Iterable<LinkKey> | AsyncIterable<LinkKey>;
}

/**
 * Finds the domain of each URL. Reads the whole file first, so that a bad line is reported before the first request. Throws a UsageError.
 */
export async function readTargets(
  named: NamedHashes,
  account: NamedAccount,
  open: (path: string) => Promise<Source>,
): Promise<NamedTargets> {
  if (named.kind === 'hashes') {
    const { targets, domains } = await resolveOperands(named.operands, account, 'reading');
    return { count: targets.length, domains, open: () => targets };
  }
  const { checkHashFile } = await import('./hash-file.ts');
  const file = await checkHashFile(await open(named.path), account, 'reading');
  return { count: file.rows, domains: file.domains, open: () => itemsOf(file) };
}

interface RowFile<Item> {
  open(): AsyncIterable<readonly { readonly item: Item }[]> | Iterable<readonly { readonly item: Item }[]>;
}

export async function* itemsOf<Item>({ open }: RowFile<Item>): AsyncGenerator<Item> {
  for await (const rows of open()) for (const { item } of rows) yield item;
}

interface ResolvedOperands {
  readonly targets: readonly LinkKey[];
  readonly domains: LinkDomains;
}

/** Two spellings of one URL count once. */
export async function resolveOperands(
  texts: readonly string[],
  account: NamedAccount,
  use: Exclude<LinkUse, 'listed change'>,
): Promise<ResolvedOperands> {
  const links = texts.map(parseHash);
  const { found, resolver } = await readWithDomains((each) => links.map((link) => each.resolve(link)), account, use);
  const targets = [...new Map(found.map((link) => [linkText(link), link])).values()];
  return { targets, domains: resolver.domains() };
}
