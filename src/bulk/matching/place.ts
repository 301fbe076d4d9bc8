import { shortPrint } from '../../base/fingerprint.ts';
import type { KnownRecord } from './verdict.ts';

/** What the journal keeps of a hash that no link has. */
export const noPlace = '-';

/** Where a hash leads, as the journal keeps it: a fingerprint. */
export function placeOf(record: KnownRecord | null | undefined): string {
  return record ? shortPrint(record.long_url ?? '') : noPlace;
}
