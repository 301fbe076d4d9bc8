import { isObject } from '../../contract/records.ts';
import { checkLabel, isLabel } from '../api/field-rules.ts';
import { Refusal } from '../api/refusal.ts';
import type { AddedTag, RenameOutcome } from '../store/store.ts';
import type { Handler } from './call.ts';

export const listTags: Handler<'listTags'> = async ({ store }) => {
  const labels = await store.listTags();
  return { tags: labels.map((label) => ({ label })) };
};

/** If the tag exists, the response has its label as first written. */
export const addTag: Handler<'addTag'> = async ({ payload, store, note }) => {
  const added = note(({ label, isNew }: AddedTag) => (isNew ? { message: `Tag "${label}" added` } : undefined));
  const { label } = await store.addTag(readLabel(payload), added);
  return { tags: [{ label }] };
};

/** Allows a change of case. The label of another tag is 1311. */
export const renameTag: Handler<'renameTag'> = async ({ path, payload, store, note }) => {
  const label = readLabel(payload);
  const renamed = note((outcome: RenameOutcome) =>
    outcome === 'renamed' ? { message: `Tag "${path.label}" renamed to "${label}"` } : undefined,
  );
  const outcome = isLabel(path.label) ? await store.renameTag(path.label, label, renamed) : 'unknown';
  if (outcome === 'unknown') throw new Refusal(1309);
  if (outcome === 'taken') throw new Refusal(1311);
  return { tags: [{ label }] };
};

export const deleteTag: Handler<'deleteTag'> = async ({ path, store, note }) => {
  const deleted = note((existed: boolean) => (existed ? { message: `Tag "${path.label}" deleted` } : undefined));
  if (!isLabel(path.label) || !(await store.deleteTag(path.label, deleted))) throw new Refusal(1309);
  return {};
};

function readLabel(payload: unknown): string {
  if (!isObject(payload) || payload.label === undefined) throw new Refusal(1305);
  return checkLabel(payload.label);
}
