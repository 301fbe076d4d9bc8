import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import type { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import { shellWord } from '../base/quoted.ts';
import type { System } from '../base/system.ts';
import { isoTime, relativeDay, utcDay } from '../base/times.ts';
import { accountLabel } from '../change/account-label.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/runner.ts';
import { openSession, type Session } from '../cli/session.ts';
import { recordText } from '../contract/link.ts';
import { startReplacement, targetOf } from '../files/atomic-write.ts';
import { fileWork } from '../files/file-error.ts';
import type { GlobalOptions } from '../flags/globals.ts';
import { missingInput } from '../flags/missing-input.ts';
import { once } from '../flags/values.ts';
import { describe } from '../help/description.ts';
import { type Clicks, comparable } from '../history/clicks.ts';
import { lastDay } from '../link/value.ts';
import { changeOf, percentText } from '../output/period-rows.ts';
import { quantity } from '../output/quantity.ts';
import type { DoneReport, TextReport } from '../output/report.ts';
import { clickedLinks, type ExpiringLink, notedLinks, type ReportFacts, soon } from '../report/facts.ts';
import { reportBeginning, reportPage } from '../report/page.ts';
import { selectLinks } from '../select/link-selection.ts';
import { recordPages } from '../select/record-pages.ts';
import { readSelection } from '../select/selection-flags.ts';
import { type FailingLinks, failingLinks } from './check/failing-links.ts';
import { periodClicks } from './stats/period-clicks.ts';
import { periodOf } from './stats/stats-since.ts';

interface ReportOptions {
  readonly html?: string;
  readonly since?: string;
  readonly title?: string;
  readonly byTags?: string;
}

export function register(command: Command, run: Runner): void {
  command
    .option('--html <file>', 'write the page to <file>; - writes to stdout')
    .option('--since <time>', 'clicks since <time>, such as 7d, 3m or 2026-01-31 (default: 30d)')
    .option('--title <text>', 'heading of the page')
    .option('--by-tags <expression>', 'only links that match a tag expression (linkctl help tags)', once)
    .action(run(report));
  describe(command, {
    examples: [
      'linkctl report --since 30d --html report.html',
      'linkctl report --since 7d --domain s.ex --html week.html',
      "linkctl report --by-tags 'spring' --title 'Spring' --html - > spring.html",
    ],
    notes: [
      `The page begins with links that failed their most recent check, and links that expire in the next ${soon} days. Then it shows clicks per day, ` +
        'the links with the most clicks, and tags. It ends with the links that changed the most since the previous period. The page is one file without ' +
        'scripts and external resources, so it can be mailed and printed. It covers all domains of the account, or --domain.',
      'The figures come from the readings of linkctl stats --record, or from a server with daily totals; the page names the source. If neither ' +
        'goes back far enough, nothing is written (exit 5). An existing file is overwritten only if it is a linkctl report, or with --yes.',
    ],
    globals: ['--domain', '--quiet', '--progress', '--yes'],
  });
}

async function report(options: ReportOptions, invocation: Invocation): Promise<DoneReport | TextReport> {
  const { html: path, since = '30d', title, byTags } = options;
  if (path === undefined) throw missingInput("flag '--html'", missing);
  if (path === '') throw new UsageError('--html: the name of the file is empty');
  refuseConflicts(path, since, invocation.global);
  const { system, global, now } = invocation;
  const isFile = path !== '-';
  if (isFile && !global.yes) assertReplaceable(path, system);
  const selection = readSelection([], options);
  const span = periodOf({ since }, invocation);
  const session = await openSession(invocation);
  const clicks = await periodClicks(span, session, { selection, options: {} });
  // The path is checked before the whole account is read, and nothing is left there if that is interrupted.
  if (isFile) startReplacement(path, system).discard();
  const failing = await failingLinks(session);
  const listed = await readListing(await selectLinks(selection, {}, session, 'record'), { clicks, failing, now }, session);
  // A report covers all domains unless --domain is given.
  const domain = session.domainNamed ? session.domain : undefined;
  const { edition } = session;
  const account = accountLabel({ ...session, domain });
  const check = failing?.facts(byTags === undefined);
  const { uncounted } = clicks;
  const { pasteable } = invocation.streams;
  const facts = { account, pasteable, title, byTags, edition, domain, madeAt: now, clicks, uncounted, ...listed, check };
  const page = reportPage(facts);
  if (!isFile) return { kind: 'text', text: page };
  const file = startReplacement(path, system);
  file.write(page);
  file.commit();
  return doneReport(path, facts);
}

const missing = { command: 'report', usage: '--html <file> [flags]', example: '--since 30d --html report.html' };

/** Throws a UsageError. */
function refuseConflicts(path: string, since: string, { fields, json, output = json ? 'json' : undefined }: GlobalOptions): void {
  if (path === '-' && output) throw new UsageError(`specify only one of --html - or -o ${output}`);
  const flag = fields === undefined ? output && ['csv', 'tsv'].includes(output) && `-o ${output}` : '--fields';
  if (!flag) return;
  const hint = `for rows: linkctl stats --since ${shellWord(since)}`;
  throw new UsageError(`${flag} does not apply to report, which has no rows`, { hint });
}

/** Only reports are overwritten without --yes, so that a wrong path destroys no other file. */
function assertReplaceable(path: string, system: System): void {
  if (!existsSync(path)) return;
  targetOf(path, system);
  if (beginsAsReport(path)) return;
  throw new UsageError(`${path} already exists and is not a linkctl report`, {
    hint: `to replace it, add --yes; or move ${shellWord(path)}`,
  });
}

function beginsAsReport(path: string): boolean {
  return fileWork('read', path, () => {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(Buffer.byteLength(reportBeginning));
      return bytes.toString('utf8', 0, readSync(file, bytes)) === reportBeginning;
    } finally {
      closeSync(file);
    }
  });
}

/** The history has no totals, notes or expiration dates: the listing has them. */
async function readListing(
  all: Awaited<ReturnType<typeof selectLinks>>,
  { clicks, failing, now }: { readonly clicks: Clicks; readonly failing: FailingLinks | undefined; readonly now: number },
  session: Session,
): Promise<Pick<ReportFacts, 'links' | 'gone' | 'notes' | 'expiring'>> {
  const [today, last] = [utcDay(now), relativeDay(`+${soon}d`, now) ?? ''];
  const named = notedLinks(clicks);
  const notes = new Map<string, string>();
  const expiring: ExpiringLink[] = [];
  let links = 0;
  const gone = clickedLinks(clicks);
  for await (const { records } of recordPages(all, session)) {
    links += records.length;
    for (const record of records) {
      const name = recordText(record);
      if (record.note && named.has(name)) notes.set(name, record.note);
      gone.delete(name);
      failing?.listed(record);
      // Any field may be missing in a record.
      const { long_url = '', total_clicks = 0, note } = record;
      const expiration_date = lastDay(record.expiration_date);
      if (expiration_date >= today && expiration_date <= last)
        expiring.push({ short_url: name, long_url, note: note || undefined, expiration_date, total_clicks });
    }
  }
  expiring.sort((one, other) => one.expiration_date.localeCompare(other.expiration_date, 'en'));
  return { links, gone: gone.size, notes, expiring };
}

function doneReport(file: string, { clicks, links, gone, expiring, check }: ReportFacts): DoneReport {
  const { total, counted, before } = clicks;
  const change = changeOf(comparable(total), total.before);
  return {
    kind: 'done',
    sentence: `Wrote ${file}: ${quantity(total.clicks, 'click')} of ${quantity(links + gone, 'link')}${change === null ? '' : ` (${percentText(change)})`}`,
    record: {
      report: file,
      first: isoTime(counted.since),
      last: isoTime(counted.until),
      before: before === undefined ? null : isoTime(before),
      clicks: total.clicks,
      clicks_before: total.before ?? null,
      links,
      expiring: expiring.length,
      broken: check?.failing.length ?? null,
    },
  };
}
