import type { Edition } from '../../contract/editions.ts';
import { fieldNames } from '../../contract/fields.ts';
import type { KnownRecord } from '../../contract/records.ts';
import { fieldsBetween } from '../../link/same.ts';
import { sameUrl } from '../../link/value.ts';
import { unlessProtected } from './lost-protection.ts';
import { type ComparedLink, hiddenDestination, type PlannedOutcome } from './outcome.ts';
import { valuesOf } from './undo.ts';

/** Copies the links of another account to one of this edition. Existing links of the target are never changed. */
export function asCopied(edition: Edition): (link: ComparedLink<KnownRecord>) => PlannedOutcome {
  const isBounded = fieldNames('shorten', edition).includes('max_clicks');
  return ({ item: link, record, protection }) => {
    if (!link) return { kind: 'refused', reason: 'not found', code: 1306 };
    if (!link.long_url || (record && !record.long_url)) return { kind: 'refused', reason: hiddenDestination };
    const fields = valuesOf(isBounded ? link : { ...link, max_clicks: undefined });
    const losesBound = !isBounded && Boolean(link.max_clicks);
    if (!record) return unlessProtected({ kind: 'copy', fields, ...(losesBound && { losesBound }) }, { protection });
    if (!sameUrl(link.long_url, record.long_url)) {
      return { kind: 'refused', reason: 'another link has the hash there', fields };
    }
    const others = fieldsBetween(link, record);
    if (others.length === 0) return { kind: 'unchanged' };
    return { kind: 'refused', reason: `it exists with other values: ${others.join(', ')}`, fields };
  };
}
