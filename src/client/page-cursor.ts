import { SeenKeys } from './seen-keys.ts';

/** Which rows of a listing are wanted (B81). Neither `limit` nor `all`: one batch of the server's own size. */
export interface Extent {
  /** Rows wanted, however many pages that takes. */
  readonly limit?: number | undefined;
  readonly all?: boolean | undefined;
  /** Rows to skip first. */
  readonly offset?: number | undefined;
  /** Rows asked for in one call; the edition's bound without it. */
  readonly pageSize?: number | undefined;
}

export interface PagingOptions {
  /** Called when the server pages in a way that cannot be followed (F43). */
  warn?(message: string): void;
  /** Whether the rows end where a page is empty, and nowhere else: whatever the server counts (D13). */
  readonly untilEmpty?: boolean | undefined;
}

/** The rows of one page that were not on an earlier one. */
export interface RowsPage<T> {
  readonly rows: readonly T[];
  /** The server's total, unless the rows contradict it. */
  readonly total: number | undefined;
}

/** Part of a query: which rows to read. */
export interface Window {
  readonly offset?: number;
  readonly limit?: number;
}

/** One page as served; `total` can be anything. */
export interface ServedPage<T> {
  readonly rows: readonly T[];
  readonly total: unknown;
}

export interface CursorOptions<T> extends PagingOptions {
  readonly bound: number;
  /** Whether two rows with the same key are always the same row. */
  readonly isDistinct: boolean;
  keyOf(row: T): string;
}

/** The position in a listing, and the total that the server gave. */
export class PageCursor<T> {
  readonly #options: CursorOptions<T>;
  readonly #seen = new SeenKeys();
  readonly #stall = new Stall();
  readonly #first: number;
  readonly #isOneBatch: boolean;
  readonly #pageSize: number | undefined;
  #offset: number;
  #wanted: number;
  #total: number | undefined;
  #atEnd = false;

  constructor({ limit, all, offset = 0, pageSize }: Extent, options: CursorOptions<T>) {
    this.#options = options;
    this.#first = offset;
    this.#offset = offset;
    this.#isOneBatch = limit === undefined && !all;
    this.#pageSize = pageSize ?? (this.#isOneBatch ? undefined : options.bound);
    this.#wanted = limit ?? Number.POSITIVE_INFINITY;
  }

  /** The next part to read; undefined if there are no more rows, or no more are wanted. */
  get window(): Window | undefined {
    if (this.#atEnd || this.#wanted <= 0) return undefined;
    const limit = this.#limit;
    return { ...(this.#offset > 0 && { offset: this.#offset }), ...(limit !== undefined && { limit }) };
  }

  get #limit(): number | undefined {
    return this.#pageSize === undefined ? undefined : Math.min(this.#pageSize, this.#wanted);
  }

  /** Moves past a page. Undefined if the page has no new row and is not the last. */
  take({ rows, total }: ServedPage<T>): RowsPage<T> | undefined {
    const { isDistinct, keyOf, warn } = this.#options;
    const end = this.#offset + rows.length;
    const shift = this.#learn(total, rows.length);
    const unseen = rows.filter((row) => this.#seen.add(keyOf(row)));
    if (rows.length > 0 && this.#stall.isStuck(unseen.length, shift, rows.length)) {
      warn?.('the server repeats the same rows; the listing stops here and may be incomplete');
      this.#atEnd = true;
      return undefined;
    }
    // Deleted rows moved later ones up: the next window begins as many rows before this page.
    const next = shift < 0 ? Math.max(this.#first, this.#offset + shift) : end;
    const isLast = shift < 0 ? next >= end : rows.length === 0 || this.#isAll(rows.length);
    const fresh = isDistinct || shift !== 0 || unseen.length === 0 ? unseen : rows;
    const taken = fresh.length > this.#wanted ? fresh.slice(0, this.#wanted) : fresh;
    this.#wanted -= taken.length;
    this.#offset = next;
    this.#atEnd = isLast || this.#isOneBatch;
    return taken.length > 0 || isLast ? { rows: taken, total: this.#total } : undefined;
  }

  /** Keeps the server's total if the rows do not contradict it. Returns by how much it has changed since the last page. */
  #learn(total: unknown, length: number): number {
    const end = this.#offset + length;
    // After rows that were read, a total of 0 only says that this page is empty.
    const least = length > 0 ? end : Math.min(1, this.#offset - this.#first);
    const known = this.#total;
    if (Number.isSafeInteger(total) && Number(total) >= least) {
      this.#total = Number(total);
      return known === undefined ? 0 : this.#total - known;
    }
    if (known !== undefined && length > 0 && known < end) this.#total = undefined;
    return 0;
  }

  /** Whether the rows end with this page. The total of a first page may be that of the page itself (D13). */
  #isAll(length: number): boolean {
    const end = this.#offset + length;
    if (this.#options.untilEmpty || this.#total === undefined || end < this.#total) return false;
    // A page of the length asked for, or of a round length, may have been cut: the next one is asked for.
    const mayBeCut = this.#offset === 0 && length > 0 && (length === this.#limit || length % 5 === 0);
    return !mayBeCut;
  }
}

/** Detects a server that ignores `offset`: its pages have no new rows (F43). Rows that moved explain some such pages. */
class Stall {
  static readonly #mostPages = 1000;
  #barren = 0;
  #explained = 0;

  isStuck(unseen: number, shift: number, size: number): boolean {
    this.#barren = unseen > 0 ? 0 : this.#barren + 1;
    if (unseen > 0 && shift === 0) this.#explained = 0;
    if (shift !== 0) {
      this.#explained = Math.min(Stall.#mostPages, this.#explained + Math.ceil(Math.abs(shift) / size) + 1);
    }
    return this.#barren > this.#explained;
  }
}
