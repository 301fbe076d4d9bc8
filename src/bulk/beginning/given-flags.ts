import type { BeginLine } from '../journal/lines.ts';
import type { RunIdentity } from '../journal/run-folder.ts';

/** Names the flags in which two command lines for the same rows differ, as people type them. */
export function changedOptions(identity: RunIdentity, begin: BeginLine): string[] {
  const [was, is] = [flagsOf(begin.options), flagsOf(identity.options)];
  return [
    ...(begin.mode === identity.mode ? [] : [`mode ${begin.mode}, now ${identity.mode}`]),
    ...Object.keys({ ...was, ...is })
      .filter((name) => !isSame(was[name], is[name]))
      .flatMap((name) => optionWords[identity.operation]?.[name] ?? optionWords.all[name] ?? name),
  ];
}

interface GivenFlag {
  readonly value: unknown;
  /** As it was typed, where its value depends on the day: `+30d`. */
  readonly typed: unknown;
}

function flagsOf({ values, typed, ...others }: BeginLine['options']): Record<string, GivenFlag> {
  const texts = new Map(membersOf(typed));
  const flags = [...membersOf(others), ...membersOf(values)];
  return Object.fromEntries(flags.map(([name, value]) => [name, { value, typed: texts.get(name) }]));
}

function membersOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function isSame(one: GivenFlag | undefined, other: GivenFlag | undefined): boolean {
  if (one?.typed !== undefined && one.typed === other?.typed) return true;
  return JSON.stringify(one?.value) === JSON.stringify(other?.value);
}

type Words = { readonly [name: string]: string | readonly string[] };

/** Options as people know them; a mode is named as a whole. */
const optionWords: { readonly [O in RunIdentity['operation']]?: Words } & { readonly all: Words } = {
  edit: { tags: '--add-tag or --remove-tag', long_url: '--url', custom_hash: '--new-hash' },
  all: {
    generateHashes: '--generate-hashes',
    onConflict: '--on-conflict',
    mode: [],
    note: '--note',
    tags: '--tag',
    expiration_date: '--expires',
    email_stats: '--email-stats',
    max_clicks: '--max-clicks',
    columns: '--columns',
    date_format: '--date-format',
    tag_separator: '--tag-separator',
    encoding: '--encoding',
    base: '--base',
    clear_empty: '--clear-empty',
    utm: '--utm',
    today: 'dates that count from today',
  },
};
