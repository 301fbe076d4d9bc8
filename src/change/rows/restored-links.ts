import { folders, type System } from '../../base/system.ts';
import type { DoneChange } from '../../bulk/past-runs/done-change.ts';
import { type DoneRun, readDoneRun } from '../../bulk/past-runs/done-run.ts';
import { runFolders } from '../../bulk/past-runs/run-names.ts';
import { type Reversal, reversalsOf, sinceWhole } from '../../bulk/past-runs/undos.ts';
import { foldedHash, type LinkKey, linkText } from '../../contract/link.ts';

/** The links that a run changed and that are restored now. */
interface RestoredLinks {
  readonly isAll: boolean;
  /** Takes a link as the run named it. */
  has(link: LinkKey): boolean;
}

type DomainOf = (change: DoneChange) => Promise<string | undefined>;

/**
 * Asks the journals: for each link, the last undo or redo that decided about it counts. A row without a certain outcome does not restore a
 * link, but may have changed it again.
 */
export async function restoredLinks(
  { begin: { run }, undoneBy, changes }: DoneRun,
  domainOf: DomainOf,
  system: System,
): Promise<RestoredLinks> {
  const { state } = folders(system);
  const reversals = undoneBy.length === 0 ? [] : await reversalsOf(run, runFolders(state));
  // A whole undo of the run decided about all links, also about those that it found restored and did not change.
  const { isUndone: areRestored, later } = sinceWhole(reversals, run);
  // Servers may show a hash in another case. A link that is taken for another one is looked at once more.
  const nameOf = ({ hash, domain }: LinkKey): string => linkText({ hash: areRestored ? foldedHash(hash) : hash, domain });
  const others = new Set<string>();
  for (const reversal of later) {
    for await (const link of linksOf(reversal, reversals, state, domainOf)) {
      if (reversal.isUndo === areRestored) others.delete(nameOf(link));
      else others.add(nameOf(link));
    }
  }
  const restored = { isAll: areRestored && others.size === 0, has: (link: LinkKey) => others.has(nameOf(link)) !== areRestored };
  if (!areRestored || restored.isAll) return restored;
  const unknown = new Set(others);
  for await (const some of changes())
    for (const change of some) unknown.delete(nameOf({ ...change.link, domain: await domainOf(change) }));
  // After several renames, the names in the record of an undo can be others than in that of the run.
  return unknown.size === 0 ? restored : { isAll: false, has: () => false };
}

/** Yields the links that a reversal decided about, as the run named them. */
async function* linksOf(
  reversal: Reversal,
  all: readonly Reversal[],
  stateFolder: string,
  domainOf: DomainOf,
): AsyncGenerator<LinkKey> {
  const decided = decidedBy(reversal, all);
  const record = await readDoneRun(stateFolder, decided.run).catch(() => undefined);
  if (!record) return;
  for await (const some of record.changes()) {
    for (const change of some) {
      const { link, asked, isCertain } = change;
      if (reversal.isUndo && decided === reversal && !isCertain) continue;
      // The hash that an undo gives back is the one that the first run named.
      yield { hash: decided.isUndo ? (asked.custom_hash ?? link.hash) : link.hash, domain: await domainOf(change) };
    }
  }
}

/**
 * Returns the reversal whose record names the links that this one decided about: for a part itself; for a whole one the reversal that it
 * undoes, or an earlier one if each of them changed all links of the one before: that one names them as others do.
 */
function decidedBy(reversal: Reversal, all: readonly Reversal[]): Reversal {
  const undone = ({ undoes }: Reversal): Reversal | undefined => all.find(({ run }) => run === undoes);
  let decided = (reversal.isWhole && undone(reversal)) || reversal;
  for (let before = undone(decided); before && decided.isWhole && decided.changed === before.changed; before = undone(decided)) {
    decided = before;
  }
  return decided;
}
