import type { DayClicks } from '../history/clicks.ts';
import { grouped, quantity } from '../output/quantity.ts';
import { dayText } from './date-texts.ts';
import { type Html, html, nothing } from './html.ts';

/** Returns a round number whose half is an integer. */
export function scaleTop(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  const tops = [1, 2, 3, 4, 5, 6, 8, 10].map((times) => times * power);
  return Math.max(4, tops.find((top) => top >= most && top % 2 === 0) ?? most);
}

/** The width of a day in units of the image, which is stretched to the page. */
const column = 10;
const height = 100;

/**
 * Stretches only the image: labels are beside it, so that they keep their size on a phone. A day of unknown clicks is a grey field, not a
 * zero.
 */
export function daysChart(days: readonly DayClicks[]): Html {
  if (days.length < 2) return html`<p class="quiet">The period lies within one day${days[0]?.soFar ? ', today so far' : ''}.</p>`;
  const last = days.at(-1);
  const known = days.flatMap(({ clicks }) => clicks ?? []);
  const top = scaleTop(Math.max(0, ...known));
  const width = days.length * column;
  const best = days.reduce((most, day) => ((day.clicks ?? 0) > (most.clicks ?? 0) ? day : most));
  const label = `Clicks per day from ${days[0] ? dayLabel(days[0]) : ''} to ${last ? dayLabel(last) : ''}. The most on ${dayLabel(best)}: ${grouped(best.clicks ?? 0)}.`;
  const ticks = [top, top / 2, 0].map((value) => html`<span>${grouped(value)}</span>`);
  return html`<div class="${days.length < 5 ? 'plot few' : 'plot'}">
<div class="ticks" aria-hidden="true">${ticks}</div>
<svg role="img" aria-label="${label}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">
<g class="grid"><path d="M0 0H${width}M0 50H${width}M0 100H${width}"/></g>
${days.map((day, index) => dayColumn(day, index, top))}</svg>
<div class="dates" aria-hidden="true">${datesOf(days).map((date) => html`<span>${date}</span>`)}</div>
</div>
${known.length < days.length ? html`<p class="quiet">Grey days lie between readings: their clicks are included in the total but cannot be assigned to a day.</p>` : nothing}
<details><summary>Clicks of each day</summary>${table(days)}</details>`;
}

/** `23 Nov 2026` or `23 Nov 2026 so far`. */
function dayLabel({ date, soFar }: DayClicks): string {
  return soFar ? `${dayText(date)} so far` : dayText(date);
}

function dayColumn(day: DayClicks, index: number, top: number): Html {
  const x = index * column + 1;
  const size = column - 2;
  const { clicks } = day;
  const title = `${dayLabel(day)}: ${clicks === undefined ? 'not known' : quantity(clicks, 'click')}`;
  if (clicks === undefined) {
    return html`<rect class="unknown" x="${x}" y="0" width="${size}" height="${height}"><title>${title}</title></rect>\n`;
  }
  // Any clicks are at least one unit high, so that they are visible.
  const tall = clicks > 0 ? Math.max(1, round((clicks / top) * height)) : 0;
  return html`<rect x="${x}" y="${round(height - tall)}" width="${size}" height="${tall}"><title>${title}</title></rect>\n`;
}

const round = (value: number): number => Math.round(value * 100) / 100;

function datesOf(days: readonly DayClicks[]): string[] {
  const [first, middle, last] = [days[0], days[Math.floor(days.length / 2)], days.at(-1)];
  return [...new Set([first, ...(days.length > 4 ? [middle] : []), last].flatMap((day) => (day ? dayLabel(day) : [])))];
}

function table(days: readonly DayClicks[]): Html {
  const rows = days.map(
    ({ date, clicks, soFar }) =>
      html`<tr><th scope="row">${date}${soFar ? ' so far' : ''}</th><td>${clicks === undefined ? '?' : grouped(clicks)}</td></tr>\n`,
  );
  return html`<table class="days"><thead><tr><th scope="col">Day (UTC)</th><th scope="col">Clicks</th></tr></thead><tbody>
${rows}</tbody></table>`;
}
