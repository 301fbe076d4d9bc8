import { refuseDomainsOf } from '../cli/listing.ts';
import type { Session } from '../cli/session.ts';
import type { Report } from '../output/report.ts';
import type { LinkChange } from './change.ts';
import { requireAnswer } from './limits.ts';
import { changeNamed } from './rows/operands.ts';

/**
 * Links that were named are changed as they are named. All others are listed first, and changed by hash: so nothing is hit that was
 * labelled meanwhile. The API's own call for a tag expression cannot be undone (F1).
 */
export async function changeLinks(change: LinkChange, session: Session): Promise<Report> {
  const { selection, options, isOneCall = true } = change;
  const { kind } = selection;
  refuseDomainsOf(selection, options, session);
  const isNamed = kind === 'hashes' || kind === 'file';
  if (isNamed && options.filter === undefined) return await changeNamed({ ...change, selection }, session);
  await requireAnswer(session, isNamed ? 'named' : waysOf[kind]);
  const { changeByTags, changeSelected } = await import('./selection.ts');
  if (kind === 'tags' && options.undo === false && options.filter === undefined && isOneCall) {
    return await changeByTags(change, selection.expression, session);
  }
  return await changeSelected(change, session);
}

const waysOf = { tags: '--by-tags', search: '--search', all: '--all' } as const;
