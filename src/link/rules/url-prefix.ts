import { UsageError } from '../../base/errors.ts';
import { quoted } from '../../base/quoted.ts';
import { readWebAddress, type WebAddress } from '../http-url.ts';

/** Ends at a boundary: `https://a.example` does not match `https://a.example.evil/`. */
interface UrlPrefix {
  matches(longUrl: string): boolean;
  /** Keeps the rest byte for byte; undefined if the URL does not match. Prefix and rest are joined with exactly one slash. */
  replace(longUrl: string, to: string): string | undefined;
}

/** Throws a UsageError if the text is no http(s) URL. */
export function urlPrefix(text: string): UrlPrefix {
  const prefix = readWebAddress(text);
  if (!prefix) throw new UsageError(`${quoted(text)} is not an http or https URL`);
  const start = prefix.rest === '/' ? '' : prefix.rest;
  const endsWithSlash = isOpenPath(prefix.rest);

  const restOf = (longUrl: string): string | undefined => {
    const url = readWebAddress(longUrl);
    if (!url || !isSameAuthority(url, prefix)) return undefined;
    if (!beginsWithPath(url.rest, start)) return undefined;
    const rest = url.rest.slice(start.length);
    // An empty path equals `/`, so `https://a.example/` also matches URLs without that slash.
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

function isSameAuthority(one: WebAddress, other: WebAddress): boolean {
  return (
    one.hostname === other.hostname &&
    one.scheme === other.scheme &&
    one.port === other.port &&
    // Another user name makes another address.
    one.userinfo === other.userinfo
  );
}

/** Equal for texts that differ only in the case of escapes (`%2f`, `%2F`); keeps the length. */
function withUpperCaseEscapes(text: string): string {
  return text.includes('%') ? text.replace(/%[0-9a-f]{2}/gi, (sequence) => sequence.toUpperCase()) : text;
}

/** Cuts no path segment or word in two. */
export function beginsWithPath(path: string, start: string): boolean {
  const wanted = withUpperCaseEscapes(start);
  return withUpperCaseEscapes(path.slice(0, start.length)) === wanted && isBoundary(wanted, path.slice(start.length));
}

function isBoundary(start: string, rest: string): boolean {
  if (start === '' || rest === '' || /[/\\?&=#]$/.test(start)) return true;
  if (start.includes('#')) return /^[/?&]/.test(rest);
  return start.includes('?') ? /^[&#]/.test(rest) : /^[/\\?#]/.test(rest);
}

/** True if a path segment can follow. */
function isOpenPath(text: string): boolean {
  return text.endsWith('/') && !/[?#]/.test(text);
}

function joined(to: string, rest: string, endedWithSlash: boolean): string {
  if (/[?#]/.test(to)) return to + rest;
  const continuesPath = rest !== '' && !/^[?#]/.test(rest);
  if (continuesPath && endedWithSlash && !isOpenPath(to)) return `${to}/${rest}`;
  // After `?id=` the rest is a word and must not become part of the host.
  if (continuesPath && hasNoPath.test(to) && !/^[/\\]/.test(rest)) return `${to}/${rest}`;
  return !endedWithSlash && isOpenPath(to) && rest.startsWith('/') ? to + rest.slice(1) : to + rest;
}

const hasNoPath = /^https?:\/\/[^/\\]*$/i;
