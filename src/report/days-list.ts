import { dayLength, utcDay } from '../base/times.ts';
import type { DayClicks } from '../history/clicks.ts';
import { grouped } from '../output/quantity.ts';
import { dayText, type Html, html, nothing } from './html.ts';

/** One row of the list: a day, a week or a month. */
interface Span {
  readonly label: string;
  clicks: number;
  /** Days whose clicks are unknown, because they lie between readings. */
  unknown: number;
  days: number;
  soFar: boolean;
}

/** A row with its value for each day, week or month. */
export function daysList(days: readonly DayClicks[]): Html {
  const spans = spansOf(days);
  const most = Math.max(1, ...spans.map(({ clicks }) => clicks));
  return html`<ol class="days">
${spans.map((span) => html`<li><span class="day">${span.label}</span><span class="value">${spanBar(span, most)}</span></li>\n`)}</ol>
${days.some(({ clicks }) => clicks === undefined) ? html`<p class="quiet">No readings belong to some of these days: their clicks are included in the total, but cannot be assigned to a day.</p>` : nothing}`;
}

/** A long period is shown in weeks or months, so that every value can be read. */
export function unitOf({ length }: readonly DayClicks[]): 'day' | 'week' | 'month' {
  return length <= 31 ? 'day' : length <= 26 * 7 ? 'week' : 'month';
}

function spansOf(days: readonly DayClicks[]): Span[] {
  const labelOf = { day: dayText, week: mondayText, month: (date: string) => dayText(date.slice(0, 7)) }[unitOf(days)];
  const spans = new Map<string, Span>();
  for (const { date, clicks, soFar = false } of days) {
    const label = labelOf(date);
    const span = spans.get(label) ?? { label, clicks: 0, unknown: 0, days: 0, soFar: false };
    spans.set(label, span);
    span.clicks += clicks ?? 0;
    span.unknown += clicks === undefined ? 1 : 0;
    span.days += 1;
    span.soFar ||= soFar;
  }
  return [...spans.values()];
}

/** Weeks begin on Monday. */
function mondayText(date: string): string {
  const time = Date.parse(date);
  const monday = time - ((new Date(time).getUTCDay() + 6) % 7) * dayLength;
  return dayText(utcDay(monday));
}

/** The longest bar leaves room for its value, which stands right beside it. */
const longest = 70;

function spanBar({ clicks, unknown, days, soFar }: Span, most: number): Html {
  if (unknown === days) return html`<span class="quiet">not known</span>`;
  const share = Math.round((clicks / most) * longest * 10) / 10;
  const bar =
    clicks === 0
      ? nothing
      : html`<svg class="span" aria-hidden="true" width="${share}%"><rect width="100%" height="100%"/></svg>`;
  return html`${bar}<span>${unknown > 0 ? 'at least ' : ''}${grouped(clicks)}${soFar ? html` <span class="quiet">so far</span>` : nothing}</span>`;
}
