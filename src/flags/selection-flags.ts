import type { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import { type Edition, thisServer } from '../contract/editions.ts';
import { once } from './values.ts';

/** How URLs that exist are named (CLI.md 3.5): by hash, by a file of hashes, or by a tag expression. */
export interface SelectionOptions {
  readonly hashesFrom?: string;
  readonly byTags?: string;
}

/** One of the ways to name URLs; there is none that names all of them. */
export type NamedSelection =
  | { readonly kind: 'hashes'; readonly operands: readonly string[] }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'tags'; readonly expression: string };

export function addSelectionFlags(command: Command): void {
  command
    .argument('[hash...]', 'hashes or short URLs')
    .option('--hashes-from <file>', 'read hashes, short URLs or a listing from <file>; - reads stdin', once)
    .option('--by-tags <expression>', 'select links by tag expression (linkctl help tags)');
}

/** The selection of the line; undefined where nothing is named. Throws a UsageError for two ways at once and for an empty one. */
export function readSelection(operands: readonly string[], { hashesFrom, byTags }: SelectionOptions): NamedSelection | undefined {
  const ways = [
    operands.length > 0 && '<hash>...',
    hashesFrom !== undefined && '--hashes-from',
    byTags !== undefined && '--by-tags',
  ].filter(Boolean);
  if (ways.length > 1) throw new UsageError(`specify only one of ${ways.join(' or ')}`);
  if (byTags !== undefined) {
    // An empty expression must never select everything (CLI.md 3.5).
    if (byTags.trim() === '') throw new UsageError('--by-tags: the tag expression is empty');
    return { kind: 'tags', expression: byTags };
  }
  if (hashesFrom !== undefined) return { kind: 'file', path: hashesFrom };
  return operands.length > 0 ? { kind: 'hashes', operands } : undefined;
}

/** The same where something must be named: a change without a selection cannot be constructed. */
export function requireSelection(operands: readonly string[], options: SelectionOptions, command: string): NamedSelection {
  const selection = readSelection(operands, options);
  if (selection) return selection;
  throw new UsageError(`missing required argument 'hash'`, {
    details: [
      `usage: linkctl ${command} <hash>... | --hashes-from <file|-> | --by-tags <expression>`,
      `example: linkctl ${command} abc`,
    ],
    hint: `linkctl ${command} --help`,
  });
}

/** `--all-domains`, of commands that read whole listings (F6). */
export interface DomainsOptions {
  readonly allDomains?: boolean;
}

export function addDomainsFlag(command: Command): void {
  command.option('--all-domains', '[edition A] cover all domains of the account');
}

/** Refuses `--all-domains` beside what names links or a domain. `others` are flags that a listing of several domains has no sense for. */
export function refuseDomains(
  { allDomains }: DomainsOptions,
  { edition, domainNamed }: { readonly edition: Edition; readonly domainNamed: boolean },
  others: { readonly [flag: string]: unknown },
): void {
  if (!allDomains) return;
  if (edition === 'b') throw new UsageError(`--all-domains: ${thisServer('b')} has one domain`);
  const [other] =
    Object.entries({ '--domain': domainNamed || undefined, ...others }).find(([, value]) => value !== undefined) ?? [];
  if (other) throw new UsageError(`specify only one of --all-domains or ${other}`);
}
