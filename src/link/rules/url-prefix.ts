import { UsageError } from '../../base/errors.ts';
import { quoted } from '../../base/quoted.ts';
import { readWebAddress, type WebAddress } from '../web-address.ts';

/** The beginning of long URLs, which ends at a boundary (F4): `https://a.example` is none of `https://a.example.evil/`. */
interface UrlPrefix {
  matches(longUrl: string): boolean;
  /**
   * The URL with `to` instead of the prefix, and the rest byte for byte; undefined if it does not begin so. Where only one of prefix and
   * `to` ends with a slash, they are joined with exactly one.
   */
  replace(longUrl: string, to: string): string | undefined;
}

/** Throws a UsageError for what is no http(s) URL. */
export function urlPrefix(text: string): UrlPrefix {
  const prefix = readWebAddress(text);
  if (!prefix) throw new UsageError(`${quoted(text)} is not an http or https URL`);
  const start = prefix.rest === '/' ? '' : prefix.rest;
  const endsWithSlash = isOpenPath(prefix.rest);

  const restOf = (longUrl: string): string | undefined => {
    const url = readWebAddress(longUrl);
    if (!url || !isSamePlace(url, prefix)) return undefined;
    if (!beginsWithPath(url.rest, start)) return undefined;
    const rest = url.rest.slice(start.length);
    // An empty path is the path `/`, so what begins with `https://a.example/` may be written without that slash.
    return prefix.rest === '/' && rest.startsWith('/') ? rest.slice(1) : rest;
  };

  return {
    matches: (longUrl) => restOf(longUrl) !== undefined,
    replace: (longUrl, to) => {
      const rest = restOf(longUrl);
      return rest === undefined ? undefined : joined(to, rest, endsWithSlash);
    },
  };
}

function isSamePlace(one: WebAddress, other: WebAddress): boolean {
  return (
    one.hostname === other.hostname &&
    one.scheme === other.scheme &&
    one.port === other.port &&
    // Another user name is another address, and is none that may vanish with the prefix.
    one.userinfo === other.userinfo
  );
}

/** The same for what differs only in the case of escapes, and as long: `%2f` and `%2F`. Nothing else is evened out. */
function sameEscapes(text: string): string {
  return text.includes('%') ? text.replace(/%[0-9a-f]{2}/gi, (sequence) => sequence.toUpperCase()) : text;
}

/** The same for a path alone: whether it begins with `start`, and no word of it is cut in two. */
export function beginsWithPath(path: string, start: string): boolean {
  const wanted = sameEscapes(start);
  return sameEscapes(path.slice(0, start.length)) === wanted && isBoundary(wanted, path.slice(start.length));
}

/** Whether a path, query or fragment that begins with `start` may continue with `rest`: no word of it is cut in two. */
function isBoundary(start: string, rest: string): boolean {
  if (start === '' || rest === '' || /[/\\?&=#]$/.test(start)) return true;
  if (start.includes('#')) return /^[/?&]/.test(rest);
  return start.includes('?') ? /^[&#]/.test(rest) : /^[/\\?#]/.test(rest);
}

/** Whether text ends with a slash of its path, which another part of the path can follow. */
function isOpenPath(text: string): boolean {
  return text.endsWith('/') && !/[?#]/.test(text);
}

function joined(to: string, rest: string, endedWithSlash: boolean): string {
  if (/[?#]/.test(to)) return to + rest;
  const continuesPath = rest !== '' && !/^[?#]/.test(rest);
  if (continuesPath && endedWithSlash && !isOpenPath(to)) return `${to}/${rest}`;
  // After `?id=` the rest is a word, which must not become a part of the host.
  if (continuesPath && hasNoPath.test(to) && !/^[/\\]/.test(rest)) return `${to}/${rest}`;
  return !endedWithSlash && isOpenPath(to) && rest.startsWith('/') ? to + rest.slice(1) : to + rest;
}

const hasNoPath = /^https?:\/\/[^/\\]*$/i;
