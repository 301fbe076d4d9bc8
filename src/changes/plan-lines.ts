import { safe } from '../base/safe-text.ts';
import { linkText } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import { differences } from '../links/difference.ts';
import { displayWidth, pad, truncate } from '../output/display-width.ts';
import { fitMarked, type MarkedText, underline, withStyle } from '../output/marked-text.ts';
import { grouped, quantity } from '../output/quantity.ts';
import { readableUrl } from '../output/url-columns.ts';
import { type FieldChange, fieldChanges, fieldChangeText } from './field-changes.ts';
import {
  type Groups,
  type PlanCounts,
  type PlannedLink,
  type PlannedOutcome,
  type PlanSession,
  type PlanSettings,
  participles,
} from './planned-links.ts';

/** How the differing parts of a value before and after are shown; without them, by a line of `~`. */
export interface PlanMarks {
  readonly before: (text: string) => string;
  readonly after: (text: string) => string;
}

/** What a plan has counted. */
interface PlanContent {
  readonly settings: PlanSettings;
  readonly counts: PlanCounts;
  readonly folds: Groups;
  /** Missing and refused ones. */
  readonly left: Groups;
}

/** Links that are shown as examples (B56). */
export const shownLinks = 5;
/** Alike changes that are shown, and reasons. */
const shownGroups = 10;

export function summaryLines({ settings, counts, folds, left }: PlanContent): string[] {
  return [headLine(settings, counts), ...leftLines(left, new PlanScreen(settings.session, undefined)), ...lossLines(folds)];
}

export function planLines({ settings, counts, folds, left }: PlanContent, marks?: PlanMarks): string[] {
  const screen = new PlanScreen(settings.session, marks);
  const alike = foldLines(folds, screen);
  const examples = examplesOf(folds);
  const more = counts.planned - examples.length;
  return [
    headLine(settings, counts),
    ...alike,
    ...examples.flatMap((link) => screen.exampleLines(link)),
    ...(more > 0 && alike.length === 0 ? [`  ${screen.ellipsis} and ${grouped(more)} more`] : []),
    ...leftLines(left, screen),
    ...lossLines(folds),
  ];
}

/** `412 of 3,300 links would be changed, 12 unchanged, 3 not found`. */
function headLine({ verb, of }: PlanSettings, { planned, unchanged, missing, refused }: PlanCounts): string {
  const links = of === undefined || of === planned ? quantity(planned, 'link') : `${grouped(planned)} of ${quantity(of, 'link')}`;
  const others = [
    [unchanged, 'unchanged'],
    [missing, 'not found'],
    [refused, 'refused'],
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
  const rest = groups.slice(alike.length);
  const others = rest.reduce((sum, { count }) => sum + count, folds.others);
  const number = folds.others > 0 ? '' : `${grouped(rest.length)} `;
  const shown = [
    ...alike.map(({ text, count }) => ({ text, count })),
    ...(others > 0
      ? [{ text: `${screen.ellipsis} and ${number}other ${rest.length === 1 && number ? 'change' : 'changes'}`, count: others }]
      : []),
  ];
  return screen.countedLines(shown);
}

/** One of each of the largest groups, then the next of each. */
function examplesOf(folds: Groups): PlannedLink[] {
  const groups = folds.largest().slice(0, shownLinks);
  const rounds = Array.from({ length: shownLinks }, (_, round) => groups.flatMap(({ first }) => first[round] ?? []));
  return rounds.flat().slice(0, shownLinks);
}

/** By name what would stay as it is, and why. */
function leftLines(left: Groups, screen: PlanScreen): string[] {
  const groups = left.largest();
  const shown = groups.slice(0, shownGroups).map(({ text, count, first }) => {
    const more = count > first.length ? ` ${screen.ellipsis} and ${grouped(count - first.length)} more` : '';
    return `  ${safe(text)} (${grouped(count)}): ${first.map((link) => screen.name(link)).join(', ')}${more}`;
  });
  const others = groups.slice(shownGroups).reduce((sum, { count }) => sum + count, left.others);
  return others > 0 ? [...shown, `  other reasons (${grouped(others)})`] : shown;
}

const losses = {
  delete: 'clicks and creation order of deleted links cannot be restored',
  reset: 'counters cannot be restored after a reset',
  create: 'links that are created again begin with 0 clicks, as the newest',
} as const;

/** What cannot come back is said before the change (U3). */
function lossLines(folds: Groups): string[] {
  const kinds = kindsOf(folds);
  return (['delete', 'reset', 'create'] as const).filter((kind) => kinds.has(kind)).map((kind) => losses[kind]);
}

function kindsOf(folds: Groups): ReadonlySet<PlannedOutcome['kind']> {
  return new Set(folds.largest().flatMap(({ first }) => first.map(({ outcome }) => outcome.kind)));
}

/** Lays out lines for the terminal that stderr is; elsewhere nothing is cut. */
class PlanScreen {
  readonly ellipsis: string;
  readonly #session: PlanSession;
  readonly #marks: PlanMarks | undefined;
  readonly #width: number;

  constructor(session: PlanSession, marks: PlanMarks | undefined) {
    const { streams } = session;
    this.#session = session;
    this.#marks = marks;
    this.ellipsis = streams.glyphs.ellipsis;
    this.#width = streams.watched ? Math.max(40, streams.width('stderr')) : Number.POSITIVE_INFINITY;
  }

  name({ target, record }: PlannedLink): string {
    return safe(record ? shortUrlText(record, this.#session) : linkText(target));
  }

  /** Texts with a column of counts. */
  countedLines(rows: readonly { readonly text: string; readonly count: number }[]): string[] {
    const counts = rows.map(({ count }) => grouped(count));
    const countWidth = Math.max(...counts.map(({ length }) => length));
    const texts = rows.map(({ text }) => truncate(safe(text), this.#width - countWidth - 4, this.ellipsis));
    const textWidth = Math.max(...texts.map((text) => displayWidth(text)));
    return texts.map((text, index) => `  ${pad(text, textWidth)}  ${pad(counts[index] ?? '', countWidth, 'right')}`);
  }

  exampleLines(link: PlannedLink): string[] {
    const { outcome, record } = link;
    if (outcome.kind === 'change' && record) {
      const changes = fieldChanges(outcome.fields, record);
      const line = `  ${this.name(link)}: ${safe(changes.map(fieldChangeText).join('; '))}`;
      if (changes.every(({ field }) => field !== 'long_url') && this.#fits(line)) return [line];
      return [`  ${this.name(link)}`, ...changes.flatMap((change) => this.#changeLines(change))];
    }
    const [before, longUrl, after] = this.#parts(link);
    const room = Math.max(20, this.#width - '  '.length - displayWidth(safe(before + after)));
    return [`  ${safe(before)}${truncate(safe(longUrl), room, this.ellipsis)}${safe(after)}`];
  }

  #parts(link: PlannedLink): [string, string, string] {
    const { outcome, record } = link;
    if (outcome.kind === 'create') return [`${this.name(link)} -> `, outcome.fields.long_url ?? '', ' (created again)'];
    return record ? describedParts(record, this.#session, outcome.kind === 'reset') : [this.name(link), '', ''];
  }

  #changeLines(change: FieldChange): string[] {
    const indent = ' '.repeat(4);
    const line = safe(fieldChangeText(change));
    const { field, before, after } = change;
    if (typeof before !== 'string' || typeof after !== 'string' || (field !== 'long_url' && this.#fits(indent + line))) {
      return [indent + truncate(line, this.#width - indent.length, this.ellipsis)];
    }
    const label = field === 'long_url' ? '' : `${field}: `;
    const room = this.#width - `${indent}- ${label}`.length;
    const [old, now] = fitMarked(markedPair(safe(before), safe(after), this.#marks !== undefined), room, this.ellipsis);
    if (!old || !now) return [];
    return [
      ...this.#markedLines(`${indent}- ${label}`, old, 'before'),
      ...this.#markedLines(`${indent}+ ${label}`, now, 'after'),
    ];
  }

  #fits(line: string): boolean {
    return displayWidth(line, this.#width) <= this.#width;
  }

  #markedLines(head: string, marked: MarkedText, side: keyof PlanMarks): string[] {
    const style = this.#marks?.[side];
    if (style) return [head + withStyle(marked, style)];
    const below = underline(marked);
    return [head + marked.text, ...(below === '' ? [] : [' '.repeat(displayWidth(head)) + below])];
  }
}

/** Both values with what differs. Where lines are all there is to mark it with, what was only removed is marked before, the rest after. */
function markedPair(before: string, after: string, styled: boolean): MarkedText[] {
  const found = differences(before, after);
  const gone = found.filter(({ removed, added }) => removed !== '' && (styled || added === ''));
  const come = found.filter(({ added }) => added !== '');
  return [
    { text: before, marks: gone.map(({ removed, removedAt }) => ({ at: removedAt, length: removed.length })) },
    { text: after, marks: come.map(({ added, addedAt }) => ({ at: addedAt, length: added.length })) },
  ];
}

/** `https://s.ex/abc -> https://… (1,204 clicks)`, in the parts around the long URL. */
export function describedParts(record: UrlRecord, session: PlanSession, withUnique: boolean): [string, string, string] {
  return [`${shortUrlText(record, session)} -> `, record.long_url, ` (${clicks(record, withUnique)})`];
}

export function shortUrlText(record: UrlRecord, session: PlanSession): string {
  return readableUrl(session.shortUrl(record));
}

export function clicks({ total_clicks = 0, unique_clicks = 0 }: UrlRecord, withUnique: boolean): string {
  const total = `${grouped(total_clicks)} ${total_clicks === 1 ? 'click' : 'clicks'}`;
  return withUnique ? `${total}, ${grouped(unique_clicks)} unique` : total;
}
