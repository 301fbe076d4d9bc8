/** What a check finds of a link, the worst last. */
export const checkStatuses = ['ok', 'moved', 'skipped', 'blocked', 'loop', 'unreachable', 'broken', 'wrong'] as const;

export type CheckStatus = (typeof checkStatuses)[number];

/** A number for each. */
export function byStatus(count: (status: CheckStatus) => number): Record<CheckStatus, number> {
  const counts = { ok: 0, moved: 0, skipped: 0, blocked: 0, loop: 0, unreachable: 0, broken: 0, wrong: 0 };
  for (const status of checkStatuses) counts[status] = count(status);
  return counts;
}

/** What fails a check, where nobody says otherwise. */
export const failingStatuses: readonly CheckStatus[] = ['broken', 'unreachable', 'loop', 'wrong'];

/** What a destination is, and how that is known. */
export interface Verdict {
  readonly status: CheckStatus;
  /** Of the last answer; absent where none came. */
  readonly httpStatus?: number | undefined;
  /** Where redirects led; absent where there were none. */
  readonly finalUrl?: string | undefined;
  /** Of the requests that decided, without the waits between them. */
  readonly milliseconds: number;
  /** Empty where the status says it all. */
  readonly reason: string;
  /** Not asked, because the network of this computer or its name server failed: a later check asks it. */
  readonly offline?: true | undefined;
  /** Not asked, because this host wants to be left alone for longer than there is time: a later check asks it. */
  readonly leftAlone?: string | undefined;
  /** Not asked, because an address is not public. */
  readonly isPrivate?: true | undefined;
}

/** Whether nothing is known yet, and the same command is to ask again. */
export function isAskedLater({ offline, leftAlone }: Verdict): boolean {
  return offline === true || leftAlone !== undefined;
}

/** Whether what was kept of a verdict makes sense. */
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

/** A person must look: the page is there for people, or is not for everybody. */
const blocking: ReadonlySet<number> = new Set([401, 403, 429, 451, 999]);

/** Said once is enough. */
const gone: ReadonlyMap<number, string> = new Map([
  [404, 'not found'],
  [410, 'gone'],
]);

/** Where a chain of requests ended. Times are milliseconds. */
export type ChainEnd =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly url: URL;
      readonly redirects: number;
      /** All redirects were 301 or 308. */
      readonly permanent: boolean;
      /** It names a time to wait for. */
      readonly asksToWait: boolean;
      readonly milliseconds: number;
    }
  /** The next request would be for the address that was looked for. */
  | { readonly kind: 'arrived'; readonly status: number; readonly milliseconds: number }
  | {
      readonly kind: 'failure';
      readonly reason: string;
      readonly connected: boolean;
      readonly offline: boolean;
      readonly url: URL;
      readonly redirects: number;
      readonly milliseconds: number;
    }
  | {
      readonly kind: 'loop';
      readonly reason: string;
      readonly url: URL;
      readonly redirects: number;
      readonly milliseconds: number;
    }
  /** Something that is not asked. */
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly isPrivate?: true;
      readonly url: URL;
      readonly redirects: number;
      readonly milliseconds: number;
    }
  /** A host that wants to be left alone for longer than there is time. */
  | {
      readonly kind: 'closed';
      readonly reason: string;
      readonly url: URL;
      readonly redirects: number;
      readonly milliseconds: number;
    };

/** Whether nothing was found that a request by GET could put right. */
export function isFinal(end: ChainEnd): boolean {
  return isGood(end) || end.kind === 'refused' || end.kind === 'closed' || (end.kind === 'failure' && !end.connected);
}

/** Whether another attempt, some seconds later, may find something else. */
export function needsSecondAttempt(end: ChainEnd): boolean {
  if (end.kind === 'failure') return true;
  return end.kind === 'answer' && !isGood(end) && !gone.has(end.status) && !blocking.has(end.status);
}

function isGood(end: ChainEnd): boolean {
  return end.kind === 'arrived' || (end.kind === 'answer' && end.status >= 200 && end.status < 300);
}

/** What the end of a chain says about a destination. */
export function verdictOf(end: ChainEnd): Verdict {
  const { milliseconds } = end;
  switch (end.kind) {
    case 'arrived':
      return { status: 'ok', httpStatus: end.status, milliseconds, reason: '' };
    case 'failure':
      return {
        status: end.offline ? 'skipped' : 'unreachable',
        ...led(end),
        milliseconds,
        reason: end.reason,
        ...(end.offline && { offline: true }),
      };
    case 'loop':
      return { status: 'loop', ...led(end), milliseconds, reason: end.reason };
    case 'refused':
      return {
        status: 'skipped',
        ...led(end),
        milliseconds,
        reason: end.reason,
        ...(end.isPrivate && { isPrivate: true }),
      };
    case 'closed':
      return { status: 'skipped', ...led(end), milliseconds, reason: end.reason, leftAlone: end.url.host };
    case 'answer':
      return { ...answered(end), httpStatus: end.status, ...led(end), milliseconds };
  }
}

function answered(end: Extract<ChainEnd, { kind: 'answer' }>): Pick<Verdict, 'status' | 'reason'> {
  const { status, permanent, redirects, asksToWait } = end;
  if (isGood(end)) return { status: redirects > 0 && permanent ? 'moved' : 'ok', reason: '' };
  const why = gone.get(status);
  if (why !== undefined) return { status: 'broken', reason: why };
  if (status === 429) return { status: 'blocked', reason: asksToWait ? 'asks to wait longer' : 'too many requests' };
  if (status === 401) return { status: 'blocked', reason: 'asks for a password' };
  if (blocking.has(status)) return { status: 'blocked', reason: 'refused to a program; open it in a browser' };
  if (status >= 300 && status < 400) return { status: 'broken', reason: 'a redirect that leads nowhere, twice' };
  return { status: 'broken', reason: `${status >= 500 ? 'server error' : 'refused'}, twice` };
}

/** The address at the end, where it is another one. */
function led({ url, redirects }: { readonly url: URL | undefined; readonly redirects: number }): Pick<Verdict, 'finalUrl'> {
  return redirects > 0 && url ? { finalUrl: url.href } : {};
}

/** What the end of a chain says about a short URL that should lead to `longUrl`. */
export function shortUrlVerdict(end: ChainEnd, shortUrl: URL): Verdict {
  if (end.kind === 'arrived') return verdictOf(end);
  const found = verdictOf(end);
  // Where it leads is not known.
  if (isAskedLater(found)) return found;
  if (end.redirects > 0 && end.url?.host !== shortUrl.host) {
    return { ...found, status: 'wrong', reason: 'leads elsewhere' };
  }
  const isPage = found.status === 'ok' || found.status === 'moved';
  return isPage ? { ...found, status: 'wrong', reason: 'shows a page, and does not redirect' } : found;
}
