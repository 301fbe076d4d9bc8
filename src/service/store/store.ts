import type { Edition } from '../../contract/editions.ts';
import type { TagExpression } from '../api/tag-expression.ts';

/** Milliseconds since 1970. */
type Time = number;

/** Edition B has exactly one; others are its former names, without links. */
export interface StoredDomain {
  readonly id: number;
  /** In ASCII. The port depends on the process, but older versions stored it. */
  readonly name: string;
  readonly isDefault: boolean;
  readonly useHttps: boolean;
}

export interface DomainSettings {
  readonly name: string;
  /** Default: as stored; of a new domain false. */
  readonly useHttps?: boolean | undefined;
}

export interface StoredUrl {
  readonly id: number;
  readonly domain: StoredDomain;
  readonly hash: string;
  readonly longUrl: string;
  readonly note: string;
  readonly emailStats: boolean;
  readonly expirationDate: string | null;
  readonly maxClicks: number;
  readonly totalClicks: number;
  readonly uniqueClicks: number;
  readonly lastVisit: Time | null;
  /** Labels as first written, sorted without regard to case. */
  readonly tags: readonly string[];
}

/** The fields that can be set for many URLs at once (4.3.8). */
type SharedFields = Pick<StoredUrl, 'note' | 'emailStats' | 'expirationDate' | 'maxClicks'>;

export interface NewUrl extends SharedFields, Pick<StoredUrl, 'longUrl' | 'tags'> {
  /** Generated if absent. */
  readonly customHash: string | undefined;
}

export interface CreationRules {
  readonly domain: StoredDomain;
  /** The scope in which an equal long URL prevents a new record (4.3.3). */
  readonly duplicates: 'allowed' | 'none in domain' | 'none in account';
  /** Maximum numbers of records in the account and in a calendar month (1220). */
  readonly urlLimit: number;
  readonly monthLimit: number;
  /** Maximum number of existing records that one item may return. */
  readonly existingBound: number;
}

export type Creation =
  | { readonly kind: 'created'; readonly url: StoredUrl }
  | { readonly kind: 'existing'; readonly urls: readonly StoredUrl[] }
  | { readonly kind: 'taken' }
  | { readonly kind: 'over limit' };

export type SharedChanges = Partial<SharedFields>;

export interface UrlChanges extends SharedChanges {
  readonly newHash?: string | undefined;
  readonly longUrl?: string | undefined;
  /** In the given order. */
  readonly tags: readonly { readonly label: string; readonly attach: boolean }[];
}

export interface Edit {
  readonly hash: string;
  readonly changes: UrlChanges;
}

export type EditOutcome =
  | { readonly kind: 'edited'; readonly url: StoredUrl }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'taken' }
  | { readonly kind: 'too many tags' };

/** Per link. Our choice, against calls that would block all others. */
export const maximumTags = 100;

/** URLs of one domain by hash, or URLs of all domains by a tag expression (4.1.7). */
export type Selection =
  | { readonly kind: 'hashes'; readonly domain: StoredDomain; readonly hashes: readonly string[] }
  | { readonly kind: 'tags'; readonly expression: TagExpression };

export type Order = 'created' | 'clicks' | 'hash' | 'modified';

export interface ListQuery {
  readonly from: { readonly kind: 'domain'; readonly domain: StoredDomain } | Extract<Selection, { kind: 'tags' }>;
  readonly search: string | undefined;
  readonly order: Order;
  readonly offset: number;
  readonly limit: number;
}

export interface AddedTag {
  readonly label: string;
  readonly isNew: boolean;
}

export type RenameOutcome = 'renamed' | 'unknown' | 'taken';

/** The number of selected URLs. Undefined for an unknown hash in the list, which cancels the whole operation. */
export type GroupOutcome = number | undefined;

export interface Usage {
  readonly userId: string;
  readonly urls: number;
  readonly callsToday: number;
  readonly urlsThisMonth: number;
}

export interface LogMessage {
  readonly message: string;
  /** The affected short URL. */
  readonly objectUrl?: string | null;
}

export interface StoredLogEntry extends Required<LogMessage> {
  readonly time: Time;
}

/** Creates a log entry from the result of a change. The entry is stored with the change. */
export type Note<Result> = (result: Result) => LogMessage | undefined;

/** The part of a URL that redirects need. */
export type Target = Pick<StoredUrl, 'id' | 'longUrl' | 'expirationDate' | 'maxClicks' | 'totalClicks'>;

/** The clicks of a URL on a UTC day, `YYYY-MM-DD`. */
export interface DayClicks {
  readonly day: string;
  readonly total: number;
  /** Visitors who had not clicked the link before. */
  readonly unique: number;
}

export interface UrlStats extends Pick<StoredUrl, 'totalClicks' | 'uniqueClicks'> {
  /** Those with clicks, the oldest first. */
  readonly days: readonly DayClicks[];
}

export interface Click {
  readonly urlId: number;
  /** Address and user agent, of which only a salted hash is stored. */
  readonly visitor: string;
  readonly time: Time;
  /** `countClick` has already added it to `totalClicks`. */
  readonly isCounted: boolean;
}

/** The number of links of an account that shares the store. */
export interface AccountLinks {
  readonly edition: Edition;
  readonly username: string;
  readonly links: number;
}

/**
 * The persistent state of one account. Each method is atomic for all processes, and its result survives kill -9 once the promise resolves.
 * What reads or changes links rejects with `UnfinishedImport` while another process imports them, and then nothing was done.
 */
export interface Store {
  /**
   * Claims the address, if there is one, and stores the configured domains, which other processes use at once; before that, imports what
   * is to be imported. Only a process that holds its port may call it. Returns the address or domain of another process if that conflicts,
   * and then nothing has changed.
   */
  open(address: string | undefined): Promise<string | undefined>;
  /** The default domain first. Changes by other processes appear within a second. */
  listDomains(): Promise<readonly StoredDomain[]>;
  /** Rejects if the store cannot be used, or not by this version of the program, and with `UnfinishedImport`. */
  ping(): Promise<void>;
  /**
   * Registers the address at which this process serves the links for half a minute: `https://s.ex` or, on this machine alone,
   * `localhost:8787`. Returns the address of another process if that conflicts.
   */
  claimAddress(address: string): Promise<string | undefined>;
  /** Ends the registration of this process. */
  releaseAddress(): Promise<void>;
  /** The currently registered addresses. */
  servedAddresses(): Promise<readonly string[]>;
  /** All accounts of the store that have links; in a folder, those of this edition. */
  listAccounts(): Promise<readonly AccountLinks[]>;
  /** The name of the file of the other edition, if the folder has one. */
  otherFile?(): string | undefined;

  /**
   * Adds to the API calls of a UTC day, `YYYY-MM-DD`, and returns the new number. Changes nothing and returns undefined if that exceeds `limit`. A
   * negative amount is never subtracted twice: if its outcome is unknown, this returns undefined.
   */
  addCalls(day: string, amount: number, limit: number): Promise<number | undefined>;
  usage(): Promise<Usage>;

  createUrls(batch: readonly NewUrl[], rules: CreationRules, note?: Note<readonly Creation[]>): Promise<readonly Creation[]>;
  /** In the order of `hashes`, without unknown ones. */
  findUrls(domain: StoredDomain, hashes: readonly string[]): Promise<readonly StoredUrl[]>;
  findStats(domain: StoredDomain, hash: string): Promise<UrlStats | undefined>;
  listUrls(query: ListQuery): Promise<{ readonly urls: readonly StoredUrl[]; readonly total: number }>;
  /** Applies the edits in order and independently; returns one outcome per edit. */
  editUrls(domain: StoredDomain, edits: readonly Edit[], note?: Note<readonly EditOutcome[]>): Promise<readonly EditOutcome[]>;
  editTagged(expression: TagExpression, changes: SharedChanges, note?: Note<GroupOutcome>): Promise<GroupOutcome>;
  deleteUrls(selection: Selection, note?: Note<GroupOutcome>): Promise<GroupOutcome>;
  resetStats(selection: Selection, note?: Note<GroupOutcome>): Promise<GroupOutcome>;

  /** Sorted without regard to case. */
  listTags(): Promise<readonly string[]>;
  /** Returns the stored label, which is the first spelling. */
  addTag(label: string, note?: Note<AddedTag>): Promise<AddedTag>;
  renameTag(label: string, newLabel: string, note?: Note<RenameOutcome>): Promise<RenameOutcome>;
  /** Returns false for an unknown tag. */
  deleteTag(label: string, note?: Note<boolean>): Promise<boolean>;

  /** The most recent first, none older than 30 days. */
  listLog(offset: number, limit: number): Promise<{ readonly entries: readonly StoredLogEntry[]; readonly total: number }>;

  findTarget(domain: StoredDomain, hash: string): Promise<Target | undefined>;
  /** A caller that does not know whether a group was stored repeats it with the same number, and it is stored once. Numbers increase. */
  recordClicks(clicks: readonly Click[], group: number): Promise<void>;
  /**
   * Increments `totalClicks` of a URL with `max_clicks`; returns false if it has reached its limit or does not exist. Exact across
   * processes. `recordClicks` stores the rest of the click.
   */
  countClick(urlId: number): Promise<boolean>;

  /**
   * Deletes some visitors who were first seen before `day`, of links with ids above `after`. Returns the id to continue with, or undefined
   * at the end.
   */
  forgetVisitors(day: number, after: number): Promise<number | undefined>;

  close(): Promise<void>;
}
