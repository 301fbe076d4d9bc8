import { grouped, quantity } from '../../output/quantity.ts';
import {
  type Group,
  type Groups,
  kindWords,
  type PlanCounts,
  type PlannedLink,
  type PlannedOutcome,
  type PlanSettings,
  participles,
} from './outcome.ts';
import { type PlanMarks, PlanScreen } from './screen.ts';

/** What a plan has counted. */
interface PlanContent {
  readonly settings: PlanSettings;
  readonly counts: PlanCounts;
  readonly countOf: (kind: PlannedOutcome['kind']) => number;
  readonly folds: Groups;
  /** Missing and refused ones. */
  readonly left: Groups;
}

/** Links that are shown as examples (B56). */
export const shownLinks = 5;
/** Alike changes that are shown, and reasons. */
const shownGroups = 10;

export function summaryLines({ folds, left, ...content }: PlanContent): string[] {
  const { settings } = content;
  return [headLine(content), ...leftLines(left, new PlanScreen(settings, undefined)), ...lossLines(folds, settings)];
}

export function planLines({ folds, left, ...content }: PlanContent, marks?: PlanMarks): string[] {
  const { settings, counts } = content;
  const screen = new PlanScreen(settings, marks);
  const alike = foldLines(folds, screen);
  const examples = examplesOf(folds);
  const more = counts.planned - examples.length;
  return [
    headLine(content),
    ...alike,
    ...examples.flatMap((link) => screen.exampleLines(link)),
    ...(more > 0 ? [`  ${screen.ellipsis} and ${grouped(more)} more`] : []),
    ...leftLines(left, screen),
    ...lossLines(folds, settings),
  ];
}

/** `412 of 3,300 links would be changed, 12 unchanged, 3 refused, 2,873 not matching the filter`. */
function headLine({ settings, counts, countOf }: Pick<PlanContent, 'settings' | 'counts' | 'countOf'>): string {
  const { verb, of } = settings;
  const { planned, unchanged, missing, refused } = counts;
  const words = kindWords[verb];
  if (words) {
    const kinds = (['create', 'change', 'delete'] as const).map((kind) => [countOf(kind), words[kind]] as const);
    const rest = [[unchanged, verb === 'differ' ? 'equal' : 'unchanged'] as const, [refused, 'refused'] as const];
    const parts = [...kinds, ...rest].flatMap(([count, word]) => (count > 0 ? [`${grouped(count)} ${word}`] : []));
    return [quantity(planned + unchanged + refused, 'link'), parts.join(', ')].filter(Boolean).join(': ');
  }
  const links = of === undefined || of === planned ? quantity(planned, 'link') : `${grouped(planned)} of ${quantity(of, 'link')}`;
  const others = [
    [unchanged, 'unchanged'],
    [missing, 'not found'],
    [refused, 'refused'],
    // Only a filter leaves links out that were read.
    [(of ?? 0) - planned - unchanged - missing - refused, 'not matching the filter'],
  ] as const;
  const rest = others.flatMap(([count, word]) => (count > 0 ? [`${grouped(count)} ${word}`] : []));
  return [`${links} would be ${participles[verb]}`, ...rest].join(', ');
}

/** Changes that are the same for several links; a single one is an example at most. */
function foldLines(folds: Groups, screen: PlanScreen): string[] {
  const groups = folds.largest();
  const kinds = kindsOf(folds);
  const alike = kinds.size > 1 || kinds.has('change') ? groups.filter(({ count }) => count > 1).slice(0, shownGroups) : [];
  if (alike.length === 0) return [];
  const behind = groups.slice(alike.length);
  // A single one takes no more room than a line that counts it.
  if (behind.length === 1 && folds.others === 0) alike.push(...behind.splice(0));
  const rest = behind;
  const others = rest.reduce((sum, { count }) => sum + count, folds.others);
  const number = folds.others > 0 ? '' : `${grouped(rest.length)} `;
  const shown = [
    ...alike.map(({ text, count }) => ({ text, count })),
    ...(others > 0 ? [{ text: `${screen.ellipsis} and ${number}other changes`, count: others }] : []),
  ];
  return screen.countedLines(shown);
}

/** One of each of the largest groups, but of every kind of change at least one; then the next of each. */
function examplesOf(folds: Groups): PlannedLink[] {
  const groups = kindsFirst(folds.largest()).slice(0, shownLinks);
  const rounds = Array.from({ length: shownLinks }, (_, round) => groups.flatMap(({ first }) => first[round] ?? []));
  return rounds.flat().slice(0, shownLinks);
}

/** The same groups, the largest of each kind before all others: no deletion hides behind many changes. */
function kindsFirst(groups: readonly Group[]): readonly Group[] {
  const kindOf = ({ first }: Group): string | undefined => first[0]?.outcome.kind;
  const leaders = groups.filter((group) => groups.find((other) => kindOf(other) === kindOf(group)) === group);
  return [...leaders, ...groups.filter((group) => !leaders.includes(group))];
}

/** By name what would stay as it is, and why. */
function leftLines(left: Groups, screen: PlanScreen): string[] {
  const groups = left.largest();
  const shown = groups.slice(0, shownGroups).map((group) => screen.namesLine(group));
  const others = groups.slice(shownGroups).reduce((sum, { count }) => sum + count, left.others);
  return others > 0 ? [...shown, `  other reasons (${grouped(others)})`] : shown;
}

/** What does not come back, by what is done. */
export const losses = {
  delete: 'clicks and creation order of deleted links cannot be restored',
  reset: 'counters cannot be restored after a reset',
  create: 'links that are created again begin with 0 clicks, as the newest',
  copy: 'copies begin with 0 clicks, and are as old as the copy',
} as const;

/** What cannot come back is said before the change (U3). */
function lossLines(folds: Groups, { verb, caution }: PlanSettings): string[] {
  if (verb === 'differ') return [];
  const kinds = kindsOf(folds);
  return (['delete', 'reset', 'create', 'copy'] as const)
    .filter((kind) => kinds.has(kind) && !(kind === 'create' && verb === 'apply'))
    .flatMap((kind) => [losses[kind], ...(kind === 'delete' && caution !== undefined ? [caution] : [])]);
}

function kindsOf(folds: Groups): ReadonlySet<PlannedOutcome['kind']> {
  return new Set(folds.largest().flatMap(({ first }) => first.map(({ outcome }) => outcome.kind)));
}
