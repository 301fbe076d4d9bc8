import type { LinkKey } from '../../contract/link.ts';
import type { BulkRow } from '../results/row-outcome.ts';
import type { BulkOperation } from './operation.ts';

/** Returns a function for rows in order. It treats a missing hash as unread if an earlier row renames a link to it, as in a swap. */
export function renamesFollowed({ requestedFields, needsPriorDestination }: BulkOperation) {
  const made = new Set<string>();
  return <Row extends Pick<BulkRow, 'payload' | 'before'>>(row: Row): Row => {
    const { payload, before } = row;
    const { hash = '' }: Partial<LinkKey> = payload;
    const isMade = before === null && made.has(hash);
    const newHash = needsPriorDestination?.(payload) && requestedFields?.(payload).custom_hash;
    if (newHash) made.add(newHash);
    return isMade ? { ...row, before: undefined } : row;
  };
}
