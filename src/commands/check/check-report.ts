import { type CliError, LocalError, PartialError, UnavailableError } from '../../base/errors.ts';
import { type CheckedRow, checkedFields } from '../../bulk/check-runs/check-results.ts';
import type { CheckProgress, CheckSummary, StartedCheck } from '../../bulk/check-runs/check-run.ts';
import { accountLabel } from '../../change/account-label.ts';
import { wantsRows } from '../../change/plan/report.ts';
import { type CheckStatus, checkStatuses } from '../../check/verdict.ts';
import { type interruptible, resumptionText } from '../../cli/interruption.ts';
import type { Session } from '../../cli/session.ts';
import { withoutScheme } from '../../contract/link.ts';
import { readableUrl } from '../../contract/web-address.ts';
import { grouped, plainQuantity, quantity } from '../../output/quantity.ts';
import type { Column, Row, RowsReport } from '../../output/report.ts';
import { MissingLinks } from '../../select/named-rows.ts';

export interface CheckView {
  readonly only: ReadonlySet<CheckStatus> | undefined;
  readonly failOn: ReadonlySet<CheckStatus>;
  readonly severalDomains: boolean;
  readonly results: string | undefined;
  /** Printed before the summary. */
  readonly notes: readonly string[];
  /** The server did not list all links, which a warning said. */
  readonly hasGaps: boolean;
}

interface ShownCheck extends CheckView {
  readonly check: StartedCheck;
  readonly links: number;
  readonly interruption: ReturnType<typeof interruptible>;
  /** Hashes that do not exist fail the command; they are no result of the check. */
  readonly missing: MissingLinks;
}

export const checkColumns: readonly Column[] = [
  { name: 'hash', essential: true },
  { name: 'short_url', essential: true, show: (value) => readableUrl(String(value ?? '')) },
  { name: 'status', essential: true },
  { name: 'http_status', title: 'HTTP', align: 'right' },
  { name: 'long_url', title: 'LONG URL', shrinks: true, essential: true },
  { name: 'old_long_url', title: 'OLD LONG URL', shrinks: true },
  { name: 'final_url', title: 'FINAL URL', shrinks: true },
  { name: 'milliseconds', title: 'MS', align: 'right' },
  { name: 'reason', shrinks: true, show: reasonText },
];

/** Tables have no room for a column of final URLs, so the reason shows it. */
function reasonText(reason: unknown, { status, final_url }: Row): string {
  const shown = status === 'moved' || status === 'wrong' ? [reason, final_url] : [reason];
  return shown.filter(Boolean).join(': ');
}

const maxRowsShown = 20;

/** Of many links a terminal shows only those that are not ok. */
function omitsOk({ only, links }: ShownCheck, session: Session): boolean {
  return only === undefined && links > maxRowsShown && !wantsRows(session);
}

/** The columns of a check, whether or not it has rows. */
export function checkPresentation({ only, severalDomains }: CheckView) {
  const name = severalDomains ? 'short_url' : 'hash';
  const fields = [name, 'status', 'http_status', 'long_url', 'final_url', 'milliseconds', 'reason'];
  return {
    kind: 'rows',
    key: 'checks',
    columns: checkColumns,
    tableFields: [name, 'status', 'http_status', 'long_url', 'reason'],
    pipedFields: isEdit(only) ? [name, 'long_url', 'old_long_url', 'reason'] : fields,
  } as const;
}

export function checkReport(view: Omit<ShownCheck, 'missing'>, session: Session): RowsReport {
  const { results, notes } = view;
  const missing = new MissingLinks();
  const shown = { ...view, missing };
  return {
    ...checkPresentation(shown),
    rows: shownRows(shown, session),
    failure: missing.failure,
    unreached: ({ status }) => status === 'not_sent',
    resultsIn: results,
    members: () => ({ summary: summaryRecord(shown) }),
    notes: () => [...notes, ...summaryLines(shown, session)],
    outcome: () => outcome(shown, session),
    abandoned: () => abandonment(shown),
  };
}

/** A check that is complete has its result, whoever reads it. One that is not must not look as if all were well. */
function abandonment(shown: ShownCheck): CliError | undefined {
  const { done, destinations, isComplete } = shown.check.progress();
  if (isComplete) return result(shown);
  return new LocalError(`output pipe closed after ${done} of ${destinations} destinations`, {
    hint: 'run the same command again to resume',
  });
}

async function* shownRows(shown: ShownCheck, session: Session): AsyncGenerator<Row[]> {
  const { check, only, interruption, missing } = shown;
  const { streams } = session;
  const hidesOk = omitsOk(shown, session);
  const isListed = (status: CheckStatus | undefined): boolean =>
    only ? status !== undefined && only.has(status) : !(hidesOk && status === 'ok');
  interruption.listen(check.run);
  const started = performance.now();
  const state = (): string => progressParts(check, performance.now() - started).join(streams.glyphs.separator);
  streams.progress.step(state);
  // A table measures its columns on the first page.
  const atOnce = session.format() === 'table' ? tablePage : 0;
  let rows: Row[] = [];
  for await (const found of check.rows) {
    for (const checked of found) {
      const { link, verdict } = checked;
      if (link.long_url === undefined) rows.push(missing.add(link));
      else if (isListed(verdict?.status)) rows.push(rowOf(checked, shown));
    }
    if (rows.length >= atOnce) {
      yield rows;
      rows = [];
    }
    streams.progress.step(state);
  }
  yield rows;
}

const tablePage = 500;

/** With `--only moved` alone, the rows are input for `edit -f`: the new address is the long URL, or else there is a reason. */
export function isEdit(only: CheckView['only']): boolean {
  return only?.size === 1 && only.has('moved');
}

function rowOf(checked: CheckedRow, { only }: CheckView): Row {
  const {
    status,
    hash,
    short_url,
    long_url,
    http_status = null,
    final_url = null,
    milliseconds,
    reason,
  } = checkedFields(checked);
  const urls = isEdit(only) ? { long_url: reason ? null : final_url, old_long_url: long_url } : { long_url };
  return { hash, short_url: withoutScheme(short_url), status, http_status, ...urls, final_url, milliseconds, reason };
}

function progressParts(check: StartedCheck, milliseconds: number): string[] {
  const { done, destinations, counts }: CheckProgress = check.progress();
  const asked = done - check.doneBefore;
  const left = asked > 0 ? Math.ceil(((destinations - done) / asked) * (milliseconds / 1000)) : undefined;
  const found = checkStatuses
    .filter((status) => status !== 'ok' && counts.has(status))
    .map((status) => `${counts.get(status)} ${status}`);
  return [`${done}/${destinations} destinations`, ...found, ...(left === undefined ? [] : [`ETA ${left}s`])];
}

export function headerLines({ check, links }: Pick<ShownCheck, 'check' | 'links'>, session: Session): string[] {
  const { run, resumed, doneBefore, destinations, left, hosts } = check;
  return [
    ...(resumed ? [`resuming run ${run}: ${doneBefore} of ${destinations} destinations are done`] : []),
    `checking ${plainQuantity(links, 'link')}: ${plainQuantity(left, 'destination')} on ${plainQuantity(hosts, 'host')} (${accountLabel(session)})`,
  ];
}

function summaryRecord(shown: ShownCheck): Row {
  const { destinations, counts, milliseconds } = summaryOf(shown);
  return { links: shown.links, destinations, ...counts, seconds: Math.round(milliseconds) / 1000 };
}

/** The check counts a link that does not exist as skipped. */
function summaryOf({ check, missing: { count } }: ShownCheck) {
  const { counts, ...others } = check.summary();
  return { ...others, counts: { ...counts, skipped: counts.skipped - count, missing: count } };
}

/** `20 links: 15 ok, 2 moved, 3 broken (18 destinations, 3.2 s)`. */
function summaryLines(shown: ShownCheck, session: Session): string[] {
  const { check, links } = shown;
  const { destinations, counts, milliseconds, stop } = summaryOf(shown);
  // The error line has the rest.
  if (session.global.quiet && !stop) return [];
  const found = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status === 'not_sent' ? 'not checked' : status}`);
  const effort = `${plainQuantity(destinations, 'destination')}, ${(milliseconds / 1000).toFixed(1)} s`;
  return [
    ...(omitsOk(shown, session) && counts.ok > 0
      ? [`${quantity(counts.ok, 'link')} ${counts.ok === 1 ? 'is' : 'are'} ok and not listed; to list them, use -o table`]
      : []),
    `${plainQuantity(links, 'link')}: ${found.join(', ') || 'nothing to check'} (${effort}) for ${accountLabel(session)}`,
    ...(stop ? [resumptionText(check.run)] : []),
  ];
}

/** An interruption has priority, then failed links, then links that were not checked. */
function outcome(shown: ShownCheck, session: Session): CliError | undefined {
  const { stop } = shown.check.summary();
  if (stop?.kind === 'error') return stop.error;
  if (stop?.kind === 'signal') {
    const signal = shown.interruption.caught();
    return signal ? session.dieOf(signal) : session.deadline.signal?.reason;
  }
  return result(shown);
}

function result({ check, links, hasGaps, failOn, only, missing }: ShownCheck): CliError | undefined {
  const summary = check.summary();
  const { counts } = summary;
  const deferred = deferredTexts(summary);
  const unchecked = [...(hasGaps ? [gapText] : []), ...deferred];
  const [reason, ...reasons] = unchecked;
  const hint = deferred.length > 0 ? `to resume run ${check.run}, run the same command again later` : undefined;
  const failing = checkStatuses.filter((status) => failOn.has(status) && counts[status] > 0);
  if (failing.length > 0) {
    const found = failing.reverse().map((status) => `${grouped(counts[status])} ${status}`);
    const checked = links - summary.deferred.links - summary.offline;
    const message = `${quantity(checked, 'link')} checked: ${found.join(', ')}`;
    const unlisted = failing.reduce((sum, status) => sum + (only === undefined || only.has(status) ? 0 : counts[status]), 0);
    const details = [
      ...(unlisted > 0 ? [`${grouped(unlisted)} of them not listed (--only ${[...(only ?? [])].join(',')})`] : []),
      ...unchecked,
    ];
    return new PartialError(message, { details, hint });
  }
  if (reason !== undefined) return new UnavailableError(reason, { details: reasons, hint });
  if (missing.count > 0) return missing.outcome(links);
  if (links > counts.skipped || summary.hidden > 0) return undefined;
  return new UnavailableError('nothing could be requested: every link is skipped', {
    hint: summary.private > 0 ? 'to request addresses that are not public, add --allow-private' : undefined,
  });
}

const gapText = 'links that the server did not list were not checked';

/** For a check of no links. */
export function gapFailure({ hasGaps }: Pick<CheckView, 'hasGaps'>): CliError | undefined {
  return hasGaps ? new UnavailableError(gapText) : undefined;
}

function deferredTexts({ deferred, offline }: Pick<CheckSummary, 'deferred' | 'offline'>): string[] {
  const [first, ...others] = deferred.hosts;
  const who = others.length > 0 ? `${first} and ${plainQuantity(others.length, 'other host')}` : first;
  const text = (links: number, why: string): string[] =>
    links === 0 ? [] : [`${plainQuantity(links, 'link')} ${links === 1 ? 'was' : 'were'} not checked: ${why}`];
  return [
    ...text(offline, 'the network of this computer, or its name server, does not answer'),
    ...text(deferred.links, `Retry-After of ${who} is longer than --max-wait`),
  ];
}
