import type { TagChange } from '../../bulk/tag-run.ts';
import { isOneOf } from '../../client/labelled-links.ts';
import type { UrlRecord } from '../../contract/records.ts';
import type { PlannedOutcome } from './outcome.ts';

/** Takes labels off a link, and gives it another one instead. `-label` detaches, `+label` attaches, whatever the label begins with (2.2). */
export function withoutLabels(record: UrlRecord | undefined, labels: readonly string[], into?: string): PlannedOutcome {
  const { tags = [] } = record ?? {};
  const attached = !record || into === undefined || tags.some(isOneOf([into])) ? [] : [`+${into}`];
  return { kind: 'change', fields: { tags: [...attached, ...tags.filter(isOneOf(labels)).map((label) => `-${label}`)] } };
}

/** Undoes a change of tags. */
export function inverse({ rename, add = [], delete: deleted = [] }: TagChange): TagChange {
  return { ...(rename && { rename: { from: rename.to, to: rename.from } }), add: deleted, delete: add };
}
