import type { LinkKey } from '../contract/link.ts';
import type { KnownRecord } from './matching/row-verdict.ts';

/** A change that gives the counters of a link another meaning, or the link another name. */
export interface SettledChange {
  readonly kind: 'reset' | 'deleted' | 'renamed';
  /** The row, from 0. */
  readonly row: number;
  /** Without a domain it is on the account's default one, or on the only one. */
  readonly link: LinkKey;
  /** The link right before, where it was read. */
  readonly before: KnownRecord | undefined;
  /** Of a renamed link, as it is now. */
  readonly after: KnownRecord | undefined;
}

/** Receives them before the journal says that they were done: a change of a killed process may come twice, and none is missing. `run` names them together with their rows. */
export type NoteChanges = (run: string, changes: readonly SettledChange[]) => Promise<void>;
