import { hashPattern } from '../contract/fields.ts';
import { parseUrl } from '../contract/web-address.ts';
import type { ClickCounter } from './click-counter.ts';
import { hostName, isBareHost, normalizeDomain } from './hosts.ts';
import { header, type ServiceRequest, type ServiceResponse, type VisitOutcome } from './message.ts';
import { picture, picturedHash } from './qr-codes.ts';
import type { ServiceSettings } from './resolved-settings.ts';
import type { Store, StoredDomain, Target } from './store/store.ts';
import { dateTime, shortUrlWithProtocol } from './url-records.ts';

export interface Redirects {
  readonly store: Store;
  readonly clicks: ClickCounter;
  readonly settings: ServiceSettings;
}

/** The answer to a visit while the store cannot be read. */
export const unavailable = about('unavailable', plain(503, 'try again in a moment', { 'retry-after': '1' }));

/** Answers `GET /<hash>`, `/<hash>.qr` and `/` of the domain that was asked for. A slash at the end of a hash does no harm (V5). */
export async function answerVisit(
  redirects: Redirects,
  request: ServiceRequest,
  path: string,
  search: string,
): Promise<ServiceResponse> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, 'method not allowed', { allow: 'GET, HEAD' });
  const domain = await findDomain(redirects, request.host);
  if (!domain) return about('unknown_domain', plain(404, 'no such domain'));
  if (path === '/') return rootPage(domain);
  const name = path.endsWith('/') ? path.slice(1, -1) : path.slice(1);
  const pictured = picturedHash(name);
  if (pictured !== undefined) return await answerPicture(redirects, domain, pictured, search);
  return await follow(redirects, request, domain, name);
}

async function follow(
  redirects: Redirects,
  request: ServiceRequest,
  domain: StoredDomain,
  hash: string,
): Promise<ServiceResponse> {
  const { settings } = redirects;
  const target = await findTarget(redirects, domain, hash);
  const location = target && safeLocation(target.longUrl);
  if (!target || location === undefined) return about('unknown', notFoundPage(domain, settings));
  const fault = faultOf(target, settings.now());
  if (fault) return about(fault, notFoundPage(domain, settings, fault));
  if (!isClick(request)) return about('uncounted', target.maxClicks > 0 ? withheld(request) : leadTo(location));
  if (await countClick(redirects, request, target)) return about('redirected', leadTo(location));
  // Used up just now, unless the limit was changed or the link deleted since it was read: then it is as it is now.
  const now = await findTarget(redirects, domain, hash);
  if (now && now.maxClicks !== target.maxClicks) return await follow(redirects, request, domain, hash);
  return about(now ? 'used_up' : 'unknown', notFoundPage(domain, settings, now && 'used_up'));

  function leadTo(address: string): ServiceResponse {
    return redirect(Number(settings.redirectCode ?? domain.redirectCode), address);
  }
}

/** The QR code of a link (V5), whether or not it may still be followed. */
async function answerPicture(redirects: Redirects, domain: StoredDomain, hash: string, search: string): Promise<ServiceResponse> {
  const target = await findTarget(redirects, domain, hash);
  const drawn = target && (await picture(shortUrlWithProtocol(domain, hash, redirects.settings), search));
  return drawn ?? notFoundPage(domain, redirects.settings);
}

async function findTarget({ store }: Redirects, domain: StoredDomain, hash: string): Promise<Target | undefined> {
  return hashPattern.test(hash) ? store.findTarget(domain, hash) : undefined;
}

/** The domain of that name; the default one where the host is absent, an address or this machine, and thus names none. */
async function findDomain(redirects: Redirects, host: string): Promise<StoredDomain | undefined> {
  const domains = await redirects.store.listDomains();
  const name = hostName(host);
  const named = domains.find((domain) => domain.name === host) ?? domains.find((domain) => domain.name === name);
  return named ?? (isBareHost(name) ? domains[0] : findNormalized(domains, host));
}

/** Browsers send the ASCII form, in lower case; others may not. */
function findNormalized(domains: readonly StoredDomain[], host: string): StoredDomain | undefined {
  const names = [normalizeDomain(host), normalizeDomain(hostName(host))];
  return domains.find((domain) => names.includes(domain.name));
}

/** Why a link may not be followed; `expiration_date` is the last day on which it works. */
function faultOf(target: Target, now: number): 'expired' | 'used_up' | undefined {
  if (target.expirationDate !== null && dateTime(now).slice(0, 10) > target.expirationDate) return 'expired';
  return target.maxClicks > 0 && target.totalClicks >= target.maxClicks ? 'used_up' : undefined;
}

/**
 * A HEAD only asks where the link leads, as link checkers and previews do: no click. Our choice. Nor is what a browser fetches before
 * anybody clicks (V5).
 */
function isClick(request: ServiceRequest): boolean {
  return request.method === 'GET' && !header(request, 'sec-purpose')?.startsWith('prefetch');
}

/** Whether the link may be followed: the clicks of one with `max_clicks` are counted before, those of others soon after. */
async function countClick({ store, clicks, settings }: Redirects, request: ServiceRequest, target: Target): Promise<boolean> {
  const isCounted = target.maxClicks > 0;
  if (isCounted && !(await store.countClick(target.id))) return false;
  const visitor = `${request.address}
${header(request, 'user-agent') ?? ''}`;
  clicks.add({ urlId: target.id, visitor, time: settings.now(), isCounted });
  return true;
}

function rootPage(domain: StoredDomain): ServiceResponse {
  const location = safeLocation(domain.customRootPage);
  return location === undefined ? plain(200, 'short link service') : redirect(302, location);
}

/** 410 where there was something. */
function notFoundPage(domain: StoredDomain, { notFoundUrl }: ServiceSettings, fault?: 'expired' | 'used_up'): ServiceResponse {
  const location = safeLocation(notFoundUrl ?? domain.custom404Page);
  if (location !== undefined) return redirect(302, location);
  if (!fault) return plain(404, 'link not found');
  return plain(410, fault === 'expired' ? 'this link has expired' : 'this link has been used up');
}

/**
 * Where a link of few clicks leads is for those who follow it: who only asks would have it for nothing. A browser that fetches ahead comes
 * again, as 503 is nothing to keep.
 */
function withheld({ method }: ServiceRequest): ServiceResponse {
  return method === 'HEAD' ? plain(200, '') : plain(503, 'this link is not for fetching ahead');
}

/** An address fit for a header: http or https and percent-encoded, whatever the store holds. */
function safeLocation(address: string): string | undefined {
  const url = parseUrl(address);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : undefined;
}

function about(outcome: VisitOutcome, { status, headers, body }: ServiceResponse): ServiceResponse {
  return { subject: { kind: 'visit', outcome }, status, headers, body };
}

/** Without a body, so that nothing can be reflected; not to be cached, so that each click arrives. */
function redirect(status: number, location: string): ServiceResponse {
  return { status, headers: { location, 'cache-control': 'no-store' }, body: '' };
}

function plain(status: number, text: string, headers: { readonly [name: string]: string } = {}): ServiceResponse {
  return {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
    body: `${text}\n`,
  };
}
