import { UsageError } from '../base/errors.ts';
import { type Edition, editions, thisServer } from '../contract/editions.ts';

/** What keeps a shortening run from making a link twice (R 1.2). */
export type ModeName = 'keyed' | 'dedupe' | 'checked';

export interface Mode {
  readonly name: ModeName;
  /** Value of `disable_long_url_duplicates`; checked mode sends none. */
  readonly duplicates?: string | undefined;
  /** Rows without a custom hash are given one. */
  readonly generateHashes: boolean;
}

export type DedupeScope = 'off' | 'account' | 'domain';

export interface ModeRequest {
  readonly edition: Edition;
  readonly rows: number;
  /** Rows that have a custom hash of their own. */
  readonly keyedRows: number;
  readonly dedupe: DedupeScope;
  readonly generateHashes: boolean;
}

/** Picks the mode by what rows and flags offer. Throws `UsageError` for flags that exclude each other or lack in the edition. */
export function chooseMode({ edition, rows, keyedRows, dedupe, generateHashes }: ModeRequest): Mode {
  const { dedupe: values } = editions[edition];
  if (dedupe !== 'off' && generateHashes) {
    throw new UsageError('specify only one of --dedupe and --generate-hashes: custom hashes disable the search for duplicates');
  }
  if (dedupe === 'domain' && values.domain === undefined) {
    throw new UsageError(`--dedupe domain: ${thisServer(edition)} has one domain; use --dedupe account`);
  }
  // 4.3.4 makes a custom hash an idempotency key under any value: what was said, or the narrowest (R-X8).
  if (generateHashes || (rows > 0 && keyedRows === rows)) {
    const said = dedupe === 'off' ? undefined : values[dedupe];
    return { name: 'keyed', duplicates: said ?? values.domain ?? values.account, generateHashes };
  }
  if (dedupe === 'off') return { name: 'checked', generateHashes: false };
  return { name: 'dedupe', duplicates: values[dedupe], generateHashes: false };
}

/** What the mode promises, for the header and the summary. */
export const guarantees: { readonly [M in ModeName]: string } = {
  keyed: 'exactly one link per row, even after failures',
  dedupe: 'at most one new link per long URL; existing means not proven new',
  checked: 'exactly one link per row, unless others create links meanwhile; uncertain rows are unknown',
};
