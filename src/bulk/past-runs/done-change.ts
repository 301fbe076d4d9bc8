import { type LinkKey, linkText } from '../../contract/link.ts';
import type { EditFields } from '../../contract/operations.ts';
import type { LinkPrints } from '../../link/prints.ts';
import type { BeforeImage } from '../journal/images.ts';
import { isInDoubt, isSettled, type RunState } from '../journal/journal-state.ts';
import type { KnownRecord } from '../matching/row-verdict.ts';

export type EarlierLink = KnownRecord;

export interface DoneChange {
  /** As the run named it. On edition A without a domain where that was the default one. */
  readonly link: LinkKey;
  readonly asked: EditFields;
  /** The link before; null for one that did not exist. Undefined for a link that the run created. */
  readonly before: EarlierLink | null | undefined;
  /** Of a created link: what it was when it was made. */
  readonly made?: LinkPrints | undefined;
  /** Of a created link: it is the run's for certain. Of any other the watermark of the run decides. */
  readonly isProven?: boolean;
  /** The row has its result: it was applied as a whole. Otherwise it may not have been, or in part. */
  readonly isCertain: boolean;
  /** Nobody knows whether it was applied, or still will be. */
  readonly isOpen?: boolean;
  /** Another link of the run had its hash, or has it: they are taken back one after the other. */
  readonly isChained?: true;
}

export function changeOf({ row, payload, record: before }: BeforeImage, { stateOf }: RunState): DoneChange {
  const { hash, domain, ...asked } = payload;
  const of = stateOf(row);
  return { link: { hash, domain }, asked, before, isCertain: of !== 'failed' && isSettled(of), isOpen: isInDoubt(of) };
}

/** Joins what rows did to one link, where hashes went from link to link: a row may name a hash that an earlier row gave away, or took. */
export function composed(images: readonly BeforeImage[], state: RunState): DoneChange[] {
  const changes: DoneChange[] = [];
  /** By hash: the place in `changes` of the link that the run gave it to. */
  const holders = new Map<string, number>();
  for (const image of images.toSorted((one, other) => one.row - other.row)) {
    const change = changeOf(image, state);
    const name = linkText(change.link);
    const nth = holders.get(name) ?? changes.length;
    const earlier = changes[nth];
    changes[nth] = { ...(earlier ? joined(earlier, change) : change), isChained: true };
    const [renamed] = newLink(image);
    // A row that was refused, or is in doubt, moved nothing for certain.
    if (renamed === undefined || !change.isCertain) continue;
    holders.delete(name);
    holders.set(renamed, nth);
  }
  return changes;
}

/** Both changes of one link as one. It is where the first left it, if the second may not have moved it. */
function joined(first: DoneChange, { asked, isCertain, isOpen }: DoneChange): DoneChange {
  const stays = !isCertain && first.asked.custom_hash !== undefined;
  const custom_hash = stays ? first.asked.custom_hash : (asked.custom_hash ?? first.asked.custom_hash);
  const tags = [...(first.asked.tags ?? []), ...(asked.tags ?? [])];
  const all: EditFields = { ...first.asked, ...asked, custom_hash, ...(tags.length > 0 && { tags }) };
  return {
    ...first,
    asked: all,
    isCertain: first.isCertain && (isCertain || stays),
    isOpen: first.isOpen === true || isOpen === true,
  };
}

/** Hashes of which the run took one link away and gave them to another. */
export async function chainIn(images: () => AsyncIterable<readonly BeforeImage[]>): Promise<ReadonlySet<string>> {
  const given = new Set<string>();
  for await (const some of images()) for (const image of some) for (const link of newLink(image)) given.add(link);
  const chain = new Set<string>();
  if (given.size === 0) return chain;
  for await (const some of images()) {
    for (const { payload } of some) if (given.has(linkText(payload))) chain.add(linkText(payload));
  }
  return chain;
}

export function isIn(chain: ReadonlySet<string>, image: BeforeImage): boolean {
  return [linkText(image.payload), ...newLink(image)].some((link) => chain.has(link));
}

/** The name of a link after its renaming, if it was renamed. */
function newLink({ payload: { hash, domain, ...asked } }: BeforeImage): string[] {
  const { custom_hash = hash }: EditFields = asked;
  return custom_hash === hash ? [] : [linkText({ hash: custom_hash, domain })];
}
