import { isUrlPrint, urlPrint } from '../../link/prints.ts';
import type { KnownRecord } from './row-verdict.ts';

/** The journal's mark for a hash that no link has. */
export const noDestination = '-';

export function destinationFingerprint(record: KnownRecord | null | undefined): string {
  return record ? urlPrint(record.long_url) : noDestination;
}

export function hasDestination(fingerprint: string | undefined, record: KnownRecord): boolean {
  return isUrlPrint(fingerprint, record.long_url);
}
