import { thisServer } from '../../contract/editions.ts';
import { grouped, plainQuantity, quantity } from '../../output/quantity.ts';
import type { PlannedLink, PlannedOutcome } from '../decide/outcome.ts';
import { type ChangePlan, type Group, type Groups, kindWords, participles } from './plan.ts';
import { type PlanMarks, PlanScreen } from './screen.ts';

/** Maximum number of example links. */
export const shownLinks = 5;
/** Maximum number of groups of equal changes, and of reasons. */
const shownGroups = 10;

/** Describes a plan whose changes are listed link by link elsewhere. Without a width, the lines fit the terminal. */
export function summaryLines(plan: ChangePlan, width?: number): string[] {
  return [headLine(plan), ...leftLines(plan, new PlanScreen(plan, undefined, width)), ...lossLines(plan)];
}

/** Shows counts, groups of equal changes, five examples, and refusals with reasons. The text is safe and has styles only from `marks`. */
export function planLines(plan: ChangePlan, marks?: PlanMarks): string[] {
  const screen = new PlanScreen(plan, marks);
  const examples = examplesOf(plan);
  const more = plan.planned - examples.length;
  return [
    headLine(plan),
    ...foldLines(plan, screen),
    ...examples.flatMap((link) => screen.exampleLines(link)),
    ...(more > 0 ? [`  ${screen.ellipsis} and ${grouped(more)} more`] : []),
    ...leftLines(plan, screen),
    ...lossLines(plan),
  ];
}

/** `412 of 3,300 links would be changed, 12 unchanged, 3 refused, 2,873 not matching`. */
function headLine({ verb, read, planned, countOf }: ChangePlan): string {
  const [unchanged, missing, refused] = [countOf('unchanged'), countOf('missing'), countOf('refused')];
  const words = kindWords[verb];
  if (words) {
    const kinds = (['create', 'change', 'delete'] as const).map((kind) => [countOf(kind), words[kind]] as const);
    const counts = counted([...kinds, [unchanged, verb === 'differ' ? 'equal' : 'unchanged'], [refused, 'refused']]);
    return [quantity(planned + unchanged + refused, 'link'), counts.join(', ')].filter(Boolean).join(': ');
  }
  const links =
    read === undefined || read === planned ? quantity(planned, 'link') : `${grouped(planned)} of ${quantity(read, 'link')}`;
  const rest = counted([
    [unchanged, verb === 'copy' ? 'existing' : 'unchanged'],
    [missing, 'not found'],
    [refused, 'refused'],
    // A filter, or a tag expression that is decided here.
    [(read ?? 0) - planned - unchanged - missing - refused, 'not matching'],
  ]);
  return [`${links} would be ${participles[verb]}`, ...rest].join(', ');
}

function counted(words: readonly (readonly [count: number, word: string])[]): string[] {
  return words.flatMap(([count, word]) => (count > 0 ? [`${grouped(count)} ${word}`] : []));
}

/** Shows changes that several links share. A change of a single link can only be an example. */
function foldLines({ folds }: ChangePlan, screen: PlanScreen): string[] {
  const groups = folds.largest();
  const kinds = kindsOf(folds);
  const alike = kinds.size > 1 || kinds.has('change') ? groups.filter(({ count }) => count > 1).slice(0, shownGroups) : [];
  if (alike.length === 0) return [];
  const rest = groups.slice(alike.length);
  // A single remaining group takes no more room than a line that counts it.
  if (rest.length === 1 && folds.others === 0) alike.push(...rest.splice(0));
  const others = sumOf(rest) + folds.others;
  const number = folds.others > 0 ? '' : `${grouped(rest.length)} `;
  return screen.countedLines([
    ...alike,
    ...(others > 0 ? [{ text: `${screen.ellipsis} and ${number}other changes`, count: others }] : []),
  ]);
}

function sumOf(groups: readonly Group[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0);
}

/** Takes the first link of each of the largest groups, with every kind of change among them, then the next links of each. */
function examplesOf({ folds }: ChangePlan): PlannedLink[] {
  const groups = kindsFirst(folds.largest()).slice(0, shownLinks);
  const rounds = Array.from({ length: shownLinks }, (_, round) => groups.flatMap(({ first }) => first[round] ?? []));
  return rounds.flat().slice(0, shownLinks);
}

/** Moves the largest group of each kind to the front, so that many changes cannot hide a deletion. */
function kindsFirst(groups: readonly Group[]): readonly Group[] {
  const kindOf = ({ first }: Group): string | undefined => first[0]?.outcome.kind;
  const leaders = groups.filter((group) => groups.find((other) => kindOf(other) === kindOf(group)) === group);
  return [...leaders, ...groups.filter((group) => !leaders.includes(group))];
}

/** Names links that would stay unchanged, with the reasons. */
export function leftLines(plan: ChangePlan, screen = new PlanScreen(plan, undefined)): string[] {
  const { reasons } = plan;
  const groups = reasons.largest();
  const shown = groups.slice(0, shownGroups).flatMap((group) => screen.namesLines(group));
  const others = sumOf(groups.slice(shownGroups)) + reasons.others;
  return others > 0 ? [...shown, `  other reasons (${grouped(others)})`] : shown;
}

/** Shown before the change, because permanent losses affect the decision. */
export const losses = {
  delete: 'clicks and creation order of deleted links cannot be restored',
  reset: 'counters cannot be restored after a reset',
  create: 'links that are created again start with 0 clicks, as the newest',
  copy: 'copies start with 0 clicks and the date of the copy',
} as const;

export function lossLines(plan: ChangePlan): string[] {
  const { verb, folds } = plan;
  if (verb === 'differ') return [];
  const kinds = kindsOf(folds);
  const lost: string[] = (['delete', 'reset', 'create', 'copy'] as const)
    .filter((kind) => kinds.has(kind) && !(kind === 'create' && verb === 'apply'))
    .map((kind) => losses[kind]);
  if (plan.unprotected > 0)
    lost.push(`protected or disabled, but public when created again: ${plainQuantity(plan.unprotected, 'link')}`);
  return [...lost, ...boundLines(plan)];
}

/** Also shown after a copy. */
export function boundLines({ unbounded, session }: ChangePlan): string[] {
  if (unbounded === 0) return [];
  return [`not copied: max_clicks of ${plainQuantity(unbounded, 'link')}, which ${thisServer(session.edition)} does not have`];
}

function kindsOf(folds: Groups): ReadonlySet<PlannedOutcome['kind']> {
  return new Set(folds.largest().flatMap(({ first }) => first.map(({ outcome }) => outcome.kind)));
}
