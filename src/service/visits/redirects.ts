import { utcDay } from '../../base/times.ts';
import { hashPattern } from '../../contract/fields.ts';
import { parseUrl } from '../../contract/web-address.ts';
import { shortUrlWithProtocol, shownDomain } from '../api/url-records.ts';
import { domainNamed, hostName, isBareHost } from '../hosts.ts';
import { header, type ServiceRequest, type ServiceResponse, textResponse, type VisitOutcome } from '../message.ts';
import type { ServiceSettings } from '../service-options.ts';
import type { Store, StoredDomain, Target } from '../store/store.ts';
import type { ClickCounter } from './click-counter.ts';
import { hashOfQrPath, qrResponse } from './qr-codes.ts';

export interface Redirects {
  readonly store: Store;
  readonly clicks: ClickCounter;
  readonly settings: ServiceSettings;
}

/** What a visitor asked for. */
interface Visited {
  readonly domain: StoredDomain;
  /** As in the request, with its port. */
  readonly host: string;
  /** The path without slashes around it: the hash of a link, or that of a QR code with its ending. */
  readonly name: string;
}

/** For visits while the store cannot be read. */
export const unavailable = withOutcome('unavailable', textResponse(503, 'try again in a moment', { 'retry-after': '1' }));

/** Answers `GET /<hash>`, `/<hash>.qr` and `/`. A slash at the end of a hash is ignored. */
export async function answerVisit(
  redirects: Redirects,
  request: ServiceRequest,
  path: string,
  search: string,
): Promise<ServiceResponse> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return textResponse(405, 'method not allowed', { allow: 'GET, HEAD' });
  const domain = await findDomain(redirects, request.host);
  if (!domain) return withOutcome('unknown_domain', textResponse(404, 'no such domain'));
  if (path === '/') return textResponse(200, 'short link service');
  const visited = { domain, host: request.host, name: nameIn(path) };
  const qrHash = hashOfQrPath(visited.name);
  if (qrHash !== undefined) return await answerQr(redirects, visited, qrHash, search);
  return await answerHash(redirects, request, visited);
}

function nameIn(path: string): string {
  return withoutEscapes(path.endsWith('/') ? path.slice(1, -1) : path.slice(1));
}

/** Mailers escape characters that need no escape: `/a%5Fb` is `/a_b` (RFC 3986, 6.2.2.2). */
function withoutEscapes(path: string): string {
  return path.replace(/%[2-7][\dA-F]/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escaped;
  });
}

async function answerHash(redirects: Redirects, request: ServiceRequest, visited: Visited): Promise<ServiceResponse> {
  const { settings } = redirects;
  const { domain, name: hash } = visited;
  const target = await findTarget(redirects, domain, hash);
  const location = target && safeLocation(target.longUrl);
  if (!target || location === undefined) return withOutcome('unknown', notFoundPage(visited, settings));
  const fault = inactiveReason(target, settings.now());
  if (fault) return withOutcome(fault, notFoundPage(visited, settings, fault));
  if (!isClick(request)) return withOutcome('uncounted', target.maxClicks > 0 ? withholdTarget(request) : redirectTo(location));
  if (await countClick(redirects, request, target)) return withOutcome('redirected', redirectTo(location));
  // The link reached its limit just now, unless its limit was changed or it was deleted since it was read.
  const now = await findTarget(redirects, domain, hash);
  if (now && now.maxClicks !== target.maxClicks) return await answerHash(redirects, request, visited);
  return withOutcome(now ? 'used_up' : 'unknown', notFoundPage(visited, settings, now && 'used_up'));

  function redirectTo(address: string): ServiceResponse {
    return redirect(Number(settings.redirectCode), address);
  }
}

/** Expired links have a QR code, too. */
async function answerQr(redirects: Redirects, visited: Visited, hash: string, search: string): Promise<ServiceResponse> {
  const target = await findTarget(redirects, visited.domain, hash);
  const drawn = target && (await qrResponse(shortUrlWithProtocol(visited.domain, hash, redirects.settings), search));
  return drawn ?? notFoundPage(visited, redirects.settings);
}

async function findTarget({ store }: Redirects, domain: StoredDomain, hash: string): Promise<Target | undefined> {
  return hashPattern.test(hash) ? store.findTarget(domain, hash) : undefined;
}

/** Uses the default domain if the host is absent, an address or this machine. In edition B other domains are former names of the one. */
async function findDomain({ store, settings }: Redirects, host: string): Promise<StoredDomain | undefined> {
  const domains = await store.listDomains();
  const named = domainNamed(host, domains);
  if (named && settings.edition === 'a') return named;
  return named || isBareHost(hostName(host)) ? domains[0] : undefined;
}

/** `expiration_date` is the last day on which the link works. */
function inactiveReason(target: Target, now: number): 'expired' | 'used_up' | undefined {
  if (target.expirationDate !== null && utcDay(now) > target.expirationDate) return 'expired';
  return target.maxClicks > 0 && target.totalClicks >= target.maxClicks ? 'used_up' : undefined;
}

/** HEAD requests, which link checkers and previews send, and browser prefetches are not clicks. */
function isClick(request: ServiceRequest): boolean {
  return request.method === 'GET' && !header(request, 'sec-purpose')?.startsWith('prefetch');
}

/**
 * Returns false if the link has reached its limit. Clicks of a link with `max_clicks` are counted before the redirect, others soon after
 * it.
 */
async function countClick({ store, clicks, settings }: Redirects, request: ServiceRequest, target: Target): Promise<boolean> {
  const isCounted = target.maxClicks > 0;
  if (isCounted && !(await store.countClick(target.id))) return false;
  const visitor = `${request.address}
${header(request, 'user-agent') ?? ''}`;
  clicks.add({ urlId: target.id, visitor, time: settings.now(), isCounted });
  return true;
}

/** 410 for a link that once worked. */
function notFoundPage(visited: Visited, settings: ServiceSettings, fault?: 'expired' | 'used_up'): ServiceResponse {
  const page = settings.notFoundUrl;
  if (page !== undefined && !isAt(page, visited, settings)) return redirect(302, page);
  if (!fault) return textResponse(404, 'link not found');
  return textResponse(410, fault === 'expired' ? 'this link has expired' : 'this link has been used up');
}

/** A page that is set to an address of this service, where no link is, would redirect to itself for ever. A proxy may have changed the host. */
function isAt(location: string, { domain, host, name }: Visited, settings: ServiceSettings): boolean {
  const page = new URL(location);
  return nameIn(page.pathname) === name && [host.toLowerCase(), shownDomain(domain, settings)].includes(page.host);
}

/**
 * Hides the destination of a link with a click limit from requests that do not count. A browser visits the link after any failed prefetch, but
 * proxies would take 503 for a failure of this process.
 */
function withholdTarget({ method }: ServiceRequest): ServiceResponse {
  return method === 'HEAD' ? textResponse(200, '') : textResponse(403, 'this link cannot be prefetched');
}

/** Allows only http and https, percent-encoded, for the Location header. */
function safeLocation(address: string): string | undefined {
  const url = parseUrl(address);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : undefined;
}

function withOutcome(outcome: VisitOutcome, { status, headers, body }: ServiceResponse): ServiceResponse {
  return { subject: { kind: 'visit', outcome }, status, headers, body };
}

/** Has no body, so that nothing is reflected, and is not cached, so that every click is counted. */
function redirect(status: number, location: string): ServiceResponse {
  return { status, headers: { location, 'cache-control': 'no-store' }, body: '' };
}
