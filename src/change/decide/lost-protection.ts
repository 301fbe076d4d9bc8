import { protectionOf } from '../../input/protection.ts';
import type { PlannedLink, PlannedOutcome } from './outcome.ts';

interface Creation {
  /** The members that mark the link as protected or disabled where its values come from. */
  readonly protection: string | undefined;
  /** Creates it all the same. */
  readonly force?: boolean;
  /** The flag that creates it. */
  readonly remedy?: string;
}

/** A new link is public, so a link that is not public where its values come from is only created by force. */
export function unlessProtected(
  outcome: PlannedOutcome,
  { protection, force = false, remedy = 'shorten -f --include-protected' }: Creation,
): PlannedOutcome {
  if (protection === undefined || (outcome.kind !== 'create' && outcome.kind !== 'copy')) return outcome;
  if (force && outcome.kind === 'create') return { ...outcome, losesProtection: true };
  const reason = `protected or disabled: ${protection} (${remedy} makes it a public link)`;
  return { kind: 'refused', reason, fields: outcome.fields };
}

/** Marks the deletions of links that are protected or disabled. `now` is in milliseconds since 1970. */
export function markedLosses<Link extends PlannedLink>(links: Link[], now: number): Link[] {
  const isProtected = ({ outcome, record }: Link) => outcome.kind === 'delete' && record && protectionOf(record, { now });
  return links.map((link) => (isProtected(link) ? { ...link, outcome: { kind: 'delete', losesProtection: true } } : link));
}
