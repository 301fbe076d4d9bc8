import type { EarlierLink } from '../../bulk/records/done-change.ts';
import type { Edition } from '../../contract/editions.ts';
import { fieldNames } from '../../contract/fields.ts';
import { fieldsBetween } from '../../link/same.ts';
import { sameUrl } from '../../link/value.ts';
import type { Decisions } from './sides.ts';
import { valuesOf } from './undo.ts';

/** Makes the links of one account on another. What the other has under a hash is never changed. */
export function asCopied(edition: Edition): Decisions<EarlierLink> {
  const isBounded = fieldNames('shorten', edition).includes('max_clicks');
  const copyOf = (link: EarlierLink) => valuesOf(isBounded ? link : { ...link, max_clicks: undefined });
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
