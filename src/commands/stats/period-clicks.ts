import { type CliError, NotFoundError, PartialError } from '../../base/errors.ts';
import { shellWord } from '../../base/quoted.ts';
import { utcDay } from '../../base/times.ts';
import type { Session } from '../../cli/session.ts';
import { noShortUrl } from '../../client/subject.ts';
import type { LinkKey } from '../../contract/link.ts';
import { withoutLocalPort } from '../../contract/web-address.ts';
import type { Clicks, DayClicks, Period, Span } from '../../history/clicks.ts';
import { changesBetween } from '../../history/noted-changes.ts';
import { type ReadingScope, wholeAccount } from '../../history/readings.ts';
import { hasSeveralDomains, recordedClicks, type WantedClicks } from '../../history/recorded-clicks.ts';
import { dailyClicksIn } from '../../history/server-days.ts';
import { isOnThisComputer, nameOf, onDomain, storedLink } from '../../history/stored-link.ts';
import { selectLinks } from '../../select/link-selection.ts';
import { absenceText, notFound } from '../../select/named-rows.ts';
import { recordPages } from '../../select/record-pages.ts';
import { type LinkSelection, type SelectionOptions, selectionFlags } from '../../select/selection-flags.ts';
import { dailyClicks, maxCalls } from './daily-totals.ts';

interface PeriodClicks extends Clicks {
  /** The links may be on several domains, whichever of them were clicked. */
  readonly severalDomains: boolean;
  /** Number of selected links; 0 for the whole account. */
  readonly selected: number;
  /** Named links that neither the account nor the readings have. */
  readonly unknown: readonly LinkKey[];
  /** Links that this tool deleted or reset in the period; daily totals do not include them. 0 if readings are counted. */
  readonly uncounted: number;
}

/** The selection of the command line. */
export interface CountedLinks {
  readonly selection: LinkSelection;
  readonly options: SelectionOptions;
}

type ReadRecords = () => Promise<ReturnType<typeof recordPages>>;

/**
 * Prefers the readings of the history. If they do not go back far enough, it counts the days that the server sends. Throws a
 * `NotFoundError` (exit 5) if nothing is old enough.
 */
export async function periodClicks(span: Period, session: Session, counted: CountedLinks): Promise<PeriodClicks> {
  const scope = scopeOf(counted, session);
  const { identity } = session.client;
  let links: ReturnType<typeof selectLinks> | undefined;
  const read: ReadRecords = async () => {
    links ??= selectLinks(counted.selection, counted.options, session, 'record');
    return recordPages(await links, session);
  };
  const isSelection = scope.kind === 'selection';
  // The account is not asked for its domains where its readings say all.
  const mayBeOnSeveral = async (source: Clicks['source']): Promise<boolean> =>
    isSelection || source === 'daily_clicks'
      ? ((await links)?.severalDomains ?? false)
      : scope.kind === 'account' && (await hasSeveralDomains(identity, session.system));
  const { names, missing } = isSelection ? await namesOf(read, session) : { names: undefined, missing: [] };
  const isEmpty = names?.size === 0;
  if (isEmpty) await session.note(`no link matches ${scope.words}`);
  const toPeriodClicks = async (clicks: Clicks, uncounted: number): Promise<PeriodClicks> => {
    const unknown = await unknownLinks(missing, clicks, session);
    const today = utcDay(span.now);
    const links = await shownLinks(clicks.links, session);
    const days = clicks.days.map((day) => (day.date === today ? { ...day, soFar: true as const } : day));
    const severalDomains = await mayBeOnSeveral(clicks.source);
    return { ...clicks, links, days, severalDomains, selected: names?.size ?? 0, unknown, uncounted };
  };
  let recorded: Clicks;
  try {
    recorded = await recordedClicks({ span, scope, names }, identity, session.system);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    // No links have no clicks, whatever is known of others.
    const daily = isEmpty ? dailyClicksIn(span) : await dailyClicks(span, await read(), session);
    if (daily === 'too many links') throw new NotFoundError(error.message, { details: [tooManyLinks], hint: error.hint });
    const clicks = daily?.clicks();
    if (clicks === undefined) throw missingFailure(names, missing) ?? error;
    return await toPeriodClicks(clicks, await countLostLinks({ span: clicks.counted, scope, names }, session));
  }
  const days = await fillGaps(recorded.days, async () => dailyClicks(span, await read(), session));
  return await toPeriodClicks({ ...recorded, days }, 0);
}

const tooManyLinks = `the daily totals of the server were not used: they take a call per clicked link, and more than ${maxCalls} were clicked`;

/** Undefined if all selected links exist, or did in the period. */
export function unknownFailure({ selected, unknown }: Pick<PeriodClicks, 'selected' | 'unknown'>): CliError | undefined {
  const [first] = unknown;
  if (first === undefined) return undefined;
  if (selected === 1) return notFound(first);
  const details = unknown.slice(0, 10).map((link) => noShortUrl(link).message);
  const Kind = unknown.length < selected ? PartialError : NotFoundError;
  return new Kind(absenceText(unknown.length, selected), { details });
}

/** Reported instead of missing readings, because the links are mistyped. Undefined if some of them exist. */
function missingFailure(names: ReadonlySet<string> | undefined, missing: readonly LinkKey[]): CliError | undefined {
  return names?.size === missing.length ? unknownFailure({ selected: missing.length, unknown: missing }) : undefined;
}

/**
 * Takes days inside a gap of the readings from the server. Not the first and the last of it: a day of readings ends at a reading, a day of the
 * server at midnight, so clicks between the two would count twice. Recorded days are shown even if the server does not answer.
 */
async function fillGaps(
  days: readonly DayClicks[],
  readDaily: () => ReturnType<typeof dailyClicks>,
): Promise<readonly DayClicks[]> {
  const isUnknown = (day: DayClicks | undefined): boolean => day !== undefined && day.clicks === undefined;
  const isInside = (_: DayClicks, nth: number): boolean => [nth - 1, nth, nth + 1].every((each) => isUnknown(days[each]));
  if (!days.some(isInside)) return days;
  const daily = await readDaily().catch(() => undefined);
  if (daily === undefined || daily === 'too many links') return days;
  return days.map((day, nth) => (isInside(day, nth) ? { ...day, clicks: daily.onDay(day.date) } : day));
}

/** Uses the short URLs that `list` shows. Figures that were read are shown even if the server does not answer. */
async function shownLinks(links: Clicks['links'], session: Session): Promise<Clicks['links']> {
  if (!links.some(({ link }) => isOnThisComputer(link))) return links;
  const domain = await session.currentDomain('localhost').catch(() => 'localhost');
  return links.map((row) => ({ ...row, link: onDomain(row.link, domain) }));
}

/** Includes named links that no longer exist. */
async function namesOf(
  read: ReadRecords,
  session: Session,
): Promise<{ names: ReadonlySet<string>; missing: readonly LinkKey[] }> {
  const names = new Set<string>();
  const gone: LinkKey[] = [];
  for await (const { records, missing } of await read()) {
    for (const record of records) names.add(nameOf(storedLink(record, session.edition)));
    for (const link of missing) {
      names.add(await missingName(link, session));
      gone.push(link);
    }
  }
  return { names, missing: gone };
}

async function missingName({ hash, domain }: LinkKey, session: Session): Promise<string> {
  return nameOf({ hash, domain: withoutLocalPort(domain ?? (await defaultDomain(session))) });
}

/** A link that was deleted in the period is known from its event. */
async function unknownLinks(missing: readonly LinkKey[], { links }: Clicks, session: Session): Promise<readonly LinkKey[]> {
  const known = new Set(links.map(({ link }) => nameOf(storedLink(link, session.edition))));
  const unknown: LinkKey[] = [];
  for (const link of missing) if (!known.has(await missingName(link, session))) unknown.push(link);
  return unknown;
}

/** Counts links that the history marks as deleted or reset by this tool. */
async function countLostLinks(
  { span, scope, names }: Omit<WantedClicks, 'span'> & { readonly span: Span },
  session: Session,
): Promise<number> {
  const usual = await defaultDomain(session);
  const lost = new Set<string>();
  for (const { kind, hash, domain } of await changesBetween(span, session.client.identity, session.system)) {
    if (kind === 'renamed') continue;
    const place = withoutLocalPort(domain ?? usual);
    const name = nameOf({ hash, domain: place });
    const isWanted = names?.has(name) ?? (scope.kind === 'account' || scope.words === place);
    if (isWanted) lost.add(name);
  }
  return lost.size;
}

/** Edition B has one domain, which needs no name. */
export async function defaultDomain({ edition, domains }: Session): Promise<string> {
  return edition === 'b' ? '' : ((await domains()).defaultDomain ?? '');
}

export function scopeOf(
  { selection, options: { filter = [], allDomains } }: CountedLinks,
  { domain, domainNamed }: Pick<Session, 'domain' | 'domainNamed'>,
): ReadingScope {
  const named = domainNamed && domain !== undefined ? withoutLocalPort(domain) : undefined;
  const words = [
    ...(selection.kind === 'hashes' ? selection.operands.map(shellWord) : selectionFlags(selection)),
    ...filter.flatMap((text) => ['--filter', shellWord(text)]),
  ];
  if (words.length === 0) return named === undefined ? wholeAccount : { kind: 'domain', words: named };
  if (allDomains) words.push('--all-domains');
  if (named !== undefined) words.push('--domain', shellWord(named));
  return { kind: 'selection', words: words.join(' ') };
}
