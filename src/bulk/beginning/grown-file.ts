import { UsageError } from '../../base/errors.ts';
import { countOf, hasOwnHashes } from '../journal/journal-state.ts';
import type { RunIdentity } from '../journal/lines.ts';
import { foldRun } from '../journal/run-folder.ts';
import { newestFirst, type RunFolders } from '../past-runs/run-names.ts';
import { keepText, makesSecondLinks, waysText } from '../past-runs/second-links.ts';
import { isUndone } from '../past-runs/undo-chain.ts';
import type { RunInput } from '../run-plan.ts';
import { isRelated } from './left-runs.ts';

/**
 * Throws `UsageError` if a finished run made links for the first rows of this file, which has only grown since, and this run would make
 * second ones or fail at their hashes. A file whose rows were replaced is another input.
 */
export async function assertNotGrown(
  identity: RunIdentity,
  { name, size = 0, sha256OfFirst }: RunInput,
  folders: RunFolders,
): Promise<void> {
  if (!sha256OfFirst || !makesSecondLinks(identity)) return;
  for (const { run, begin } of newestFirst(folders)) {
    const { size: earlier = size, sha256, rows } = begin?.input ?? {};
    if (!begin || earlier >= size || !isRelated(identity, begin, false)) continue;
    const hasHashes = hasOwnHashes(begin);
    if (hasHashes && identity.mode === 'keyed') continue;
    if ((await sha256OfFirst(earlier)) !== sha256) continue;
    const state = await foldRun(run, folders);
    if (!state?.complete || countOf(state, 'created', 'existing') === 0 || (await isUndone(state, folders))) continue;
    throw new UsageError(`${name} has grown since run ${run} shortened its first ${rows === 1 ? 'row' : `${rows} rows`}`, {
      // A hash has only one link.
      hint: (hasHashes ? keepText : waysText)(identity, begin),
    });
  }
}
