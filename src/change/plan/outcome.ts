import type { LinkKey } from '../../contract/link.ts';
import type { EditFields } from '../../contract/operations.ts';
import type { UrlRecord } from '../../contract/records.ts';

/** What a change would do to one link. */
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
  /** What it would have got, for the results. */
  readonly fields?: EditFields;
}

/** A link as it was read, and what would be done to it. */
export interface PlannedLink {
  readonly target: LinkKey;
  readonly record: UrlRecord | undefined;
  readonly outcome: PlannedOutcome;
}

const idle: ReadonlySet<PlannedOutcome['kind']> = new Set(['unchanged', 'untouched', 'missing', 'refused']);

/** The link would be changed. */
export function isPlanned({ kind }: PlannedOutcome): boolean {
  return !idle.has(kind);
}

/** What is done, as people read it: `would be changed`. */
export const participles = {
  change: 'changed',
  delete: 'deleted',
  reset: 'reset',
  create: 'created again',
  copy: 'copied',
  restore: 'restored',
  back: 'undone',
  apply: 'changed',
  differ: 'different',
} as const;

export type PlanVerb = keyof typeof participles;

/** What is done, of plans that do several things, as they are summed up. */
export const kindWords: { readonly [V in PlanVerb]?: Readonly<Record<'create' | 'change' | 'delete', string>> } = {
  back: { create: 'to be created again', change: 'to be changed back', delete: 'to be deleted' },
  apply: { create: 'to be created', change: 'to be changed', delete: 'to be deleted' },
  differ: { create: 'only in file', change: 'different', delete: 'only in account' },
};

/** How `diff` marks a link. */
export const signs: { readonly [K in PlannedOutcome['kind']]?: string } = {
  create: '+',
  change: '~',
  delete: '-',
  refused: '!',
};
