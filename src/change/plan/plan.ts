import type { RunRow } from '../../bulk/run-plan.ts';
import type { Session } from '../../cli/session.ts';
import type { LinkDomains, LinkKey } from '../../contract/link.ts';
import type { EditFields } from '../../contract/operations.ts';
import { keyFault, type UrlRecord } from '../../contract/records.ts';
import { quantity } from '../../output/quantity.ts';
import type { SelectedLink, SelectedLinks } from '../../select/selected-links.ts';
import { fieldChanges, foldedText, isPlanned, type PlannedLink, type PlannedOutcome } from '../decide/outcome.ts';
import { refuseTooMany } from '../limits.ts';
import { recordsOf } from '../rows/named-records.ts';

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

/** For plans with several kinds of changes. */
export const kindWords: { readonly [V in PlanVerb]?: Readonly<Record<'create' | 'change' | 'delete', string>> } = {
  back: { create: 'to be created again', change: 'to be restored', delete: 'to be deleted' },
  apply: { create: 'to be created', change: 'to be changed', delete: 'to be deleted' },
  differ: { create: 'only in file', change: 'different', delete: 'only in account' },
};

/** As in the output of `diff`. */
export const signs: { readonly [K in PlannedOutcome['kind']]?: string } = {
  create: '+',
  change: '~',
  delete: '-',
  refused: '!',
};

/** A plan of any number of links, in constant memory. */
export class ChangePlan {
  readonly verb: PlanVerb;
  readonly session: Pick<Session, 'streams' | 'shortUrl' | 'edition'>;
  /** Number of links read, as in `412 of 3,300`; undefined for named links. */
  read: number | undefined;
  count = 0;
  planned = 0;
  /** Number of copies without their `max_clicks`. */
  unbounded = 0;
  /** Number of deleted or created links that are protected or disabled, or were so. */
  unprotected = 0;
  /** Number of links that get another hash. */
  renamed = 0;
  /** The link, if exactly one was added. */
  only: PlannedLink | undefined;
  /** Links grouped by equal changes. */
  readonly folds = new Groups();
  /** Missing, refused and untouched links, grouped by reason. */
  readonly reasons = new Groups();
  readonly #kinds = new Map<PlannedOutcome['kind'], number>();
  readonly #domains = new Set<string | undefined>();

  /** `leftOut` is the number of rows whose links are not read because they change nothing. */
  constructor(verb: PlanVerb, session: ChangePlan['session'], leftOut = 0) {
    this.verb = verb;
    this.session = session;
    this.#kinds.set('unchanged', leftOut);
  }

  /** The domains of the links that would be changed. */
  get domains(): LinkDomains {
    return [...this.#domains];
  }

  readonly countOf = (kind: PlannedOutcome['kind']): number => this.#kinds.get(kind) ?? 0;

  /** `read` is the number of links read so far. */
  add(links: readonly PlannedLink[], read?: number): void {
    this.read = read;
    for (const link of links) this.#addLink(link);
  }

  #addLink(link: PlannedLink): void {
    const { outcome, target } = link;
    this.count += 1;
    this.only = this.count === 1 ? link : undefined;
    this.#kinds.set(outcome.kind, this.countOf(outcome.kind) + 1);
    if (isPlanned(outcome)) {
      this.planned += 1;
      if (outcome.kind === 'copy' && outcome.losesBound) this.unbounded += 1;
      if ('losesProtection' in outcome) this.unprotected += 1;
      if (outcome.kind === 'change' && outcome.fields.custom_hash !== undefined) this.renamed += 1;
      this.folds.add(foldOf(link, this.verb), link);
      this.#domains.add(target.domain);
    } else if ('reason' in outcome) this.reasons.add(outcome.reason, link);
    else if (outcome.kind === 'missing') this.reasons.add('not found', link);
  }
}

/** Equal for links with equal changes. */
function foldOf({ outcome, record }: PlannedLink, verb: PlanVerb): string {
  const { kind } = outcome;
  const sign = verb === 'differ' ? `${signs[kind]} ` : '';
  if (kind === 'change' && record) return sign + foldedText(fieldChanges(outcome.fields, record));
  const words: { readonly [K in PlannedOutcome['kind']]?: string } = { ...participles, ...kindWords[verb] };
  return sign + (words[kind] ?? kind);
}

/** Maximum number of groups. Links outside them are only counted. */
const groupsKept = 1000;
const linksKept = 5;

export interface Group {
  readonly text: string;
  count: number;
  readonly first: PlannedLink[];
}

/** Groups links by text in constant memory, because a server may send any number of different texts. */
export class Groups {
  readonly #groups = new Map<string, Group>();
  /** Number of links outside the groups. */
  others = 0;

  add(text: string, link: PlannedLink): void {
    const group = this.#groups.get(text) ?? { text, count: 0, first: [] };
    const { kind } = link.outcome;
    // All links of any other kind share one text, which always gets a group.
    const hasManyTexts = kind === 'change' || kind === 'refused';
    if (group.count === 0 && hasManyTexts && this.#groups.size >= groupsKept) {
      this.others += 1;
      return;
    }
    this.#groups.set(text, group);
    group.count += 1;
    if (group.first.length < linksKept) group.first.push(link);
  }

  /** Largest first; groups of equal size in the order of their first links. */
  largest(): readonly Group[] {
    return [...this.#groups.values()].sort((one, other) => other.count - one.count);
  }
}

/** How rows name links, and what happens to each. `before` contains what a row says of its link as it was. */
export interface DecidableRows {
  payload(item: object): LinkKey;
  decide(payload: LinkKey, record: UrlRecord | undefined, before: RunRow['before']): PlannedOutcome;
}

/** Reads the current links of rows and decides the outcome of each. */
export async function decidedLinks(
  rows: readonly RunRow[],
  { payload, decide }: DecidableRows,
  { client, now, batchSize }: Pick<Session, 'client' | 'now'> & { readonly batchSize: number },
): Promise<PlannedLink[]> {
  const targets = rows.map(({ item }) => payload(item));
  const find = await recordsOf(client, targets, batchSize);
  const links = targets.map((target, nth): PlannedLink => {
    const record = find(target);
    return { target, record, outcome: ifNamed(target, decide(target, record, rows[nth]?.before)) };
  });
  return await withLosses(links, now);
}

/** Links to read, and the function that decides their outcomes. */
export interface DecidableLinks<Link extends SelectedLink> {
  readonly links: Pick<SelectedLinks<Link>, 'pages'>;
  decide(link: Link): PlannedOutcome;
}

/** Reads a selection into a plan. Throws a UsageError if `--max-affected` is exceeded. */
export async function* decidedPages<Link extends SelectedLink>(
  plan: ChangePlan,
  { links: selected, decide }: DecidableLinks<Link>,
  session: Session,
): AsyncGenerator<readonly (Link & PlannedLink)[]> {
  for await (const { links, read } of selected.pages()) {
    if (links.length > 0) refuseTooMany(plan.planned, session, { orMore: true });
    const outcomes = links.map((link) => ({ ...link, outcome: ifNamed(link.target, decide(link)) }));
    const decided = await withLosses(outcomes, session.now);
    plan.add(decided, read);
    yield decided;
    session.streams.progress.step(() => `${quantity(read, 'link')} read`);
  }
  refuseTooMany(plan.planned, session);
}

/** Says of deletions whether a protection is lost. `now` is in milliseconds since 1970. */
async function withLosses<Link extends PlannedLink>(links: Link[], now: number): Promise<Link[]> {
  if (!links.some(({ outcome }) => outcome.kind === 'delete')) return links;
  return (await import('../decide/lost-protection.ts')).markedLosses(links, now);
}

/** Refuses to change a link that no request can name, whether or not it was found. */
function ifNamed({ hash }: LinkKey, outcome: PlannedOutcome): PlannedOutcome {
  const reason = isLeft(outcome) ? undefined : keyFault(hash);
  return reason === undefined ? outcome : { kind: 'refused', reason };
}

function isLeft({ kind }: PlannedOutcome): boolean {
  return kind === 'unchanged' || kind === 'untouched';
}

/** Makes the item to send for a link. */
export type MakeItem = (target: LinkKey, fields: EditFields, kind: PlannedOutcome['kind']) => LinkKey;

/** Returns the row of a run; undefined for an unchanged or untouched link. */
export function runRowOf(
  { target, record, outcome, undoneRow, line }: PlannedLink,
  { payload }: { readonly payload?: MakeItem | undefined },
): RunRow<LinkKey> | undefined {
  if (isLeft(outcome)) return undefined;
  const fields = 'fields' in outcome ? (outcome.fields ?? {}) : {};
  const refusal = refusalOf({ outcome });
  const item = payload?.(target, fields, outcome.kind) ?? { ...target, ...fields };
  return { line, item, before: record ?? null, undoneRow, ...(refusal !== undefined && { refusal }) };
}

/** Returns the refusal in the form of a run's row. */
export function refusalOf({ outcome }: Pick<PlannedLink, 'outcome'>): RunRow['refusal'] {
  if (outcome.kind !== 'refused') return undefined;
  const { reason, code } = outcome;
  return code === undefined ? reason : { code, message: reason };
}
