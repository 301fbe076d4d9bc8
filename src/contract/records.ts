/**
 * The records of the API under their wire names. A member that the document says may be absent, or that only one
 * edition has, is optional; a form that it does not show is `unknown`. Servers send more than is listed here
 * (FIELD-NOTES 1 to 6), and whatever they send passes through untouched. Records that are printed are type aliases: unlike interfaces
 * they are rows of a report as they are.
 */

/** `YYYY-MM-DD HH:MM:SS`, UTC (API.md 4.1.6). */
export type DateTime = string;

/** `YYYY-MM-DD`. */
export type CalendarDate = string;

/** The `error` object of an envelope or of one item. Code 0 means OK (2.1). */
export interface ErrorRecord {
  code: number;
  message: string;
  /** On items only. */
  details?: string;
}

/** What every response has at its top level (2.1). */
export interface Envelope {
  error: ErrorRecord;
  /** Shown for /domains and /log only (9.2); real servers send it everywhere. */
  version?: string;
}

/** How many of something there are, and how many are allowed; some counters are a limit alone (FIELD-NOTES 5). */
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
  /** Locations; not shown in API.md (FIELD-NOTES 5). */
  links?: { urls: string; stats: string; log?: string };
};

/** `qr_small` and `qr_big`; the form of their values is not shown (2.3). */
export interface UrlLinks {
  qr_small: unknown;
  qr_big: unknown;
}

export type UrlRecord = {
  hash: string;
  long_url: string;
  /** Domain and hash, without protocol. */
  short_url: string;
  /** Edition A, in the shortening response only by the document; real servers send it on every record (FIELD-NOTES 2). */
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
  tags: string[];
  links: UrlLinks;
  /** In shortening and edit responses. */
  error?: ErrorRecord;
};

/** An item that was refused inside a batch: its error and an echo of what was submitted (4.3.1), or of its hash in an edit. */
export interface FailedItem {
  error: ErrorRecord;
  long_url?: string;
  custom_hash?: string;
  hash?: string;
}

/** One entry of the `urls` array in the answer to a shortening or edit call. */
export type UrlItem = UrlRecord | FailedItem;

export type StatsRecord = {
  hash: string;
  total_clicks: number;
  unique_clicks: number;
  /** `{"2023-04-20": {total, unique}}` of some servers (FIELD-NOTES 4). The API document has none, so its form is checked where it is used. */
  daily_clicks?: unknown;
};

export type TagRecord = {
  /** Compared without regard to case (2.5). */
  label: string;
};

/** Edition A (2.6). The sets of values are not shown, so they are text. */
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

/** The part of a listing that an answer holds (2.8). */
export interface Page {
  results_count: number;
  total_count: number;
  offset: number;
}
