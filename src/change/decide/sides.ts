import type { LinkKey } from '../../contract/link.ts';
import type { UrlRecord } from '../../contract/records.ts';
import type { SelectedLink } from '../../select/selected-links.ts';
import type { PlannedOutcome } from '../plan/outcome.ts';

/** A link that one side has, the other, or both. */
export interface ComparedLink<Item> extends SelectedLink {
  /** The link as the first side has it; its record is that of the second. */
  readonly item: Item | undefined;
}

/** Decides about links by the side that has them: what is compared, copied or applied, and the account. */
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
