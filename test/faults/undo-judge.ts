import type { StoredLink } from '../support/stored-links.ts';
import { type AccountState, essence } from './account-state.ts';

/** What a command made of the account: how each link was before it and after it. */
export interface Transition {
  readonly before: AccountState;
  readonly after: AccountState;
}

/** What can be set of a link, as one text. */
export function shape(record: StoredLink | undefined): string {
  if (!record) return 'gone';
  const { long_url, note, tags, expiration_date, max_clicks, email_stats } = record;
  return JSON.stringify([long_url, note, [...tags].sort(), expiration_date, max_clicks, email_stats]);
}

export function changedKeys({ before, after }: Transition): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((key) => shape(before.get(key)) !== shape(after.get(key)));
}

const fields = ['long_url', 'note', 'expiration_date', 'max_clicks', 'email_stats'] as const;

/** What a link has to be after the transition was taken back, while it is `now`; `now` itself where somebody else changed it. */
export function reverted(key: string, { before, after }: Transition, now: StoredLink | undefined): StoredLink | undefined {
  const [was, became] = [before.get(key), after.get(key)];
  if (!was || !became || !now) return shape(now) === shape(became) ? was : now;
  const changed = fields.filter((field) => was[field] !== became[field]);
  if (changed.some((field) => now[field] !== became[field])) return now;
  return { ...now, ...Object.fromEntries(changed.map((field) => [field, was[field]])), tags: revertedTags(was, became, now) };
}

/** Nobody is refused what a link has already: a label that is to be detached, and is not there. */
function changesTagsAlone(key: string, { before, after }: Transition, then: AccountState): boolean {
  const [was, became] = [before.get(key), after.get(key)];
  return was !== undefined && became !== undefined && then.has(key) && fields.every((field) => was[field] === became[field]);
}

/** Labels are attached and detached one by one, so that those of somebody else stay. */
function revertedTags(was: StoredLink, became: StoredLink, now: StoredLink): string[] {
  const without = (tags: readonly string[], others: readonly string[]): string[] => tags.filter((tag) => !others.includes(tag));
  const back = without(was.tags, [...became.tags, ...now.tags]);
  return [...without(now.tags, without(became.tags, was.tags)), ...back];
}

/** A sentence for each link that is not what it has to be after an undo or a redo. `meanwhile`: what somebody else made of links. */
export function judgeReverted(
  transition: Transition,
  { before: then, after: now }: Transition,
  meanwhile: ReadonlyMap<string, StoredLink | undefined>,
): { notes: string[]; leftAlone: number } {
  const notes: string[] = [];
  let leftAlone = 0;
  const keys = new Set(changedKeys(transition));
  for (const key of new Set([...then.keys(), ...now.keys(), ...keys])) {
    const found = now.get(key);
    if (meanwhile.has(key)) {
      const made = meanwhile.get(key);
      const allowed = [made, ...(keys.has(key) ? [reverted(key, transition, made)] : [])].map(shape);
      if (!allowed.includes(shape(found)))
        notes.push(`${key}: somebody else made it ${shape(made)} in the wait, and it is ${shape(found)}`);
      continue;
    }
    if (!keys.has(key)) {
      const [one, other] = [then.get(key), found];
      if ((one && essence(one)) !== (other && essence(other)))
        notes.push(`${key}: not of this run, was ${shape(one)}, is ${shape(other)}`);
      continue;
    }
    const wanted = reverted(key, transition, then.get(key));
    const isDone = shape(then.get(key)) === shape(transition.before.get(key));
    if (!isDone && shape(wanted) === shape(then.get(key)) && !changesTagsAlone(key, transition, then)) leftAlone += 1;
    if (shape(found) !== shape(wanted))
      notes.push(`${key}: has to be ${shape(wanted)}, is ${shape(found)} (was ${shape(then.get(key))})`);
  }
  return { notes, leftAlone };
}
