import type { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import { shellWord } from '../base/shell-word.ts';
import { once, repeated } from '../flags/values.ts';

/** How links that exist are selected, the same for every command (F1, CLI 3.5). */
export interface SelectionOptions {
  readonly hashesFrom?: string;
  readonly byTags?: string;
  readonly search?: string;
  readonly all?: boolean;
  /** Narrows a selection, and is none (F2). */
  readonly filter?: readonly string[];
  /** Says on which domains a search, or all links, are (F6). */
  readonly allDomains?: boolean;
}

/** One of the ways to name links. */
export type NamedSelection =
  | { readonly kind: 'hashes'; readonly operands: readonly string[] }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'tags'; readonly expression: string };

/** One of the ways to select links, which a filter can narrow. */
export type LinkSelection = NamedSelection | { readonly kind: 'search'; readonly text: string } | { readonly kind: 'all' };

/** `all` is what `--all` means in a command that lists everything without it. */
export function addSelectionFlags(command: Command, all?: string): void {
  command.argument('[hash...]', 'hashes or short URLs');
  addSelectionOptions(command, all);
}

/** The same for a command whose operands are no hashes. */
export function addSelectionOptions(command: Command, all = 'select all links'): void {
  command
    .option('--hashes-from <file>', 'read hashes, short URLs or a listing from <file>; - reads stdin', once)
    .option('--by-tags <expression>', 'select links by tag expression (linkctl help tags)', once)
    .option('--search <text>', 'select links whose long URL, note or hash contains <text>', once)
    .option('--all', all)
    .option('--filter <expression>', 'only links that match; repeatable (linkctl help filters)', repeated)
    .option('--all-domains', '[edition A] cover all domains of the account');
}

/**
 * The links that a reading command names; undefined where it lists them, with or without a search. Throws a UsageError for two ways at
 * once and for an empty one.
 */
export function readSelection(operands: readonly string[], options: SelectionOptions): NamedSelection | undefined {
  const selection = namedSelection(operands, options);
  if (selection && selection.kind !== 'tags') refuseSeveral(waysOf(operands, options));
  return selection;
}

function namedSelection(operands: readonly string[], options: SelectionOptions): NamedSelection | undefined {
  const { hashesFrom, byTags } = options;
  refuseSeveral(waysOf(operands, { hashesFrom, byTags }));
  if (byTags !== undefined) {
    // An empty expression must never select everything (CLI 3.5).
    if (byTags.trim() === '') throw new UsageError('--by-tags: the tag expression is empty');
    return { kind: 'tags', expression: byTags };
  }
  if (hashesFrom !== undefined) return { kind: 'file', path: hashesFrom };
  return operands.length > 0 ? { kind: 'hashes', operands } : undefined;
}

/**
 * The links that a change selects, in exactly one way: without one it cannot be constructed, and a filter is none (F1). Throws a
 * UsageError.
 */
export function requireLinkSelection(operands: readonly string[], options: SelectionOptions, command: string): LinkSelection {
  refuseSeveral(waysOf(operands, options));
  const named = namedSelection(operands, options);
  if (named) return named;
  const { search, all, filter, allDomains } = options;
  if (search !== undefined) {
    if (search.trim() === '') throw new UsageError('--search: the text is empty');
    return { kind: 'search', text: search };
  }
  if (all) return { kind: 'all' };
  if (filter) throw new UsageError('--filter narrows a selection: for all links add --all');
  if (allDomains) throw new UsageError('--all-domains says where links are selected: for all links add --all');
  throw new UsageError(`missing required argument 'hash'`, {
    details: [
      `usage: linkctl ${command} <hash>... | --hashes-from <file|-> | --by-tags <expression> | --search <text> | --all`,
      `example: linkctl ${command} abc`,
    ],
    hint: `linkctl ${command} --help`,
  });
}

/** Whether the line selects links; a filter alone does not. */
export function namesSelection(operands: readonly string[], options: SelectionOptions): boolean {
  return waysOf(operands, options).length > 0;
}

/** Refuses a selection beside a flag that names links otherwise. Throws a UsageError. */
export function refuseSelection(operands: readonly string[], options: SelectionOptions, flag: string): void {
  const [way] = [
    ...waysOf(operands, options),
    ...(options.filter ? ['--filter'] : []),
    ...(options.allDomains ? ['--all-domains'] : []),
  ];
  if (way !== undefined) throw new UsageError(`specify only one of ${flag} or ${way}`);
}

function refuseSeveral(ways: readonly string[]): void {
  if (ways.length > 1) throw new UsageError(`specify only one of ${ways.join(' or ')}`);
}

function waysOf(operands: readonly string[], { hashesFrom, byTags, search, all }: SelectionOptions): string[] {
  return [
    ...(operands.length > 0 ? ['<hash>...'] : []),
    ...(hashesFrom !== undefined ? ['--hashes-from'] : []),
    ...(byTags !== undefined ? ['--by-tags'] : []),
    ...(search !== undefined ? ['--search'] : []),
    ...(all ? ['--all'] : []),
  ];
}

/** The selection as it is typed, for the list of runs. */
export function selectionWords(selection: LinkSelection, filters: readonly string[] = []): string[] {
  return [...wayWords(selection), ...filters.flatMap((text) => ['--filter', shellWord(text)])];
}

function wayWords(selection: LinkSelection): string[] {
  switch (selection.kind) {
    case 'hashes':
      return selection.operands.slice(0, 3);
    case 'file':
      return ['--hashes-from', shellWord(selection.path)];
    case 'tags':
      return ['--by-tags', shellWord(selection.expression)];
    case 'search':
      return ['--search', shellWord(selection.text)];
    case 'all':
      return ['--all'];
  }
}
