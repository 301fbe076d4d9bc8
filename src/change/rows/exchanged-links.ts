import type { DoneChange } from '../../bulk/past-runs/done-change.ts';
import { type LinkKey, linkText } from '../../contract/link.ts';
import type { UrlRecord } from '../../contract/records.ts';
import type { PlannedLink } from '../decide/outcome.ts';

/** A change of a run, and its link now. */
export interface Located {
  readonly change: DoneChange;
  readonly domain: string | undefined;
  readonly record: UrlRecord | undefined;
  /** The old hash of the link if another link has it, as in `linkText`. */
  readonly taken: string | undefined;
}

/**
 * Links that exchanged their hashes cannot get them back one after the other, because each old hash is taken. One of them therefore gets the
 * hash first that it had meanwhile in the run, if that is free. Returns the steps of each exchange with the first of its links, in their order,
 * and none for its other links. Links that are not changed back, and those that wait for them, are left out.
 */
export function exchangedLinks(
  located: readonly Located[],
  decide: (one: Located) => PlannedLink,
  find: (target: LinkKey) => UrlRecord | undefined,
): ReadonlyMap<Located, readonly PlannedLink[]> {
  const steps = new Map<Located, readonly PlannedLink[]>();
  if (!located.some(({ change, taken }) => change.isChained && taken !== undefined)) return steps;
  const holders = new Map(located.filter(isTaken).map((one) => [linkText({ ...one, hash: one.record?.hash ?? '' }), one]));
  for (const first of located) {
    if (steps.has(first)) continue;
    const ring = ringOf(first, holders);
    const links = ring.map(decide);
    const isBack = links.every(({ outcome }) => outcome.kind === 'change');
    const nth = ring.findIndex(({ change: { via }, domain }) => via !== undefined && !find({ hash: via, domain }));
    if (!isBack || nth < 0) continue;
    // Each link needs the hash of the one after it, so the last one follows the link that makes room.
    const [one, ...others] = [...links.slice(nth), ...links.slice(0, nth)];
    if (one) steps.set(first, throughVia(one, others.reverse(), ring[nth]?.change.via ?? ''));
    for (const other of ring) if (other !== first) steps.set(other, []);
  }
  return steps;
}

function isTaken({ taken }: Located): boolean {
  return taken !== undefined;
}

/** Returns links of which each has the old hash of the one before it, and the first that of the last; none if there is no such ring. */
function ringOf(first: Located, holders: ReadonlyMap<string, Located>): readonly Located[] {
  const ring = new Set<Located>();
  for (let one: Located | undefined = first; one && !ring.has(one); ) {
    ring.add(one);
    one = holders.get(one.taken ?? '');
    if (one === first) return [...ring];
  }
  return [];
}

function throughVia(one: PlannedLink, others: readonly PlannedLink[], via: string): readonly PlannedLink[] {
  const { target, record, undoneRow } = one;
  const aside: PlannedLink = { target, record, undoneRow, outcome: { kind: 'change', fields: { custom_hash: via } } };
  return [aside, ...others, { ...one, target: { ...target, hash: via }, record: record && withHash(record, via) }];
}

/** The record as it will be. Some servers send no short URL. */
function withHash(record: UrlRecord, hash: string): UrlRecord {
  const { short_url, short_url_with_protocol: whole } = record;
  const renamed = (shortUrl: string): string => shortUrl.slice(0, shortUrl.length - record.hash.length) + hash;
  return {
    ...record,
    hash,
    short_url: short_url && renamed(short_url),
    ...(whole && { short_url_with_protocol: renamed(whole) }),
  };
}
