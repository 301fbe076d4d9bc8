import type { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import { type Edition, thisServer } from '../contract/editions.ts';
import { type Field, type FieldName, fields } from '../contract/fields.ts';
import { flagLabels, flagValue, utcDay, valueWarning } from '../input/values.ts';
import { repeated } from './values.ts';

/** The values of field flags as they were typed; what was not given is absent (B12). */
export interface FieldOptions {
  readonly hash?: string;
  readonly newHash?: string;
  readonly url?: string;
  readonly note?: string;
  readonly expires?: string;
  readonly emailStats?: boolean;
  readonly maxClicks?: string;
  readonly tag?: readonly string[];
  readonly addTag?: readonly string[];
  readonly removeTag?: readonly string[];
}

interface FieldFlag {
  readonly flags: readonly string[];
  /** Instead of the field's own; one for each flag where they differ. */
  readonly summary?: string | readonly string[];
}

/** How the fields of the contract are typed. A name differs where the wire's word would mislead: an edit's `custom_hash` is a new hash. */
const fieldFlags: { readonly [U in 'shorten' | 'edit']: { readonly [N in FieldName]?: FieldFlag } } = {
  shorten: {
    custom_hash: { flags: ['--hash <custom>'] },
    note: { flags: ['--note <text>'] },
    tags: { flags: ['-t, --tag <label>'], summary: 'tag to attach; repeatable' },
    expiration_date: { flags: ['--expires <date>'], summary: 'last valid day: YYYY-MM-DD, +30d or never' },
    email_stats: { flags: ['--email-stats', '--no-email-stats'] },
    max_clicks: { flags: ['--max-clicks <n>'] },
  },
  edit: {
    long_url: { flags: ['--url <long-url>'], summary: 'new destination (long_url)' },
    custom_hash: { flags: ['--new-hash <hash>'], summary: 'new hash' },
    note: { flags: ['--note <text>'] },
    tags: {
      flags: ['--add-tag <label>', '--remove-tag <label>'],
      summary: ['tag to attach; repeatable', 'tag to detach; repeatable'],
    },
    expiration_date: { flags: ['--expires <date>'], summary: 'last valid day: YYYY-MM-DD, +30d or never' },
    email_stats: { flags: ['--email-stats', '--no-email-stats'] },
    max_clicks: { flags: ['--max-clicks <n>'] },
  },
};

/** Adds a flag for every field that the call can set. */
export function addFieldFlags(command: Command, use: 'shorten' | 'edit'): void {
  for (const [name, { flags, summary }] of Object.entries(fieldFlags[use])) {
    const field: Field = fields[name as FieldName];
    const lead = field.edition ? `[edition ${field.edition.toUpperCase()}] ` : '';
    for (const [position, flag] of flags.entries()) {
      const text = lead + ((typeof summary === 'object' ? summary[position] : summary) ?? field.summary);
      if (field.kind === 'tags') command.option(flag, text, repeated);
      else command.option(flag, flag.startsWith('--no-') ? `no ${text}` : text);
    }
  }
}

/** What an edit's field is called on the command line, as messages name it. */
export function flagOf(name: FieldName): string {
  return (fieldFlags.edit[name]?.flags[0] ?? name).replace(/ .*/, '');
}

/** The fields that one record can be given, by the flags of either use. */
export type FieldValues = { [N in Exclude<FieldName, 'tags'>]?: ReturnType<typeof flagValue<N>> } & { tags?: string[] };

/**
 * What the flags set, as it goes out: absent stays absent, `--note ''` is empty, `--expires never` is null, an edit's labels
 * are instructions (B12). `now` is in milliseconds. Throws a UsageError for a value that is none, and for a field that the edition does not have (B53).
 */
export function readFieldFlags(options: FieldOptions, { edition, now }: { edition: Edition; now: number }): FieldValues {
  const values: FieldValues = {};
  const custom = options.hash ?? options.newHash;
  if (custom !== undefined)
    values.custom_hash = flagValue('custom_hash', options.hash === undefined ? '--new-hash' : '--hash', custom, now);
  if (options.url !== undefined) values.long_url = flagValue('long_url', '--url', options.url, now);
  if (options.note !== undefined) values.note = flagValue('note', '--note', options.note, now);
  if (options.expires !== undefined) values.expiration_date = flagValue('expiration_date', '--expires', options.expires, now);
  if (options.emailStats !== undefined) values.email_stats = options.emailStats;
  if (options.maxClicks !== undefined) {
    if (edition !== 'a') throw new UsageError(`--max-clicks: ${thisServer(edition)} has no max_clicks`);
    values.max_clicks = flagValue('max_clicks', '--max-clicks', options.maxClicks, now);
  }
  const tags = readLabels(options);
  if (tags.length > 0) values.tags = tags;
  return values;
}

/**
 * The flags of a run, for its journal: what they set, and as it was typed what they count from today. `recall` puts back what they
 * set when the run was begun, perhaps on another day (`D24`).
 */
export function runFlags(
  values: FieldValues,
  { expires }: FieldOptions,
): { options: Record<string, unknown>; recall(options: Readonly<Record<string, unknown>>): void } {
  const typed = expires?.startsWith('+') ? { expiration_date: expires } : undefined;
  return {
    options: { values, typed },
    recall: (options) => void Object.assign(values, options.values),
  };
}

/** What the flags allow and was probably not meant: a date in the past. `now` is in milliseconds. */
export function fieldWarnings({ expiration_date }: FieldValues, now: number): string[] {
  const warning = expiration_date ? valueWarning('expiration_date', expiration_date, utcDay(now)) : undefined;
  return warning === undefined ? [] : [`--expires: ${warning}`];
}

function readLabels({ tag = [], addTag = [], removeTag = [] }: FieldOptions): string[] {
  return [
    ...flagLabels('--tag', tag),
    ...flagLabels('--add-tag', addTag).map((label) => `+${label}`),
    ...flagLabels('--remove-tag', removeTag).map((label) => `-${label}`),
  ];
}
