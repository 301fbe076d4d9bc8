import { UnavailableError } from '../base/errors.ts';
import { SeenKeys } from '../base/seen-keys.ts';

/** Without `limit` and `all`: one page of the server's default size. */
export interface Extent {
  /** Maximum number of rows over all pages. */
  readonly limit?: number | undefined;
  readonly all?: boolean | undefined;
  /** Rows to skip. */
  readonly offset?: number | undefined;
  /** Rows per call; the edition's limit by default. */
  readonly pageSize?: number | undefined;
}

export interface PagingOptions {
  /** Called if the listing may be incomplete: the server's paging cannot be followed, or its total promises more rows. */
  warn?(message: string): void;
  /** Reads until a page is empty and ignores the server's total. */
  readonly untilEmpty?: boolean | undefined;
}

/** Rows of one page without those of earlier pages. */
export interface RowsPage<T> {
  readonly rows: readonly T[];
  /** The server's total, unless the rows contradict it. */
  readonly total: number | undefined;
}

export interface Window {
  readonly offset?: number;
  readonly limit?: number;
}

export interface ServedPage<T> {
  readonly rows: readonly T[];
  /** Its members are not checked yet. */
  readonly page: { readonly offset: unknown; readonly total_count: unknown } | null | undefined;
}

export interface CursorOptions<T> extends PagingOptions {
  readonly bound: number;
  /** Set if two rows with the same key are always the same row. */
  readonly isDistinct: boolean;
  keyOf(row: T): string;
}

export class PageCursor<T> {
  readonly #options: CursorOptions<T>;
  /** A row comes twice only if rows have moved since the page before, so the pages right before are enough. */
  readonly #seen = new SeenKeys({ onlyNewest: true });
  readonly #stuckPages = new StuckPageDetector();
  readonly #first: number;
  readonly #isOneBatch: boolean;
  readonly #pageSize: number | undefined;
  #offset: number;
  #wanted: number;
  #total: number | undefined;
  /** A total was beyond the rows so far, so it counts more than the pages that were read. */
  #isTotalAhead = false;
  #hasOverlap = false;
  /** Rows that may come again, because new ones pushed them down or the window moved back. */
  #overlap = 0;
  #margin = 0;
  /** Rows that came again because another row moved up past them, which so was not read. */
  #displaced = 0;
  #atEnd = false;

  constructor({ limit, all, offset = 0, pageSize }: Extent, options: CursorOptions<T>) {
    this.#options = options;
    this.#first = offset;
    this.#offset = offset;
    this.#isOneBatch = limit === undefined && !all;
    this.#pageSize = pageSize ?? (this.#isOneBatch ? undefined : options.bound);
    this.#wanted = limit ?? Number.POSITIVE_INFINITY;
  }

  /** Undefined if no further rows exist or are needed. */
  get window(): Window | undefined {
    if (this.#atEnd || this.#wanted <= 0) return undefined;
    const limit = this.#limit;
    return { ...(this.#offset > 0 && { offset: this.#offset }), ...(limit !== undefined && { limit }) };
  }

  /** If rows move while they are read, most rows of a small page could be known already. */
  get #limit(): number | undefined {
    return this.#pageSize === undefined || this.#hasOverlap ? this.#pageSize : Math.min(this.#pageSize, this.#wanted);
  }

  /** Undefined if the page has no new row and is not the last. */
  take({ rows, page }: ServedPage<T>): RowsPage<T> | undefined {
    const { isDistinct, keyOf, warn } = this.#options;
    if (rows.length > 0) this.#refuseOtherRows(page?.offset);
    const end = this.#offset + rows.length;
    const shift = this.#updateTotal(page?.total_count, rows.length);
    const hasGap = shift < 0 && this.#mayFollowGap(rows[0]);
    const unseen = hasGap ? [] : rows.filter((row) => this.#seen.add(keyOf(row)));
    if (hasGap) this.#goBack(shift);
    const moved = hasGap ? this.#margin - shift : Math.abs(shift);
    if (this.#stuckPages.isStuck(unseen.length, moved, rows.length)) {
      warn?.('the server repeats the same rows; the listing may be incomplete');
      this.#atEnd = true;
      return undefined;
    }
    if (hasGap) return undefined;
    // If the total is credible and nothing but known rows moved to the end, no other row follows.
    const isSettled = unseen.length === 0 && shift !== 0 && end === this.#total;
    const isLast = rows.length === 0 || isSettled || this.#isAll(rows.length);
    this.#countRepeated(rows.length - unseen.length, shift);
    if (isLast) this.#warnIfShort(end - this.#displaced);
    const fresh = isDistinct || shift !== 0 || unseen.length === 0 ? unseen : rows;
    const taken = fresh.length > this.#wanted ? fresh.slice(0, this.#wanted) : fresh;
    this.#wanted -= taken.length;
    this.#goOn(end, shift < 0 ? unseen.length : 0);
    this.#atEnd = isLast || this.#isOneBatch;
    return taken.length > 0 || isLast ? { rows: taken, total: this.#total } : undefined;
  }

  /** If rows were deleted, later rows moved up, perhaps past this window. Nothing was skipped if the window begins with a known row. */
  #mayFollowGap(row: T | undefined): boolean {
    return this.#offset > this.#first && (row === undefined || !this.#seen.has(this.#options.keyOf(row)));
  }

  /** The rows of a page behind a gap are read again, so that they keep their order. */
  #goBack(shift: number): void {
    this.#margin = 2 * Math.max(this.#margin, -shift);
    const next = Math.max(this.#first, this.#offset + shift - this.#margin);
    this.#overlap += this.#offset - next;
    this.#offset = next;
    this.#hasOverlap = true;
  }

  /** While rows are being deleted, each window repeats some rows, so that it begins with a known one. */
  #goOn(end: number, unseen: number): void {
    if (unseen === 0) this.#margin = 0;
    const repeated = Math.min(this.#margin, Math.floor(unseen / 2));
    this.#overlap += repeated;
    this.#offset = end - repeated;
  }

  #countRepeated(count: number, shift: number): void {
    this.#hasOverlap ||= count > 0;
    const expected = this.#overlap + Math.max(0, shift);
    if (this.#options.isDistinct) this.#displaced += Math.max(0, count - expected);
    this.#overlap = Math.max(0, expected - count);
  }

  /** Later pages without new rows are recognized as such, whatever offset the server reports. */
  #refuseOtherRows(offset: unknown): void {
    if (this.#first === 0 || this.#offset !== this.#first || !Number.isSafeInteger(offset) || offset === this.#first) return;
    throw new UnavailableError(`the server ignores the offset ${this.#first}`);
  }

  /** Rows that were deleted meanwhile are not missing: the newest total is compared. */
  #warnIfShort(count: number): void {
    const total = this.#total ?? 0;
    if (count >= total) return;
    const [listed, all] = [count, total].map((one) => one.toLocaleString('en-US'));
    this.#options.warn?.(`the server lists ${listed} of ${all} rows; the listing may be incomplete`);
  }

  /** Keeps the total unless the rows contradict it. Returns its change since the previous page. */
  #updateTotal(total: unknown, length: number): number {
    const end = this.#offset + length;
    // After other pages, a total of 0 only describes this empty page.
    const least = length > 0 ? end : Math.min(1, this.#offset - this.#first);
    const known = this.#total;
    if (Number.isSafeInteger(total) && Number(total) >= least) {
      this.#total = Number(total);
      return known === undefined ? 0 : this.#total - known;
    }
    if (known !== undefined && length > 0 && known < end) this.#total = undefined;
    return 0;
  }

  /** A total may count only the rows so far, so it is not trusted before it has been beyond them. */
  #isAll(length: number): boolean {
    const end = this.#offset + length;
    if (this.#options.untilEmpty || this.#total === undefined) return false;
    this.#isTotalAhead ||= end < this.#total;
    if (this.#isTotalAhead) return end >= this.#total;
    // The next page is requested if such a total was wrong before, or if a first page is of the requested length or of a round length.
    const mayBeCut = this.#offset > this.#first || length === this.#limit || length % 5 === 0;
    return !mayBeCut;
  }
}

/** A server that ignores `offset` sends pages without new rows. Rows that moved explain some such pages. */
class StuckPageDetector {
  static readonly #maxPages = 1000;
  #emptyPages = 0;
  #allowance = 0;

  /** `moved`: maximum number of rows that come again because others were added or deleted. */
  isStuck(unseen: number, moved: number, size: number): boolean {
    this.#emptyPages = unseen > 0 ? 0 : this.#emptyPages + 1;
    if (unseen > 0 && moved === 0) this.#allowance = 0;
    if (moved > 0) {
      this.#allowance = Math.min(StuckPageDetector.#maxPages, this.#allowance + Math.ceil(moved / Math.max(1, size)) + 1);
    }
    return size > 0 && this.#emptyPages > this.#allowance;
  }
}
