import type { SeenKeys } from '../../base/seen-keys.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import type { Newness } from '../checked/newness.ts';
import { matchAnswer } from '../matching/matching.ts';
import { looksPreexisting } from '../matching/preexisting.ts';
import type { BatchAnswer } from '../matching/row-verdict.ts';
import { takeShared } from '../matching/shared-records.ts';

interface SharedBatch {
  readonly items: readonly ShortenItem[];
  /** The items without those that share a link with an earlier one. */
  readonly sent: readonly ShortenItem[];
  send(): Promise<readonly unknown[]>;
}

interface Sharing {
  /** Hashes that the run was given. */
  readonly given: SeenKeys;
  /** Without it nothing is asked about which links are new. */
  readonly newness: Newness | undefined;
  readonly signal: AbortSignal;
}

/** Makes the call of a batch in which rows with one long URL share a link. */
export async function callShared({ items, sent, send }: SharedBatch, { given, newness, signal }: Sharing): Promise<BatchAnswer> {
  await newness?.begin(signal);
  const shared = shareOut(items, sent, matchAnswer(sent, await send(), { takeShared }), given);
  return newness ? await withNew(items, shared, newness, signal) : shared;
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
