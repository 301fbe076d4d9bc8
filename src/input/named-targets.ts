import { type LinkDomains, type LinkKey, linkText } from '../contract/link.ts';
import { type LinkUse, type NamedAccount, readWithDomains } from './domain-resolver.ts';
import { parseHash } from './hashes/parse-hash.ts';

export type NamedHashes =
  | { readonly kind: 'hashes'; readonly operands: readonly string[] }
  | { readonly kind: 'file'; readonly path: string };

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
