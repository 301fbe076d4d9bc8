import { isUrlPrint, urlPrint } from '../../link/prints.ts';
import type { KnownRecord } from './row-verdict.ts';

/** What the journal keeps of a hash that no link has. */
export const noDestination = '-';

/** Where a hash leads, as the journal keeps it: a fingerprint. */
export function destinationFingerprint(record: KnownRecord | null | undefined): string {
  return record ? urlPrint(record.long_url) : noDestination;
}

/** Whether the link leads where its hash led when that was kept. */
export function hasDestination(place: string | undefined, record: KnownRecord): boolean {
  return isUrlPrint(place, record.long_url);
}
