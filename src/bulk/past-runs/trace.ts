import { atomicWrite, type WriteSystem } from '../../files/atomic-write.ts';
import { removeFile } from '../../files/remove-file.ts';
import { type BeginLine, encodeLine } from '../journal/lines.ts';
import { type RunRecord, titleOf } from './run-names.ts';

/** Returns true for what is left of a record that was deleted: that there was a change, so that `undo` does not pass over it. */
export function isTrace({ operation, options }: BeginLine): boolean {
  return operation === 'api' && options.deleted === true;
}

/**
 * Replaces the record of a run by its trace, which is recorded like a call whose changes are unknown. Other processes find one of the two at
 * any time. The caller holds the lock of the run.
 */
export function leaveTrace(begin: BeginLine, { isSmall, journal, images, input: rows }: RunRecord, system: WriteSystem): void {
  const { version, run, order, profile, server, account, edition, domain, input, at } = begin;
  const known = { type: 'begin', version, run, order, profile, server, account, edition, domain, at } as const;
  const what = {
    operation: 'api',
    what: titleOf(begin),
    input: { ...input, rows: 0 },
    options: { deleted: true },
    outputs: [],
  } as const;
  // Its end is as old as the run, so the trace goes when it is no longer needed.
  const lines = [{ ...known, ...what }, { type: 'end', reason: 'complete', at } as const].map(encodeLine);
  atomicWrite(journal, Buffer.concat(lines), system);
  if (!isSmall) for (const path of [images, rows]) removeFile(path);
}
