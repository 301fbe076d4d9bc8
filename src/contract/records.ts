/**
 * The records of the API under their wire names. A member that may be absent, or that only one edition has, is optional; a form that API.md
 * does not show is `unknown`. Servers send more than is listed here, and everything they send passes through untouched. Records that are
 * printed are type aliases because, unlike interfaces, aliases are assignable to the rows of a report.
 */

/** Every record is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `YYYY-MM-DD HH:MM:SS`, UTC (4.1.6). */
export type DateTime = string;

/** `YYYY-MM-DD`. */
export type CalendarDate = string;

/** The `error` object of an envelope or of one item. Code 0 means OK (2.1). */
export interface ErrorRecord {
  code: number;
  message: string;
  /** Only on items. */
  details?: string;
}

/** Undefined if a server sent something else as the error of an item. */
export function readItemError(error: unknown): ErrorRecord | undefined {
  if (!isObject(error) || !Number.isSafeInteger(error.code) || Number(error.code) < 0) return undefined;
  const [message = '', details = ''] = [error.message, error.details].map((text) => (typeof text === 'string' ? text : ''));
  return { code: Number(error.code), message, ...(details && { details }) };
}

/** The members that every response has at its top level (2.1). */
export interface Envelope {
  error: ErrorRecord;
  /** The document shows it only for /domains and /log (9.2); servers send it everywhere. */
  version?: string;
}

/** Some counters have only a limit. */
export interface Counter {
  count?: number;
  limit: number;
}

export type AccountRecord = {
  user_id: string;
  username: string;
  /** Edition B, in the example response only. */
  custom_domain?: string;
  account_expiration_date: DateTime;
  subscription_plan: string;
  /** `urls`, `today_api_calls`, `month_urls`; the set depends on the server's configuration (2.2). */
  counters: { [name: string]: Counter };
  /** Paths of the API. Not in API.md. */
  links?: { urls: string; stats: string; log?: string };
};

/** API.md does not show the form of the values (2.3). */
export interface UrlLinks {
  qr_small: unknown;
  qr_big: unknown;
}

export type UrlRecord = {
  hash: string;
  /** Some servers do not show it on every record. */
  long_url?: string;
  /** Domain and hash, without the protocol. */
  short_url: string;
  /** Edition A. In API.md only in the shortening response; servers send it on every record. */
  short_url_with_protocol?: string;
  total_clicks: number;
  unique_clicks: number;
  /** Edition A, in list reads. */
  last_visit?: DateTime | null;
  note: string;
  email_stats: boolean;
  expiration_date: CalendarDate | null;
  /** Edition A; 0 means no bound. */
  max_clicks?: number;
  /** Some servers send null, or leave it out. */
  tags: string[];
  links: UrlLinks;
  /** In shortening and edit responses. */
  error?: ErrorRecord;
};

/** A possibly partial record, such as one that a journal stores. */
export type KnownRecord = Partial<UrlRecord> & { readonly hash: string };

/** An item that was refused inside a batch: its error and an echo of what was submitted (4.3.1), or of its hash in an edit. */
export interface FailedItem {
  error: ErrorRecord;
  /** Text, unless something else was submitted. */
  long_url?: unknown;
  custom_hash?: unknown;
  hash?: string;
}

/** One entry of the `urls` array in the answer to a shortening or edit call. */
export type UrlItem = UrlRecord | FailedItem;

export type StatsRecord = {
  hash: string;
  total_clicks: number;
  unique_clicks: number;
  /** `{"2023-04-20": {total, unique}}` on some servers. API.md does not have it, so its form is checked where it is used. */
  daily_clicks?: unknown;
};

export type TagRecord = {
  /** Compared without regard to case (2.5). */
  label: string;
};

/** Edition A (2.6). API.md does not list the possible values, so they are plain text. */
export type DomainRecord = {
  domain: string;
  hash_character_set: string;
  hash_generation: string;
  status: string;
  custom_root_page: string;
  custom_404_page: string;
  redirect_code: string;
  use_https: boolean;
};

/** Edition A (2.7). */
export type LogEntry = {
  message: string;
  time: DateTime;
  type: string;
  satellite_username: string | null;
  links: { object_url: string | null; help_url: string | null };
};

/** The position of an answer in the whole listing (2.8). */
export interface Page {
  results_count: number;
  total_count: number;
  offset: number;
}

/**
 * Stands in an answer for the API key. Nobody writes such a text, so a value that contains it has lost a part, and is not sent. Without white
 * space, which URLs encode.
 */
export const removedKey = '[API-key-removed-by-linkctl]';

/** Finds the mark also where its brackets are percent-encoded. */
export function lacksKey(text: string): boolean {
  return text.includes(removedKey.slice(1, -1));
}

/** Says why a text with the mark is in no request. */
export function keyFault(text: string): string | undefined {
  return lacksKey(text) ? `not sent: ${removedKey} stands for the API key` : undefined;
}
