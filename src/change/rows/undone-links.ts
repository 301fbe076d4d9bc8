import type { DoneChange } from '../../bulk/past-runs/done-change.ts';
import { type DoneRun, newerLinks } from '../../bulk/past-runs/done-run.ts';
import type { Session } from '../../cli/session.ts';
import { recordsOf } from '../../client/named-urls.ts';
import { editions } from '../../contract/editions.ts';
import { type LinkKey, linkText, recordDomain } from '../../contract/link.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { sameUrl } from '../../link/value.ts';
import type { SelectedLink, SelectedPage } from '../../select/selected-links.ts';
import type { PlannedOutcome } from '../decide/outcome.ts';
import { isAlike, type UndoDecision } from '../decide/undo.ts';

/** A link of a run, as it is now, and what is to be done to it. */
export interface UndoneLink extends SelectedLink {
  readonly outcome: PlannedOutcome;
}

interface Reading {
  decide(decision: UndoDecision): PlannedOutcome;
  /** Also what changed since. */
  readonly force: boolean;
  readonly batchSize: number;
  /** Counts the rows in doubt whose links are as they were. */
  readonly doubts: Doubts;
}

/** Rows of a run that may still be applied: there is nothing of them to undo. */
export interface Doubts {
  rows: number;
}

/** Reads the links of a run as they are now: a renamed one by both hashes. */
export async function* undonePages(
  run: DoneRun,
  { decide, force, batchSize, doubts }: Reading,
  { client, currentDomain }: Session,
): AsyncGenerator<SelectedPage<UndoneLink>> {
  const { begin, changes } = run;
  const { severalDomains } = editions[client.edition];
  const domainOf = async ({ link, before }: DoneChange): Promise<string | undefined> => {
    const domain = link.domain ?? begin.domain ?? (before ? recordDomain(before) : undefined);
    if (!severalDomains || domain === undefined) return undefined;
    return await currentDomain(domain);
  };
  /** Hashes that links of a chain give back before others need them. */
  const freed = new Set<string>();
  let read = 0;
  let isNewer: ((hash: string) => boolean) | undefined;
  for await (const done of changes()) {
    if (done.length === 0) continue;
    if (done.some(isToProve)) isNewer ??= await newerLinks(run, client);
    const placed = await Promise.all(done.map(async (change) => ({ change, domain: await domainOf(change) })));
    const targets = placed.flatMap(({ change, domain }) => hashesOf(change).map((hash) => ({ hash, domain })));
    const find = await recordsOf(client, targets, batchSize);
    read += done.length;
    const links = placed.map(({ change, domain }): UndoneLink => {
      const { record, isTaken } = linkNow(change, domain, find, freed);
      const known = isToProve(change) && record && isNewer?.(record.hash) ? { ...change, isProven: true } : change;
      const outcome = decide({ change: known, now: record, isTaken, force });
      if (outcome.kind === 'unchanged' && change.isOpen) doubts.rows += 1;
      const target = { hash: record?.hash ?? change.link.hash, domain };
      if (change.isChained && outcome.kind === 'change' && outcome.fields.custom_hash !== undefined) freed.add(linkText(target));
      return { target, record, outcome };
    });
    yield { read, links };
  }
}

/** The server said that the run made the link, and yet it may have been there. */
function isToProve({ before, isProven }: DoneChange): boolean {
  return before === undefined && !isProven;
}

/** The hash that the run named, and the one that it gave. */
function hashesOf({ link: { hash }, asked: { custom_hash } }: DoneChange): string[] {
  return custom_hash === undefined || custom_hash === hash ? [hash] : [hash, custom_hash];
}

/** Finds the link of a change, and says whether another one has its old hash. */
function linkNow(
  { link, asked, before, isCertain }: DoneChange,
  domain: string | undefined,
  find: (target: LinkKey) => UrlRecord | undefined,
  freed: ReadonlySet<string>,
): { record: UrlRecord | undefined; isTaken: boolean } {
  const place = { hash: link.hash, domain };
  const old = find(place);
  if (asked.custom_hash === undefined || asked.custom_hash === link.hash || !before) return { record: old, isTaken: false };
  const renamed = find({ hash: asked.custom_hash, domain });
  // A row in doubt may not have been applied: then the link is as it was, where it was.
  const stayed = old !== undefined && !isCertain && isAlike(before, old);
  if (renamed && !stayed && (!old || sameUrl(renamed.long_url, asked.long_url ?? before.long_url))) {
    return { record: renamed, isTaken: old !== undefined && !freed.has(linkText(place)) };
  }
  // The link is not where the run left it, so the old hash may be somebody else's by now.
  const isBack = old !== undefined && (!isCertain || [before.long_url, asked.long_url].some((url) => sameUrl(old.long_url, url)));
  return { record: isBack ? old : undefined, isTaken: false };
}
