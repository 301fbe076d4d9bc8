import type { EditFields } from '../../contract/operations.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { joinList } from '../../contract/tag-label.ts';
import { foldText } from '../../link/difference.ts';
import { fieldsToChange } from '../../link/same.ts';
import type { SelectedLink } from '../../select/selected-links.ts';

export type PlannedOutcome =
  /** An edit that sets these fields. */
  | { readonly kind: 'change'; readonly fields: EditFields }
  /** `losesProtection`: the link is protected or disabled, which cannot be restored. */
  | { readonly kind: 'delete'; readonly losesProtection?: true }
  /** Erases the counters. */
  | { readonly kind: 'reset' }
  /** Creates a link that does not exist, or creates it again. `losesProtection`: it was protected or disabled. */
  | { readonly kind: 'create'; readonly fields: EditFields; readonly losesProtection?: true }
  /** Copies a link of another account. `losesBound`: without its `max_clicks`, which this server does not have. */
  | { readonly kind: 'copy'; readonly fields: EditFields; readonly losesBound?: true }
  | { readonly kind: 'unchanged' }
  /** The change does not apply to the link; `reason` says why it is named. */
  | { readonly kind: 'untouched'; readonly reason: string }
  | { readonly kind: 'missing' }
  | Refused;

/** The link is left unchanged and reported. */
interface Refused {
  readonly kind: 'refused';
  /** `too long`, `changed since: note`. */
  readonly reason: string;
  /** The API's code for the reason, if it has one. */
  readonly code?: number;
  /** The requested fields, for the results. */
  readonly fields?: EditFields;
}

/** A link as it was read, with its planned outcome. */
export interface PlannedLink extends SelectedLink {
  /** The row that changed the link, of the run that is undone. */
  readonly undoneRow?: number | undefined;
  readonly outcome: PlannedOutcome;
}

/** A link that one side, another side or both have. */
export interface ComparedLink<Item> extends SelectedLink {
  /** The link on the first side. `record` is the link on the second side. */
  readonly item: Item | undefined;
  /** The members that mark the link as protected or disabled on the first side. */
  readonly protection?: string | undefined;
}

/** Why a link is left whose destination would have to be known. */
export const hiddenDestination = 'the server does not show the destination';

const idle: ReadonlySet<PlannedOutcome['kind']> = new Set(['unchanged', 'untouched', 'missing', 'refused']);

export function isPlanned({ kind }: PlannedOutcome): boolean {
  return !idle.has(kind);
}

/** One field before and after an edit. For tags, `after` contains the instructions. */
export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Returns the requested fields whose values differ from those of the link. */
export function fieldChanges(fields: EditFields, record: Partial<UrlRecord>): FieldChange[] {
  const now: Readonly<Record<string, unknown>> = { ...record };
  return fieldsToChange(fields, record).map((field) => ({
    field,
    before: now[field === 'custom_hash' ? 'hash' : field],
    after: field === 'tags' ? fields.tags?.filter((tag) => fieldsToChange({ tags: [tag] }, record).length > 0) : fields[field],
  }));
}

/** Decides the outcome of a deletion, a reset or an edit. */
export function outcomeOf(change: 'delete' | 'reset' | EditFields, record: UrlRecord | undefined): PlannedOutcome {
  if (!record) return { kind: 'missing' };
  if (typeof change === 'string') return { kind: change };
  return fieldChanges(change, record).length > 0 ? { kind: 'change', fields: change } : { kind: 'unchanged' };
}

/** `note: "old" -> "new"`, `expiration_date: never -> "2031-12-31"`, `tags: +a,-b`. */
export function fieldChangeText({ field, before, after }: FieldChange): string {
  if (Array.isArray(after)) return `${field}: ${joinList(after)}`;
  const [old, now] = [before, after].map((value) =>
    value == null && field === 'expiration_date' ? 'never' : JSON.stringify(value ?? null),
  );
  return `${field}: ${old} -> ${now}`;
}

/** `note: "old" -> "new"; tags: +a,-b`; empty if nothing would change. */
export function editText(fields: EditFields, record: Partial<UrlRecord>): string {
  return fieldChanges(fields, record).map(fieldChangeText).join('; ');
}

/** Equal for similar changes. For long URLs, it contains only the difference: `old.example -> new.example`. */
export function foldedText(changes: readonly FieldChange[]): string {
  return changes
    .map((change) => {
      const { field, before, after } = change;
      const isMove = field === 'long_url' && typeof before === 'string' && typeof after === 'string';
      return isMove ? foldText(before, after) : fieldChangeText(change);
    })
    .join('; ');
}
