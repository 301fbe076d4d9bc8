import { canonicalHost, sameUrl } from '../value.ts';

/** What the rules make of a long URL. A refused one comes with what it would have been. */
export type Rewritten =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'changed'; readonly longUrl: string }
  | { readonly kind: 'refused'; readonly longUrl: string; readonly reason: string };

/** One rule of W1. It edits the text where it finds something; a URL is never taken apart and written anew. */
export interface UrlRule {
  /** The rule says by itself which links it is for; those beside it then apply to no other links. */
  readonly selects: boolean;
  /** The URL with the rule applied; undefined where it does not apply. */
  apply(longUrl: string): string | RefusedUrl | undefined;
}

/** What a rule would make, and why it cannot be, as people read it. */
interface RefusedUrl {
  readonly longUrl: string;
  readonly refused: string;
}

/** What a new long URL must not be. */
interface UrlLimits {
  /** Why a text is no long URL that can be sent, as what follows its name: `has no host`; or undefined. */
  fault(longUrl: string): string | undefined;
  /** Whether short URLs of the account are on this host, which is in ASCII and lower case. */
  isOwnHost(host: string): boolean;
}

/** The rules, one after the other, as one function on long URLs. */
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
    // What differs only in its spelling is no change of a link, and is never sent (W3).
    if (!selected || sameUrl(longUrl, before)) return { kind: 'unchanged' };
    const fault = limits.fault(longUrl) ?? ownHostFault(before, longUrl, limits);
    return fault === undefined ? { kind: 'changed', longUrl } : { kind: 'refused', longUrl, reason: `the new URL ${fault}` };
  };
}

/** A link that leads to another link of the account can lead to itself. One that does so already is left to its owner. */
function ownHostFault(before: string, after: string, { isOwnHost }: UrlLimits): string | undefined {
  const host = canonicalHost(after);
  if (host === undefined || host === canonicalHost(before) || !isOwnHost(host)) return undefined;
  return `leads to ${host}, a domain of the account`;
}
