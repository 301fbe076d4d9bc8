import { CliError, UnavailableError } from '../../base/errors.ts';
import type { KnownRecord } from '../../contract/records.ts';
import { rowKey } from '../../link/same.ts';
import { type Execution, pause } from '../execution/execution.ts';
import { shortUrlOf } from '../matching/row-verdict.ts';
import type { RunPlan } from '../run-plan.ts';
import { ownAmong, type Resent, resentRows } from './listing-evidence.ts';
import { mayBeWhole, newerThan, pastWatermark, type Scan, scanNewest, usualSettle, waitedSince } from './newest-links.ts';

const pageSize = 500;
const maximalScans = 4;

/**
 * Returns short URLs of links that no row has and that a batch in doubt may have created late. Deletes nothing, because the links may be
 * someone else's. A checked run is complete only after this. If the listing cannot be read, the run stops, and the same command checks
 * again from the journal. Undefined if the run was stopped before or during the check, which is then still due.
 */
export async function lateDuplicates(run: Execution): Promise<readonly string[] | undefined> {
  try {
    const resent = await resentRows(run.begun.record.journal);
    if (!resent) return [];
    if (run.stop.reason) return undefined;
    const wanted = await keysOf(resent.rows, run.plan);
    const newer = await newerRecords(resent, run);
    if (!newer) return undefined;
    const alike = newer.filter((record) => wanted.has(rowKey(record)));
    const own = await ownAmong(run.begun.record.journal, alike);
    const surplus = alike.filter(({ hash }) => !own.has(hash)).map(shortUrlOf);
    for (const shortUrl of surplus) run.warn(`${shortUrl} may be a duplicate link of a row; nothing was deleted`);
    return surplus;
  } catch (error) {
    run.stop.because(error instanceof CliError ? notRead(error) : error);
    return undefined;
  }
}

function notRead(cause: CliError): CliError {
  return new CliError(cause.kind, `could not check for duplicates by late requests: ${cause.message}`, {
    apiCode: cause.apiCode,
    details: cause.details,
    cause,
    hint: 'every row has its final status; to check again, run the same command',
  });
}

async function keysOf(indexes: ReadonlySet<number>, { input, payload }: RunPlan): Promise<Set<string>> {
  const keys = new Set<string>();
  let index = 0;
  for await (const rows of input.open()) {
    for (const { item } of rows) {
      if (indexes.has(index)) keys.add(rowKey(payload(item)));
      index += 1;
    }
  }
  return keys;
}

/**
 * Returns links created since the first doubt. The listing may be stale, so it is read until it shows the run's newest links. Undefined after a
 * signal.
 */
async function newerRecords({ watermark, latest, endedAt }: Resent, run: Execution): Promise<KnownRecord[] | undefined> {
  const { signal, interrupt } = run;
  const { settle = usualSettle, input } = run.plan;
  const known = new Set(watermark.known);
  const isOld = latest.length === 0 || latest.some((hash) => known.has(hash));
  const atHead = (scan: Scan): boolean => isOld || newerThan(watermark, scan).some(({ hash }) => latest.includes(hash));
  for (let scans = 0; scans < maximalScans; scans += 1) {
    await pause(scans > 0 ? settle : Math.max(0, settle - waitedSince(endedAt, run.system)), run);
    if (interrupt?.aborted) return undefined;
    const isPast = pastWatermark(watermark);
    const isEnough = (scan: Scan): boolean =>
      ((isPast(scan) && atHead(scan)) || scan.records.size > 2 * input.rows + 10 * pageSize) && !mayBeWhole(scan);
    const scan = await scanNewest(run, { limit: pageSize, isEnough, signal });
    if (scan && atHead(scan)) return newerThan(watermark, scan);
    // In a listing with another order, newer links can be anywhere.
    if (scan?.isWhole && latest.some((hash) => scan.records.has(hash))) {
      return [...scan.records.values()].filter(({ hash }) => !known.has(hash));
    }
  }
  throw new UnavailableError('the listing does not show the newest links');
}
