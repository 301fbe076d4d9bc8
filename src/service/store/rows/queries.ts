export type Value = string | number | null;

/** Lists are for texts of the dialect. */
export type ListedValue = Value | readonly (Value | readonly Value[])[];

/** A text with a `?` per value. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly ListedValue[];
}

/**
 * The ids of the query, or all other ids of the account. Complements stay symbolic because writing one out for a million links takes
 * seconds, while excluding a set from a page does not. The query has the column `id` without duplicates.
 */
export interface IdSet extends Statement {
  readonly complement: boolean;
  /** The number of queries within each other, without the outer one. */
  readonly depth: number;
  /** The same ids, of which some occur several times. */
  readonly repeated?: Statement;
  /** If the set is the URLs with one of these tags. */
  readonly tags?: readonly number[];
  /** If the set is such URLs without others. */
  readonly isDifferenceOfTags?: boolean;
}

/** What an engine says of the sets that it joined. */
export type JoinedSet = Pick<IdSet, 'sql' | 'values' | 'repeated' | 'isDifferenceOfTags'>;

/** The URLs in the set, or all, if there is none, that fulfil the conditions on `u` and the filter of a search. */
export interface Selected {
  readonly set: IdSet | undefined;
  readonly conditions: readonly Statement[];
  readonly filter: Statement | undefined;
}

/** The query of all matching ids, and the query of their number. */
export interface Range extends Statement {
  /** The ids have the order of the page. */
  readonly isOrdered?: boolean;
  /** For `WITH`, in front of the query. */
  readonly table?: Statement;
  readonly total?: Statement;
}

export type SetOperator = 'UNION' | 'UNION ALL' | 'INTERSECT' | 'EXCEPT';

/** Runs statements in a transaction or each on its own. The author of a query names the type of its rows. */
export interface Queries {
  readonly dialect: Dialect;
  /** For texts that hardly vary, which are prepared on first use. */
  all<Row>(text: string, ...values: readonly ListedValue[]): Promise<Row[]>;
  first<Row>(text: string, ...values: readonly ListedValue[]): Promise<Row | undefined>;
  /** Returns the number of changed rows. */
  run(text: string, ...values: readonly ListedValue[]): Promise<number>;
  /** Runs changes, if there are any, that need not see each other; as one statement if each would be a message to a server. */
  together(changes: readonly Statement[]): Promise<void>;
  /** For texts that are built at run time. */
  composed<Row>(statement: Statement): Promise<Row[]>;
}

/** The row of a query that always has one. */
export function only<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('the database has not answered');
  return row;
}

type ColumnType = 'BIGINT' | 'TEXT';

/** All differences between the texts of the engines. */
export interface Dialect {
  /** The clock of the database in milliseconds, because the clocks of processes differ. */
  readonly clock: string;
  /** Sorts text by its bytes. */
  readonly byBytes: string;
  /** Selects the rows whose ids must differ; takes the account. */
  readonly idScope: string;
  /** Follow the table of URLs if it is read by its ids, by its long URLs, or by its domains in the order of ids. */
  readonly byId: string;
  readonly byLongUrl: string;
  readonly byAge: string;
  /** Ends a query of rows of `u` that the transaction will change. */
  readonly forUpdate: string;
  /** The last day of a URL moves to the earlier days when its row gets another day. */
  readonly archivesDays: boolean;
  /** Functions: a list of the values of all rows, and a list of its arguments. */
  readonly jsonAggregate: string;
  readonly jsonList: string;
  /** Ignores the case of ASCII letters; takes a pattern. */
  like(column: string): string;
  /** Takes a list. */
  among(column: string, type: ColumnType): string;
  /** From `FROM` on; takes the list of ids or hashes and the account. The table is `u`. */
  urlsAmong(column: 'id' | 'hash'): string;
  /** Values as a table for `FROM`. */
  table<Column extends string>(
    name: string,
    columns: Readonly<Record<Column, ColumnType>>,
    rows: readonly Readonly<Record<Column, Value>>[],
  ): Statement;
  /** Takes at least two sets and no complements. EXCEPT subtracts all others from the first. */
  join(operator: SetOperator, sets: readonly IdSet[]): JoinedSet;
  /**
   * How the engine finds a page of these URLs and their number, if not by a set of all parts. The rows have these columns of `u` besides
   * the id. `all` are the ids of the account. Without a total it is the size of the set.
   */
  range?(selected: Selected, columns: readonly string[], all: IdSet): Range;
}

/**
 * The condition of a lease of `length` milliseconds that is held. One that ends later than it can was made while the clock was ahead; the
 * slack is for a transaction that is older than the lease, because it waited for a lock.
 */
export function isLeased({ clock }: Pick<Dialect, 'clock'>, length: number): string {
  return `leased_until BETWEEN ${clock} AND ${clock} + ${2 * length}`;
}

/** A list of `jsonAggregate`: JSON, unless the driver or the list around it was parsed with it. */
export type Aggregated<Entry> = string | readonly Entry[] | null;

export function aggregated<Entry>(list: Aggregated<Entry>): readonly Entry[] {
  return typeof list === 'string' ? JSON.parse(list) : (list ?? []);
}

/** A list per column with the values of all rows, which the engines make faster than a list per row. */
export type Columns<Row extends readonly unknown[]> = Aggregated<Aggregated<Row[number]>>;

export function rowsOf<Row extends readonly unknown[]>(columns: Columns<Row>): Row[] {
  const lists = aggregated(columns).map(aggregated);
  return (lists[0] ?? []).map((_, index) => lists.map((list) => list[index]) as readonly unknown[] as Row);
}
