import { foldLabel } from '../../../contract/tag-label.ts';
import { type Edit, type EditOutcome, maximumTags, type StoredUrl, type UrlChanges } from '../store.ts';
import type { BatchTags, TagLink } from './tag-rows.ts';

interface EditPlan {
  readonly outcomes: readonly EditOutcome[];
  /** The record after each successful edit, in order, because hashes may pass from one record to another. */
  readonly steps: readonly StoredUrl[];
  readonly attached: readonly TagLink[];
  readonly detached: readonly TagLink[];
}

/** The old and new hashes of the edits. */
export function hashesOfEdits(edits: readonly Edit[]): string[] {
  return [...new Set(edits.flatMap(({ hash, changes }) => [hash, ...(changes.newHash === undefined ? [] : [changes.newHash])]))];
}

/** Processes the edits in order: a later one sees the result of earlier ones. `stored` are the URLs of all their old and new hashes. */
export function planEdits(edits: readonly Edit[], stored: readonly StoredUrl[], tags: BatchTags): EditPlan {
  const byHash = new Map(stored.map((url) => [url.hash, url]));
  const steps: StoredUrl[] = [];
  const decide = ({ hash, changes }: Edit): EditOutcome => {
    const url = byHash.get(hash);
    if (!url) return { kind: 'unknown' };
    const newHash = changes.newHash ?? hash;
    if (newHash !== hash && byHash.has(newHash)) return { kind: 'taken' };
    if (addsTooMany(url.tags, changes)) return { kind: 'too many tags' };
    const edited = { ...withChanges(url, changes), tags: tags.after(changes.tags, url.tags) };
    byHash.delete(hash);
    byHash.set(newHash, edited);
    steps.push(edited);
    return { kind: 'edited', url: edited };
  };
  const outcomes = edits.map(decide);
  return { outcomes, steps, ...tagChanges(stored, steps) };
}

function withChanges(url: StoredUrl, changes: UrlChanges): StoredUrl {
  return {
    ...url,
    hash: changes.newHash ?? url.hash,
    longUrl: changes.longUrl ?? url.longUrl,
    note: changes.note ?? url.note,
    emailStats: changes.emailStats ?? url.emailStats,
    expirationDate: changes.expirationDate === undefined ? url.expirationDate : changes.expirationDate,
    maxClicks: changes.maxClicks ?? url.maxClicks,
  };
}

/** A link that has had more tags since before there was a bound only gets no further ones. */
function addsTooMany(tags: readonly string[], changes: UrlChanges): boolean {
  const folded = new Set(tags.map(foldLabel));
  for (const { label, attach } of changes.tags) {
    if (attach) folded.add(foldLabel(label));
    else folded.delete(foldLabel(label));
  }
  return folded.size > Math.max(maximumTags, tags.length);
}

/** Compares the tags before and after all edits. */
function tagChanges(before: readonly StoredUrl[], steps: readonly StoredUrl[]): Pick<EditPlan, 'attached' | 'detached'> {
  const after = new Map(steps.map((url) => [url.id, url]));
  const attached: TagLink[] = [];
  const detached: TagLink[] = [];
  for (const url of before) {
    const old = new Set(url.tags);
    const now = new Set(after.get(url.id)?.tags ?? url.tags);
    for (const label of now) if (!old.has(label)) attached.push({ urlId: url.id, label });
    for (const label of old) if (!now.has(label)) detached.push({ urlId: url.id, label });
  }
  return { attached, detached };
}
