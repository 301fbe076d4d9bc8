import type { LinkList } from '../../check/destinations.ts';
import type { CheckSettings } from '../../check/engine.ts';
import type { CheckStatus } from '../../check/verdict.ts';
import type { StopReason } from '../results/row-outcome.ts';
import type { CheckedRow } from './check-results.ts';

export interface CheckPlan {
  readonly what: string;
  /** All that decides what is asked, as it was typed, and its sum: the same command resumes the run. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly sha256: string;
  readonly profile: string | undefined;
  readonly domain: string | undefined;
  readonly links: LinkList & {
    /** Writes them to a new file, 0600 and synced: they are kept with the run. */
    copyTo(path: string): Promise<void>;
  };
  readonly resumes: string | undefined;
  /** Reads links that `copyTo` has written. */
  readLinks(path: string): Promise<LinkList>;
  readonly shortUrls: boolean;
  readonly settings: CheckSettings;
  readonly results?: string | undefined;
  readonly overwrite?: boolean | undefined;
}

export interface CheckSummary {
  /** Links by what was found of them; `not_sent` are those that were not reached. */
  readonly counts: Readonly<Record<CheckStatus | 'not_sent', number>>;
  /** Links that were skipped because the network of this computer or its name server failed: the same command asks them later. */
  readonly offline: number;
  /** Links that were skipped because an address is not public. */
  readonly private: number;
  /** Links that were skipped because their hosts want to be left alone: the same command asks them later. */
  readonly deferred: { readonly links: number; readonly hosts: readonly string[] };
  readonly destinations: number;
  readonly stop: StopReason | undefined;
  readonly milliseconds: number;
}

export interface StartedCheck {
  readonly run: string;
  readonly resumed: boolean;
  readonly destinations: number;
  readonly doneBefore: number;
  readonly left: number;
  readonly hosts: number;
  /** Every link once, in the order of the listing; to be read once. Nothing is asked before, and a reader that leaves early stops the check. */
  readonly rows: AsyncIterable<readonly CheckedRow[]>;
  progress(): CheckProgress;
  summary(): CheckSummary;
}

export interface CheckProgress {
  readonly destinations: number;
  readonly done: number;
  readonly counts: ReadonlyMap<CheckStatus, number>;
}
