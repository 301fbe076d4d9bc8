import { SeenKeys } from '../../base/seen-keys.ts';
import type { DoneRun } from '../../bulk/past-runs/done-run.ts';
import { readLaterRuns } from '../../bulk/past-runs/later-runs.ts';
import type { Session } from '../../cli/session.ts';
import { foldedHash, type LinkKey, linkText } from '../../contract/link.ts';
import { foldersOf } from '../environment.ts';
import type { DomainsOf } from './later-renames.ts';

/** Returns true for a link that is newer than the start of the run, false for an older one, and undefined if nothing shows which it is. */
type NewerTest = (link: LinkKey) => boolean | undefined;

/**
 * Asks the listing which links are newer than a run. Of a link that a later run deleted, it shows only when somebody made it again.
 * `chain` has the undos and redos of the run, whose own records say what they made.
 */
export async function newerLinks(
  run: DoneRun,
  { chain, domainsOf }: { readonly chain: ReadonlySet<string>; readonly domainsOf: DomainsOf },
  session: Session,
): Promise<NewerTest> {
  const isNewer = await run.newerLinks(session.client);
  const deleted = new SeenKeys();
  await readLaterRuns(run.begin, deletions, foldersOf(session), async (later) => {
    if (chain.has(later.begin.run)) return;
    const domainOf = domainsOf(later);
    for await (const some of later.changes()) {
      for (const change of some) {
        const isDeletion = change.before && Object.keys(change.asked).length === 0;
        if (isDeletion) deleted.add(nameOf({ hash: change.link.hash, domain: await domainOf(change) }));
      }
    }
  });
  return (link) => (deleted.has(nameOf(link)) ? undefined : isNewer(link.hash));
}

const deletions = new Set(['delete', 'apply'] as const);

function nameOf({ hash, domain }: LinkKey): string {
  return linkText({ hash: foldedHash(hash), domain });
}
