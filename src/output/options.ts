import type { Format } from '../contract/formats.ts';

/** What flags, environment and profile say about output; what none of them said is absent. */
export interface OutputOptions {
  /** Without it: a table on a terminal, tsv otherwise (B17). */
  readonly format?: Format | undefined;
  /** Names of the columns to show, in this order (B18). */
  readonly fields?: readonly string[] | undefined;
  /** Without it: a header in table and csv, none in tsv (B16, B21). */
  readonly header?: boolean | undefined;
  /** False: full cells in tables, however narrow the terminal (B24). */
  readonly truncate?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  readonly colour?: 'auto' | 'always' | 'never' | undefined;
  readonly progress?: 'auto' | 'plain' | 'none' | undefined;
  /** Guards csv cells in a pipe, too (B21). */
  readonly formulaGuard?: boolean | undefined;
}

/** The format to print in (B17). */
export function chooseFormat({ format }: OutputOptions, terminal: boolean): Format {
  return format ?? (terminal ? 'table' : 'tsv');
}
