import { checkLabel, isItem, isLabel } from '../field-rules.ts';
import { Refusal } from '../refusal.ts';
import type { Handler } from './call.ts';

export const listTags: Handler<'listTags'> = async ({ store }) => {
  const labels = await store.listTags();
  return { tags: labels.map((label) => ({ label })) };
};

/** Creates the tag only if it does not exist; then the answer has the label as first written. */
export const addTag: Handler<'addTag'> = async ({ payload, store, log }) => {
  const { label, isNew } = await store.addTag(readLabel(payload));
  if (isNew) await log(`Tag "${label}" added`);
  return { tags: [{ label }] };
};

/** To another label of the same tag, a change of case included; to another tag's is 1311. */
export const renameTag: Handler<'renameTag'> = async ({ path, payload, store, log }) => {
  const label = readLabel(payload);
  const outcome = isLabel(path.label) ? await store.renameTag(path.label, label) : 'unknown';
  if (outcome === 'unknown') throw new Refusal(1309);
  if (outcome === 'taken') throw new Refusal(1311);
  await log(`Tag "${path.label}" renamed to "${label}"`);
  return { tags: [{ label }] };
};

export const deleteTag: Handler<'deleteTag'> = async ({ path, store, log }) => {
  if (!isLabel(path.label) || !(await store.deleteTag(path.label))) throw new Refusal(1309);
  await log(`Tag "${path.label}" deleted`);
  return {};
};

function readLabel(payload: unknown): string {
  if (!isItem(payload) || payload.label === undefined) throw new Refusal(1305);
  return checkLabel(payload.label);
}
