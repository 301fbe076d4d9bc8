import { CallError, refusesRun } from '../../client/call-error.ts';
import { atMost, frontSize, type ListingSettings, type Scan, scanFront, scanNewest } from './newest-links.ts';

export interface NewnessSettings extends ListingSettings {
  readonly mayCall?: (() => boolean) | undefined;
  /** The hashes of the newest links, if they were just listed. */
  readonly newest?: readonly string[] | undefined;
}

export type Newness = ReturnType<typeof createNewness>;

/** Detects new links, because duplicate control also returns old ones. New links are listed before all earlier ones (4.3.5). */
export function createNewness(settings: NewnessSettings) {
  const { mayCall = () => true } = settings;
  /** The newest links at the last reading; undefined if unknown. */
  let front: ReadonlySet<string> | undefined = settings.newest && new Set(settings.newest);
  let begun: Promise<void> | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let refusal: CallError | undefined;
  const fresh = new Set<string>();

  async function remember(signal: AbortSignal | undefined): Promise<void> {
    if (!mayCall()) return;
    const { records, isWhole } = await scanFront(settings, signal);
    if (records.size > 0 || isWhole) front = new Set(records.keys());
  }

  /** Resolves with true if the listing shows which links are new. */
  async function inspect(hashes: readonly string[], signal: AbortSignal | undefined): Promise<boolean> {
    if (hashes.every((hash) => fresh.has(hash))) return true;
    if (!front || refusal) return false;
    const newer = await listedBefore(front, hashes.length, settings, signal);
    if (!newer) return false;
    for (const hash of newer) fresh.add(hash);
    front = new Set([...newer, ...front].slice(0, frontSize));
    return true;
  }

  /** A failed reading does not fail the sent rows. An error that ends the run is thrown before the next call. */
  const safely = async <Result>(work: Promise<Result>): Promise<Result | undefined> =>
    await work.catch((error: unknown) => {
      if (!(error instanceof CallError)) throw error;
      if (refusesRun(error)) refusal = error;
      return undefined;
    });

  return {
    /** Call this before a request; the first call reads the newest links, unless they are known. Throws a `CallError` that ends the run. */
    async readFront(signal: AbortSignal | undefined): Promise<void> {
      begun ??= front ? Promise.resolve() : safely(remember(signal)).then(() => undefined);
      await begun;
      if (refusal) throw refusal;
    },
    /**
     * Call this after a request. Returns which hashes are proven to be new, each only once. `isSure`: all others are proven to be old.
     * Never throws for a server error.
     */
    async newAmong(
      hashes: readonly string[],
      signal: AbortSignal | undefined,
    ): Promise<{ readonly proven: ReadonlySet<string>; readonly isSure: boolean }> {
      const next = turn.then(() => safely(inspect(hashes, signal)));
      turn = next.catch(() => undefined);
      const isSure = (await next) === true;
      return { proven: new Set(hashes.filter((hash) => fresh.delete(hash))), isSure };
    },
  };
}

/** Enough for links that sixteen batches create meanwhile, unless the server sends small pages. */
const maximalPages = 40;
const maximalScans = 4;
const shortPages = 2;
const smallPage = 100;

/** Returns the hashes listed before all of `old`; undefined if the listing shows none of `old`. */
async function listedBefore(
  old: ReadonlySet<string>,
  wanted: number,
  { mayCall, ...listing }: NewnessSettings,
  signal: AbortSignal | undefined,
): Promise<readonly string[] | undefined> {
  const limit = wanted + 50;
  const showsOld = ({ records }: Scan): boolean => [...old].some((hash) => records.has(hash));
  let pages = 0;
  const isEnough = (scan: Scan): boolean => {
    pages += 1;
    return showsOld(scan) || (pages > shortPages && scan.largestPage < Math.min(limit, smallPage));
  };
  const mayRead = atMost(maximalPages, mayCall);
  for (let scans = 0; scans < maximalScans; scans += 1) {
    pages = 0;
    const scan = await scanNewest(listing, { limit, isEnough, mayCall: mayRead, signal });
    // Other batches created more links than a page holds, so the pages have a gap.
    if (!scan) continue;
    if (old.size > 0 && !showsOld(scan)) return undefined;
    const hashes = [...scan.records.keys()];
    const border = hashes.findIndex((hash) => old.has(hash));
    return border < 0 ? hashes : hashes.slice(0, border);
  }
  return undefined;
}
