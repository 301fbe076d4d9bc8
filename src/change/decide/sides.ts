import type { Edition } from '../../contract/editions.ts';
import { fieldNames } from '../../contract/fields.ts';
import type { LinkKey } from '../../contract/link.ts';
import type { KnownRecord, UrlRecord } from '../../contract/records.ts';
import { fieldsBetween } from '../../link/same.ts';
import { sameUrl } from '../../link/value.ts';
import type { SelectedLink } from '../../select/selected-links.ts';
import type { PlannedOutcome } from './outcome.ts';
import { valuesOf } from './undo.ts';

/** A link that the first side, the second side or both have. */
export interface ComparedLink<Item> extends SelectedLink {
  /** The link on the first side. `record` is the link on the second side. */
  readonly item: Item | undefined;
}

/** Decides by the sides that have the link: "here" is the file or the source of a copy, "there" the account compared with it. */
export interface Decisions<Item> {
  onlyHere(item: Item, target: LinkKey): PlannedOutcome;
  onlyThere(record: UrlRecord, target: LinkKey): PlannedOutcome;
  onBoth(item: Item, record: UrlRecord, target: LinkKey): PlannedOutcome;
}

export function decider<Item>(
  decisions: Decisions<Item>,
  onNeither: PlannedOutcome = { kind: 'missing' },
): (link: ComparedLink<Item>) => PlannedOutcome {
  return ({ item, record, target }) => {
    if (item !== undefined) return record ? decisions.onBoth(item, record, target) : decisions.onlyHere(item, target);
    return record ? decisions.onlyThere(record, target) : onNeither;
  };
}

/** Copies the links of one account to another. Existing links of the target are never changed. */
export function asCopied(edition: Edition): Decisions<KnownRecord> {
  const isBounded = fieldNames('shorten', edition).includes('max_clicks');
  const copyOf = (link: KnownRecord) => valuesOf(isBounded ? link : { ...link, max_clicks: undefined });
  return {
    onlyHere: (link) => ({ kind: 'copy', fields: copyOf(link) }),
    onlyThere: () => ({ kind: 'unchanged' }),
    onBoth(link, record) {
      const fields = copyOf(link);
      if (!sameUrl(link.long_url, record.long_url)) {
        return { kind: 'refused', reason: 'another link has the hash there', fields };
      }
      const others = fieldsBetween(link, record);
      if (others.length === 0) return { kind: 'unchanged' };
      return { kind: 'refused', reason: `it exists with other values: ${others.join(', ')}`, fields };
    },
  };
}
