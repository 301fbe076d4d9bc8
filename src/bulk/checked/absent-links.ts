import type { KnownRecord } from '../../contract/records.ts';
import { canonicalUrl } from '../../link/value.ts';
import type { Execution } from '../execution/execution.ts';
import type { Watermark } from '../journal/lines.ts';
import type { SentItem } from '../matching/matching.ts';
import { type BatchEvidence, ownAmong } from './listing-evidence.ts';
import { atMost, newerThan, pastWatermark, positionIn, type Scan, scanNewest } from './newest-links.ts';

/**
 * Returns true if the current listing has no link that these rows could have created, besides known links and links of the run. If the
 * totals agree, new links can only be at the head, or at the end of a listing in the opposite order: to hide one elsewhere, others would
 * have to delete as many links. Otherwise the whole listing is read.
 */
export async function listsNoneOf(
  items: readonly SentItem[],
  { watermark, latest }: BatchEvidence,
  run: Execution,
): Promise<boolean> {
  const listed = (await endsOf(items.length, watermark, run)) ?? (await wholeListing(run));
  if (!listed || (latest.length > 0 && positionIn(listed.all.keys(), latest) < 0)) return false;
  const known = new Set(watermark.known);
  const longUrls = new Set(items.map(({ long_url = '' }) => canonicalUrl(long_url)));
  const alike = listed.candidates.filter(
    ({ hash, long_url }) => !known.has(hash) && longUrls.has(canonicalUrl(String(long_url))),
  );
  const own = await ownAmong(run.begun.record.journal, alike);
  return alike.every(({ hash }) => own.has(hash));
}

interface Listed {
  readonly all: ReadonlyMap<string, KnownRecord>;
  /** The records among which new links can be. */
  readonly candidates: readonly KnownRecord[];
}

/** Reads the newest links, and the last ones of the listing. Undefined unless both readings have the total of the watermark. */
async function endsOf(count: number, watermark: Watermark, run: Execution): Promise<Listed | undefined> {
  const { total = 0 } = watermark;
  if (total === 0) return undefined;
  const head = await scan(run, 0, pastWatermark(watermark));
  if (!head || head.isWhole || head.total !== total) return undefined;
  const from = Math.max(0, total - count);
  const tail = await scan(run, from);
  // A link that is counted but not listed could be a new one.
  if (!tail?.isWhole || tail.total !== total || tail.records.size < total - from) return undefined;
  const last = [...tail.records.values()];
  return { all: new Map([...head.records, ...tail.records]), candidates: [...newerThan(watermark, head), ...last] };
}

async function wholeListing(run: Execution): Promise<Listed | undefined> {
  const whole = await scan(run, 0);
  // A link that is counted but not listed could be one.
  if (!whole?.isWhole || (whole.total ?? 0) > whole.records.size) return undefined;
  return { all: whole.records, candidates: [...whole.records.values()] };
}

/** Reads from an offset to the end unless it is enough before. */
async function scan(run: Execution, from: number, isEnough: (scan: Scan) => boolean = () => false): Promise<Scan | undefined> {
  return await scanNewest(run, { limit: 500, from, isEnough, mayCall: pagesOf(run), signal: run.signal });
}

/** Enough to read a listing of 5,000 links to its end with 30 links per page. After a signal, no further page is read. */
export function pagesOf(run: Execution): () => boolean {
  return atMost(200, () => !isInterrupted(run));
}

export function isInterrupted({ interrupt }: Execution): boolean {
  return interrupt?.aborted === true;
}
