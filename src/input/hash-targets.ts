import { UsageError } from '../errors.ts';
import { type HashOperand, parseHashes, readHashes } from './hashes.ts';
import { openSource, type SourceOptions } from './source.ts';

/** Hashes as named on the command line or in a file. */
export type NamedHashes =
  | { readonly kind: 'hashes'; readonly operands: readonly string[] }
  | { readonly kind: 'file'; readonly path: string };

/**
 * The URLs that are named, each once, each with its domain: its own where a short URL was given, else the working domain. Nothing
 * is answered before the whole file was read: a bad line is told before the first request (B51). Throws a UsageError.
 */
export async function readTargets(named: NamedHashes, domain: DomainInForce, source: SourceOptions): Promise<HashOperand[]> {
  const operands = named.kind === 'hashes' ? parseHashes(named.operands) : await fromFile(named.path, source);
  return operands.map((operand) => placedOn(operand, domain));
}

/** The working domain of the call. */
export interface DomainInForce {
  readonly edition: 'a' | 'b';
  readonly domain: string | undefined;
  /** Named for this call: it must not contradict a short URL. */
  readonly domainNamed: boolean;
}

async function fromFile(path: string, options: SourceOptions): Promise<HashOperand[]> {
  const source = await openSource(path, options);
  try {
    const operands: HashOperand[] = [];
    for await (const some of readHashes(source)) operands.push(...some);
    if (operands.length === 0) throw new UsageError(`${source.name}: no hashes`);
    return operands;
  } finally {
    await source.discard();
  }
}

/** On edition B there is one domain, so a short URL's own says nothing (CLI.md 3.5). */
export function placedOn({ hash, domain: own }: HashOperand, { edition, domain, domainNamed }: DomainInForce): HashOperand {
  if (edition === 'b') return { hash };
  if (own !== undefined && domainNamed && own !== domain) {
    throw new UsageError(`${own}/${hash} is not on --domain ${domain}`);
  }
  const chosen = own ?? domain;
  return chosen === undefined ? { hash } : { hash, domain: chosen };
}
