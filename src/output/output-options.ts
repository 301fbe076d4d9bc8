import type { Format } from '../contract/formats.ts';

/** Options of flags, environment and profile; undefined if none of them sets one. */
export interface OutputOptions {
  /** Default: table on a terminal, otherwise tsv. */
  readonly format?: Format | undefined;
  /** Names of the columns, in the order of output. */
  readonly fields?: readonly string[] | undefined;
  /** Default: a header in table and csv, none in tsv. */
  readonly header?: boolean | undefined;
  /** False prints full cells on any terminal. */
  readonly truncate?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  readonly colour?: 'auto' | 'always' | 'never' | undefined;
  readonly progress?: 'auto' | 'plain' | 'none' | undefined;
  /** Also guards csv cells in a pipe. */
  readonly formulaGuard?: boolean | undefined;
}

export function chooseFormat({ format }: OutputOptions, terminal: boolean): Format {
  return format ?? (terminal ? 'table' : 'tsv');
}
