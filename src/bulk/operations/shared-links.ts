import { SeenKeys } from '../../client/seen-keys.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import type { Newness } from '../checked/newness.ts';
import { matchAnswer } from '../matching/matching.ts';
import { looksPreexisting } from '../matching/preexisting.ts';
import type { BatchAnswer } from '../matching/row-verdict.ts';
import { takeShared } from '../matching/shared-records.ts';

/** The links of a run in which rows with one long URL share a link. */
export interface SharedLinks {
  call(batch: SharedBatch, signal: AbortSignal): Promise<BatchAnswer>;
  /** Receives hashes that earlier processes of the run were given. */
  remember(hashes: readonly string[]): void;
}

interface SharedBatch {
  readonly items: readonly ShortenItem[];
  /** The items without those that share a link with an earlier one. */
  readonly sent: readonly ShortenItem[];
  /** Answers with the items of the answer. */
  send(): Promise<readonly unknown[]>;
}

/** Without `newness` nothing is asked about which links are new. */
export function createSharedLinks(newness: Newness | undefined): SharedLinks {
  const given = new SeenKeys();
  return {
    async call({ items, sent, send }, signal) {
      await newness?.begin(signal);
      const answer = matchAnswer(sent, await send(), { takeShared });
      const shared = shareOut(items, sent, answer, given);
      return newness ? await withNew(items, shared, newness, signal) : shared;
    },
    remember: (hashes) => hashes.forEach((hash) => void given.add(hash)),
  };
}

function shareOut(
  items: readonly ShortenItem[],
  sent: readonly ShortenItem[],
  { verdicts, surplus }: BatchAnswer,
  given: SeenKeys,
): BatchAnswer {
  const ofItem = new Map(sent.map((item, position) => [item, verdicts[position]]));
  const ofUrl = new Map(sent.filter(({ custom_hash }) => !custom_hash).map((item) => [item.long_url, ofItem.get(item)]));
  const shared = items.map((item) => {
    const verdict = ofItem.has(item) ? ofItem.get(item) : ofUrl.get(item.long_url);
    if (verdict?.kind !== 'done' || !verdict.record) return verdict;
    return given.add(verdict.record.hash) ? verdict : { ...verdict, shared: true as const };
  });
  return { verdicts: shared, surplus };
}

/** Says of each link whether it was seen to be new; those that show that they are old need no reading. */
async function withNew(
  items: readonly ShortenItem[],
  { verdicts, surplus }: BatchAnswer,
  newness: Newness,
  signal: AbortSignal,
): Promise<BatchAnswer> {
  const perhapsNew = items.map((item, position) => {
    const verdict = verdicts[position];
    return verdict?.kind === 'done' && !looksPreexisting(item, verdict) ? verdict.record?.hash : undefined;
  });
  const hashes = perhapsNew.filter((hash) => hash !== undefined);
  const fresh = hashes.length > 0 ? await newness.among(hashes, signal) : new Set<string>();
  const isFresh = (hash: string | undefined): boolean => hash !== undefined && fresh.has(hash);
  return {
    verdicts: verdicts.map((verdict, position) =>
      verdict?.kind === 'done' && isFresh(perhapsNew[position]) ? { ...verdict, fresh: true as const } : verdict,
    ),
    surplus,
  };
}
