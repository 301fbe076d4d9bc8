import { parseUrl, readableUrl } from '../contract/web-address.ts';
import { type ClickGroup, type ComparedClicks, comparable, type LinkClicks } from '../history/clicks.ts';
import { changeOf, percentText } from '../output/period-rows.ts';
import { grouped } from '../output/quantity.ts';
import type { ExpiringLink, FailingLink, Movers, NamedLink } from './facts.ts';
import { dayText, type Html, html, nothing } from './html.ts';

/** Numbers come first, so that they stay next to the name on a wide page. `failing` are short URLs. */
export function clickTable(links: readonly LinkClicks[], notes: ReadonlyMap<string, string>, failing: ReadonlySet<string>): Html {
  return figures(
    'Link',
    links.map((one) => ({
      ...one,
      cell: clickedCell(one, notes, failing.has(one.link.short_url) ? [pill('broken', 'down')] : []),
    })),
  );
}

export function tagTable(groups: readonly ClickGroup[]): Html {
  const cell = ({ name }: ClickGroup): Html => html`<span class="name">${name === '' ? 'without a tag' : name}</span>`;
  return figures(
    'Tag',
    groups.map((group) => ({ ...group, cell: cell(group) })),
  );
}

interface FigureRow extends ComparedClicks {
  readonly cell: Html;
}

/** Shows the change if there is a previous period. Expects the rows in order of descending clicks. */
function figures(what: string, rows: readonly FigureRow[]): Html {
  const most = rows[0]?.clicks ?? 0;
  const isCompared = rows.some(({ before }) => before !== undefined);
  const lines = rows.map(({ cell, clicks, ...figures }) => [
    html`<td class="main">${grouped(clicks)}</td>`,
    isCompared ? html`<td>${changeCell({ clicks, ...figures })}</td>` : nothing,
    html`<th scope="row">${cell}${bar(clicks, most)}</th>`,
  ]);
  return table(['Clicks', ...(isCompared ? ['Change'] : []), what], lines);
}

function table(heads: readonly string[], rows: readonly (readonly Html[])[]): Html {
  const head =
    heads.length > 0 ? html`<thead><tr>${heads.map((text) => html`<th scope="col">${text}</th>`)}</tr></thead>` : nothing;
  return html`<table>${head}<tbody>
${rows.map((cells) => html`<tr>${cells}</tr>\n`)}</tbody></table>`;
}

export function moverTables({ up, down }: Movers, notes: ReadonlyMap<string, string>): Html {
  const side = (links: readonly LinkClicks[], title: string): Html => {
    const rows = links.map((one) => {
      const [clicks, { before = 0 }] = [comparable(one), one];
      return [
        html`<td><span class="main">${signed(clicks - before)}</span><br><span class="quiet">${grouped(before)} to ${grouped(clicks)}</span></td>`,
        html`<th scope="row">${clickedCell(one, notes)}</th>`,
      ];
    });
    return html`<div><h3>${title}</h3>${links.length === 0 ? html`<p class="quiet">None.</p>` : table([], rows)}</div>`;
  };
  return html`<div class="two">${side(up, 'More clicks than before')}${side(down, 'Fewer clicks than before')}</div>`;
}

export function expiringTable(links: readonly ExpiringLink[]): Html {
  const rows = links.map((link) => [
    html`<td class="main">${dayText(link.expiration_date)}</td>`,
    html`<td>${grouped(link.total_clicks)}</td>`,
    html`<th scope="row">${linkCell(link)}</th>`,
  ]);
  return table(['Last day', 'All clicks', 'Link'], rows);
}

export function failingTable(links: readonly FailingLink[]): Html {
  const rows = links.map((link) => [
    html`<td class="main down">${link.status}</td>`,
    html`<th scope="row">${linkCell(link)}<span class="quiet reason">${link.reason}</span></th>`,
  ]);
  return table(['Result', 'Link'], rows);
}

/** Shows the events of the link, too. */
function clickedCell({ link, events }: LinkClicks, notes: ReadonlyMap<string, string>, marks: readonly Html[] = []): Html {
  const pills = events.map((event) => pill(event === 'fell' ? 'counter fell' : event));
  return linkCell({ ...link, note: notes.get(link.short_url) }, [...pills, ...marks]);
}

function pill(text: string, kind = 'quiet'): Html {
  return html` <span class="event ${kind}">${text}</span>`;
}

/**
 * People know a link by its note. The short URL is not a link because following it would count as a click. The destination is a link only
 * for http and https.
 */
function linkCell({ short_url, long_url, note = '' }: NamedLink, marks: readonly Html[] = []): Html {
  const url = parseUrl(long_url);
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  const name = readableUrl(short_url);
  const title = note === '' ? html`<span class="name">${name}</span>` : html`<span class="name note">${note}</span>`;
  return html`${title}${note === '' ? marks : html`<span class="quiet short">${name}${marks}</span>`}
${
  isWeb
    ? html`<a class="to" href="${url.href}" rel="noopener noreferrer">${long_url}</a>`
    : html`<span class="to">${long_url}</span>`
}`;
}

/** The bar of the most clicks has the full width. */
function bar(clicks: number, most: number): Html {
  const share = most > 0 ? Math.round((clicks / most) * 1000) / 10 : 0;
  return html`<svg class="bar" aria-hidden="true" viewBox="0 0 100 1" preserveAspectRatio="none"><rect width="${share}" height="1"/></svg>`;
}

/** Percentages of fewer clicks mean nothing. */
const leastForPercent = 20;

/** Writes `+34 %`, or `+3` for few clicks: the sign makes it readable without colour. */
export function changeCell(figures: ComparedClicks): Html {
  const [clicks, { before = 0 }] = [comparable(figures), figures];
  const by = clicks - before;
  const isFew = Math.max(clicks, before) < leastForPercent;
  if (!isFew && before === 0) return html`<span class="quiet">from 0</span>`;
  const text = by === 0 ? '±0' : isFew ? signed(by) : withMinus(percentText(changeOf(clicks, before) ?? 0));
  return html`<span class="${by > 0 ? 'up' : by < 0 ? 'down' : 'quiet'}">${text}</span>`;
}

function signed(number: number): string {
  return withMinus(`${number > 0 ? '+' : ''}${grouped(number)}`);
}

/** Replaces the hyphen by the minus sign, which is as wide as a plus. */
function withMinus(text: string): string {
  return text.replace('-', '\u2212');
}
