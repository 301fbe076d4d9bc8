import { SeenKeys } from '../../base/seen-keys.ts';
import type { DoneChange } from '../../bulk/past-runs/done-change.ts';
import type { DoneRun } from '../../bulk/past-runs/done-run.ts';
import { readLaterRuns } from '../../bulk/past-runs/later-runs.ts';
import type { Session } from '../../cli/session.ts';
import { type LinkKey, linkText } from '../../contract/link.ts';
import { foldersOf } from '../environment.ts';
import type { DomainsOf } from './later-renames.ts';

/** Returns true for a link that is newer than the start of the run, false for an older one, and undefined if nothing shows which it is. */
type NewerTest = (link: LinkKey) => boolean | undefined;

/**
 * Asks the listing which links are newer than a run. Of a link that a later run deleted or certainly made, it shows only when that was made.
 * `chain` has the undos and redos of the run, whose own records say what they made.
 */
export async function newerLinks(
  run: DoneRun,
  { chain, domainsOf }: { readonly chain: ReadonlySet<string>; readonly domainsOf: DomainsOf },
  session: Session,
): Promise<NewerTest> {
  const isNewer = await run.newerLinks(session.client);
  const remade = new SeenKeys();
  const isWanted = (begin: DoneRun['begin']): boolean => !chain.has(begin.run) && mayRemake(begin);
  await readLaterRuns(run.begin, isWanted, foldersOf(session), async (later) => {
    const domainOf = domainsOf(later);
    for await (const some of later.changes()) {
      for (const change of some.filter(isMadeOrDeleted)) {
        const hash = change.before?.hash ?? change.link.hash;
        remade.add(linkText({ hash, domain: await domainOf(change) }));
      }
    }
  });
  return (link) => (remade.has(linkText(link)) ? undefined : isNewer(link.hash));
}

/** A file whose links are made a second time is not read: it may be as long as the run, and a deletion before it has a record. */
function mayRemake({ operation, undoes, input }: DoneRun['begin']): boolean {
  return (
    operation === 'delete' || operation === 'apply' || (operation === 'shorten' && (undoes !== undefined || input.rows === 1))
  );
}

function isMadeOrDeleted({ before, asked, isProven, isCertain }: DoneChange): boolean {
  return before ? Object.keys(asked).length === 0 : isProven === true && isCertain;
}
