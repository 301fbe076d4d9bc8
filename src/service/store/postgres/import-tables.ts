/** A table to import from SQLite. Both engines have the same columns. */
export interface MovedTable {
  readonly name: string;
  /** The key within the account, which is also the order of the import. */
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
