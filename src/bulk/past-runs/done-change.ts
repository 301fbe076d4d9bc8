import { type LinkKey, linkText } from '../../contract/link.ts';
import type { EditFields } from '../../contract/operations.ts';
import type { KnownRecord } from '../../contract/records.ts';
import { hasPrint, type LinkPrints } from '../../link/prints.ts';
import { notApplied } from '../../link/same.ts';
import type { BeforeImage, SeenInDoubt } from '../journal/images.ts';
import { isInDoubt, isSettled, type RunState } from '../journal/journal-state.ts';

export interface DoneChange {
  /** The first row of the run that changed the link. */
  readonly row: number;
  /** As named by the run. Without a domain on edition A if that was the default domain. */
  readonly link: LinkKey;
  readonly asked: EditFields;
  /** The outcome of a later row about the link is unknown: what the rows before it requested. */
  readonly askedBefore?: EditFields | undefined;
  /** The link before the run; null if it did not exist. Undefined if the run created it. */
  readonly before: KnownRecord | null | undefined;
  /** What was seen when the link was sent again, in doubt or by a later row: somebody else may have changed it. The oldest first. */
  readonly seen?: readonly SeenInDoubt[] | undefined;
  /** Fingerprints of the fields as the server showed them afterwards: of a created link, and of an edited one that is not as requested. */
  readonly made?: LinkPrints | undefined;
  /** The server showed the link under its new hash. */
  readonly isMoved?: boolean;
  /** The hash that the server showed after a rename: it may write it in its own way. */
  readonly madeHash?: string | undefined;
  /** For created links: the run certainly created it. If not, the watermark of the run decides. */
  readonly isProven?: boolean;
  /** For created links: the run did not report it as created, but may have created it. */
  readonly mayBeOld?: boolean;
  /** For created links: not as requested, so that somebody else may have made it meanwhile. */
  readonly isUnlike?: true;
  /** The row was completely applied. Otherwise it may have been applied in part or not at all. */
  readonly isCertain: boolean;
  /** The outcome is unknown: the row may have been applied, or may still be. */
  readonly isOpen?: boolean;
  /** Another link of the run had or has its hash, so they are undone one after the other. */
  readonly isChained?: true;
  /** A hash that the run gave to the link before its last one. */
  readonly via?: string | undefined;
}

/** The image of a row that may have changed its link, with what the server showed afterwards if that is not as requested. */
export interface TouchedImage extends BeforeImage {
  readonly made: LinkPrints | undefined;
  /** The hash that the server showed then. */
  readonly madeHash: string | undefined;
}

export function changeOf(
  { row, payload, record: before, seen, made, madeHash }: TouchedImage,
  { stateOf }: RunState,
): DoneChange {
  const { hash, domain, ...asked }: LinkKey & EditFields = payload;
  const state = stateOf(row);
  const isCertain = state !== 'failed' && isSettled(state);
  return {
    row,
    link: { hash, domain },
    asked,
    before,
    seen,
    made,
    isCertain,
    madeHash,
    isMoved: madeHash !== undefined && madeHash === asked.custom_hash,
    isOpen: isInDoubt(state),
  };
}

/** Joins all changes of each link if hashes moved between links: a row may name a hash that an earlier row released or took. */
export function joinedChanges(images: readonly TouchedImage[], state: RunState): DoneChange[] {
  const changes: DoneChange[] = [];
  /** By hash: index in `changes` of the link that the run gave it to. */
  const holders = new Map<string, number>();
  for (const image of images.toSorted((one, other) => one.row - other.row)) {
    const change = changeOf(image, state);
    const name = linkText(change.link);
    const nth = holders.get(name) ?? changes.length;
    const earlier = changes[nth];
    changes[nth] = { ...(earlier ? joined(earlier, change) : change), isChained: true };
    const [renamed] = newLink(image);
    // If a row failed or is in doubt, it is not certain that it moved a hash, unless the server showed it.
    if (renamed === undefined || !(change.isCertain || change.isMoved)) continue;
    holders.delete(name);
    holders.set(renamed, nth);
  }
  return changes;
}

/** Joins two changes of one link. It keeps the hash of the first if the second may not have been applied. */
function joined(first: DoneChange, second: DoneChange): DoneChange {
  const { asked, isOpen } = second;
  // Perhaps not as requested.
  const isApplied = second.isCertain || second.made !== undefined || second.isMoved === true;
  const stays = !isApplied && first.asked.custom_hash !== undefined;
  const custom_hash = stays ? first.asked.custom_hash : (asked.custom_hash ?? first.asked.custom_hash);
  const via = custom_hash === first.asked.custom_hash ? first.via : first.asked.custom_hash;
  const isStep = isApplied || isOpen === true;
  // After a refusal, the link has the values of the first.
  const [earlier, later] = isStep ? [first.asked, asked] : [asked, first.asked];
  const tags = isStep ? first.asked.tags : [...(asked.tags ?? []), ...(first.asked.tags ?? [])];
  const all: EditFields = { ...earlier, ...later, custom_hash, tags: tags?.length ? tags : undefined };
  return {
    ...first,
    asked: all,
    askedBefore: isOpen ? first.asked : first.askedBefore,
    seen: [...seenOfOthers(first), ...(isStep ? [seenBetween(first, second)] : []), ...(second.seen ?? [])],
    made: isStep ? madeAfter(asked, first.made, second.made) : first.made,
    via,
    isCertain: first.isCertain && (second.isCertain || stays),
    isOpen: first.isOpen === true || isOpen === true,
  };
}

/** Returns the fingerprints after a second change: those of the fields that it requested are as the server showed them then. */
function madeAfter(asked: EditFields, earlier: LinkPrints = {}, later: LinkPrints = {}): LinkPrints {
  const kept = Object.entries(earlier).filter(([field]) => !(field in asked));
  return Object.fromEntries([...kept, ...Object.entries(later).filter(([field]) => field in asked)]);
}

/** The fields that have one value, which is restored as a whole; tags are restored label by label. */
export const plainFields = ['long_url', 'note', 'email_stats', 'expiration_date', 'max_clicks'] as const;
export type PlainField = (typeof plainFields)[number];

/** Returns true if a field is as the run left it: it has a requested value, or the one that the server showed afterwards. */
export function isAsLeft(
  field: PlainField,
  { asked, askedBefore = {}, made }: Pick<DoneChange, 'asked' | 'askedBefore' | 'made'>,
  now: KnownRecord,
): boolean {
  const isShown = ({ [field]: value }: EditFields): boolean =>
    value !== undefined && notApplied({ [field]: value }, now).length === 0;
  return isShown(asked) || isShown(askedBefore) || hasPrint(field, made, now);
}

/** What was seen, without the values that the answer to the row showed as its own. */
function seenOfOthers({ seen = [], made }: DoneChange): readonly SeenInDoubt[] {
  if (!made) return seen;
  return seen.map(({ values, tags }) => {
    const isOwn = (field: string): boolean => plainFields.some((plain) => plain === field && hasPrint(plain, made, values));
    return { values: Object.fromEntries(Object.entries(values).filter(([field]) => !isOwn(field))), tags };
  });
}

/** The link before the second change, without the values that the first one set. */
function seenBetween({ asked, made }: DoneChange, { before: now, asked: { tags = [] } }: DoneChange): SeenInDoubt {
  if (!now) return { values: {}, tags };
  const others = plainFields.filter((field) => !isAsLeft(field, { asked, made }, now)).map((field) => [field, now[field]]);
  return { values: { ...Object.fromEntries(others), tags: now.tags ?? [] }, tags };
}

/** Returns the hashes that one row gave to a link and another row named. */
export async function movedHashes(images: () => AsyncIterable<readonly BeforeImage[]>): Promise<ReadonlySet<string>> {
  const given = new Set<string>();
  for await (const some of images()) for (const image of some) for (const link of newLink(image)) given.add(link);
  const moved = new Set<string>();
  if (given.size === 0) return moved;
  for await (const some of images()) {
    for (const { payload } of some) if (given.has(linkText(payload))) moved.add(linkText(payload));
  }
  return moved;
}

/** Returns true if the row named one of these links, or gave a link its hash. */
export function touchesAny(image: BeforeImage, moved: ReadonlySet<string>): boolean {
  return [linkText(image.payload), ...newLink(image)].some((link) => moved.has(link));
}

/** Returns the new name of a renamed link, otherwise nothing. */
function newLink({ payload: { hash, domain, ...asked } }: BeforeImage): string[] {
  const { custom_hash = hash }: EditFields = asked;
  return custom_hash === hash ? [] : [linkText({ hash: custom_hash, domain })];
}
