import type { Session } from '../../cli/session.ts';
import type { LinkKey } from '../../contract/link.ts';
import type { EditFields } from '../../contract/operations.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { fieldChanges } from '../decide/fields.ts';

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
  /** Not asked for, so that it stays: why it is named. */
  | { readonly kind: 'left'; readonly reason: string }
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

/** Whether the link would be changed. */
export function isPlanned({ kind }: PlannedOutcome): boolean {
  return kind !== 'unchanged' && kind !== 'missing' && kind !== 'refused' && kind !== 'left';
}

export interface PlannedLink {
  readonly target: LinkKey;
  /** The link as it was read. */
  readonly record: UrlRecord | undefined;
  readonly outcome: PlannedOutcome;
}

/** What a deletion, a reset or an edit to these fields would do to a link, if it exists. */
export function outcomeOf(change: 'delete' | 'reset' | EditFields, record: UrlRecord | undefined): PlannedOutcome {
  if (!record) return { kind: 'missing' };
  if (typeof change === 'string') return { kind: change };
  return fieldChanges(change, record).length > 0 ? { kind: 'change', fields: change } : { kind: 'unchanged' };
}

/** What is done, as people read it: `would be changed`. */
export const participles = {
  change: 'changed',
  delete: 'deleted',
  reset: 'reset',
  create: 'created again',
  copy: 'copied',
  restore: 'restored',
  back: 'taken back',
  apply: 'changed',
  differ: 'different',
} as const;

export type PlanVerb = keyof typeof participles;

/** What is shown of links needs no more of a session. */
export type PlanSession = Pick<Session, 'streams' | 'shortUrl'>;

export interface PlanSettings {
  readonly verb: PlanVerb;
  readonly session: PlanSession;
  /** What else is said before links are deleted. */
  readonly caution?: string | undefined;
  /** Links that were read, where more were read than are planned: `412 of 3,300`. Asked for last. */
  readonly of?: number | undefined;
}

/** What is done, of plans that do several things, as they are summed up. */
export const kindWords: { readonly [V in PlanVerb]?: Readonly<Record<'create' | 'change' | 'delete', string>> } = {
  back: { create: 'to be created again', change: 'to be changed back', delete: 'to be deleted' },
  apply: { create: 'to be created', change: 'to be changed', delete: 'to be deleted' },
  differ: { create: 'only in file', change: 'different', delete: 'only in account' },
};

/** What a link is of the two things that are compared, as `diff` marks it. */
export const signs: { readonly [K in PlannedOutcome['kind']]?: string } = { create: '+', change: '~', delete: '-' };

export interface PlanCounts {
  readonly planned: number;
  readonly unchanged: number;
  readonly missing: number;
  readonly refused: number;
  /** Links that stay as they are, as nothing was asked for them. */
  readonly left: number;
}

/** Texts that are kept apart; links of any others are counted together. */
const groupsKept = 1000;
/** Links that are kept of each. */
const linksKept = 5;

export interface Group {
  readonly text: string;
  count: number;
  readonly first: PlannedLink[];
}

/** Links by a text, of which a server may send any number. */
export class Groups {
  readonly #groups = new Map<string, Group>();
  /** Links of texts beyond those that are kept. */
  #others = 0;

  add(text: string, link: PlannedLink): void {
    const group = this.#groups.get(text) ?? { text, count: 0, first: [] };
    const { kind } = link.outcome;
    // Of any other kind all links share a text, which is never left out.
    const hasManyTexts = kind === 'change' || kind === 'refused';
    if (group.count === 0 && hasManyTexts && this.#groups.size >= groupsKept) {
      this.#others += 1;
      return;
    }
    this.#groups.set(text, group);
    group.count += 1;
    if (group.first.length < linksKept) group.first.push(link);
  }

  get others(): number {
    return this.#others;
  }

  /** Largest first; of equal ones the first that came. */
  largest(): readonly Group[] {
    return [...this.#groups.values()].sort((one, other) => other.count - one.count);
  }
}
