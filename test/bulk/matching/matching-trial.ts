import { matchAnswer } from '../../../src/bulk/matching/matching.ts';
import type { ShortenItem } from '../../../src/contract/operations.ts';
import { seededRandom, shuffled } from '../../support/seeded-random.ts';

const ok = { code: 0, message: '' };
const refused = { code: 1216, message: 'not allowed' };

/** A record or a refusal, and what only its server knows: the row that it belongs to. */
type Owned = { readonly owner?: ShortenItem };

/**
 * G14: counts hashes that were given to a wrong row. Batches hold rows that are hard to distinguish; answers are shuffled, cut
 * short, lengthened and normalised.
 */
export function countWrongPairs(items: number, seed: number): number {
  const random = seededRandom(seed);
  const pick = (count: number): number => Math.floor(random() * count);
  let wrong = 0;
  for (let done = 0; done < items; done += 100) {
    const sent = Array.from({ length: 100 }, (_, row) => hardRow(pick, `k${done + row}`));
    const { verdicts } = matchAnswer(sent, twistedAnswer(sent, random, pick, done));
    for (const [row, verdict] of verdicts.entries()) {
      const owner = verdict?.kind === 'done' ? (verdict.record as Owned).owner : undefined;
      if (verdict?.kind === 'done' && (!owner || likeness(owner) !== likeness(sent[row] as ShortenItem))) wrong += 1;
    }
  }
  return wrong;
}

function hardRow(pick: (count: number) => number, hash: string): ShortenItem {
  return {
    long_url: `https://h${pick(5)}.example${['', '/', `/p${pick(40)}`][pick(3)]}`,
    ...(pick(3) === 0 && { custom_hash: hash }),
    ...(pick(2) === 0 && { note: ['n', ' n', 'm '][pick(3)] as string }),
    ...(pick(3) === 0 && { tags: [['x'], ['Y', 'x'], ['x', 'y']][pick(3)] as string[] }),
  };
}

function twistedAnswer(
  sent: readonly ShortenItem[],
  random: () => number,
  pick: (count: number) => number,
  start: number,
): Owned[] {
  const answer = sent.map((owner, row) =>
    pick(10) === 0 ? refusalOf(owner) : recordOf(owner, `g${start + row}`, pick(2) === 0),
  );
  const given: Owned[] = pick(3) ? shuffled(answer, random) : answer;
  if (pick(3) === 0) given.splice(pick(50), pick(20));
  if (pick(3) === 0)
    given.push({ ...recordOf({ long_url: 'https://foreign.example/' }, `f${start}`, true), owner: undefined } as Owned);
  return given;
}

function refusalOf(owner: ShortenItem): Owned {
  return Object.assign({ owner }, { error: refused, long_url: owner.long_url, custom_hash: owner.custom_hash ?? '' });
}

function recordOf(owner: ShortenItem, hash: string, normalise: boolean): Owned {
  const { long_url, custom_hash = hash, note = '', tags = [] } = owner;
  const fields = { note: note.trim(), tags: tags.map((tag) => tag.toLowerCase()), expiration_date: null };
  return Object.assign(
    { owner },
    { error: ok, hash: custom_hash, long_url: normalise ? new URL(long_url).href : long_url, ...fields },
  );
}

/** Rows whose records are equal are interchangeable. */
function likeness({ long_url, custom_hash, note = '', tags = [] }: ShortenItem): string {
  return JSON.stringify([new URL(long_url).href, custom_hash, note.trim(), tags.map((tag) => tag.toLowerCase()).sort()]);
}
