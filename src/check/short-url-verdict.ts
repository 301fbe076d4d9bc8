import { parseUrl } from '../contract/web-address.ts';
import { sameUrl } from '../link/value.ts';
import { isAskedLater, isGood, type RedirectOutcome, type Verdict, verdictOf, withoutPassword } from './verdict.ts';

interface ExpectedRedirect {
  readonly target: string;
  readonly isLimited?: boolean | undefined;
}

/**
 * Requires that the short URL redirects to its destination: anything else is wrong, even a good page. Only a limited link may hide its
 * destination from HEAD.
 */
export function shortUrlVerdict(
  outcome: RedirectOutcome,
  shortUrl: URL,
  { target, isLimited = false }: ExpectedRedirect,
): Verdict {
  const found = verdictOf(outcome);
  if (outcome.kind === 'arrived' || isAskedLater(found)) return found;
  if (isLimited && hidesDestination(outcome, shortUrl)) {
    return {
      ...found,
      status: 'skipped',
      reason: 'only a visit shows where a link with max_clicks leads, and would use up a click',
    };
  }
  const wrong = (reason: string): Verdict => ({
    ...found,
    status: 'wrong',
    httpStatus: found.httpStatus ?? outcome.redirectStatus,
    reason,
  });
  if (outcome.redirects > 0) {
    const expected = parseUrl(target);
    // The final URL does not show what differs.
    const isAlike = expected && sameUrl(withoutPassword(outcome.url).href, withoutPassword(expected).href);
    if (isAlike) return wrong('redirects to the same URL with another user name or password');
    if (outcome.url.host !== shortUrl.host) return wrong('redirects to another URL');
  }
  const isPage = found.status === 'ok' || found.status === 'moved';
  return isPage ? wrong('returns a page instead of a redirect') : found;
}

/** A good answer of the short URL itself, perhaps with another scheme, or one that says that the server knows no HEAD. */
function hidesDestination(outcome: RedirectOutcome, { host, pathname }: URL): boolean {
  if (outcome.kind !== 'answer' || outcome.url.host !== host || outcome.url.pathname !== pathname) return false;
  return isGood(outcome) || outcome.status === 405 || outcome.status === 501;
}
