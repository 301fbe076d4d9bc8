import type { LinkDomains } from '../../contract/link.ts';
import { fieldChanges, foldedText } from '../decide/fields.ts';
import {
  Groups,
  kindWords,
  type PlanCounts,
  type PlannedLink,
  type PlannedOutcome,
  type PlanSettings,
  participles,
  signs,
} from './outcome.ts';
import type { PlanMarks } from './screen.ts';
import { planLines, summaryLines } from './text.ts';

/** What a change would do to many links, in constant memory (W2). */
export interface ChangePlan {
  add(link: PlannedLink): void;
  readonly counts: PlanCounts;
  /** How many links have outcomes of this kind. */
  countOf(kind: PlannedOutcome['kind']): number;
  /** The domains of what would be changed. */
  readonly domains: LinkDomains;
  /** The link, where only one was added. */
  readonly only: PlannedLink | undefined;
  /**
   * What people read before the question: how many of how many, alike changes folded with their count, five examples, what is
   * refused and why. Safe text; styles only where `marks` has some.
   */
  lines(marks?: PlanMarks): readonly string[];
  /** The same without what would be changed, where that is listed link by link. */
  summary(): readonly string[];
}

export function startPlan(settings: PlanSettings): ChangePlan {
  const counts = { planned: 0, unchanged: 0, missing: 0, refused: 0, left: 0 };
  const kinds = new Map<PlannedOutcome['kind'], number>();
  const countOf = (kind: PlannedOutcome['kind']): number => kinds.get(kind) ?? 0;
  const folds = new Groups();
  const left = new Groups();
  const domains = new Set<string | undefined>();
  let only: PlannedLink | undefined;
  const content = { settings, counts, countOf, folds, left };
  return {
    counts,
    countOf,
    add(link) {
      const { kind } = link.outcome;
      const state = isLeft(kind) ? kind : 'planned';
      counts[state] += 1;
      kinds.set(kind, countOf(kind) + 1);
      only = added(counts) === 1 ? link : undefined;
      if (state === 'planned') {
        folds.add(foldOf(link, settings), link);
        domains.add(link.target.domain);
      } else if (link.outcome.kind === 'refused' || link.outcome.kind === 'left') left.add(link.outcome.reason, link);
      else if (state === 'missing') left.add('not found', link);
    },
    get domains() {
      return [...domains];
    },
    get only() {
      return only;
    },
    lines: (marks) => planLines(content, marks),
    summary: () => summaryLines(content),
  };
}

function isLeft(kind: PlannedOutcome['kind']): kind is Exclude<keyof PlanCounts, 'planned'> {
  return kind === 'unchanged' || kind === 'missing' || kind === 'refused' || kind === 'left';
}

function added({ planned, unchanged, missing, refused, left }: PlanCounts): number {
  return planned + unchanged + missing + refused + left;
}

/** A text that is equal for links to which the same would be done. */
function foldOf({ outcome, record }: PlannedLink, { verb }: PlanSettings): string {
  const words = kindWords[verb];
  const sign = verb === 'differ' ? `${signs[outcome.kind]} ` : '';
  switch (outcome.kind) {
    case 'change':
      return sign + (record ? foldedText(fieldChanges(outcome.fields, record)) : participles.change);
    case 'create':
    case 'delete':
      return sign + (words?.[outcome.kind] ?? participles[outcome.kind]);
    case 'copy':
    case 'reset':
      return participles[outcome.kind];
    default:
      return outcome.kind;
  }
}
