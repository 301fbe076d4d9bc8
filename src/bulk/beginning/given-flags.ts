import type { BeginLine, RunIdentity } from '../journal/lines.ts';

/** Returns the names of the flags that differ between two command lines for the same rows. */
export function changedOptions(identity: RunIdentity, begin: BeginLine): string[] {
  const [was, is] = [flagsOf(begin.options), flagsOf(identity.options)];
  return [
    ...(begin.mode === identity.mode ? [] : [`mode ${begin.mode}, now ${identity.mode}`]),
    ...Object.keys({ ...was, ...is })
      .filter((name) => was[name]?.typed === undefined || was[name].typed !== is[name]?.typed)
      .filter((name) => was[name]?.value !== is[name]?.value)
      .flatMap((name) => optionWords[identity.operation]?.[name] ?? optionWords.all[name] ?? name),
  ];
}

/** Returns each flag with its value and, if the value depends on the day, its text: `+30d`. */
function flagsOf({ values, typed, ...others }: BeginLine['options']) {
  const texts = new Map(membersOf(typed));
  const flags = [...membersOf(others), ...membersOf(values)];
  return Object.fromEntries(flags.map(([name, value]) => [name, { value: JSON.stringify(value), typed: texts.get(name) }]));
}

function membersOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

type Words = { readonly [name: string]: string | readonly string[] };

/** The flags of recorded options. `mode` has none because it is reported separately. */
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
