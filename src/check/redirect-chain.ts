import { retryAfter } from '../base/retries.ts';
import { parseUrl } from '../contract/web-address.ts';
import { sameUrl } from '../link/value.ts';
import { literalRefusal, type Refusal } from './addresses.ts';
import type { Closed, HostFeedback, HostRateLimiter, Permit } from './host-rate-limiter.ts';
import type { Answer, Method, ProbeClient } from './probe-client.ts';
import { type RedirectOutcome, withoutPassword } from './verdict.ts';

export interface RedirectContext {
  readonly client: ProbeClient;
  readonly refusal: Refusal;
  readonly hosts: Pick<HostRateLimiter, 'acquire'>;
  /** Maximum number of redirects. */
  readonly redirects: number;
  readonly signal: AbortSignal;
  now(): number;
  /** Called for every request, for `--verbose`. */
  report?(method: Method, url: URL, answer: Answer): void;
}

interface RedirectChain {
  readonly method: Method;
  readonly url: URL;
  /** The expected destination of the redirects, which is not requested. */
  readonly target?: string | undefined;
  /** The permit for the first request, if there is one already. */
  readonly entry?: Permit | Closed | undefined;
}

/** Every address of the chain is checked before it is requested. */
export async function follow(
  { method, url, target, entry: first }: RedirectChain,
  context: RedirectContext,
): Promise<RedirectOutcome> {
  const visited = new Set<string>();
  let at = url;
  let redirectStatus: number | undefined;
  let permanent = true;
  let milliseconds = 0;
  for (let redirects = 0; ; redirects += 1) {
    const progress = { url: at, redirects, redirectStatus, milliseconds };
    const requested = withoutPassword(at);
    if (visited.has(requested.href)) return { kind: 'loop', reason: 'redirect loop', ...progress };
    if (redirects > context.redirects) return { kind: 'loop', reason: `more than ${context.redirects} redirects`, ...progress };
    visited.add(requested.href);
    const refused = refusalOf(at, context.refusal);
    if (refused) return { kind: 'refused', ...refused, ...progress };
    const entry = redirects === 0 && first ? first : await context.hosts.acquire(at.host);
    if (entry.kind === 'refused') return { ...entry, isPrivate: true, ...progress };
    if (entry.kind === 'closed') {
      return {
        kind: 'closed',
        reason: `${at.host} asks to wait longer than --max-wait allows (Retry-After: ${inSeconds(entry.retryAfter)})`,
        ...progress,
      };
    }
    const answer = await context.client.send(method, requested, context.signal);
    entry.release(feedbackOf(answer, method, context));
    context.report?.(method, requested, answer);
    if (answer.kind === 'refused') return { ...answer, isPrivate: true, ...progress };
    milliseconds += answer.milliseconds;
    if (answer.kind === 'failure') return { ...answer, ...progress, milliseconds };
    const { status, location } = answer;
    const next = redirectCodes.has(status) && location !== undefined ? parseUrl(location, at) : undefined;
    if (!next) {
      const asksToWait = answer.retryAfter !== undefined;
      return { kind: 'answer', status, permanent, asksToWait, ...progress, milliseconds };
    }
    if (target !== undefined && (sameUrl(location, target) || sameUrl(next.href, target))) {
      return { kind: 'arrived', status, milliseconds };
    }
    permanent &&= status === 301 || status === 308;
    redirectStatus = status;
    at = next;
  }
}

export interface NotProbed {
  readonly reason: string;
  /** Not public; `--allow-private` permits it. */
  readonly isPrivate?: true;
}

/** Examines only the text of the URL. Names are resolved when a connection is made. */
export function refusalOf(url: URL, refusal: Refusal): NotProbed | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { reason: `only http and https are checked, not ${url.protocol}` };
  }
  const reason = literalRefusal(url, refusal);
  return reason === undefined ? undefined : { reason, isPrivate: true };
}

const redirectCodes: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Some servers answer every HEAD with an error, which does not mean that they are overloaded. */
function feedbackOf(answer: Answer, method: Method, { now }: RedirectContext): HostFeedback | undefined {
  if (answer.kind === 'refused') return { overloaded: false, refused: answer.reason };
  if (answer.kind !== 'answer') return undefined;
  const asked = answer.retryAfter === undefined ? undefined : retryAfter(answer.retryAfter, now());
  const isOverloaded = answer.status === 429 || (answer.status >= 500 && (method === 'GET' || asked !== undefined));
  return isOverloaded ? { overloaded: true, retryAfter: asked } : { overloaded: false };
}

function inSeconds(milliseconds: number): string {
  return `${Math.ceil(milliseconds / 1000)} s`;
}
