import { hash } from 'node:crypto';
import type { CheckPlan } from '../../bulk/check-runs/check-results.ts';
import { resumableRun } from '../../bulk/past-runs/unfinished.ts';
import { forgetRun } from '../../bulk/runs.ts';
import { foldersOf } from '../../change/environment.ts';
import { keptRows } from '../../change/rows/read-links.ts';
import type { CheckedLink } from '../../check/destinations.ts';
import type { Session } from '../../cli/session.ts';
import { editions } from '../../contract/editions.ts';
import type { SoughtLink } from '../../contract/link.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { keptList, readKeptRows } from '../../files/kept-rows.ts';
import { grouped } from '../../output/quantity.ts';
import { matchNote } from '../../select/named-rows.ts';
import type { ListedLinks, NamedLinks } from '../../select/selected-links.ts';
import type { CheckView } from './check-report.ts';

/** Stored on disk. */
type CheckedLinks = CheckPlan['links'];

interface AddressOptions {
  /** Requests the short URLs instead of the destinations. */
  readonly links?: boolean;
}

/** Returns the links to check, their number, and notes about the selection. A dry run only counts them, so it stores nothing. */
export async function readCheckedLinks(
  selected: NamedLinks | ListedLinks,
  options: AddressOptions,
  session: Session,
): Promise<Pick<CheckView, 'notes' | 'hasGaps'> & { readonly links: CheckedLinks | undefined; readonly count: number }> {
  const kept = session.global.dryRun ? undefined : keptList(keptRows<CheckedLink>(session));
  const counts = { read: 0, matched: 0, missing: 0 };
  for await (const { links, read } of selected.pages()) {
    for (const { target, record } of links) {
      kept?.add(await checkedLink(target, record, session, options));
      counts[record ? 'matched' : 'missing'] += 1;
    }
    counts.read = read;
    session.streams.progress.step(() => `${grouped(read)} links read`);
  }
  const { matched, read, missing } = counts;
  const coverage = selected.kind === 'listed' ? await selected.coverage() : [];
  const filtered = selected.filter ? [matchNote(matched, read - missing)] : [];
  const hasGaps = selected.kind === 'listed' && selected.hasGaps();
  return { links: kept?.list(), count: matched + missing, notes: [...filtered, ...coverage], hasGaps };
}

async function checkedLink(
  { hash, domain, isForeign }: SoughtLink,
  record: UrlRecord | undefined,
  session: Session,
  { links }: AddressOptions,
): Promise<CheckedLink> {
  if (!record) return { hash, domain, isForeign, short_url: '' };
  const short_url = links ? await addressOf(record, session) : session.shortUrl(record);
  const isLimited = links === true && (record.max_clicks ?? 0) > 0;
  return { hash: record.hash, domain, short_url, long_url: record.long_url ?? '', ...(isLimited && { isLimited }) };
}

/** Returns the short URL to request. If the server sends no scheme, the domain determines it. */
async function addressOf(record: UrlRecord, { edition, domains, shortUrl }: Session): Promise<string> {
  if (!record.short_url_with_protocol && record.short_url && editions[edition].severalDomains) await domains();
  return shortUrl(record);
}

/** Milliseconds. An older check is not resumed, because its results are out of date. */
const resumableFor = 24 * 60 * 60 * 1000;

/** Returns the run ID of the unfinished check that this command resumes. Deletes one that is too old, or whose age is unknown. */
export async function unfinishedCheck(sha256: string, session: Session): Promise<string | undefined> {
  const { system } = session;
  const folders = foldersOf(session);
  const begun = await resumableRun({ operation: 'check', domain: session.domain, sha256 }, { ...session, folders });
  if (!begun) return undefined;
  const { run, at } = begun.begin;
  const age = system.now() - Date.parse(at);
  if (age < 0 || age > resumableFor) {
    const why = age < 0 ? 'is dated in the future, so its age is unknown' : 'is too old to be resumed';
    await session.note(`run ${run} of ${at} ${why}; starting again`);
    await forgetRun(folders, run, system);
    return undefined;
  }
  return run;
}

/** Reads the links that an unfinished check stored. */
export async function keptLinks(path: string, session: Session): Promise<CheckedLinks> {
  const kept = keptList(keptRows<CheckedLink>(session));
  for await (const links of readKeptRows<CheckedLink>(path)) for (const link of links) kept.add(link);
  return kept.list();
}

/** Identifies a check: equal options resume it. */
export function sumOf(options: Readonly<Record<string, unknown>>): string {
  return hash('sha256', JSON.stringify(options));
}
