import { hash } from 'node:crypto';
import { capitalized } from '../base/quoted.ts';
import { utcDay } from '../base/times.ts';
import { version } from '../base/version.ts';
import { checkStatuses } from '../check/verdict.ts';
import { type Clicks, groupClicks, type LinkEvent } from '../history/clicks.ts';
import { uncountedClicks } from '../output/period-rows.ts';
import { grouped, quantity } from '../output/quantity.ts';
import { daysList, unitOf } from './days-list.ts';
import { type CheckFacts, clickedLinks, commandsOf, moversOf, type ReportFacts, rowsShown, soon, topLinks } from './facts.ts';
import { dayText, type Html, html, nothing, timeText } from './html.ts';
import { style } from './style.ts';
import { changeCell, clickTable, expiringTable, failingTable, moverTables, tagTable } from './tables.ts';

/** Identifies a file as a report, which another report may replace. */
export const reportBeginning = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="linkctl report">`;

/**
 * The report is one file without scripts and external resources. Its policy forbids both, in case some text is ever interpreted as markup.
 */
export function reportPage(facts: ReportFacts): string {
  const { clicks, domain, byTags } = facts;
  const period = days(clicks.counted.since, clicks.counted.until);
  const heading = facts.title ?? `Clicks, ${period}`;
  const about = [
    ...(facts.title === undefined ? [] : [period]),
    quantity(facts.links, 'link'),
    ...(domain === undefined ? [] : [`domain ${domain}`]),
    ...(byTags === undefined ? [] : [`tags ${byTags}`]),
  ];
  const body = html`<header><h1>${heading}</h1><p class="quiet">${about.join(' · ')}</p></header>
<main>${facts.links === 0 && clicks.total.clicks === 0 ? quiet(emptiness(facts)) : sections(facts)}</main>
<footer>${sources(facts)}</footer>`;
  return html`${{ html: reportBeginning }}
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${styleHash()}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${heading}</title>
<style>${{ html: style }}</style>
</head>
<body>
${body}
</body>
</html>
`.html;
}

function emptiness(facts: ReportFacts): Html {
  const { allTags, shorten } = commandsOf(facts);
  if (facts.byTags !== undefined) return html`No link has these tags. All tags: <code>${allTags}</code>`;
  return html`There are no links yet. To create the first one: <code>${shorten}</code>`;
}

/** First what needs care, then the clicks. */
function sections(facts: ReportFacts): Html {
  const { clicks, expiring: ending, check } = facts;
  const care = html`${section('broken', 'Broken links', failing(facts))}
${ending.length === 0 ? nothing : section('expiring', 'Expiring soon', expiring(facts))}`;
  if (clicks.total.clicks === 0) {
    const longer = html`No link was clicked in this period. For a longer one: <code>${commandsOf(facts).longer}</code>`;
    return html`${check || ending.length > 0 ? care : nothing}${section('days', 'Clicks', quiet(longer))}`;
  }
  return html`${tiles(facts)}
${care}
${section('days', `Clicks per ${unitOf(clicks.days)}`, daysList(clicks.days))}
${section('links', 'Top links', top(facts))}
${section('tags', 'Tags', tags(facts))}
${movers(facts)}`;
}

function styleHash(): string {
  return hash('sha256', style, 'base64');
}

const day = (time: number): string => dayText(utcDay(time));

function days(first: number, last: number): string {
  return day(first) === day(last) ? day(first) : `${day(first)} to ${day(last)}`;
}

const quiet = (text: string | Html): Html => html`<p class="quiet">${text}</p>`;

function section(id: string, title: string, content: Html): Html {
  return html`<section id="${id}"><h2>${title}</h2>${content}</section>`;
}

/** A truncated table names the command that lists the rest. */
function truncationNote(shown: number, all: number, noun: string, command: string): Html {
  if (shown === all) return nothing;
  return html`<p class="quiet">${grouped(shown)} of ${quantity(all, noun)}. For all of them: <code>${command}</code></p>`;
}

function top(facts: ReportFacts): Html {
  const { clicks, notes, check } = facts;
  const shown = topLinks(clicks);
  const clicked = clicks.links.filter((link) => link.clicks > 0).length;
  const failing = new Set(check?.failing.map(({ short_url }) => short_url));
  return html`${clickTable(shown, notes, failing)}${truncationNote(shown.length, clicked, 'link', commandsOf(facts).links)}`;
}

/** Each leads to its section. */
function tiles({ clicks, links, gone, expiring, check }: ReportFacts): Html {
  const clicked = clickedLinks(clicks).size;
  return html`<nav class="tiles">
${tile('days', 'Clicks', grouped(clicks.total.clicks), against(clicks))}
${tile('links', 'Links with clicks', grouped(clicked), html`of ${quantity(links + gone, 'link')}`)}
${tile(expiring.length > 0 ? 'expiring' : undefined, 'Expiring', grouped(expiring.length), html`in the next ${soon} days`)}
${check ? tile('broken', 'Broken', grouped(check.failing.length), html`of ${quantity(check.links, 'link')}, ${days(check.checks.first, check.checks.last)}`) : tile('broken', 'Broken', '?', html`not checked yet`)}
</nav>`;
}

function against({ total, source }: Clicks): Html {
  const { before } = total;
  if (before === undefined) return html`no earlier ${source === 'readings' ? 'reading' : 'days'} to compare with`;
  return before === 0 ? html`none before` : html`${changeCell(total)} against ${grouped(before)} before${withoutToday(total)}`;
}

/** Only whole days are compared. */
function withoutToday({ today = 0 }: Clicks['total']): string {
  return today > 0 ? ', without today' : '';
}

function tile(id: string | undefined, name: string, figure: string, below: Html): Html {
  const content = html`<span class="quiet">${name}</span><span class="figure">${figure}</span><span class="quiet">${below}</span>`;
  return id === undefined ? html`<div>${content}</div>` : html`<a href="#${id}">${content}</a>`;
}

function movers({ clicks, notes }: ReportFacts): Html {
  const found = moversOf(clicks);
  if (!found) return nothing;
  const { before = 0, counted, total } = clicks;
  // The end of the previous period is not part of it.
  const compared = quiet(`Compared with the previous period, ${day(before)} to ${day(counted.since - 1)}${withoutToday(total)}.`);
  return section('movers', 'What changed the most', html`${compared}${moverTables(found, notes)}`);
}

function tags(facts: ReportFacts): Html {
  const { clicks } = facts;
  const groups = groupClicks(clicks, ({ tags: labels }) => labels).filter((group) => group.clicks > 0);
  const shown = groups.slice(0, rowsShown);
  const hasSeveral = clicks.links.some(({ link }) => link.tags.length > 1);
  return html`${tagTable(shown)}${truncationNote(shown.length, groups.length, 'group', commandsOf(facts).tags)}${hasSeveral ? quiet('A link with several tags counts for each of them.') : nothing}`;
}

function expiring(facts: ReportFacts): Html {
  const { expiring: links } = facts;
  const shown = links.slice(0, 2 * rowsShown);
  return html`${expiringTable(shown)}${truncationNote(shown.length, links.length, 'link', commandsOf(facts).expiring)}`;
}

function failing(facts: ReportFacts): Html {
  const { check } = facts;
  if (!check) return quiet(html`The links were not checked yet. To check them: <code>${commandsOf(facts).check}</code>`);
  const { failing: links } = check;
  const shown = links.slice(0, 2 * rowsShown);
  return html`${links.length > 0 ? failingTable(shown) : nothing}${truncationNote(shown.length, links.length, 'link', commandsOf(facts).failing)}
${quiet(checkSentences(check, facts.links).join(' '))}`;
}

/** States the results that a program could not determine. */
function checkSentences({ checks, links, counts, changedSince }: CheckFacts, all: number): string[] {
  const found = checkStatuses.filter((status) => counts[status] > 0).map((status) => `${grouped(counts[status])} ${status}`);
  const { number, what, first, last } = checks;
  const source =
    number === 1 ? `linkctl ${what}, ${timeText(last)}` : `${quantity(number, 'check')}, ${timeText(first)} to ${timeText(last)}`;
  const unknown = all - links;
  return [
    `Latest results for ${quantity(links, 'link')} (${source}): ${found.join(', ') || 'none'}.`,
    ...(unknown === 1 ? ['1 other link has not been checked since its destination last changed.'] : []),
    ...(unknown > 1 ? [`${grouped(unknown)} other links have not been checked since their destinations last changed.`] : []),
    ...(counts.blocked > 0 ? ['Blocked pages refused an automated request: open them in a browser.'] : []),
    ...(changedSince > 0
      ? [`${quantity(changedSince, 'link')} that failed ${changedSince === 1 ? 'has' : 'have'} been changed or deleted since.`]
      : []),
  ];
}

function sources({ clicks, uncounted, madeAt, account }: ReportFacts): Html {
  const { counted, asked, before, source } = clicks;
  const requested = `Requested period: ${timeText(asked.since)} to ${timeText(asked.until)}.`;
  const compared =
    before === undefined
      ? ''
      : ` The previous period begins ${source === 'readings' ? 'with the reading of' : 'on'} ${timeText(before)}.`;
  const [first, last] = [timeText(counted.since), timeText(counted.until)];
  const figures =
    source === 'readings'
      ? `the last counter minus the first, from the reading of ${first} to that of ${last}`
      : `the daily totals of the server, from ${first} to ${last}`;
  const lacking = uncounted > 0 ? ` ${capitalized(uncountedClicks(uncounted))}.` : '';
  const limits = 'Days are UTC; the first and the last may be incomplete. Nothing is estimated.';
  return html`${quiet(`Clicks are ${figures}.${compared} ${requested} ${limits}${lacking}`)}${eventNotes(clicks)}
${quiet(`Made by linkctl ${version} on ${timeText(madeAt)} for ${account}.`)}`;
}

const eventSentences: { readonly [E in LinkEvent]?: (links: string) => string } = {
  reset: (links) => `${links} reset by linkctl: clicks before and after the reset count.`,
  fell: (links) => `${links} with a counter that fell: it was reset elsewhere and counts from zero.`,
  deleted: (links) => `${links} deleted by linkctl: clicks before the deletion count.`,
  gone: (links) => `${links} deleted elsewhere: clicks until the last reading count.`,
};

function eventNotes({ links }: Clicks): Html {
  const sentences = Object.entries(eventSentences).flatMap(([event, sentence]) => {
    const count = links.filter(({ events }) => events.some((one) => one === event)).length;
    return count > 0 && sentence ? [sentence(quantity(count, 'link'))] : [];
  });
  return sentences.length > 0 ? quiet(sentences.join(' ')) : nothing;
}
