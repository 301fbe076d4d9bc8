import type { Closed, Permit } from './host-rate-limiter.ts';
import { follow, type RedirectContext } from './redirect-chain.ts';
import { shortUrlVerdict } from './short-url-verdict.ts';
import { isFinal, needsSecondAttempt, type RedirectOutcome, type Verdict, verdictOf } from './verdict.ts';

export interface ProbeTarget {
  readonly url: URL;
  readonly target?: string | undefined;
  /** A GET of the short URL would use up one of the clicks of its link. */
  readonly isLimited?: boolean | undefined;
}

export interface ProbeContext extends RedirectContext {
  /** Milliseconds before the second attempt at a destination that seems broken. */
  readonly pause: number;
  /** Prevents further requests. */
  readonly stop: AbortSignal;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Attempts per destination at a host that answers 429 with Retry-After. */
const maxThrottledAttempts = 3;

/**
 * Sends HEAD and, if that finds no page, GET, because many servers answer HEAD incorrectly. Retries once after a pause before it reports a
 * broken or unreachable destination. A limited link gets HEAD only. `entry` is the permit for the first request. Throws the reason of a stop.
 */
export async function probe(
  { url, target, isLimited }: ProbeTarget,
  entry: Permit | Closed,
  context: ProbeContext,
): Promise<Verdict> {
  const verdict = (end: RedirectOutcome): Verdict =>
    target === undefined ? verdictOf(end) : shortUrlVerdict(end, url, { target, isLimited });
  // If the host closed before the retry, only a first result that needs no confirmation counts. The others are asked later.
  const confirmed = (end: RedirectOutcome, before: RedirectOutcome): Verdict => {
    const first = verdict(before);
    return end.kind === 'closed' && first.status === 'blocked' ? { ...first, reason: end.reason } : verdict(end);
  };
  const method = isLimited ? 'HEAD' : 'GET';
  const again = (): Promise<RedirectOutcome> => retryWhileThrottled(() => follow({ method, url, target }, context));
  const head = await follow({ method: 'HEAD', url, target, entry }, context);
  const first = isFinal(head) ? head : await again();
  if (!needsSecondAttempt(first)) return first === head ? verdict(head) : confirmed(first, head);
  await context.sleep(context.pause, context.stop).catch(() => undefined);
  context.stop.throwIfAborted();
  return confirmed(await again(), first);
}

/** The rate limiter holds each request back until the Retry-After is over. */
async function retryWhileThrottled(send: () => Promise<RedirectOutcome>): Promise<RedirectOutcome> {
  let end = await send();
  for (let times = 1; times < maxThrottledAttempts && end.kind === 'answer' && end.status === 429 && end.asksToWait; times += 1) {
    const next = await send();
    if (next.kind === 'closed') return end;
    end = next;
  }
  return end;
}
