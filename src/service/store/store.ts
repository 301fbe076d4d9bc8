import type { TagExpression } from '../tag-expression.ts';

/** Milliseconds since 1970. */
export type Time = number;

/** One shortening domain of the account. Edition B has exactly one. */
export interface StoredDomain {
  readonly id: number;
  /** ASCII form; a port is of the process that serves it, but in what older versions stored. */
  readonly name: string;
  readonly isDefault: boolean;
  readonly hashGeneration: 'incremental' | 'random';
  /** The HTTP status of a redirect, as text, as in the API. */
  readonly redirectCode: string;
  readonly useHttps: boolean;
  readonly customRootPage: string;
  readonly custom404Page: string;
}

/** What a domain is set up with; what is left out stays as it is stored, or as a new domain has it. */
export type DomainSettings = { readonly name: string } & Partial<Omit<StoredDomain, 'id' | 'isDefault' | 'name'>>;

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
  /** Labels as first written, ordered without regard to case. */
  readonly tags: readonly string[];
}

export interface NewUrl {
  readonly longUrl: string;
  /** Generated where absent. */
  readonly customHash: string | undefined;
  readonly note: string;
  readonly emailStats: boolean;
  readonly expirationDate: string | null;
  readonly maxClicks: number;
  readonly tags: readonly string[];
}

export interface CreationRules {
  readonly domain: StoredDomain;
  /** Where an equal long URL prevents a new record (4.3.3). */
  readonly duplicates: 'allowed' | 'none in domain' | 'none in account';
  /** Records that the account may hold, and may make in a calendar month (1220). */
  readonly urlLimit: number;
  readonly monthLimit: number;
  /** Existing records that one item may bring back. */
  readonly existingBound: number;
}

/** The outcome of one new URL. */
export type Creation =
  | { readonly kind: 'created'; readonly url: StoredUrl }
  | { readonly kind: 'existing'; readonly urls: readonly StoredUrl[] }
  | { readonly kind: 'taken' }
  | { readonly kind: 'over limit' };

/** The fields that can be set for any number of URLs at once (4.3.8). */
export interface SharedChanges {
  readonly note?: string | undefined;
  readonly emailStats?: boolean | undefined;
  readonly expirationDate?: string | null | undefined;
  readonly maxClicks?: number | undefined;
}

export interface UrlChanges extends SharedChanges {
  readonly newHash?: string | undefined;
  readonly longUrl?: string | undefined;
  /** In the order given. */
  readonly tags: readonly { readonly label: string; readonly attach: boolean }[];
}

export interface Edit {
  readonly hash: string;
  readonly changes: UrlChanges;
}

export type EditOutcome =
  | { readonly kind: 'edited'; readonly url: StoredUrl }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'taken' };

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

/** What a group operation did. With an unknown hash in the list it did nothing at all. */
export type GroupOutcome = { readonly kind: 'done'; readonly count: number } | { readonly kind: 'unknown' };

export interface Usage {
  readonly userId: string;
  readonly urls: number;
  readonly callsToday: number;
  readonly urlsThisMonth: number;
}

export interface StoredLogEntry {
  readonly time: Time;
  readonly type: string;
  readonly message: string;
  readonly objectUrl: string | null;
}

/** What the account log says of a change, by what came of it; the entry is stored with the change. */
export type Note<Result> = (result: Result) => Omit<StoredLogEntry, 'time'> | undefined;

/** What a redirect needs to know of one URL. */
export interface Target {
  readonly id: number;
  readonly longUrl: string;
  readonly expirationDate: string | null;
  readonly maxClicks: number;
  readonly totalClicks: number;
}

/** The clicks of one URL on one UTC day, `YYYY-MM-DD`. */
export interface DayClicks {
  readonly day: string;
  readonly total: number;
  /** Of visitors who had not clicked this link before. */
  readonly unique: number;
}

export interface Click {
  readonly urlId: number;
  /** Address and user agent; only a salted hash of it is kept. */
  readonly visitor: string;
  readonly time: Time;
  /** Whether `countClick` has added it to `totalClicks`. */
  readonly isCounted: boolean;
}

/**
 * Everything that the service remembers of one account. Each method is one atomic step that other processes on the same
 * data see wholly or not at all, and a resolved promise means that a kill -9 no longer loses it.
 */
export interface Store {
  /** The default domain first. Up to a second old, until what another process sets up is seen. */
  listDomains(): Promise<readonly StoredDomain[]>;
  /** Rejects where the store cannot be used, or not by this version of the program. */
  ping(): Promise<void>;
  /**
   * Says for half a minute from now that this process serves the links under an address, `https://s.ex` or, on this machine alone,
   * `localhost:8787`. Not where another process says another public one: then that one.
   */
  claimAddress(address: string): Promise<string | undefined>;
  /** The addresses under which the links are served now. */
  servedAddresses(): Promise<readonly string[]>;

  /** Adds to the API calls of the UTC day of `time`, and gives how many they are then; undefined, and nothing added, above `limit`. */
  addCalls(time: Time, amount: number, limit: number): Promise<number | undefined>;
  usage(): Promise<Usage>;

  createUrls(batch: readonly NewUrl[], rules: CreationRules, note?: Note<readonly Creation[]>): Promise<readonly Creation[]>;
  /** In the order of `hashes`, unknown ones left out. */
  findUrls(domain: StoredDomain, hashes: readonly string[]): Promise<readonly StoredUrl[]>;
  /** A URL and its days with clicks, the oldest first. */
  findStats(
    domain: StoredDomain,
    hash: string,
  ): Promise<{ readonly url: StoredUrl; readonly days: readonly DayClicks[] } | undefined>;
  listUrls(query: ListQuery): Promise<{ readonly urls: readonly StoredUrl[]; readonly total: number }>;
  /** One outcome per edit; edits apply in order, each on its own. */
  editUrls(domain: StoredDomain, edits: readonly Edit[], note?: Note<readonly EditOutcome[]>): Promise<readonly EditOutcome[]>;
  /** Resolves to how many URLs the expression selected. */
  editTagged(expression: TagExpression, changes: SharedChanges, note?: Note<number>): Promise<number>;
  deleteUrls(selection: Selection, note?: Note<GroupOutcome>): Promise<GroupOutcome>;
  resetStats(selection: Selection, note?: Note<GroupOutcome>): Promise<GroupOutcome>;

  /** Ordered without regard to case. */
  listTags(): Promise<readonly string[]>;
  /** The label as it is stored: as first written, where it existed. */
  addTag(label: string, note?: Note<AddedTag>): Promise<AddedTag>;
  renameTag(label: string, newLabel: string, note?: Note<RenameOutcome>): Promise<RenameOutcome>;
  /** Whether there was one. */
  deleteTag(label: string, note?: Note<boolean>): Promise<boolean>;

  /** Most recent first, none older than 30 days. */
  listLog(offset: number, limit: number): Promise<{ readonly entries: readonly StoredLogEntry[]; readonly total: number }>;

  findTarget(domain: StoredDomain, hash: string): Promise<Target | undefined>;
  /** `group` is the number of these clicks: of two calls with the same one, the second, made because the outcome of the first is not known, adds nothing that is stored. */
  recordClicks(clicks: readonly Click[], group?: number): Promise<void>;
  /**
   * Adds one to `totalClicks` of a URL with `max_clicks`, unless it has had as many, or is gone: then false. Exact across processes. What
   * else a click changes comes with `recordClicks`.
   */
  countClick(urlId: number): Promise<boolean>;

  /**
   * Forgets visitors of links after the one with the id `after` who were first seen before `day`: some at a time. Resolves to the link
   * with which to go on, and to undefined after the last one.
   */
  forgetVisitors(day: number, after: number): Promise<number | undefined>;

  close(): Promise<void>;
}
