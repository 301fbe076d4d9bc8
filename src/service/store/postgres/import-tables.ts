/** What is moved from a SQLite file, in this order, but for the account itself. Both engines have the same columns. */
export interface MovedTable {
  readonly name: string;
  /** What a row is found by within the account: rows are moved in this order. */
  readonly key: readonly string[];
  readonly numbers: readonly string[];
  readonly texts: readonly string[];
}

export const movedTables: readonly MovedTable[] = [
  {
    name: 'domains',
    key: ['id'],
    numbers: ['id', 'position', 'use_https', 'urls', 'sequence'],
    texts: ['name', 'hash_generation', 'redirect_code', 'custom_root_page', 'custom_404_page'],
  },
  { name: 'tags', key: ['id'], numbers: ['id'], texts: ['folded', 'label'] },
  {
    name: 'urls',
    key: ['id'],
    numbers: [
      ...['id', 'domain_id', 'long_url_key', 'email_stats', 'max_clicks', 'total_clicks', 'unique_clicks', 'last_visit'],
      ...['modified', 'day', 'day_total', 'day_fresh'],
    ],
    texts: ['hash', 'long_url', 'note', 'expiration_date'],
  },
  { name: 'url_tags', key: ['tag_id', 'url_id'], numbers: ['tag_id', 'url_id'], texts: [] },
  { name: 'visitors', key: ['url_id', 'visitor'], numbers: ['url_id', 'visitor', 'seen'], texts: [] },
  { name: 'daily_clicks', key: ['url_id', 'day'], numbers: ['url_id', 'day', 'total', 'fresh'], texts: [] },
  { name: 'log', key: ['id'], numbers: ['id', 'time'], texts: ['type', 'message', 'object_url'] },
  { name: 'tallies', key: ['name', 'period'], numbers: ['count'], texts: ['name', 'period'] },
];

export const columnsOf = ({ numbers, texts }: MovedTable): readonly string[] => [...numbers, ...texts];
