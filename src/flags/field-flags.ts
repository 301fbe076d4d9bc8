import type { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import { utcDay } from '../base/times.ts';
import { type Edition, thisServer } from '../contract/editions.ts';
import { type Field, type FieldName, fields } from '../contract/fields.ts';
import { trimmedLabel } from '../contract/tag-label.ts';
import { flagLabels, flagValue, labels, valueWarning } from '../input/field-values.ts';
import { repeated } from './values.ts';

/** Values as typed; undefined if not given. */
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
  readonly field: FieldName;
  readonly flag: string;
  /** Replaces the field's summary. */
  readonly summary?: string;
}

const note: FieldFlag = { field: 'note', flag: '--note <text>' };

const otherFlags: readonly FieldFlag[] = [
  {
    field: 'expiration_date',
    flag: '--expires <date>',
    summary: 'last valid day: YYYY-MM-DD, today, tomorrow, +30d, +6m or never',
  },
  { field: 'email_stats', flag: '--email-stats' },
  { field: 'email_stats', flag: '--no-email-stats' },
  { field: 'max_clicks', flag: '--max-clicks <n>' },
];

/** Some names differ from the wire: `custom_hash` of an edit is a new hash. */
const fieldFlags: { readonly [U in 'shorten' | 'edit']: readonly FieldFlag[] } = {
  shorten: [
    { field: 'custom_hash', flag: '--hash <custom>' },
    note,
    { field: 'tags', flag: '-t, --tag <label>', summary: 'tag to attach; repeatable' },
    ...otherFlags,
  ],
  edit: [
    { field: 'long_url', flag: '--url <long-url>', summary: 'new destination (long_url)' },
    { field: 'custom_hash', flag: '--new-hash <hash>', summary: 'new hash' },
    note,
    { field: 'tags', flag: '--add-tag <label>', summary: 'tag to attach; repeatable' },
    { field: 'tags', flag: '--remove-tag <label>', summary: 'tag to detach; repeatable' },
    ...otherFlags,
  ],
};

export function addFieldFlags(command: Command, use: 'shorten' | 'edit'): void {
  for (const { field: name, flag, summary } of fieldFlags[use]) {
    const field: Field = fields[name];
    const lead = field.edition ? `[edition ${field.edition.toUpperCase()}] ` : '';
    const text = lead + (summary ?? field.summary);
    if (field.kind === 'tags') command.option(flag, text, repeated);
    else command.option(flag, flag.startsWith('--no-') ? `no ${text}` : text);
  }
}

/** Messages use the flags of `edit`. */
export function flagOf(name: FieldName): string {
  const { flag } = fieldFlags.edit.find(({ field }) => field === name) ?? { flag: name };
  return flag.replace(/ .*/, '');
}

export type FieldValues = { [N in Exclude<FieldName, 'tags'>]?: ReturnType<typeof flagValue<N>> } & { tags?: string[] };

interface FieldReader {
  readonly edition: Edition;
  /** Milliseconds since 1970. */
  readonly now: number;
  warn(text: string): Promise<void>;
}

/**
 * Returns wire values: missing stays missing, `--note ''` is empty, `--expires never` is null, tags of an edit are instructions. Warns about
 * a past date. Throws a UsageError for an invalid value and for a field that the edition does not have.
 */
export async function readFieldFlags(options: FieldOptions, { edition, now, warn }: FieldReader): Promise<FieldValues> {
  const { hash, newHash, url, note, expires, emailStats, maxClicks } = options;
  const values: FieldValues = {};
  if (hash !== undefined) values.custom_hash = flagValue('custom_hash', '--hash', hash, now);
  if (newHash !== undefined) values.custom_hash = flagValue('custom_hash', '--new-hash', newHash, now);
  if (url !== undefined) values.long_url = flagValue('long_url', '--url', url, now);
  if (note !== undefined) values.note = flagValue('note', '--note', note, now);
  if (expires !== undefined) values.expiration_date = flagValue('expiration_date', '--expires', expires, now);
  if (emailStats !== undefined) values.email_stats = emailStats;
  if (maxClicks !== undefined) {
    if (edition !== 'a') throw new UsageError(`--max-clicks: ${thisServer(edition)} has no max_clicks`);
    values.max_clicks = flagValue('max_clicks', '--max-clicks', maxClicks, now);
  }
  const tags = readLabels(options);
  if (tags.length > 0) values.tags = tags;
  const date = values.expiration_date;
  const warning = date ? valueWarning('expiration_date', date, utcDay(now)) : undefined;
  if (warning !== undefined) await warn(`--expires: ${warning}`);
  return values;
}

function readLabels({ tag = [], addTag = [], removeTag = [] }: FieldOptions): string[] {
  const [added, removed] = [flagLabels('--add-tag', addTag), flagLabels('--remove-tag', removeTag, labels)];
  const both = removed.find((label) => added.some((other) => trimmedLabel(other) === trimmedLabel(label)));
  if (both !== undefined) throw new UsageError(`--add-tag and --remove-tag: both name ${JSON.stringify(both)}`);
  return [...flagLabels('--tag', tag), ...added.map((label) => `+${label}`), ...removed.map((label) => `-${label}`)];
}
