import type { CheckedLink, LinkList } from '../../check/destinations.ts';
import type { CheckSettings } from '../../check/engine.ts';
import type { Verdict } from '../../check/verdict.ts';
import { type OutcomeFile, openFile, type RunOfFiles } from '../results/outcome-files.ts';
import type { RunBeginning } from '../run-plan.ts';

export interface CheckPlan extends Pick<RunBeginning, 'profile' | 'domain' | 'results' | 'overwrite'> {
  readonly what: string;
  /** The typed flags that decide what is requested, and their checksum. The same command resumes the run. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly sha256: string;
  /** `copyTo` writes the links to a new file (0600, fsynced), which is kept with the run. `readLinks` reads it. */
  readonly links: LinkList & { copyTo(path: string): Promise<void> };
  readLinks(path: string): Promise<LinkList>;
  readonly resumes: string | undefined;
  readonly shortUrls: boolean;
  readonly settings: CheckSettings;
}

/** `verdict` is undefined if the check stopped before it. */
export interface CheckedRow {
  readonly link: CheckedLink;
  readonly verdict: Verdict | undefined;
  /** The verdict is about the short URL, not about the destination. */
  readonly shortUrls: boolean;
}

export interface IndexedRow extends CheckedRow {
  readonly index: number;
}

const resultColumns = ['row', 'status', 'hash', 'short_url', 'long_url', 'http_status', 'final_url', 'milliseconds', 'reason'];

export function openCheckResults(path: string, run: RunOfFiles): OutcomeFile<IndexedRow> {
  return openFile(path, run, resultColumns, ({ index, ...row }: IndexedRow) => ({ row: index + 1, ...checkedFields(row) }));
}

/** The columns of a link and its verdict in results and reports. */
export function checkedFields({ link, verdict, shortUrls }: CheckedRow) {
  const { hash, short_url, long_url } = link;
  return {
    status: verdict?.status ?? 'not_sent',
    hash,
    short_url,
    long_url,
    http_status: verdict?.httpStatus,
    // The final URL of a short URL is compared with the destination, so it is shown as it was received.
    final_url: shortUrls ? verdict?.finalUrl : withFragment(verdict?.finalUrl, long_url),
    milliseconds: verdict?.milliseconds,
    reason: verdict?.reason,
  };
}

/** Adds the fragment of the link if the final URL has none. Links with the same destination may have different fragments. */
function withFragment(finalUrl: string | undefined, longUrl = ''): string | undefined {
  const hash = longUrl.indexOf('#');
  return finalUrl === undefined || finalUrl.includes('#') || hash === -1 ? finalUrl : finalUrl + longUrl.slice(hash);
}
