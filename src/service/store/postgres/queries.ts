export type PostgresValue = string | number | null | readonly (string | number | null)[];

/** What runs statements: a transaction, or a connection on which each is one. Who writes a query names the type of its rows. */
export interface Queries {
  /** A statement written in the source, prepared when first used; `?` for each value. */
  all<Row>(text: string, ...values: PostgresValue[]): Promise<Row[]>;
  first<Row>(text: string, ...values: PostgresValue[]): Promise<Row | undefined>;
  /** Resolves to how many rows it changed. */
  run(text: string, ...values: PostgresValue[]): Promise<number>;
  /** A statement put together at run time. */
  composed<Row>(text: string, values: readonly PostgresValue[]): Promise<Row[]>;
}
