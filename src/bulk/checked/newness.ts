import { CallError, refusesRun } from '../../client/call-error.ts';
import type { Client } from '../../client/client.ts';
import { isUsableHash } from '../matching/answer-items.ts';

/**
 * Which links are new, where an answer does not say: with duplicate control it holds old ones too (`D26`). The listing has the newest
 * first (4.3.5), so what stands before all that was there when the run began was made since. What was not seen there may be old.
 */
export interface Newness {
  /** Before a call: remembers where the listing stands. Throws a `CallError` that every further call would meet too. */
  begin(signal: AbortSignal): Promise<void>;
  /** After a call: those of these hashes that were seen to be new; each is told once. Never throws for what a server does. */
  among(hashes: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>>;
}

export interface NewnessSettings {
  readonly client: Pick<Client, 'send'>;
  readonly domain?: string | undefined;
  /** Whether one call more may be made: a word about a link is worth no row. */
  readonly mayCall?: (() => boolean) | undefined;
}

/** Newest hashes that are remembered: some may be deleted before the next look. */
const frontSize = 200;
const maximalPage = 1000;
/** For a look at what sixteen batches made meanwhile; not of a server that gives out few at a time. */
const maximalPages = 40;
const shortPages = 2;
const smallPage = 100;

/** One page of the listing, and where it ends. */
interface Part {
  readonly hashes: readonly string[];
  readonly end: number;
  readonly isLast: boolean;
}

export function createNewness({ client, domain, mayCall = () => true }: NewnessSettings): Newness {
  /** What stood at the front when it was last looked at; undefined where that is not known. */
  let front: ReadonlySet<string> | undefined;
  let begun: Promise<void> | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let refusal: CallError | undefined;
  const fresh = new Set<string>();

  const read = async (limit: number, offset: number, signal: AbortSignal): Promise<Part> => {
    const query = { limit, ...(offset > 0 && { offset }), ...(domain !== undefined && { domain }) };
    const { urls } = await client.send('listUrls', { query }, { signal });
    const records = Array.isArray(urls) ? urls : [];
    return {
      hashes: records.map((record) => record?.hash).filter(isUsableHash),
      end: offset + records.length,
      isLast: records.length === 0,
    };
  };

  async function remember(signal: AbortSignal): Promise<void> {
    if (!mayCall()) return;
    const { hashes, isLast } = await read(frontSize, 0, signal);
    if (hashes.length > 0 || isLast) front = new Set(hashes);
  }

  /** Reads until what was there before. A listing in which that is not found shows nothing. */
  async function look(old: ReadonlySet<string>, wanted: number, signal: AbortSignal): Promise<void> {
    const limit = Math.min(maximalPage, wanted + 50);
    const news: string[] = [];
    let isFound = old.size === 0;
    for (let pages = 0, offset = 0; pages < maximalPages && mayCall(); pages += 1) {
      const { hashes, end, isLast } = await read(limit, offset, signal);
      const border = hashes.findIndex((hash) => old.has(hash));
      news.push(...(border < 0 ? hashes : hashes.slice(0, border)));
      isFound ||= border >= 0;
      if (border >= 0 || isLast || (pages >= shortPages && hashes.length < Math.min(limit, smallPage))) break;
      offset = end;
    }
    if (!isFound) return;
    for (const hash of news) fresh.add(hash);
    front = new Set([...news, ...old].slice(0, frontSize));
  }

  /** What a look meets is no failure of the rows that were sent; what ends the run is told before the next call. */
  const safely = async (work: Promise<void>): Promise<void> => {
    await work.catch((error: unknown) => {
      if (!(error instanceof CallError)) throw error;
      if (refusesRun(error)) refusal = error;
    });
  };

  return {
    async begin(signal) {
      begun ??= safely(remember(signal));
      await begun;
      if (refusal) throw refusal;
    },
    async among(hashes, signal) {
      const next = turn.then(async () => {
        if (front && !refusal && hashes.some((hash) => !fresh.has(hash))) await safely(look(front, hashes.length, signal));
      });
      turn = next.catch(() => undefined);
      await next;
      return new Set(hashes.filter((hash) => fresh.delete(hash)));
    },
  };
}
