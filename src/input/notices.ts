import type { Target } from './field-values.ts';
import type { ColumnSummary } from './fields/column-report.ts';

/** `column` is the number of the cell, from 1. */
export interface Notice {
  readonly line: number;
  readonly column?: number | undefined;
  readonly reason: string;
  /** The notice is about column names. */
  readonly isAboutColumns?: boolean;
}

/** Receives the notices of a reader. After a problem the reader continues without the row, if possible. */
export interface Notices {
  problem(notice: Notice): void;
  warning(notice: Notice): void;
  /** Receives the fields that the columns set. */
  header(targets: ReadonlySet<Target>): void;
  /** Receives a summary of the column mapping if it needs to be shown; once per form of JSON objects. */
  columns(summary: ColumnSummary): void;
  /** A row has a value that cannot be carried over, in the column of this name. */
  lost(name: string): void;
  /** The host of the short URL of a new link. */
  host(host: string, line: number): void;
}

/** For rows that were checked before. */
export const ignoreNotices: Notices = {
  problem: () => {},
  warning: () => {},
  header: () => {},
  columns: () => {},
  lost: () => {},
  host: () => {},
};

export const maxShownNotices = 20;

/** Bounds the memory. */
export const maxNotices = 10_000;

/** Stores the notices to show and counts the rest. */
export class NoticeList {
  readonly #name: string;
  readonly #most: number;
  readonly #shown: Notice[] = [];
  count = 0;
  isAboutColumns = false;

  constructor(name: string, most = maxShownNotices) {
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
