import { UsageError } from '../../base/errors.ts';
import { quoted } from '../../base/quoted.ts';
import { readWebAddress, type WebAddress, withParts } from '../http-url.ts';
import { readPattern } from './pattern.ts';
import { type Parameter, withoutParameter, withParameter } from './query-parameters.ts';
import type { UrlRule } from './url-change.ts';
import { urlPrefix } from './url-prefix.ts';
import { utmParameters } from './utm.ts';

// These functions read what the user typed and throw a UsageError if it is no rule.

/** If `to` begins with `from` too, URLs that already begin with `to` stay unchanged, so that repeating the command changes nothing. */
export function prefixRule(from: string, to: string): UrlRule {
  if (from === to) throw new UsageError('<from> and <to> are the same');
  const prefix = urlPrefix(from);
  const done = prefix.matches(to) ? urlPrefix(to) : undefined;
  const endsAlike = lastPart(from) === lastPart(to);
  return {
    selects: true,
    apply(longUrl) {
      if (done?.matches(longUrl)) return undefined;
      const result = prefix.replace(longUrl, to);
      const fits = result === undefined || endsAlike || !cannotFollow[lastPart(to)].test(result.slice(to.length));
      return fits ? result : { longUrl: result, refused: `the rest of the URL cannot follow ${to}` };
    },
  };
}

/** A path cannot follow a query, and a parameter cannot follow a path. */
const cannotFollow = { path: /^&/, query: /^[/\\?]/, fragment: /^[/\\?#]/ } as const;

function lastPart(url: string): keyof typeof cannotFollow {
  if (url.includes('#')) return 'fragment';
  return url.includes('?') ? 'query' : 'path';
}

/** An explicit port 80 is removed, because it belongs to http; other ports stay. */
export const httpsRule: UrlRule = {
  selects: false,
  apply(longUrl) {
    const address = readWebAddress(longUrl);
    if (address?.scheme !== 'http') return undefined;
    return withParts(address, { scheme: 'https', port: address.written.port.replace(/^:0*80$/, '') });
  },
};

/** Compares the port only if the old host has one. If either host has a port, the port of the URL is replaced. */
export function hostRule(text: string): UrlRule {
  const [, old = '', now = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const [from, to] = [namedHost(old), namedHost(now)];
  if (!from || !to) throw new UsageError(`--host: expected old=new, two hosts without scheme and path, got ${quoted(text)}`);
  if (old === now) throw new UsageError(`--host: both hosts are ${old}`);
  const namesPort = from.written.port !== '' || to.written.port !== '';
  return {
    selects: true,
    apply(longUrl) {
      const address = readWebAddress(longUrl);
      if (address?.hostname !== from.hostname || (from.written.port !== '' && address.port !== from.port)) return undefined;
      return withParts(address, namesPort ? { host: to.written.host, port: to.written.port } : { host: to.written.host });
    },
  };
}

export function parameterRule(text: string): UrlRule {
  const [, name, value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new UsageError(`--set-param: expected name=value, got ${quoted(text)}`);
  return settingRule({ name, value });
}

/** Accepts a prefix such as `utm_*`. */
export function removalRule(name: string): UrlRule {
  if (!/^[^*=]+\*?$/.test(name)) {
    throw new UsageError(`--remove-param: expected a name such as ref, or a prefix such as utm_*, got ${quoted(name)}`);
  }
  return { selects: false, apply: (longUrl) => readWebAddress(longUrl) && withoutParameter(longUrl, name) };
}

export function utmRules(text: string): UrlRule[] {
  return utmParameters(text).map(settingRule);
}

/** Replaces the first match. */
export function patternRule(pattern: string, to: string): UrlRule {
  if (pattern === '') throw new UsageError('--regex: the pattern is empty');
  const expression = regularExpression(pattern);
  checkReplacement(pattern, to);
  return {
    selects: true,
    apply(longUrl) {
      const match = expression.exec(longUrl);
      if (!match) return undefined;
      return longUrl.slice(0, match.index) + replacement(to, match) + longUrl.slice(match.index + match[0].length);
    },
  };
}

/** Special sequences in `--to`: groups by number or name, and an escaped dollar sign. */
const groupOrDollar = /\$(?:(\d)|<([^>]*)>|\$)/g;

/** A group that did not participate is empty. */
function replacement(to: string, match: RegExpExecArray): string {
  return to.replace(groupOrDollar, (_, digit?: string, name?: string) => {
    if (digit !== undefined) return match[Number(digit)] ?? '';
    return name === undefined ? '$' : (match.groups?.[name] ?? '');
  });
}

function checkReplacement(pattern: string, to: string): void {
  const [wrong] = /\\\d/.exec(to) ?? [];
  if (wrong) throw new UsageError(`--to: write $${wrong[1]} for group ${wrong[1]}, not ${wrong}`);
  // With an empty alternative the pattern matches anything and exposes its groups.
  const { length = 1, groups = {} } = new RegExp(`${pattern}|`).exec('') ?? {};
  for (const [, digit, name] of to.matchAll(groupOrDollar)) {
    const isThere =
      name === undefined ? digit === undefined || (digit !== '0' && Number(digit) < length) : Object.hasOwn(groups, name);
    if (!isThere) throw new UsageError(`--to: --regex has no group ${name ?? digit}`);
  }
}

function regularExpression(pattern: string): RegExp {
  try {
    return readPattern(pattern);
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`--regex: ${error.message}`) : error;
  }
}

function settingRule(parameter: Parameter): UrlRule {
  // Other schemes have no known query.
  return { selects: false, apply: (longUrl) => readWebAddress(longUrl) && withParameter(longUrl, parameter) };
}

function namedHost(text: string): WebAddress | undefined {
  return /^(?:\[[^\]]*\]|[^:/?#\\@*\s]+)(?::\d+)?$/.test(text) ? readWebAddress(`http://${text}`) : undefined;
}
