import { retryAfter } from '../base/retry-after.ts';
import { parseUrl } from '../contract/web-address.ts';
import { sameUrl } from '../link/value.ts';
import { literalRefusal, type Refusal } from './addresses.ts';
import type { Closed, Impression, Place, PoliteHosts } from './host-rate-limiter.ts';
import type { Answer, Asker, Method } from './probe-client.ts';
import type { ChainEnd } from './verdict.ts';

/** What a chain of requests needs. */
export interface ChainWorld {
  readonly asker: Asker;
  readonly refusal: Refusal;
  readonly hosts: Pick<PoliteHosts, 'enter'>;
  /** Redirects that are followed. */
  readonly redirects: number;
  readonly signal: AbortSignal;
  now(): number;
  /** Of every request, for `--verbose`. */
  report?(method: Method, url: URL, answer: Answer): void;
}

/** A chain of requests that starts at one address. */
export interface Chain {
  readonly method: Method;
  readonly url: URL;
  /** Where it is to lead: nothing is sent there. */
  readonly target?: string | undefined;
  /** For the first request, where it is known already. */
  readonly entry?: Place | Closed | undefined;
}

/** The host that is treated gently, by name and port: what one server asks for says nothing about another. */
export function hostOf({ host }: URL): string {
  return host;
}

/** Asks an address, and those to which it redirects, each of which is looked at before it is asked. */
export async function follow({ method, url, target, entry: first }: Chain, world: ChainWorld): Promise<ChainEnd> {
  const visited = new Set<string>();
  let at = withoutPassword(url);
  let permanent = true;
  let milliseconds = 0;
  for (let redirects = 0; ; redirects += 1) {
    const so = { url: at, redirects, milliseconds };
    if (visited.has(at.href)) return { kind: 'loop', reason: 'redirects in a circle', ...so };
    if (redirects > world.redirects) return { kind: 'loop', reason: `more than ${world.redirects} redirects`, ...so };
    visited.add(at.href);
    const refused = notAsked(at, world.refusal);
    if (refused) return { kind: 'refused', ...refused, ...so };
    const entry = redirects === 0 && first ? first : await world.hosts.enter(hostOf(at));
    if (entry.kind === 'refused') return { ...entry, isPrivate: true, ...so };
    if (entry.kind === 'closed') {
      return { kind: 'closed', reason: `${at.host} wants to be left alone for ${inSeconds(entry.asked)}`, ...so };
    }
    const answer = await world.asker.ask(method, at, world.signal);
    entry.leave(impressionOf(answer, method, world));
    world.report?.(method, at, answer);
    if (answer.kind === 'refused') return { ...answer, isPrivate: true, ...so };
    milliseconds += answer.milliseconds;
    if (answer.kind === 'failure') return { ...answer, ...so, milliseconds };
    const { status, location } = answer;
    const next = isRedirect(status) && location !== undefined ? parseUrl(location, at) : undefined;
    if (!next) {
      const asksToWait = answer.retryAfter !== undefined;
      return { kind: 'answer', status, permanent, asksToWait, ...so, milliseconds };
    }
    if (target !== undefined && (sameUrl(location, target) || sameUrl(next.href, target))) {
      return { kind: 'arrived', status, milliseconds };
    }
    permanent &&= status === 301 || status === 308;
    at = withoutPassword(next);
  }
}

/** No name and no password is sent to strangers, nor shown with what is found. */
function withoutPassword(url: URL): URL {
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  return bare;
}

/** Why an address is not asked. */
export interface NotAsked {
  readonly reason: string;
  /** It is not public, and `--allow-private` asks it. */
  readonly isPrivate?: true;
}

/** Why an address is not asked, as far as its text says it. */
export function notAsked(url: URL, refusal: Refusal): NotAsked | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { reason: `only http and https are asked, not ${url.protocol}` };
  }
  const reason = literalRefusal(url, refusal);
  return reason === undefined ? undefined : { reason, isPrivate: true };
}

const redirecting: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function isRedirect(status: number): boolean {
  return redirecting.has(status);
}

/** Some servers answer every HEAD with an error: that does not strain them. */
function impressionOf(answer: Answer, method: Method, { now }: ChainWorld): Impression | undefined {
  if (answer.kind === 'refused') return { strained: false, refused: answer.reason };
  if (answer.kind !== 'answer') return undefined;
  const asked = answer.retryAfter === undefined ? undefined : retryAfter(answer.retryAfter, now());
  const isStrained = answer.status === 429 || (answer.status >= 500 && (method === 'GET' || asked !== undefined));
  return isStrained ? { strained: true, retryAfter: asked } : { strained: false };
}

function inSeconds(milliseconds: number): string {
  return `${Math.ceil(milliseconds / 1000)} s`;
}
