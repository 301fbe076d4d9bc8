import type { Closed, Place } from './host-rate-limiter.ts';
import { type ChainWorld, follow } from './redirect-chain.ts';
import { type ChainEnd, isFinal, needsSecondAttempt, shortUrlVerdict, type Verdict, verdictOf } from './verdict.ts';

/** What is asked: an address, and where it is to redirect, for a short URL. */
export interface Question {
  readonly url: URL;
  readonly target?: string | undefined;
}

export interface JudgingWorld extends ChainWorld {
  /** Milliseconds between the two attempts at what seems broken. */
  readonly pause: number;
  /** Nothing new is sent. */
  readonly stop: AbortSignal;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Times that a host which asks to wait is asked for one destination. */
const mostPatience = 3;

/**
 * Asks with HEAD; where that finds no page, with GET, since many servers answer HEAD wrongly; and once more after a pause before it says
 * broken or unreachable. `entry` is for the first request. Throws the reason of a stop.
 */
export async function judge({ url, target }: Question, entry: Place | Closed, world: JudgingWorld): Promise<Verdict> {
  const verdict = (end: ChainEnd): Verdict => (target === undefined ? verdictOf(end) : shortUrlVerdict(end, url));
  // A host that was asked, and now wants to be left alone: what was seen once is not confirmed.
  const settled = (end: ChainEnd, before: ChainEnd): Verdict =>
    end.kind === 'closed' ? { ...verdict(before), status: 'blocked', reason: end.reason } : verdict(end);
  const get = (): Promise<ChainEnd> => patiently(() => follow({ method: 'GET', url, target }, world));
  const head = await follow({ method: 'HEAD', url, target, entry }, world);
  const first = isFinal(head) ? head : await get();
  if (!needsSecondAttempt(first)) return first === head ? verdict(head) : settled(first, head);
  await world.sleep(world.pause, world.stop).catch(() => undefined);
  world.stop.throwIfAborted();
  return settled(await get(), first);
}

/** A host that asked to wait lets nothing in until then, so asking again is waiting. */
async function patiently(ask: () => Promise<ChainEnd>): Promise<ChainEnd> {
  let end = await ask();
  for (let times = 1; times < mostPatience && end.kind === 'answer' && end.status === 429 && end.asksToWait; times += 1) {
    const next = await ask();
    if (next.kind === 'closed') return end;
    end = next;
  }
  return end;
}
