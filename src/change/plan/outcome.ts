import type { LinkKey } from '../../contract/link.ts';
import type { EditFields } from '../../contract/operations.ts';
import type { UrlRecord } from '../../contract/records.ts';

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
export interface PlannedLink {
  readonly target: LinkKey;
  readonly record: UrlRecord | undefined;
  readonly outcome: PlannedOutcome;
}

const idle: ReadonlySet<PlannedOutcome['kind']> = new Set(['unchanged', 'untouched', 'missing', 'refused']);

export function isPlanned({ kind }: PlannedOutcome): boolean {
  return !idle.has(kind);
}

/** Completes `would be`. */
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

/** For plans that do several things. */
export const kindWords: { readonly [V in PlanVerb]?: Readonly<Record<'create' | 'change' | 'delete', string>> } = {
  back: { create: 'to be created again', change: 'to be restored', delete: 'to be deleted' },
  apply: { create: 'to be created', change: 'to be changed', delete: 'to be deleted' },
  differ: { create: 'only in file', change: 'different', delete: 'only in account' },
};

/** The marks of `diff`. */
export const signs: { readonly [K in PlannedOutcome['kind']]?: string } = {
  create: '+',
  change: '~',
  delete: '-',
  refused: '!',
};
