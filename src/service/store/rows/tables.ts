/** A table of both engines. Every key begins with the account, so that the data can be distributed. */
export interface Table {
  readonly name: string;
  /** Within the account. */
  readonly key: readonly string[];
  /** Also unique within the account. */
  readonly unique?: readonly string[];
  /** Besides the account. */
  readonly columns: { readonly [name: string]: string };
}

const number = 'BIGINT NOT NULL';
const counter = 'BIGINT NOT NULL DEFAULT 0';
const text = 'TEXT NOT NULL';

/**
 * The tables that an import moves, in its order. The program generates the ids; those of URLs are in order of time (see `../click-days.ts`), so
 * they also are the creation time and the order of listings. Flags are 0 or 1, days are counted from 1970, other times are milliseconds.
 */
export const movedTables: readonly Table[] = [
  {
    name: 'domains',
    key: ['id'],
    unique: ['name'],
    columns: {
      // A process of the build before needs the columns that nothing sets: those of hashes, redirects and pages, and `sequence`.
      ...{ id: number, name: text, position: number, hash_generation: text, redirect_code: text, use_https: number },
      ...{ custom_root_page: text, custom_404_page: text, urls: counter, sequence: counter },
    },
  },
  { name: 'tags', key: ['id'], unique: ['folded'], columns: { id: number, folded: text, label: text } },
  {
    name: 'urls',
    key: ['id'],
    unique: ['domain_id', 'hash'],
    columns: {
      ...{ id: number, domain_id: number, hash: text, long_url: text, long_url_key: number, note: text, email_stats: number },
      ...{ expiration_date: 'TEXT', max_clicks: number, total_clicks: counter, unique_clicks: counter, last_visit: 'BIGINT' },
      // The last day with clicks is here, since a click updates the row anyway: a separate table slows redirects down by a tenth.
      ...{ modified: number, day: counter, day_total: counter, day_fresh: counter },
    },
  },
  { name: 'url_tags', key: ['tag_id', 'url_id'], columns: { tag_id: number, url_id: number } },
  // `seen` is the day of the first click.
  { name: 'visitors', key: ['url_id', 'visitor'], columns: { url_id: number, visitor: number, seen: number } },
  { name: 'daily_clicks', key: ['url_id', 'day'], columns: { url_id: number, day: number, total: number, fresh: number } },
  { name: 'log', key: ['id'], columns: { id: number, time: number, type: text, message: text, object_url: 'TEXT' } },
  { name: 'tallies', key: ['name', 'period'], columns: { name: text, period: text, count: number } },
];

/** The addresses at which processes serve the links, with their leases. */
const addresses: Table = { name: 'addresses', key: ['process'], columns: { process: text, address: text, leased_until: number } };

export const tables: readonly Table[] = [...movedTables, addresses];

export const indexes: readonly string[] = [
  'urls_by_age ON urls (account_id, domain_id, id)',
  'urls_by_long_url ON urls (account_id, long_url_key, id)',
  'tags_by_url ON url_tags (account_id, url_id, tag_id)',
  'log_by_time ON log (account_id, time, id)',
].map((index) => `CREATE INDEX IF NOT EXISTS ${index}`);
