import { canonicalHost, sameUrl } from '../value.ts';

/** A refused result contains the URL that the rules would have made. */
export type Rewritten =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'changed'; readonly longUrl: string }
  | { readonly kind: 'refused'; readonly longUrl: string; readonly reason: string };

/** Rules edit the text in place: parsing and rebuilding a URL could change other parts. */
export interface UrlRule {
  /** If any rule selects links, rules that do not select apply only to those links. */
  readonly selects: boolean;
  /** Returns undefined if the rule does not apply. */
  apply(longUrl: string): string | RefusedUrl | undefined;
}

interface RefusedUrl {
  readonly longUrl: string;
  readonly refused: string;
}

interface UrlLimits {
  /** Reason why the text cannot be sent, such as `has no host`. */
  fault(longUrl: string): string | undefined;
  /** `host` is in ASCII and lower case. */
  isOwnHost(host: string): boolean;
}

/** Applies the rules in order. */
export function urlChange(rules: readonly UrlRule[], limits: UrlLimits): (longUrl: string) => Rewritten {
  const someSelect = rules.some(({ selects }) => selects);
  return (before) => {
    let longUrl = before;
    let selected = !someSelect;
    for (const { selects, apply } of rules) {
      const result = apply(longUrl);
      if (result === undefined) continue;
      if (typeof result !== 'string') return { kind: 'refused', longUrl: result.longUrl, reason: result.refused };
      longUrl = result;
      selected ||= selects;
    }
    // URLs that differ only in spelling are the same, so nothing is sent.
    if (!selected || sameUrl(longUrl, before)) return { kind: 'unchanged' };
    const fault = limits.fault(longUrl) ?? ownHostFault(before, longUrl, limits);
    return fault === undefined ? { kind: 'changed', longUrl } : { kind: 'refused', longUrl, reason: `the new URL ${fault}` };
  };
}

/** A link to a domain of the account could redirect in a circle. Links that already do so stay unchanged. */
function ownHostFault(before: string, after: string, { isOwnHost }: UrlLimits): string | undefined {
  const host = canonicalHost(after);
  if (host === undefined || host === canonicalHost(before) || !isOwnHost(host)) return undefined;
  return `leads to ${host}, a domain of the account`;
}
