import { fieldNames } from '../contract/fields.ts';
import type { ErrorRecord, UrlLinks, UrlRecord } from '../contract/records.ts';
import {
  anything,
  count,
  dateTime,
  flag,
  listOf,
  type Members,
  nullable,
  type Optional,
  object,
  oneOf,
  optional,
  optionals,
  record,
  type Schema,
  text,
} from './schema.ts';

const error = record<ErrorRecord>({ code: { type: 'integer' }, message: text, details: optional(text) });

export const urlMembers: Members<UrlRecord> = {
  hash: text,
  long_url: text,
  short_url: text,
  short_url_with_protocol: optional(text),
  total_clicks: count,
  unique_clicks: count,
  last_visit: optional(nullable(dateTime)),
  note: text,
  email_stats: flag,
  expiration_date: nullable({ type: 'string', format: 'date' }),
  max_clicks: optional(count),
  tags: listOf(text),
  links: record<UrlLinks>({ qr_small: optional(anything), qr_big: optional(anything) }),
  error: optional(error),
};

/** A row that is not there, or was refused: what was asked for, and why. */
export const failed = (asked: Readonly<Record<string, Schema | Optional>>): Schema => object({ ...asked, error });

const place = { line: optional(count) };
/** A row that is not done holds what was asked for. */
export const undone = object({
  ...place,
  status: oneOf(['failed', 'unknown', 'not_sent']),
  ...optionals([...fieldNames('shorten', 'a'), ...fieldNames('edit', 'a'), 'hash', 'domain', 'short_url'], anything),
  /** Of apply: what was to be done. */
  operation: optional(oneOf(['shorten', 'edit', 'delete'])),
  error: optional(error),
});

export const counts = optionals(
  ['created', 'existing', 'changed', 'unchanged', 'deleted', 'reset', 'skipped', 'failed', 'unknown', 'not_sent'],
  count,
);
/** Summary of a change: rows by status. Only changes by file have the members below the counts; what is promised of rows, only those that shorten. */
const summary = object({
  rows: count,
  ...counts,
  requests: optional(count),
  seconds: optional({ type: 'number' }),
  surplus: optional(count),
  guarantee: optional(text),
});
/** A change by tags: the server does not name its URLs. */
export const matched = (key: string): Schema =>
  object({ [key]: optional({ type: 'array', maxItems: 0 }), tags: text, summary: object({ matched: count }) });

/** A row that an earlier process of the run did: what the journal kept and what the row asked for. */
const recordedUrl: Readonly<Record<string, Schema | Optional>> = {
  line: count,
  hash: text,
  short_url: text,
  short_url_with_protocol: text,
  long_url: optional(text),
  note: optional(text),
  email_stats: optional(flag),
  expiration_date: optional(urlMembers.expiration_date),
  max_clicks: optional(count),
  tags: optional(urlMembers.tags),
};
export const changedUrls = (...done: string[]): Schema => {
  const status = oneOf(done);
  // Where --on-conflict gave the row another hash.
  const renamed = { renamed_from: optional(text) };
  const [served, recorded] = [
    object({ ...place, status, ...renamed, ...urlMembers }),
    object({ status, ...renamed, ...recordedUrl }),
  ];
  return object({ urls: listOf({ anyOf: [served, recorded, undone] }), summary });
};
/** Members of a URL that was named with its domain. */
const located = { domain: optional(text), short_url: optional(text) };
export const changedHashes = (key: string, done: string): Schema => {
  const status = oneOf([done]);
  // The last two where a run read them before.
  const [named, served, recorded] = [
    object({ ...place, status, hash: text, ...located }),
    object({ ...place, status, ...urlMembers }),
    object({ status, ...recordedUrl }),
  ];
  return object({ [key]: listOf({ anyOf: [named, served, recorded, undone] }), summary });
};
