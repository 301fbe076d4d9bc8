import { safe } from '../../base/safe-text.ts';
import { wrap } from '../../base/wrap.ts';
import { linkText } from '../../contract/link.ts';
import type { EditFields } from '../../contract/operations.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { readableUrl } from '../../contract/web-address.ts';
import { differences } from '../../link/difference.ts';
import { displayWidth, pad, truncate } from '../../output/display-width.ts';
import { fitMarked, type MarkedText, underline, withStyle } from '../../output/marked-text.ts';
import { grouped } from '../../output/quantity.ts';
import { type FieldChange, fieldChanges, fieldChangeText, type PlannedLink } from '../decide/outcome.ts';
import { type ChangePlan, type Group, kindWords, signs } from './plan.ts';

/** Styles for the differing parts of a value. Without them, a line of `~` below marks these parts. */
export interface PlanMarks {
  readonly before: (text: string) => string;
  readonly after: (text: string) => string;
}

/** Fits lines to the terminal. If stderr is not a terminal, nothing is cut. */
export class PlanScreen {
  readonly ellipsis: string;
  readonly #session: ChangePlan['session'];
  readonly #verb: ChangePlan['verb'];
  readonly #marks: PlanMarks | undefined;
  readonly #width: number;

  constructor({ session, verb }: Pick<ChangePlan, 'session' | 'verb'>, marks: PlanMarks | undefined, width?: number) {
    const { streams } = session;
    this.#session = session;
    this.#verb = verb;
    this.#marks = marks;
    this.ellipsis = streams.glyphs.ellipsis;
    this.#width = width ?? (streams.watched ? Math.max(40, streams.width('stderr')) : Number.POSITIVE_INFINITY);
  }

  name({ target, record }: PlannedLink): string {
    return safe(record ? shortUrlText(record, this.#session) : linkText(target));
  }

  countedLines(rows: readonly { readonly text: string; readonly count: number }[]): string[] {
    const counts = rows.map(({ count }) => grouped(count));
    const countWidth = Math.max(...counts.map(({ length }) => length));
    const texts = rows.map(({ text }) => truncate(safe(text), this.#width - countWidth - 4, this.ellipsis));
    const textWidth = Math.max(...texts.map((text) => displayWidth(text)));
    return texts.map((text, index) => `  ${pad(text, textWidth)}  ${pad(counts[index] ?? '', countWidth, 'right')}`);
  }

  /** Shows the text, the number of links, and as many of their names as fit on the line, or on one below, but at least one. */
  namesLines({ text, count, first }: Group): string[] {
    const names = first.map((link) => this.name(link));
    const after = (lead: string): string => {
      const line = (shown: number): string => {
        const more = count > shown ? ` ${this.ellipsis} and ${grouped(count - shown)} more` : '';
        return `${lead}${names.slice(0, shown).join(', ')}${more}`;
      };
      for (let shown = names.length; shown > 1; shown -= 1) if (this.#fits(line(shown))) return line(shown);
      return line(1);
    };
    const head = `${safe(text)} (${grouped(count)}):`;
    const line = after(`  ${head} `);
    if (this.#fits(line)) return [line];
    const indented = (text: string, indent: string) => wrap(text, this.#width - indent.length).map((part) => indent + part);
    return [...indented(head, '  '), ...indented(after(' '.repeat(4)).trim(), ' '.repeat(4))];
  }

  exampleLines(link: PlannedLink): string[] {
    const { outcome, record } = link;
    // In a plan with several kinds of changes, a sign marks the kind.
    const lead = kindWords[this.#verb] ? `  ${signs[outcome.kind]} ` : '  ';
    if (outcome.kind === 'change' && record) {
      const changes = fieldChanges(outcome.fields, record);
      const line = `${lead}${this.name(link)}: ${safe(changes.map(fieldChangeText).join('; '))}`;
      if (changes.every(({ field }) => field !== 'long_url') && this.#fits(line)) return [line];
      return [lead + this.name(link), ...changes.flatMap((change) => this.#changeLines(change))];
    }
    const [before, longUrl, after] = this.#parts(link);
    const head = lead + safe(before);
    const rest = (used: number): string =>
      truncate(safe(longUrl), Math.max(20, this.#width - used - displayWidth(safe(after))), this.ellipsis) + safe(after);
    const line = head + rest(displayWidth(head));
    return longUrl === '' || this.#fits(line) ? [line] : [head.trimEnd(), `    ${rest(4)}`];
  }

  #parts(link: PlannedLink): [string, string, string] {
    const { outcome, record } = link;
    if (outcome.kind === 'create')
      return [`${this.name(link)} -> `, outcome.fields.long_url ?? '', this.#creation(outcome.fields)];
    if (outcome.kind === 'copy') return [`${this.name(link)} -> `, outcome.fields.long_url ?? '', ''];
    return record ? describedParts(record, this.#session, outcome.kind === 'reset') : [this.name(link), '', ''];
  }

  /** A link from a file is shown with all its fields, because it is not in the account yet. */
  #creation({ long_url: _, ...others }: EditFields): string {
    if (this.#verb !== 'differ' && this.#verb !== 'apply') return ' (created again)';
    const text = Object.entries(others).map(([field, value]) => `; ${field}: ${JSON.stringify(value)}`);
    return truncate(text.join(''), this.#width / 2, this.ellipsis);
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

/** Marks the differences in both values. Without styles, the old value has marks only for removals without a replacement. */
function markedPair(before: string, after: string, styled: boolean): MarkedText[] {
  const found = differences(before, after);
  const gone = found.filter(({ removed, added }) => removed !== '' && (styled || added === ''));
  const come = found.filter(({ added }) => added !== '');
  return [
    { text: before, marks: gone.map(({ removed, removedAt }) => ({ at: removedAt, length: removed.length })) },
    { text: after, marks: come.map(({ added, addedAt }) => ({ at: addedAt, length: added.length })) },
  ];
}

/** Splits `https://s.ex/abc -> https://… (1,204 clicks)` into the long URL and the parts around it. */
export function describedParts(record: UrlRecord, session: ChangePlan['session'], withUnique: boolean): [string, string, string] {
  return [`${shortUrlText(record, session)} -> `, record.long_url ?? 'unknown', ` (${clicks(record, withUnique)})`];
}

export function shortUrlText(record: UrlRecord, session: ChangePlan['session']): string {
  return readableUrl(session.shortUrl(record));
}

export function clicks({ total_clicks = 0, unique_clicks = 0 }: Partial<UrlRecord>, withUnique: boolean): string {
  const total = `${grouped(total_clicks)} ${total_clicks === 1 ? 'click' : 'clicks'}`;
  return withUnique ? `${total}, ${grouped(unique_clicks)} unique` : total;
}
