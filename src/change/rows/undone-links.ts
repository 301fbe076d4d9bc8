import { CliError } from '../../base/errors.ts';
import type { DoneChange } from '../../bulk/past-runs/done-change.ts';
import type { DoneRun } from '../../bulk/past-runs/done-run.ts';
import type { RevertibleRun } from '../../bulk/past-runs/reverted-changes.ts';
import type { Session } from '../../cli/session.ts';
import { foreignDomain } from '../../client/account-domains.ts';
import { hasSeveralDomains } from '../../client/whole-listing.ts';
import { editions } from '../../contract/editions.ts';
import { foldedHash, type LinkKey, linkText, recordDomain } from '../../contract/link.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { protectionOf } from '../../input/protection.ts';
import { hasPrint } from '../../link/prints.ts';
import { fieldsBetween } from '../../link/same.ts';
import { sameUrl } from '../../link/value.ts';
import type { SelectedPage } from '../../select/selected-links.ts';
import { unlessProtected } from '../decide/lost-protection.ts';
import type { PlannedLink, PlannedOutcome } from '../decide/outcome.ts';
import { hasDestinationOf, type UndoDecision } from '../decide/undo.ts';
import { exchangedLinks, type Located } from './exchanged-links.ts';
import { type DomainsOf, laterRenames } from './later-renames.ts';
import { recordsOf } from './named-records.ts';
import { newerLinks } from './newer-links.ts';
import type { Pending } from './pending.ts';

interface Reading {
  decide(decision: UndoDecision): PlannedOutcome;
  /** Also undoes fields that have changed since. */
  readonly force: boolean;
  readonly batchSize: number;
  /** Counts rows with an unknown outcome whose links stay as they are. */
  readonly pending: Pick<Pending, 'rows'>;
}

/** Reads the current links of a run. A renamed link is read by both hashes. */
export async function* undonePages(
  { run, reverted }: RevertibleRun,
  { decide, force, batchSize, pending }: Reading,
  session: Session,
): AsyncGenerator<SelectedPage<PlannedLink>> {
  const { changes } = run;
  const domainOf = domainsOf(run, session);
  /** Hashes that links of a chain release before other links need them. */
  const freed = new Set<string>();
  let read = 0;
  let isNewer: Awaited<ReturnType<typeof newerLinks>> | undefined;
  let mayHaveMoved: boolean | undefined;
  const domainsOfLater: DomainsOf = (later) => domainsOf(later, session);
  const renamesOf = laterRenames(run, { batchSize, domainsOf: domainsOfLater }, session);
  const chain = new Set(reverted.reversals.map((reversal) => reversal.run));
  for await (const done of changes()) {
    if (done.length === 0) continue;
    if (done.some(isToProve)) isNewer ??= await newerLinks(run, { chain, domainsOf: domainsOfLater }, session);
    const all = await Promise.all(done.map(async (change) => ({ change, domain: await domainOf(change) })));
    // What somebody has done since to a link that an earlier undo restored is not part of the run.
    const domains = all.filter(({ change }) => !reverted.has(change));
    // If the account has several domains, another one may be the default by now.
    if (domains.some(isUnplaced)) mayHaveMoved ??= await hasSeveralDomains(session);
    const targets = domains.flatMap(({ change, domain }) => hashesOf(change).map((hash) => ({ hash, domain })));
    const { find, isGone } = await readTargets(targets, batchSize, session);
    const chained = all.filter(({ change }) => change.isChained);
    const byFirstHash = new Map(chained.map(({ change, domain }) => [linkText({ ...change.link, domain }), change]));
    const located = domains.map((one): Located => ({ ...one, ...linkNow(one, byFirstHash, find) }));
    const renamed = await renamesOf(located.filter((one) => isGoneCreation(one) && !isGone(one.domain)));
    const decided = (one: Located, isTaken: boolean): PlannedLink => {
      const { change, domain, record, taken } = one;
      const isNew = record && isToProve(change) ? isNewer?.({ hash: record.hash, domain }) : undefined;
      const isKnown = isNew || (change.isProven && !(mayHaveMoved && isUnplaced({ change, domain })));
      const isProven = isKnown && !reverted.wasDeleted(change);
      const reason = isGone(domain)
        ? `the account has no domain ${domain}`
        : (renamed.get(one) ?? (change.mayBeOld && foreignReason(isNew, run.begin.mode === 'dedupe' && !force)));
      const wanted: PlannedOutcome = reason
        ? { kind: 'refused', reason }
        : decide({ change: { ...change, isProven }, now: record, isTaken: taken !== undefined && isTaken, force });
      const deleted = (wanted.kind === 'create' && change.before) || {};
      const outcome = unlessProtected(wanted, { protection: protectionOf(deleted, session), force, remedy: '--force' });
      // A row that may still be applied is not restored yet.
      const undoneRow = outcome.kind === 'unchanged' && change.isOpen ? undefined : change.row;
      return { target: { hash: record?.hash ?? change.link.hash, domain }, record, outcome, undoneRow };
    };
    const links: PlannedLink[] = [];
    const exchanged = exchangedLinks(located, (one) => decided(one, false), find);
    for (const one of located) {
      const { change, taken = '' } = one;
      const steps = exchanged.get(one) ?? [decided(one, !freed.has(taken))];
      for (const { target, outcome, record } of steps) {
        if (change.isOpen && mayStillChange(change, outcome, record)) pending.rows += 1;
        if (change.isChained && outcome.kind === 'change' && outcome.fields.custom_hash !== undefined)
          freed.add(linkText(target));
      }
      links.push(...steps);
    }
    read += Math.max(domains.length, links.length);
    yield { read, links };
  }
}

/** Reads the links. Those on a domain that the account no longer has must not keep others from being undone. */
async function readTargets(targets: readonly LinkKey[], batchSize: number, { client, domains }: Session) {
  try {
    return { find: await recordsOf(client, targets, batchSize), isGone: () => false };
  } catch (error) {
    if (!(error instanceof CliError) || error.apiCode !== 1313) throw error;
    const known = await domains();
    const isGone = (domain: string | undefined): boolean => domain !== undefined && foreignDomain(known, [domain]) !== undefined;
    const present = targets.filter(({ domain }) => !isGone(domain));
    if (present.length === targets.length) throw error;
    return { find: await recordsOf(client, present, batchSize), isGone };
  }
}

/** Returns the domain of a change as the account names it now; undefined on edition B. */
function domainsOf({ begin }: DoneRun, { client, currentDomain }: Session) {
  const { severalDomains } = editions[client.edition];
  return async ({ link, before }: DoneChange): Promise<string | undefined> => {
    const domain = link.domain ?? begin.domain ?? (before ? recordDomain(before) : undefined);
    if (!severalDomains || domain === undefined) return undefined;
    return await currentDomain(domain);
  };
}

/** True if a request that is still on its way would change the link. A link that exists cannot be made again. */
function mayStillChange(
  { before, asked, isChained }: DoneChange,
  { kind }: PlannedOutcome,
  record: UrlRecord | undefined,
): boolean {
  if (kind !== 'unchanged' && kind !== 'refused') return false;
  if (!before) return kind === 'unchanged';
  return record !== undefined && (isChained === true || record.hash !== asked.custom_hash);
}

/** True if the server reported the link as created but it may have existed before. */
function isToProve({ before, isProven }: DoneChange): boolean {
  return before === undefined && !isProven;
}

/** True for a created link that is not there any more, at least not under its hash. */
function isGoneCreation({ change: { before, isOpen }, record }: Located): boolean {
  return before === undefined && !isOpen && !record;
}

/** True for a link that may have been created on the default domain of that time. Only the answer, which is missing, would name it. */
function isUnplaced({ change: { before, isCertain, isOpen }, domain }: Pick<Located, 'change' | 'domain'>): boolean {
  return domain === undefined && before === undefined && (!isCertain || isOpen === true);
}

/** Why a link that the run may have created is left. With --dedupe, anybody's link of that URL is `shared`, also a newer one. */
function foreignReason(isNew: boolean | undefined, isShared: boolean): string | undefined {
  if (isNew === false) return 'listed as older than the run';
  return isNew && isShared ? 'somebody else may have created it' : undefined;
}

/** Returns the hash that the run named, and those that it gave to the link. */
function hashesOf({ link: { hash }, asked: { custom_hash = hash }, via = hash, madeHash = hash }: DoneChange): string[] {
  return [...new Set([hash, custom_hash, via, madeHash])];
}

/**
 * Finds the current link of a change. `taken` is its old hash if another link has it. A link of the chain may be back at the hash that it had
 * first.
 */
function linkNow(
  { change: { link, asked, before, isCertain, isChained, via, made, madeHash }, domain }: Pick<Located, 'change' | 'domain'>,
  byFirstHash: ReadonlyMap<string, DoneChange>,
  find: (target: LinkKey) => UrlRecord | undefined,
): Pick<Located, 'record' | 'taken'> {
  const oldKey = { hash: link.hash, domain };
  const old = find(oldKey);
  if (asked.custom_hash === undefined || asked.custom_hash === link.hash || !before) return { record: old, taken: undefined };
  const taken = old && linkText(oldKey);
  const newKey = { hash: asked.custom_hash, domain };
  const isMade = madeHash !== undefined && foldedHash(madeHash) !== foldedHash(link.hash);
  const renamed = find(newKey) ?? (isMade ? find({ hash: madeHash, domain }) : undefined);
  const isOurs = (found: UrlRecord): boolean =>
    sameUrl(found.long_url, asked.long_url ?? before.long_url) || hasPrint('long_url', made, found);
  // An earlier undo may have stopped between the two steps of an exchange.
  const between = via === undefined ? undefined : find({ hash: via, domain });
  if (between && isOurs(between) && !(renamed && isOurs(renamed))) return { record: between, taken };
  // A row in doubt may not have been applied: then the link is unchanged and has its old hash.
  const stayed = old !== undefined && !isCertain && fieldsBetween(before, old).length === 0;
  const other = byFirstHash.get(linkText(newKey));
  const isOther = renamed !== undefined && other !== undefined && hasDestinationOf(other, renamed);
  if (renamed && !stayed && ((!old && !isOther) || isOurs(renamed))) return { record: renamed, taken };
  // The link no longer has its new hash, so its old hash may belong to another link of the run by now, or to somebody else's.
  const isOnly = !renamed && !isChained;
  const isBack = old !== undefined && (isOnly || !isCertain || hasDestinationOf({ asked, before }, old));
  return { record: isBack ? old : undefined, taken: undefined };
}
