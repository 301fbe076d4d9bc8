export type PostgresValue = string | number | null | readonly (string | number | null)[];

/** Runs statements in a transaction or each on its own. The author of a query names the type of its rows. */
export interface Queries {
  /** For constant texts, which are prepared on first use; `?` for each value. */
  all<Row>(text: string, ...values: PostgresValue[]): Promise<Row[]>;
  first<Row>(text: string, ...values: PostgresValue[]): Promise<Row | undefined>;
  /** Returns the number of changed rows. */
  run(text: string, ...values: PostgresValue[]): Promise<number>;
  /** For texts that are built at run time. */
  composed<Row>(text: string, values: readonly PostgresValue[]): Promise<Row[]>;
}
