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
} from './schema-builders.ts';

const error = record<ErrorRecord>({ code: { type: 'integer' }, message: text, details: optional(text) });

export const urlMembers: Members<UrlRecord> = {
  hash: text,
  long_url: optional(nullable(text)),
  short_url: nullable(text),
  short_url_with_protocol: optional(nullable(text)),
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

/** A row that is missing or was refused. */
export const failed = (asked: Readonly<Record<string, Schema | Optional>>): Schema => object({ ...asked, error });

const position = { line: optional(count) };
/** A row that is not done contains the requested values. */
export const undone = object({
  ...position,
  status: oneOf(['failed', 'unknown', 'not_sent']),
  ...optionals([...fieldNames('shorten', 'a'), ...fieldNames('edit', 'a'), 'hash', 'domain', 'short_url'], anything),
  /** Only of apply. */
  operation: optional(oneOf(['shorten', 'edit', 'delete'])),
  error: optional(error),
});

export const counts = optionals(
  ['created', 'existing', 'changed', 'unchanged', 'deleted', 'reset', 'skipped', 'failed', 'unknown', 'not_sent'],
  count,
);
/** Rows by status. The members after the counts exist only for changes from a file, `guarantee` only for shorten. */
const summary = object({
  rows: count,
  ...counts,
  requests: optional(count),
  seconds: optional({ type: 'number' }),
  surplus: optional(count),
  guarantee: optional(text),
});
/** The server does not name the URLs that a change by tags selected. */
export const matched = (key: string): Schema =>
  object({ [key]: optional({ type: 'array', maxItems: 0 }), tags: text, summary: object({ matched: count }) });

/** Row of an earlier process: the journal has fewer fields than an answer. */
const recordedUrl: Readonly<Record<string, Schema | Optional>> = {
  ...position,
  hash: text,
  short_url: nullable(text),
  short_url_with_protocol: text,
  long_url: optional(nullable(text)),
  note: optional(text),
  email_stats: optional(flag),
  expiration_date: optional(urlMembers.expiration_date),
  max_clicks: optional(count),
  tags: optional(urlMembers.tags),
};
export const changedUrls = (...done: string[]): Schema => {
  const status = oneOf(done);
  // Set if --on-conflict changed the hash.
  const renamed = { renamed_from: optional(text) };
  const [served, recorded] = [
    object({ ...position, status, ...renamed, ...urlMembers }),
    object({ status, ...renamed, ...recordedUrl }),
  ];
  return object({ urls: listOf({ anyOf: [served, recorded, undone] }), summary });
};
const located = { domain: optional(text), short_url: optional(text) };
export const changedHashes = (key: string, done: string): Schema => {
  const status = oneOf([done]);
  // The last two if the run read the links before.
  const [named, served, recorded] = [
    object({ ...position, status, hash: text, ...located }),
    object({ ...position, status, ...urlMembers }),
    object({ status, ...recordedUrl }),
  ];
  return object({ [key]: listOf({ anyOf: [named, served, recorded, undone] }), summary });
};
