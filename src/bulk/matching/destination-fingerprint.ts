import { isUrlPrint, urlPrint } from '../../link/prints.ts';
import type { KnownRecord } from './row-verdict.ts';

/** The journal's mark for a hash that no link has. */
export const noDestination = '-';

/** The destination of a hash as the journal keeps it. */
export function destinationFingerprint(record: KnownRecord | null | undefined): string {
  return record ? urlPrint(record.long_url) : noDestination;
}

/** True where the link leads where its hash led when that was kept. */
export function hasDestination(place: string | undefined, record: KnownRecord): boolean {
  return isUrlPrint(place, record.long_url);
}
