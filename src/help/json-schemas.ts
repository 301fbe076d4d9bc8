import { exitCodes, signalCodes } from '../base/errors.ts';
import type { AccountRecord, Counter, DomainRecord, LogEntry, Page, StatsRecord, TagRecord } from '../contract/records.ts';
import { changedHashes, changedUrls, counts, failed, matched, undone, urlMembers } from './link-schemas.ts';
import {
  anything,
  count,
  dateTime,
  flag,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  optionals,
  record,
  type Schema,
  text,
} from './schema-builders.ts';

/** Each schema is complete, so that it can be used alone. */
export function schemaDocument(): Readonly<Record<string, Schema>> {
  return Object.fromEntries(
    Object.entries(outputSchemas).map(([name, schema]) => {
      const title = name.startsWith('--') ? `linkctl ... ${name} -o json` : `linkctl ${name} -o json`;
      return [name, { $schema: 'https://json-schema.org/draft/2020-12/schema', title: titles[name] ?? title, ...schema }];
    }),
  );
}

/** The total is missing if the rows contradict the server's. */
const page = record<Omit<Page, 'total_count'> & { total_count?: number }>({
  results_count: count,
  total_count: optional(count),
  offset: count,
});
const clicks = record<StatsRecord & { short_url?: string; long_url?: string }>({
  hash: text,
  short_url: optional(nullable(text)),
  long_url: optional(nullable(text)),
  total_clicks: count,
  unique_clicks: count,
  daily_clicks: optional(anything),
});
const tag = record<TagRecord>({ label: text });
const changedTags = (done: string): Schema =>
  object({
    tags: listOf({ anyOf: [failed({ label: text }), tag] }),
    summary: object({ rows: count, [done]: count, failed: count, missing: count }),
  });
/** Links that could not be changed come first; their tags stay. */
const removedTags = (done: string): Schema =>
  object({
    [done]: listOf({ anyOf: [failed({ label: text }), tag, undone] }),
    summary: object({ rows: count, [done]: count, failed: count, missing: count, links: optional(count) }),
  });

const account = record<AccountRecord>({
  user_id: text,
  username: text,
  custom_domain: optional(text),
  account_expiration_date: dateTime,
  subscription_plan: text,
  counters: { type: 'object', additionalProperties: record<Counter>({ count: optional(count), limit: { type: 'integer' } }) },
  links: optional(record<NonNullable<AccountRecord['links']>>({ urls: text, stats: text, log: optional(text) })),
});

const domain = record<DomainRecord>({
  domain: text,
  hash_character_set: text,
  hash_generation: text,
  status: text,
  custom_root_page: text,
  custom_404_page: text,
  redirect_code: text,
  use_https: flag,
});

const logEntry = record<LogEntry>({
  message: text,
  time: dateTime,
  type: text,
  satellite_username: nullable(text),
  links: record<LogEntry['links']>({ object_url: nullable(text), help_url: nullable(text) }),
});

const instant: Schema = { type: 'string', format: 'date-time' };
/** `change` is in percent, or null without a previous value; `today` is null if readings are counted. */
const figures = { clicks: count, before: nullable(count), change: nullable({ type: 'integer' }), today: nullable(count) };
const periodLink = { hash: text, short_url: text, long_url: text, tags: listOf(text) };

const edition = oneOf(['a', 'b']);
const setting = object({ profile: text, key: text, value: anything });
const settings = object({ settings: listOf(object({ key: text, value: anything, source: text })) });
const missingLink = failed({ hash: text, domain: optional(text) });
const runMembers = {
  run: text,
  state: oneOf(['finished', 'unfinished', 'damaged', 'unreadable']),
  operation: nullable(oneOf(['shorten', 'edit', 'delete', 'reset', 'apply', 'tags', 'api', 'check'])),
  rows: nullable(count),
  profile: nullable(text),
  input: nullable(text),
  begun: nullable(instant),
  what: nullable(text),
  undo: text,
};

const foundOf = ['ok', 'moved', 'skipped', 'blocked', 'loop', 'unreachable', 'broken', 'wrong', 'not_sent'] as const;
/** With `--only moved` alone, `old_long_url` exists, and `long_url` is null if the new address has a password. The last three fields are missing for links that were not checked. */
const checked = object({
  hash: text,
  short_url: text,
  status: oneOf(foundOf),
  http_status: nullable(count),
  long_url: nullable(text),
  old_long_url: optional(text),
  final_url: nullable(text),
  milliseconds: optional(count),
  reason: optional(text),
});
const checkSummary = object({
  links: count,
  destinations: optional(count),
  ...optionals([...foundOf, 'missing'], count),
  seconds: optional({ type: 'number' }),
});

const titles: { readonly [name: string]: string } = { error: 'an error on stderr, of any command with -o json or jsonl' };

/** An undo deletes, changes or creates links, or restores tags. */
function takenBack(): Schema {
  return {
    anyOf: [
      changedUrls('changed', 'unchanged', 'created', 'existing', 'deleted'),
      changedHashes('deleted', 'deleted'),
      changedTags('restored'),
    ],
  };
}

/** Keys are the words of the command; `error` applies to all commands, `--dry-run` to those with a plan. */
const outputSchemas: Readonly<Record<string, Schema>> = {
  shorten: changedUrls('created', 'existing', 'changed', 'skipped'),
  list: object({ urls: listOf({ anyOf: [missingLink, object({ ...urlMembers })] }), page }),
  edit: { anyOf: [changedUrls('changed', 'unchanged'), matched('urls')] },
  rewrite: changedUrls('changed', 'unchanged'),
  check: object({ checks: listOf({ anyOf: [missingLink, checked] }), summary: checkSummary }),
  diff: object({
    differences: listOf({
      anyOf: [
        missingLink,
        object({
          sign: oneOf(['+', '~', '-', '!']),
          hash: text,
          short_url: optional(text),
          field: optional(text),
          before: optional(anything),
          after: optional(anything),
        }),
      ],
    }),
    summary: object({ only_in_file: count, different: count, only_in_account: count, equal: count, refused: count }),
  }),
  apply: changedUrls('created', 'existing', 'changed', 'unchanged', 'deleted'),
  copy: changedUrls('created', 'existing'),
  undo: takenBack(),
  redo: takenBack(),
  delete: { anyOf: [changedHashes('deleted', 'deleted'), matched('deleted')] },
  stats: object({
    stats: listOf({ anyOf: [missingLink, clicks] }),
    summary: object({ urls: count, total_clicks: count }),
  }),
  'stats --record': object({ recorded: object({ links: count, changed: count, new: count, gone: count }), history: text }),
  'stats --since': object({
    clicks: listOf({
      anyOf: [
        object({ ...periodLink, ...figures, unique_clicks: nullable(count), events: listOf(text) }),
        object({ tag: text, links: count, ...figures }),
        object({ host: text, links: count, ...figures }),
        object({ date: text, clicks: nullable(count), so_far: { type: 'boolean' } }),
      ],
    }),
    period: object({
      since: instant,
      until: instant,
      first: instant,
      last: instant,
      before: nullable(instant),
      source: oneOf(['readings', 'daily_clicks']),
    }),
    summary: object({ urls: count, ...figures }),
  }),
  report: object({
    report: text,
    first: instant,
    last: instant,
    before: nullable(instant),
    clicks: count,
    clicks_before: nullable(count),
    links: count,
    expiring: count,
    broken: nullable(count),
  }),
  'stats --reset': { anyOf: [changedHashes('reset', 'reset'), matched('reset')] },
  'tags list': object({ tags: listOf(object({ label: text, links: optional(count) })) }),
  'tags add': changedTags('added'),
  'tags rename': object({ tags: listOf(tag) }),
  'tags delete': removedTags('deleted'),
  'tags merge': removedTags('merged'),
  domains: object({ domains: listOf(domain) }),
  log: object({ log: listOf(logEntry), page }),
  account: object({ account }),
  'auth login': object({ profile: text, base_url: text, username: text, edition, account }),
  'auth status': object({
    profile: nullable(text),
    base_url: optional(text),
    base_url_source: optional(text),
    username: optional(text),
    username_source: optional(text),
    api_key: optional(nullable({ type: 'string', description: 'masked, except for the last characters' })),
    api_key_source: optional(text),
    edition,
    edition_source: optional(text),
    verified: nullable(flag),
  }),
  'auth list': object({
    profiles: listOf(
      object({
        profile: text,
        current: flag,
        base_url: nullable(text),
        username: nullable(text),
        edition: nullable(edition),
        api_key: nullable(text),
      }),
    ),
  }),
  'auth switch': object({ current_profile: text }),
  'auth logout': object({ forgotten: listOf(object({ profile: text })) }),
  'config list': settings,
  'config get': settings,
  'config set': setting,
  'config unset': setting,
  'config path': object({ files: listOf(object({ path: text })) }),
  version: object({ version: text, licenses: optional(text) }),
  'runs list': object({ runs: listOf(object(runMembers)) }),
  'runs show': object({
    ...runMembers,
    undoes: nullable(text),
    mode: nullable(text),
    domain: nullable(text),
    ...counts,
    ...optionals(foundOf, count),
    last_end: nullable(text),
    problem: nullable(text),
    journal: text,
  }),
  'runs verify': object({
    discrepancies: listOf(object({ hash: text, problem: oneOf(['missing', 'changed']), long_url: optional(text) })),
    summary: object({ checked: count, wrong: count }),
  }),
  'runs forget': object({ forgotten: listOf(object({ run: text })) }),
  serve: object({ base_url: text, username: text, api_key_file: text, api_key: optional(text), edition, domains: listOf(text) }),
  '--dry-run': object({
    dry_run: { const: true },
    requests: listOf(object({ method: text, path: text, query: { type: 'object' }, body: anything })),
  }),
  error: object({
    error: object({
      code: { enum: [...Object.values(exitCodes).filter((code) => code !== exitCodes.ok), ...Object.values(signalCodes)] },
      kind: oneOf([...Object.keys(exitCodes).filter((kind) => kind !== 'ok'), 'interrupted']),
      api_code: optional({ type: 'integer' }),
      message: text,
      details: optional(listOf(text)),
      hint: optional(text),
      profile: optional(text),
    }),
  }),
};
