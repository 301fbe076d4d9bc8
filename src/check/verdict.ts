import type { Answer } from './probe-client.ts';

/** In order of severity. */
export const checkStatuses = ['ok', 'moved', 'skipped', 'blocked', 'loop', 'unreachable', 'broken', 'wrong'] as const;

export type CheckStatus = (typeof checkStatuses)[number];

export function byStatus(count: (status: CheckStatus) => number): Record<CheckStatus, number> {
  const counts = { ok: 0, moved: 0, skipped: 0, blocked: 0, loop: 0, unreachable: 0, broken: 0, wrong: 0 };
  for (const status of checkStatuses) counts[status] = count(status);
  return counts;
}

/** The default of `--fail-on`. */
export const failingStatuses: readonly CheckStatus[] = ['broken', 'unreachable', 'loop', 'wrong'];

export interface Verdict {
  readonly status: CheckStatus;
  /** The status of the last response; absent if there was none. */
  readonly httpStatus?: number | undefined;
  /** Without user name and password. Absent if there were no redirects. */
  readonly finalUrl?: string | undefined;
  /** The time of the decisive requests, without the delays between them. */
  readonly milliseconds: number;
  /** Empty if the status is enough: if a link has moved, `finalUrl` is then its whole new address. */
  readonly reason: string;
  /** Not requested because the network of this computer or its name server failed. A later check retries it. */
  readonly offline?: true | undefined;
  /** Not requested because the Retry-After of this host exceeds `--max-wait`. A later check retries it. */
  readonly deferredBy?: string | undefined;
  /** Not requested because an address is not public. */
  readonly isPrivate?: true | undefined;
}

/** The result is still open, so the same command retries it. */
export function isAskedLater({ offline, deferredBy }: Verdict): boolean {
  return offline === true || deferredBy !== undefined;
}

/** Validates a verdict that was read from a file. */
export function isVerdict(value: unknown): value is Verdict {
  if (typeof value !== 'object' || value === null) return false;
  const { status, httpStatus, finalUrl, milliseconds, reason }: { readonly [K in keyof Verdict]?: unknown } = value;
  return (
    isCheckStatus(status) &&
    typeof milliseconds === 'number' &&
    typeof reason === 'string' &&
    (httpStatus === undefined || typeof httpStatus === 'number') &&
    (finalUrl === undefined || typeof finalUrl === 'string')
  );
}

export function isCheckStatus(value: unknown): value is CheckStatus {
  return checkStatuses.some((status) => status === value);
}

/** A browser may be able to open these pages. */
const blockingCodes: ReadonlySet<number> = new Set([401, 403, 429, 451, 999]);

/** One response with such a code is conclusive. */
const finalCodes: ReadonlyMap<number, string> = new Map([
  [404, 'not found'],
  [410, 'gone'],
]);

interface RedirectProgress {
  /** With its user name and password. */
  readonly url: URL;
  readonly redirects: number;
  /** Of the last redirect. */
  readonly redirectStatus: number | undefined;
  readonly milliseconds: number;
}

export type RedirectOutcome =
  | (RedirectProgress & {
      readonly kind: 'answer';
      readonly status: number;
      /** All redirects were 301 or 308. */
      readonly permanent: boolean;
      /** The answer has a Retry-After. */
      readonly asksToWait: boolean;
    })
  /** The last redirect points to the expected destination, which is not requested. */
  | { readonly kind: 'arrived'; readonly status: number; readonly milliseconds: number }
  | (RedirectProgress & Extract<Answer, { kind: 'failure' }>)
  | (RedirectProgress & { readonly kind: 'loop'; readonly reason: string })
  /** The address must not be requested. */
  | (RedirectProgress & { readonly kind: 'refused'; readonly reason: string; readonly isPrivate?: true })
  /** The Retry-After of the host is longer than `maxWait`. */
  | (RedirectProgress & { readonly kind: 'closed'; readonly reason: string });

/** A GET request could not improve the outcome. */
export function isFinal(end: RedirectOutcome): boolean {
  return isGood(end) || end.kind === 'refused' || end.kind === 'closed' || (end.kind === 'failure' && !end.connected);
}

/** A second attempt some seconds later may succeed. */
export function needsSecondAttempt(end: RedirectOutcome): boolean {
  if (end.kind === 'failure') return true;
  return end.kind === 'answer' && !isGood(end) && !finalCodes.has(end.status) && !blockingCodes.has(end.status);
}

export function isGood(end: RedirectOutcome): boolean {
  return end.kind === 'arrived' || (end.kind === 'answer' && end.status >= 200 && end.status < 300);
}

export function verdictOf(outcome: RedirectOutcome): Verdict {
  const { milliseconds } = outcome;
  if (outcome.kind === 'arrived') return { status: 'ok', httpStatus: outcome.status, milliseconds, reason: '' };
  const end = { ...finalUrl(outcome), milliseconds };
  if (outcome.kind === 'answer') return { ...answerStatus(outcome), httpStatus: outcome.status, ...end };
  const { reason } = outcome;
  switch (outcome.kind) {
    case 'failure':
      return outcome.offline ? { status: 'skipped', ...end, reason, offline: true } : { status: 'unreachable', ...end, reason };
    case 'loop':
      return { status: 'loop', ...end, reason };
    case 'refused':
      return { status: 'skipped', ...end, reason, ...(outcome.isPrivate && { isPrivate: true }) };
    case 'closed':
      return { status: 'skipped', ...end, reason, deferredBy: outcome.url.host };
  }
}

function answerStatus(end: Extract<RedirectOutcome, { kind: 'answer' }>): Pick<Verdict, 'status' | 'reason'> {
  const { url, status, permanent, redirects, asksToWait } = end;
  if (isGood(end)) {
    if (redirects === 0 || !permanent) return { status: 'ok', reason: '' };
    const isWhole = withoutPassword(url).href === url.href;
    return { status: 'moved', reason: isWhole ? '' : 'the new address has a user name or password, which is not shown' };
  }
  const why = finalCodes.get(status);
  if (why !== undefined) return { status: 'broken', reason: why };
  if (status === 429) return { status: 'blocked', reason: asksToWait ? 'rate limited (Retry-After)' : 'too many requests' };
  if (status === 401) return { status: 'blocked', reason: 'asks for a password' };
  if (blockingCodes.has(status)) return { status: 'blocked', reason: 'refused an automated request; open it in a browser' };
  if (status >= 300 && status < 400) return { status: 'broken', reason: 'redirect without a valid Location, twice' };
  return { status: 'broken', reason: `${status >= 500 ? 'server error' : 'refused'}, twice` };
}

function finalUrl({ url, redirects }: RedirectProgress): Pick<Verdict, 'finalUrl'> {
  return redirects > 0 ? { finalUrl: withoutPassword(url).href } : {};
}

/** Credentials are neither sent to strangers nor shown in results. */
export function withoutPassword(url: URL): URL {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare;
}
