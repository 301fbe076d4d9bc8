import { CallError, refusesRun } from '../../client/call-error.ts';
import { atMost, frontSize, type ListingSettings, type Scan, scanFront, scanNewest } from './newest-links.ts';

export interface NewnessSettings extends ListingSettings {
  readonly mayCall?: (() => boolean) | undefined;
}

export type Newness = ReturnType<typeof createNewness>;

/** Finds out which links are new, as duplicate control hands out old ones, too: those that are listed before all that there were (4.3.5). */
export function createNewness(settings: NewnessSettings) {
  const { mayCall = () => true } = settings;
  /** The newest links of the last reading; undefined where they are not known. */
  let front: ReadonlySet<string> | undefined;
  let begun: Promise<void> | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let refusal: CallError | undefined;
  const fresh = new Set<string>();

  async function remember(signal: AbortSignal): Promise<void> {
    if (!mayCall()) return;
    const { records, isWhole } = await scanFront(settings, signal);
    if (records.size > 0 || isWhole) front = new Set(records.keys());
  }

  async function inspect(old: ReadonlySet<string>, wanted: number, signal: AbortSignal): Promise<void> {
    const newer = await listedBefore(old, wanted, settings, signal);
    if (!newer) return;
    for (const hash of newer) fresh.add(hash);
    front = new Set([...newer, ...old].slice(0, frontSize));
  }

  /** A reading that fails does not fail the rows that were sent. An error that ends the run is thrown before the next call. */
  const safely = async (work: Promise<void>): Promise<void> => {
    await work.catch((error: unknown) => {
      if (!(error instanceof CallError)) throw error;
      if (refusesRun(error)) refusal = error;
    });
  };

  return {
    /** Before a call: remembers the newest links. Throws a `CallError` that every further call would meet too. */
    async begin(signal: AbortSignal): Promise<void> {
      begun ??= safely(remember(signal));
      await begun;
      if (refusal) throw refusal;
    },
    /** After a call: those of these hashes that were seen to be new, each once. Never throws for what a server does. */
    async among(hashes: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>> {
      const next = turn.then(async () => {
        if (front && !refusal && hashes.some((hash) => !fresh.has(hash))) await safely(inspect(front, hashes.length, signal));
      });
      turn = next.catch(() => undefined);
      await next;
      return new Set(hashes.filter((hash) => fresh.delete(hash)));
    },
  };
}

const maximalPage = 1000;
/** Enough for what sixteen batches made meanwhile, unless the server sends small pages. */
const maximalPages = 40;
const maximalScans = 4;
const shortPages = 2;
const smallPage = 100;

/** The hashes that are listed before all of `old`; undefined if the listing shows none of `old`. */
async function listedBefore(
  old: ReadonlySet<string>,
  wanted: number,
  { mayCall, ...listing }: NewnessSettings,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const limit = Math.min(maximalPage, wanted + 50);
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
    // Other batches made more links than a page holds, so the pages have a gap: read again.
    if (!scan) continue;
    if (old.size > 0 && !showsOld(scan)) return undefined;
    const hashes = [...scan.records.keys()];
    const border = hashes.findIndex((hash) => old.has(hash));
    return border < 0 ? hashes : hashes.slice(0, border);
  }
  return undefined;
}
