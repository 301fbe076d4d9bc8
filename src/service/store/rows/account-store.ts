import type { Note, Store, StoredDomain } from '../store.ts';
import { type AccountRows, readUsage, servedAddresses } from './account-rows.ts';
import { findStats } from './click-rows.ts';
import { createUrls } from './creations.ts';
import { hashesOfEdits } from './edit-plan.ts';
import { editUrls } from './edits.ts';
import { deleteUrls, editTagged, resetStats } from './groups.ts';
import { listUrls } from './listing.ts';
import { appendLog, listLog } from './log-rows.ts';
import { addTag, deleteTag, listTags, renameTag } from './tag-rows.ts';
import { findUrls } from './url-rows.ts';

export type Work<T> = (rows: AccountRows) => Promise<T>;

/** What an engine must know of a change besides its work. */
export interface Effects {
  /** Links that may lead elsewhere, or nowhere. */
  readonly retargeted?: 'any' | { readonly domain: StoredDomain; readonly hashes: readonly string[] };
  /** The number of new rows of links and their tags, at most. */
  readonly added?: number;
}

/** How an engine runs the work of a call. */
interface Runner {
  read<T>(work: Work<T>): Promise<T>;
  /** One transaction. Changes of an account are serialized. */
  change<T>(work: Work<T>, effects: Effects): Promise<T>;
}

/** The calls of the API, which are the same on both engines. */
export function accountStore({ read, change: run }: Runner) {
  /** The log entry is stored together with the change. */
  const change = <T>(work: Work<T>, note: Note<T> | undefined, effects: Effects = {}): Promise<T> =>
    run(async (rows) => {
      const result = await work(rows);
      const entry = note?.(result);
      if (entry) await appendLog(rows, entry);
      return result;
    }, effects);
  return {
    usage: () => read(readUsage),
    createUrls: (batch, rules, note) => {
      const added = batch.reduce((sum, { tags }) => sum + 1 + tags.length, 0);
      return change((rows) => createUrls(rows, batch, rules), note, { added });
    },
    findUrls: (domain, hashes) => read((rows) => findUrls(rows, domain, hashes)),
    findStats: (domain, hash) => read((rows) => findStats(rows, domain, hash)),
    listUrls: (query) => read((rows) => listUrls(rows, query)),
    editUrls: (domain, edits, note) => {
      const added = edits.reduce((sum, { changes }) => sum + changes.tags.length, 0);
      const retargeted = { domain, hashes: hashesOfEdits(edits) };
      return change((rows) => editUrls(rows, domain, edits), note, { added, retargeted });
    },
    editTagged: (expression, changes, note) =>
      change((rows) => editTagged(rows, expression, changes), note, { retargeted: 'any' }),
    deleteUrls: (selection, note) =>
      change((rows) => deleteUrls(rows, selection), note, { retargeted: selection.kind === 'hashes' ? selection : 'any' }),
    resetStats: (selection, note) => change((rows) => resetStats(rows, selection), note),
    listTags: () => read(listTags),
    addTag: (label, note) => change((rows) => addTag(rows, label), note),
    renameTag: (label, newLabel, note) => change((rows) => renameTag(rows, label, newLabel), note),
    deleteTag: (label, note) => change((rows) => deleteTag(rows, label), note),
    listLog: (offset, limit) => read((rows) => listLog(rows, offset, limit)),
    servedAddresses: () => read((rows) => servedAddresses(rows)),
  } satisfies Partial<Store>;
}
