import type { System } from '../../base/system.ts';
import type { BulkRow } from '../results/row-outcome.ts';

/** Milliseconds for which a link is taken to be as it was read. */
const freshFor = 10_000;

/** True where so much time has passed that nothing may be changed by what was read. The clock of the day may jump, so it is not asked. */
export function isAged({ readAt }: Pick<BulkRow, 'readAt'>, { system }: { readonly system: Pick<System, 'elapsed'> }): boolean {
  return readAt !== undefined && system.elapsed() - readAt > freshFor;
}

/** The same row, to be read again in any case. */
export function outdated(row: BulkRow): BulkRow {
  return row.readAt === undefined ? row : { ...row, readAt: Number.NEGATIVE_INFINITY };
}
