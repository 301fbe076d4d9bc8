import type { Row } from '../report.ts';

/** Rows on their way to stdout in one format. */
export interface RowPrinter {
  /** Takes a row; await what it answers, so that a slow reader slows us down. */
  row(row: Row): Promise<void> | undefined;
  /** Writes what is left. Not complete: the rows ended early, and what was written must still be valid (B22). */
  end(complete: boolean): Promise<void>;
}
