import type { Session } from '../../cli/session.ts';
import type { LinkDomains } from '../../contract/link.ts';
import { fieldChanges, foldedText } from '../decide/edit.ts';
import { isPlanned, kindWords, type PlannedLink, type PlannedOutcome, type PlanVerb, participles, signs } from './outcome.ts';

export interface PlanSettings {
  readonly verb: PlanVerb;
  readonly session: Pick<Session, 'streams' | 'shortUrl'>;
}

/** A plan of any number of links, in constant memory. */
export interface ChangePlan extends PlanSettings {
  add(link: PlannedLink): void;
  /** Links that were read, where more were read than are planned: `412 of 3,300`. */
  of?: number | undefined;
  /** Links that were added. */
  readonly count: number;
  /** Those that would be changed. */
  readonly planned: number;
  countOf(kind: PlannedOutcome['kind']): number;
  /** The domains of what would be changed. */
  readonly domains: LinkDomains;
  /** The link, where only one was added. */
  readonly only: PlannedLink | undefined;
  /** Links to which the same would be done. */
  readonly folds: Groups;
  /** Missing and refused ones, and those that are named for another reason. */
  readonly left: Groups;
}

export function startPlan(settings: PlanSettings): ChangePlan {
  const kinds = new Map<PlannedOutcome['kind'], number>();
  const countOf = (kind: PlannedOutcome['kind']): number => kinds.get(kind) ?? 0;
  const [folds, left] = [new Groups(), new Groups()];
  const domains = new Set<string | undefined>();
  let [count, planned] = [0, 0];
  let only: PlannedLink | undefined;
  return {
    ...settings,
    countOf,
    folds,
    left,
    add(link) {
      const { outcome, target } = link;
      count += 1;
      only = count === 1 ? link : undefined;
      kinds.set(outcome.kind, countOf(outcome.kind) + 1);
      if (isPlanned(outcome)) {
        planned += 1;
        folds.add(foldOf(link, settings), link);
        domains.add(target.domain);
      } else if ('reason' in outcome) left.add(outcome.reason, link);
      else if (outcome.kind === 'missing') left.add('not found', link);
    },
    get count() {
      return count;
    },
    get planned() {
      return planned;
    },
    get domains() {
      return [...domains];
    },
    get only() {
      return only;
    },
  };
}

/** A text that is equal for links to which the same would be done. */
function foldOf({ outcome, record }: PlannedLink, { verb }: PlanSettings): string {
  const sign = verb === 'differ' ? `${signs[outcome.kind]} ` : '';
  switch (outcome.kind) {
    case 'change':
      return sign + (record ? foldedText(fieldChanges(outcome.fields, record)) : participles.change);
    case 'create':
    case 'delete':
      return sign + (kindWords[verb]?.[outcome.kind] ?? participles[outcome.kind]);
    case 'copy':
    case 'reset':
      return participles[outcome.kind];
    default:
      return outcome.kind;
  }
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
  others = 0;

  add(text: string, link: PlannedLink): void {
    const group = this.#groups.get(text) ?? { text, count: 0, first: [] };
    const { kind } = link.outcome;
    // Of any other kind all links share a text, which is never left out.
    const hasManyTexts = kind === 'change' || kind === 'refused';
    if (group.count === 0 && hasManyTexts && this.#groups.size >= groupsKept) {
      this.others += 1;
      return;
    }
    this.#groups.set(text, group);
    group.count += 1;
    if (group.first.length < linksKept) group.first.push(link);
  }

  /** Largest first; of equal ones the first that came. */
  largest(): readonly Group[] {
    return [...this.#groups.values()].sort((one, other) => other.count - one.count);
  }
}
