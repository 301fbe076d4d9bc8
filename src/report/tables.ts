import { parseUrl } from '../contract/web-address.ts';
import type { ClickGroup, LinkClicks, LinkEvent } from '../history/clicks.ts';
import { changeOf, percentText } from '../output/period-rows.ts';
import { grouped } from '../output/quantity.ts';
import { readableUrl } from '../output/url-columns.ts';
import { dayText } from './date-texts.ts';
import type { BrokenLink, ExpiringLink, Movers, NamedLink } from './facts.ts';
import { type Html, html, nothing } from './html.ts';

/** Shows the change if there is a previous period. */
export function clickTable(links: readonly LinkClicks[], notes: ReadonlyMap<string, string>): Html {
  const cell = ({ link, events }: LinkClicks): Html => linkCell(link, notes.get(link.short_url), events);
  return figures(
    'Link',
    links.map((one) => ({ ...one, cell: cell(one) })),
  );
}

export function tagTable(groups: readonly ClickGroup[]): Html {
  const cell = ({ name }: ClickGroup): Html => html`<span class="name">${name === '' ? 'without a tag' : name}</span>`;
  return figures(
    'Tag',
    groups.map((group) => ({ ...group, cell: cell(group) })),
  );
}

interface FigureRow {
  readonly cell: Html;
  readonly clicks: number;
  readonly before: number | undefined;
}

/** Expects the rows in order of descending clicks. */
function figures(what: string, rows: readonly FigureRow[]): Html {
  const most = rows[0]?.clicks ?? 0;
  const isCompared = rows.some(({ before }) => before !== undefined);
  const heads = isCompared ? html`<th scope="col" class="wide">Before</th><th scope="col">Change</th>` : nothing;
  const lines = rows.map(({ cell, clicks, before = 0 }) => {
    const compared = isCompared ? html`<td class="wide">${grouped(before)}</td><td>${change(clicks, before)}</td>` : nothing;
    return html`<tr><th scope="row">${cell}${bar(clicks, most)}</th><td class="main">${grouped(clicks)}</td>${compared}</tr>
`;
  });
  return html`<table><thead><tr><th scope="col">${what}</th><th scope="col">Clicks</th>${heads}</tr></thead><tbody>
${lines}</tbody></table>`;
}

export function moverTables({ up, down }: Movers, notes: ReadonlyMap<string, string>): Html {
  const table = (links: readonly LinkClicks[], title: string): Html => {
    if (links.length === 0) return html`<div><h3>${title}</h3><p class="quiet">None.</p></div>`;
    const rows = links.map(
      ({ link, clicks, before = 0, events }) => html`<tr><th scope="row">${linkCell(link, notes.get(link.short_url), events)}</th>
<td><span class="main">${signed(clicks - before)}</span><br><span class="quiet">${grouped(before)} to ${grouped(clicks)}</span></td></tr>
`,
    );
    return html`<div><h3>${title}</h3><table><tbody>${rows}</tbody></table></div>`;
  };
  return html`<div class="two">${table(up, 'More clicks than before')}${table(down, 'Fewer clicks than before')}</div>`;
}

export function expiringTable(links: readonly ExpiringLink[]): Html {
  const rows = links.map(
    (
      link,
    ) => html`<tr><th scope="row">${linkCell(link)}</th><td class="wide">${grouped(link.total_clicks)}</td><td class="main">${dayText(link.expiration_date)}</td></tr>
`,
  );
  return html`<table><thead><tr><th scope="col">Link</th><th scope="col" class="wide">Total clicks</th><th scope="col">Last day</th></tr></thead><tbody>
${rows}</tbody></table>`;
}

export function brokenTable(links: readonly BrokenLink[]): Html {
  const rows = links.map(
    (
      link,
    ) => html`<tr><th scope="row">${linkCell(link)}<span class="quiet reason">${link.reason}</span></th><td class="main down">${link.status}</td></tr>
`,
  );
  return html`<table><thead><tr><th scope="col">Link</th><th scope="col">Found</th></tr></thead><tbody>
${rows}</tbody></table>`;
}

const eventTexts: { readonly [E in LinkEvent]: string } = {
  new: 'new',
  reset: 'reset',
  fell: 'counter fell',
  deleted: 'deleted',
  gone: 'gone',
  renamed: 'renamed',
};

/** The short URL is not a link because following it would count as a click. The destination is a link only for http and https. */
function linkCell({ short_url, long_url }: NamedLink, note = '', events: readonly LinkEvent[] = []): Html {
  const url = parseUrl(long_url);
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  return html`<span class="name">${readableUrl(short_url)}</span>${events.map((event) => html` <span class="event">${eventTexts[event]}</span>`)}
${note === '' ? nothing : html`<span class="note">${note}</span>`}${
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

/** Writes `+34 %`: the sign makes it readable without colour. */
export function change(clicks: number, before: number): Html {
  const percent = changeOf(clicks, before);
  if (percent === null) return html`<span class="quiet">${clicks > 0 ? 'from 0' : ''}</span>`;
  return html`<span class="${percent > 0 ? 'up' : percent < 0 ? 'down' : 'quiet'}">${withMinus(percentText(percent))}</span>`;
}

function signed(number: number): string {
  return withMinus(`${number > 0 ? '+' : ''}${grouped(number)}`);
}

/** Replaces the hyphen by the minus sign, which is as wide as a plus. */
function withMinus(text: string): string {
  return text.replace('-', '\u2212');
}
