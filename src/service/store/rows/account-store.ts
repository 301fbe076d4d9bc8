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

/** Links that may lead elsewhere, or nowhere, after a change. */
export type Retargeted = 'none' | 'any' | { readonly domain: StoredDomain; readonly hashes: readonly string[] };

/** How an engine runs the work of a call. */
interface Runner {
  read<T>(work: Work<T>): Promise<T>;
  /** One transaction. Changes of an account are serialized. */
  change<T>(work: Work<T>, retargeted: Retargeted): Promise<T>;
}

/** The calls of the API, which are the same on both engines. */
export function accountStore({ read, change: run }: Runner) {
  /** The log entry is stored together with the change. */
  const change = <T>(work: Work<T>, note: Note<T> | undefined, retargeted: Retargeted): Promise<T> =>
    run(async (rows) => {
      const result = await work(rows);
      const entry = note?.(result);
      if (entry) await appendLog(rows, entry);
      return result;
    }, retargeted);
  return {
    usage: () => read(readUsage),
    createUrls: (batch, rules, note) => change((rows) => createUrls(rows, batch, rules), note, 'none'),
    findUrls: (domain, hashes) => read((rows) => findUrls(rows, domain, hashes)),
    findStats: (domain, hash) => read((rows) => findStats(rows, domain, hash)),
    listUrls: (query) => read((rows) => listUrls(rows, query)),
    editUrls: (domain, edits, note) =>
      change((rows) => editUrls(rows, domain, edits), note, { domain, hashes: hashesOfEdits(edits) }),
    editTagged: (expression, changes, note) => change((rows) => editTagged(rows, expression, changes), note, 'any'),
    deleteUrls: (selection, note) =>
      change((rows) => deleteUrls(rows, selection), note, selection.kind === 'hashes' ? selection : 'any'),
    resetStats: (selection, note) => change((rows) => resetStats(rows, selection), note, 'none'),
    listTags: () => read(listTags),
    addTag: (label, note) => change((rows) => addTag(rows, label), note, 'none'),
    renameTag: (label, newLabel, note) => change((rows) => renameTag(rows, label, newLabel), note, 'none'),
    deleteTag: (label, note) => change((rows) => deleteTag(rows, label), note, 'none'),
    listLog: (offset, limit) => read((rows) => listLog(rows, offset, limit)),
    servedAddresses: () => read((rows) => servedAddresses(rows)),
  } satisfies Partial<Store>;
}
