import type { Target } from './field-values.ts';
import type { ColumnSenses } from './fields/column-report.ts';

/** A message about a place in the file; `column` is the number of the cell, from 1. */
export interface Notice {
  readonly line: number;
  readonly column?: number | undefined;
  readonly reason: string;
  /** It is about the names of columns. */
  readonly isAboutColumns?: boolean;
}

/** Where a reader reports what is wrong. After a problem it continues where it can, without the row. */
export interface Notices {
  problem(notice: Notice): void;
  warning(notice: Notice): void;
  /** The names of the columns were read: what they set. */
  header(targets: ReadonlySet<Target>): void;
  /** What the columns of the file were taken for, where that has to be said; once for each form that objects have. */
  columns(senses: ColumnSenses): void;
  /** A row has what cannot be carried over, by the name of its column. */
  lost(name: string): void;
  /** The host of a short URL of a link to be made. */
  host(host: string, line: number): void;
}

/** For rows that were checked before. */
export const silent: Notices = {
  problem: () => {},
  warning: () => {},
  header: () => {},
  columns: () => {},
  lost: () => {},
  host: () => {},
};

export const shownNotices = 20;

/** Nobody reads more, and the memory stays bounded. */
export const mostNotices = 10_000;

/** Keeps as many as are shown and counts the rest. */
export class NoticeList {
  readonly #name: string;
  readonly #most: number;
  readonly #shown: Notice[] = [];
  count = 0;
  isAboutColumns = false;

  constructor(name: string, most = shownNotices) {
    this.#name = name;
    this.#most = most;
  }

  readonly add = (notice: Notice): void => {
    this.count += 1;
    if (notice.isAboutColumns) this.isAboutColumns = true;
    if (this.#shown.length < this.#most) this.#shown.push(notice);
  };

  lines(what: string): string[] {
    const lines = this.#shown
      .toSorted((one, other) => one.line - other.line)
      .map(({ line, column, reason }) => `${[this.#name, line, ...(column === undefined ? [] : [column])].join(':')}: ${reason}`);
    const more = this.count - lines.length;
    return more > 0 ? [...lines, `... and ${more} more ${what}`] : lines;
  }
}
