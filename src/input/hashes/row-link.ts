import { UsageError } from '../../base/errors.ts';
import { quoted } from '../../base/quoted.ts';
import type { LinkKey } from '../../contract/link.ts';
import { hostName } from '../../contract/web-address.ts';
import type { WireValue } from '../field-values.ts';
import { parseHash } from './parse-hash.ts';

/** Identifies the link of a row: `short_url` or `domain` distinguishes it from equal hashes on other domains. Throws a UsageError. */
export function rowLink(text: string, shortUrl: WireValue | undefined, domain: WireValue | undefined): LinkKey {
  const named = parseHash(text);
  const listed = typeof shortUrl === 'string' ? listedUrl(shortUrl) : undefined;
  if (listed && listed.hash !== named.hash) {
    throw new UsageError(`${quoted(text)} does not match ${quoted(String(shortUrl))}: for a new hash, use custom_hash`);
  }
  const own = domain === undefined ? undefined : hostName(String(domain));
  if (own === '') throw new UsageError(`${quoted(String(domain))} is not a domain name`);
  let place = named.domain;
  for (const other of [listed?.domain, own]) {
    if (other !== undefined && other !== (place ?? other)) {
      throw new UsageError(`${quoted(text)} has two domains, ${place} and ${other}`);
    }
    place ??= other;
  }
  return { hash: named.hash, domain: place };
}

/** Some servers have short URLs of another form. */
function listedUrl(shortUrl: string): LinkKey | undefined {
  try {
    return parseHash(shortUrl);
  } catch {
    return undefined;
  }
}
