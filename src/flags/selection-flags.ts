import type { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import { once } from './values.ts';

/** How URLs that exist are named (CLI 3.5): by hash, by a file of hashes, or by a tag expression. */
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
export function readSelection(operands: readonly string[], options: SelectionOptions): NamedSelection | undefined {
  const { hashesFrom, byTags } = options;
  const ways = waysOf(operands, options);
  if (ways.length > 1) throw new UsageError(`specify only one of ${ways.join(' or ')}`);
  if (byTags !== undefined) {
    // An empty expression must never select everything (CLI 3.5).
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

/** Refuses a selection beside a flag that names URLs otherwise. Throws a UsageError. */
export function refuseSelection(operands: readonly string[], options: SelectionOptions, flag: string): void {
  const [way] = waysOf(operands, options);
  if (way !== undefined) throw new UsageError(`specify only one of ${flag} or ${way}`);
}

function waysOf(operands: readonly string[], { hashesFrom, byTags }: SelectionOptions): string[] {
  return [
    ...(operands.length > 0 ? ['<hash>...'] : []),
    ...(hashesFrom !== undefined ? ['--hashes-from'] : []),
    ...(byTags !== undefined ? ['--by-tags'] : []),
  ];
}
