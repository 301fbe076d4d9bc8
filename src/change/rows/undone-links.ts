import type { DoneChange } from '../../bulk/past-runs/done-change.ts';
import { type DoneRun, newerLinks } from '../../bulk/past-runs/done-run.ts';
import type { Session } from '../../cli/session.ts';
import { recordsOf } from '../../client/named-urls.ts';
import { editions } from '../../contract/editions.ts';
import { type LinkKey, linkText, recordDomain } from '../../contract/link.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { sameUrl } from '../../link/value.ts';
import type { SelectedPage } from '../../select/selected-links.ts';
import type { PlannedLink, PlannedOutcome } from '../decide/outcome.ts';
import { isAlike, type UndoDecision } from '../decide/undo.ts';

interface Reading {
  decide(decision: UndoDecision): PlannedOutcome;
  /** Also undoes fields that have changed since. */
  readonly force: boolean;
  readonly batchSize: number;
  /** Counts rows with an unknown outcome whose links have not changed. */
  readonly pending: PendingRows;
}

/** Number of rows that may still be applied, so that there is nothing to undo yet. */
export interface PendingRows {
  rows: number;
}

/** Reads the current links of a run. A renamed link is read by both hashes. */
export async function* undonePages(
  run: DoneRun,
  { decide, force, batchSize, pending }: Reading,
  { client, currentDomain }: Session,
): AsyncGenerator<SelectedPage<PlannedLink>> {
  const { begin, changes } = run;
  const { severalDomains } = editions[client.edition];
  const domainOf = async ({ link, before }: DoneChange): Promise<string | undefined> => {
    const domain = link.domain ?? begin.domain ?? (before ? recordDomain(before) : undefined);
    if (!severalDomains || domain === undefined) return undefined;
    return await currentDomain(domain);
  };
  /** Hashes that links of a chain release before other links need them. */
  const freed = new Set<string>();
  let read = 0;
  let isNewer: ((hash: string) => boolean) | undefined;
  for await (const done of changes()) {
    if (done.length === 0) continue;
    if (done.some(isToProve)) isNewer ??= await newerLinks(run, client);
    const located = await Promise.all(done.map(async (change) => ({ change, domain: await domainOf(change) })));
    const targets = located.flatMap(({ change, domain }) => oldAndNewHash(change).map((hash) => ({ hash, domain })));
    const find = await recordsOf(client, targets, batchSize);
    read += done.length;
    const links = located.map(({ change, domain }): PlannedLink => {
      const { record, isTaken } = linkNow(change, domain, find, freed);
      const known = isToProve(change) && record && isNewer?.(record.hash) ? { ...change, isProven: true } : change;
      const outcome = decide({ change: known, now: record, isTaken, force });
      if (outcome.kind === 'unchanged' && change.isOpen) pending.rows += 1;
      const target = { hash: record?.hash ?? change.link.hash, domain };
      if (change.isChained && outcome.kind === 'change' && outcome.fields.custom_hash !== undefined) freed.add(linkText(target));
      return { target, record, outcome };
    });
    yield { read, links };
  }
}

/** True if the server reported the link as created but it may have existed before. */
function isToProve({ before, isProven }: DoneChange): boolean {
  return before === undefined && !isProven;
}

/** Returns the hash that the run named, and the new one if it renamed the link. */
function oldAndNewHash({ link: { hash }, asked: { custom_hash } }: DoneChange): string[] {
  return custom_hash === undefined || custom_hash === hash ? [hash] : [hash, custom_hash];
}

/** Finds the current link of a change. `isTaken` is true if another link has its old hash. */
function linkNow(
  { link, asked, before, isCertain }: DoneChange,
  domain: string | undefined,
  find: (target: LinkKey) => UrlRecord | undefined,
  freed: ReadonlySet<string>,
): { record: UrlRecord | undefined; isTaken: boolean } {
  const oldKey = { hash: link.hash, domain };
  const old = find(oldKey);
  if (asked.custom_hash === undefined || asked.custom_hash === link.hash || !before) return { record: old, isTaken: false };
  const renamed = find({ hash: asked.custom_hash, domain });
  // A row in doubt may not have been applied: then the link is unchanged and has its old hash.
  const stayed = old !== undefined && !isCertain && isAlike(before, old);
  if (renamed && !stayed && (!old || sameUrl(renamed.long_url, asked.long_url ?? before.long_url))) {
    return { record: renamed, isTaken: old !== undefined && !freed.has(linkText(oldKey)) };
  }
  // The link no longer has its new hash, so its old hash may belong to another link by now.
  const isBack = old !== undefined && (!isCertain || [before.long_url, asked.long_url].some((url) => sameUrl(old.long_url, url)));
  return { record: isBack ? old : undefined, isTaken: false };
}
