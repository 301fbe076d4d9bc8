import { folders, type System } from '../../base/system.ts';
import type { DoneChange } from '../../bulk/past-runs/done-change.ts';
import { type DoneRun, readDoneRun } from '../../bulk/past-runs/done-run.ts';
import { runFolders } from '../../bulk/past-runs/run-names.ts';
import { reversalsOf } from '../../bulk/past-runs/undos.ts';
import { foldedHash, type LinkKey, linkText } from '../../contract/link.ts';

/** The links that a run changed and that are restored now. */
export interface RestoredLinks {
  readonly isAll: boolean;
  /** Takes a link as the run named it. */
  has(link: LinkKey): boolean;
}

/**
 * Asks the journals: for each link, the last undo or redo that decided about it counts. A row without a certain outcome does not restore a
 * link, but may have changed it again.
 */
export async function restoredLinks(
  { begin: { run }, undoneBy }: DoneRun,
  domainOf: (change: DoneChange) => Promise<string | undefined>,
  system: System,
): Promise<RestoredLinks> {
  const { state } = folders(system);
  const reversals = undoneBy.length === 0 ? [] : await reversalsOf(run, runFolders(state));
  // A whole undo of the run decided about all links, also about those that it found restored and did not change.
  const whole = reversals.findLastIndex(({ isWhole, undoes }) => isWhole && undoes === run);
  const areRestored = whole >= 0;
  // Servers may show a hash in another case. A link that is taken for another one is looked at once more.
  const nameOf = ({ hash, domain }: LinkKey): string => linkText({ hash: areRestored ? foldedHash(hash) : hash, domain });
  const others = new Set<string>();
  for (const { run: reversal, undoes, isWhole, isUndo } of reversals.slice(whole + 1)) {
    // A whole reversal decided about all that the other run changed, a part only about what it changed itself.
    const decided = await readDoneRun(state, isWhole ? undoes : reversal).catch(() => undefined);
    if (!decided) continue;
    const isDecidedUndo = isWhole ? !isUndo : isUndo;
    for await (const some of decided.changes()) {
      for (const change of some) {
        if (isUndo && !isWhole && !change.isCertain) continue;
        const { link, asked } = change;
        // The hash that an undo gives back is the one that the first run named.
        const hash = isDecidedUndo ? (asked.custom_hash ?? link.hash) : link.hash;
        const name = nameOf({ hash, domain: await domainOf(change) });
        if (isUndo === areRestored) others.delete(name);
        else others.add(name);
      }
    }
  }
  return {
    isAll: areRestored && others.size === 0,
    has: (link) => others.has(nameOf(link)) !== areRestored,
  };
}
