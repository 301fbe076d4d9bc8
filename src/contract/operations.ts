import type { Edition } from './editions.ts';
import type {
  AccountRecord,
  CalendarDate,
  DomainRecord,
  LogEntry,
  Page,
  StatsRecord,
  TagRecord,
  UrlItem,
  UrlRecord,
} from './records.ts';

/** Edition A: the working domain of the call (4.1.7). Without it the server uses the default domain. */
interface Domain {
  domain?: string;
}

/** One URL to shorten (2.3). */
export interface ShortenItem {
  long_url: string;
  custom_hash?: string;
  note?: string;
  email_stats?: boolean;
  expiration_date?: CalendarDate | null;
  /** Edition A. API.md does not list it as input, but servers accept it. */
  max_clicks?: number;
  tags?: string[];
}

/** `custom_hash` is the new hash. The `tags` of an edit are instructions: `+label` attaches and `-label` detaches (2.3). */
export type EditFields = Partial<ShortenItem>;

/** One item of the third edit style (4.3.7). */
export interface EditItem extends EditFields {
  hash: string;
}

/** Selects URLs in a query: hashes separated by commas, or a tag expression (4.1.8, 4.3.9), exactly one of them. */
export type Selection = { hashes: string; tags?: undefined } | { tags: string; hashes?: undefined };

/** API.md does not show the wire form of a flag without a value; any value switches it on. */
interface Duplicates {
  disable_long_url_duplicates?: string;
}

interface ListQuery extends Domain {
  offset?: number;
  limit?: number;
  search?: string;
  order_by?: string;
  hashes?: string;
  tags?: string;
}

/** Input and result of every call of 4.2, without the envelope. */
export interface Operations {
  getAccount: { path: object; query: object; body: undefined; result: { account: AccountRecord } };
  shortenUrls: { path: object; query: Domain & Duplicates; body: { urls: ShortenItem[] }; result: { urls: UrlItem[] } };
  listUrls: { path: object; query: ListQuery; body: undefined; result: { urls: UrlRecord[]; page: Page } };
  /** The document does not show the body (4.2), so nothing may depend on its form. */
  getUrl: { path: { hash: string }; query: Domain; body: undefined; result: { urls?: unknown } };
  editUrl: { path: { hash: string }; query: Domain; body: { urls: [EditFields] }; result: { urls: UrlItem[] } };
  /** Sets the same fields on every selected URL. With a selection by tags, the answer has no URLs (4.3.8). */
  editSelectedUrls: { path: object; query: Domain & Selection; body: { urls: [EditFields] }; result: { urls?: UrlItem[] } };
  editUrls: { path: object; query: Domain; body: { urls: EditItem[] }; result: { urls: UrlItem[] } };
  deleteUrl: { path: { hash: string }; query: Domain; body: undefined; result: object };
  /** The document lists no `domain` here, while 4.1.7 says that it applies to all operations: it may be sent. */
  deleteUrls: { path: object; query: Domain & Selection; body: undefined; result: object };
  getStats: { path: { hash: string }; query: Domain; body: undefined; result: { stats: StatsRecord[] } };
  resetStats: { path: { hash: string }; query: Domain; body: undefined; result: object };
  /** `domain` as in deleteUrls. */
  resetSelectedStats: { path: object; query: Domain & Selection; body: undefined; result: object };
  listTags: { path: object; query: object; body: undefined; result: { tags: TagRecord[] } };
  addTag: { path: object; query: object; body: { label: string }; result: { tags: TagRecord[] } };
  renameTag: { path: { label: string }; query: object; body: { label: string }; result: { tags: TagRecord[] } };
  /** The document does not show the body. */
  deleteTag: { path: { label: string }; query: object; body: undefined; result: object };
  listDomains: { path: object; query: object; body: undefined; result: { version: string; domains: DomainRecord[] } };
  /** The document mentions "other parameters" without naming them. */
  listLog: {
    path: object;
    query: { offset?: number; limit?: number };
    body: undefined;
    result: { version: string; page: Page; links: { rss_url: string; atom_url: string }; log: LogEntry[] };
  };
}

export type OperationName = keyof Operations;
export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Each `:name` in the path is one percent-encoded segment. */
export interface Endpoint {
  readonly method: Method;
  readonly path: string;
  /** Present if only one edition has the call. */
  readonly edition?: Edition;
  /** Distinguishes operations of the same method and path by the presence of a `hashes` or `tags` parameter. */
  readonly selected?: boolean;
  /** Takes the working domain (4.1.7). */
  readonly domain?: boolean;
}

/** The compiler requires `domain` of the operations with that parameter, and of no others. */
type TakesDomain<O extends OperationName> = 'domain' extends keyof Operations[O]['query'] ? { domain: true } : { domain?: never };

export const endpoints: { readonly [O in OperationName]: Endpoint & TakesDomain<O> } = {
  getAccount: { method: 'GET', path: '/account' },
  shortenUrls: { method: 'POST', path: '/urls', domain: true },
  listUrls: { method: 'GET', path: '/urls', domain: true },
  getUrl: { method: 'GET', path: '/urls/:hash', domain: true },
  editUrl: { method: 'PATCH', path: '/urls/:hash', domain: true },
  editSelectedUrls: { method: 'PATCH', path: '/urls', selected: true, domain: true },
  editUrls: { method: 'PATCH', path: '/urls', selected: false, domain: true },
  deleteUrl: { method: 'DELETE', path: '/urls/:hash', domain: true },
  deleteUrls: { method: 'DELETE', path: '/urls', domain: true },
  getStats: { method: 'GET', path: '/stats/:hash', domain: true },
  resetStats: { method: 'DELETE', path: '/stats/:hash', domain: true },
  resetSelectedStats: { method: 'DELETE', path: '/stats', domain: true },
  listTags: { method: 'GET', path: '/tags' },
  addTag: { method: 'POST', path: '/tags' },
  renameTag: { method: 'PATCH', path: '/tags/:label' },
  deleteTag: { method: 'DELETE', path: '/tags/:label' },
  listDomains: { method: 'GET', path: '/domains', edition: 'a' },
  listLog: { method: 'GET', path: '/log', edition: 'a' },
};

/** Contains only the parts that the operation has. `bodyText` is the body as JSON, if the caller has already serialized it. */
export type OperationInput<O extends OperationName> = (object extends Operations[O]['path']
  ? { path?: undefined }
  : { path: Operations[O]['path'] }) &
  (object extends Operations[O]['query'] ? { query?: Operations[O]['query'] } : { query: Operations[O]['query'] }) &
  (undefined extends Operations[O]['body']
    ? { body?: undefined }
    : { body: Operations[O]['body']; bodyText?: string | undefined });

export type OperationResult<O extends OperationName> = Operations[O]['result'];
