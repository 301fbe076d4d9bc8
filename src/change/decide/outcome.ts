import type { EditFields } from '../../contract/operations.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { foldText } from '../../link/difference.ts';
import { fieldsToChange } from '../../link/same.ts';
import type { SelectedLink } from '../../select/selected-links.ts';

export type PlannedOutcome =
  /** An edit: what the link shall get. */
  | { readonly kind: 'change'; readonly fields: EditFields }
  | { readonly kind: 'delete' }
  /** The counters are lost. */
  | { readonly kind: 'reset' }
  /** A link that does not exist is made, or made again. */
  | { readonly kind: 'create'; readonly fields: EditFields }
  /** A link of another account is made here. */
  | { readonly kind: 'copy'; readonly fields: EditFields }
  | { readonly kind: 'unchanged' }
  /** Nothing is asked for it: the reason why it is named. */
  | { readonly kind: 'untouched'; readonly reason: string }
  | { readonly kind: 'missing' }
  | Refused;

/** A link that is left alone. */
interface Refused {
  readonly kind: 'refused';
  /** `too long`, `changed since: note`. */
  readonly reason: string;
  /** The API's, where it has one for the reason. */
  readonly code?: number;
  /** The fields that it would have got, for the results. */
  readonly fields?: EditFields;
}

/** A link as it was read, and what would be done to it. */
export interface PlannedLink extends SelectedLink {
  readonly outcome: PlannedOutcome;
}

const idle: ReadonlySet<PlannedOutcome['kind']> = new Set(['unchanged', 'untouched', 'missing', 'refused']);

export function isPlanned({ kind }: PlannedOutcome): boolean {
  return !idle.has(kind);
}

/** One field as it is and as an edit would make it; of tags, only the instructions. */
export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The fields that the link has otherwise than they are asked for; none where it is as it is asked for. */
export function fieldChanges(fields: EditFields, record: Partial<UrlRecord>): FieldChange[] {
  const now: Readonly<Record<string, unknown>> = { ...record };
  return fieldsToChange(fields, record).map((field) => ({
    field,
    before: now[field === 'custom_hash' ? 'hash' : field],
    after: field === 'tags' ? fields.tags?.filter((tag) => fieldsToChange({ tags: [tag] }, record).length > 0) : fields[field],
  }));
}

/** Decides about a link that is to be deleted, to lose its counters, or to get these fields. */
export function outcomeOf(change: 'delete' | 'reset' | EditFields, record: UrlRecord | undefined): PlannedOutcome {
  if (!record) return { kind: 'missing' };
  if (typeof change === 'string') return { kind: change };
  return fieldChanges(change, record).length > 0 ? { kind: 'change', fields: change } : { kind: 'unchanged' };
}

/** `note: "old" -> "new"`, `tags: +a -b`. */
export function fieldChangeText({ field, before, after }: FieldChange): string {
  if (Array.isArray(after)) return `${field}: ${after.join(' ')}`;
  return `${field}: ${JSON.stringify(before ?? null)} -> ${JSON.stringify(after)}`;
}

/** `note: "old" -> "new"; tags: +a -b`; empty where the link is as it is asked for. */
export function editText(fields: EditFields, record: Partial<UrlRecord>): string {
  return fieldChanges(fields, record).map(fieldChangeText).join('; ');
}

/** A text that is equal for changes that are alike: of long URLs only what differs, `old.example -> new.example`. */
export function foldedText(changes: readonly FieldChange[]): string {
  return changes
    .map((change) => {
      const { field, before, after } = change;
      const isMove = field === 'long_url' && typeof before === 'string' && typeof after === 'string';
      return isMove ? foldText(before, after) : fieldChangeText(change);
    })
    .join('; ');
}
