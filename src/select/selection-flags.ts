import type { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import { flagText, shellWord } from '../base/quoted.ts';
import type { Session } from '../cli/session.ts';
import type { ListSelection } from '../client/pages.ts';
import { thisServer } from '../contract/editions.ts';
import { missingInput } from '../flags/missing-input.ts';
import { givenFlags, once, repeated } from '../flags/values.ts';
import type { NamedHashes } from '../input/domain-resolver.ts';
import type { Purpose } from './selected-links.ts';

/** The flags that select links, equal for all commands. */
export interface SelectionOptions {
  readonly hashesFrom?: string;
  readonly byTags?: string;
  readonly search?: string;
  readonly all?: boolean;
  /** Narrows a selection, but is not one. */
  readonly filter?: readonly string[];
  /** Extends `--search` or all links to all domains. */
  readonly allDomains?: boolean;
}

/** A listing of the server: all links, or those that have the tags and match the text. */
export interface ListedSelection extends Pick<ListSelection, 'tags' | 'search'> {
  readonly kind: 'listing';
}

export type LinkSelection = NamedHashes | ListedSelection;

/** A selection without operands. */
type FlagSelection = Exclude<LinkSelection, { kind: 'hashes' }>;

export const everything: ListedSelection = { kind: 'listing' };

export function isEverything({ tags, search }: ListedSelection): boolean {
  return tags === undefined && search === undefined;
}

/** `all` is the help text of `--all` for a command that lists everything by default. */
export function addSelectionFlags(command: Command, all?: string): void {
  command.argument('[hash...]', 'hashes or short URLs');
  addSelectionOptions(command, all);
}

/** Adds only the options, for a command whose operands are not hashes. */
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
 * Returns the selection of a reading command; the whole listing without flags. `--search` may narrow `--by-tags` here, but not in a
 * change. Throws a UsageError for two selections or an empty one.
 */
export function readSelection(operands: readonly string[], options: SelectionOptions): LinkSelection {
  const { hashesFrom, byTags, search } = options;
  const isNamed = operands.length > 0 || hashesFrom !== undefined;
  if (isNamed) refuseSeveral(waysOf(operands, options));
  // An unset variable must never select everything.
  if (search?.trim() === '') throw new UsageError('--search: the text is empty');
  if (byTags?.trim() === '') throw new UsageError('--by-tags: the tag expression is empty');
  if (hashesFrom !== undefined) return { kind: 'file', path: hashesFrom };
  return isNamed ? { kind: 'hashes', operands } : { kind: 'listing', tags: byTags, search };
}

interface Example {
  /** What can be given instead of links. */
  readonly instead?: string;
  /** What the command needs besides a link. */
  readonly besides?: string;
}

/** Returns the selection of a change. Throws a UsageError unless there is exactly one; a filter is not a selection. */
export function requireSelection(
  operands: readonly string[],
  options: SelectionOptions,
  command: string,
  { instead = '', besides = '' }: Example = {},
): LinkSelection {
  const selection = chosenSelection(operands, options);
  if (selection) return selection;
  if (options.filter) throw new UsageError('--filter narrows a selection: for all links add --all');
  if (options.allDomains) throw new UsageError('--all-domains says where links are selected: for all links add --all');
  throw missingInput("argument 'hash'", {
    command,
    usage: `<hash>...${instead} | --hashes-from <file|-> | --by-tags <expression> | --search <text> | --all`,
    example: `abc${besides}`,
  });
}

/** Like `requireSelection`, but returns undefined if nothing is selected. */
export function chosenSelection(operands: readonly string[], options: SelectionOptions): LinkSelection | undefined {
  const ways = waysOf(operands, options);
  refuseSeveral(ways);
  return ways.length === 0 ? undefined : readSelection(operands, options);
}

/** Throws a UsageError if there is a selection besides `flag`, which names links itself. */
export function refuseSelection(operands: readonly string[], options: SelectionOptions, flag: string): void {
  const { filter, allDomains } = options;
  const [way] = [...waysOf(operands, options), ...givenFlags({ '--filter': filter, '--all-domains': allDomains })];
  if (way !== undefined) throw new UsageError(`specify only one of ${flag} or ${way}`);
}

/** Tag selections act on all domains: the server ignores `domain` (4.1.7). */
export function ignoresDomain(domain: string): string {
  return `tag selections act on all domains, not only on ${domain}`;
}

/**
 * Throws a UsageError if `--domain` or `--all-domains` does not apply. Named links have their own domains.
 */
export function refuseDomainFlags(
  selection: LinkSelection,
  { allDomains }: SelectionOptions,
  { edition, domainNamed }: Session,
  purpose: Purpose,
): void {
  if (domainNamed && selection.kind === 'listing' && selection.tags !== undefined) {
    throw new UsageError(
      'specify only one of --domain or --by-tags: tag selections act on all domains, the server ignores domain',
    );
  }
  if (!allDomains) return;
  if (edition === 'b') throw new UsageError(`--all-domains: ${thisServer('b')} has one domain`);
  const way = selection.kind === 'hashes' ? '<hash>...' : firstFlag(selection);
  // A tag expression selects on all domains anyway, so a command that only shows links accepts the flag.
  const isOther = selection.kind !== 'listing' || (way === '--by-tags' && purpose !== 'show');
  if (domainNamed || isOther) throw new UsageError(`specify only one of --all-domains or ${domainNamed ? '--domain' : way}`);
}

function refuseSeveral(ways: readonly string[]): void {
  if (ways.length > 1) throw new UsageError(`specify only one of ${ways.join(' or ')}`);
}

function waysOf(operands: readonly string[], { hashesFrom, byTags, search, all }: SelectionOptions): string[] {
  const hasOperands = operands.length > 0;
  const ways = { '<hash>...': hasOperands, '--hashes-from': hashesFrom, '--by-tags': byTags, '--search': search, '--all': all };
  return givenFlags(ways);
}

/** Returns the flags of the selection; none for the whole listing. */
function flagsOf(selection: FlagSelection): (readonly [flag: `--${string}`, value: string])[] {
  if (selection.kind === 'file') return [['--hashes-from', selection.path]];
  const { tags, search } = selection;
  return [
    ...(tags === undefined ? [] : [['--by-tags', tags] as const]),
    ...(search === undefined ? [] : [['--search', search] as const]),
  ];
}

/** Returns the first flag of the selection. */
export function firstFlag(selection: FlagSelection): `--${string}` {
  return flagsOf(selection)[0]?.[0] ?? '--all';
}

/** Returns the flags of the selection as typed, quoted for the shell. */
export function selectionFlags(selection: FlagSelection): string[] {
  return flagsOf(selection).map(([flag, value]) => flagText(flag, value));
}

const maxOperands = 3;

/** Returns the selection as typed, for the list of runs. Counts operands beyond the first few. */
export function selectionWords(selection: LinkSelection, filters: readonly string[] = []): string[] {
  const words = selection.kind === 'hashes' ? firstOperands(selection.operands) : selectionFlags(selection);
  return [...(words.length > 0 ? words : ['--all']), ...filters.flatMap((text) => ['--filter', shellWord(text)])];
}

function firstOperands(operands: readonly string[]): string[] {
  const more = operands.length - maxOperands;
  return [...operands.slice(0, maxOperands), ...(more > 0 ? [`and ${more} more`] : [])];
}
