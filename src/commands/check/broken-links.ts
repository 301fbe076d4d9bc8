import { fingerprintOf } from '../../base/fingerprint.ts';
import type { checkedFields } from '../../bulk/checks/check-results.ts';
import { byStatus, type CheckStatus, checkStatuses, failingStatuses } from '../../check/verdict.ts';
import type { Session } from '../../cli/session.ts';
import { hasNamesakes } from '../../client/whole-listing.ts';
import { recordDomain } from '../../contract/link.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { withoutLocalPort } from '../../contract/web-address.ts';
import { withoutScheme } from '../../link/http-url.ts';
import type { BrokenLink, CheckFacts } from '../../report/facts.ts';
import { type KeptCheck, keptChecks } from './kept-checks.ts';

/** Combines check results with the current listing: a link whose destination changed since has no result. */
export interface BrokenLinks {
  listed(record: UrlRecord): void;
  /** Call this after the last record. */
  facts(): CheckFacts;
}

/**
 * Reads the latest result of each link, for its destination and its short URL separately. Undefined if no link was checked. Throws a
 * LocalError if the record of a check cannot be read.
 */
export async function brokenLinks(session: Session): Promise<BrokenLinks | undefined> {
  const [destinations, shortUrls] = [new Verdicts(), new Verdicts()];
  const used: KeptCheck[] = [];
  for await (const check of keptChecks(session.client.identity, session.system)) {
    const verdicts = check.shortUrls ? shortUrls : destinations;
    // This check covered everything, so older ones add nothing.
    if (verdicts.isWhole) continue;
    if (await verdicts.add(check, session)) used.push(check);
    verdicts.isWhole = check.complete && (await coversAll(check, session));
    if (destinations.isWhole && shortUrls.isWhole) break;
  }
  const [last, first] = [used[0], used.at(-1)];
  if (!last || !first) return undefined;
  const checks = { number: used.length, what: last.what, first: Date.parse(first.at), last: Date.parse(last.at) };
  return againstListing([destinations, shortUrls], checks, session);
}

/** Latest results by short URL, of destinations or of short URLs. */
class Verdicts {
  /** A packed number instead of an object, because most of many links are ok. */
  readonly #found = new Map<string, number>();
  readonly failed = new Map<string, BrokenLink>();
  isWhole = false;

  /** Returns false if newer checks covered all of its links. */
  async add({ links, shortUrls }: KeptCheck, session: Session): Promise<boolean> {
    const before = this.#found.size;
    for await (const reached of links()) {
      const { long_url } = reached.link;
      const short_url = withoutScheme(reached.link.short_url);
      // A hash that did not exist has no destination.
      if (long_url === undefined || this.#found.has(short_url) || !isCovered(short_url, session)) continue;
      if (failingStatuses.includes(reached.status)) {
        this.failed.set(short_url, { ...brokenLink(await reached.row(), shortUrls), long_url, status: reached.status });
      }
      this.#found.set(short_url, packed(checkStatuses.indexOf(reached.status), long_url));
    }
    return this.#found.size > before;
  }

  /** Index of the status in `checkStatuses`, or -1 if the link leads elsewhere now. */
  rankOf(shortUrl: string, longUrl: string): number {
    const rank = (this.#found.get(shortUrl) ?? -1) % checkStatuses.length;
    return this.#found.get(shortUrl) === packed(rank, longUrl) ? rank : -1;
  }
}

/** Packs the status and a fingerprint of the destination. */
function packed(rank: number, longUrl: string): number {
  return fingerprintOf(longUrl).low * checkStatuses.length + rank;
}

/** The more severe of two failures, else the status of the destination if it is known. */
function statusOf(ranks: readonly number[]): CheckStatus | undefined {
  const worst = checkStatuses[Math.max(...ranks)];
  if (worst !== undefined && failingStatuses.includes(worst)) return worst;
  return checkStatuses[ranks.find((rank) => rank !== -1) ?? -1];
}

function againstListing(kinds: readonly Verdicts[], checks: CheckFacts['checks'], { shortUrl }: Session): BrokenLinks {
  const broken: BrokenLink[] = [];
  const counts = byStatus(() => 0);
  let links = 0;
  return {
    listed(record) {
      const name = withoutScheme(shortUrl(record));
      const { long_url = '' } = record;
      const status = statusOf(kinds.map((verdicts) => verdicts.rankOf(name, long_url)));
      if (status === undefined) return;
      links += 1;
      counts[status] += 1;
      const found = kinds.flatMap(({ failed }) => failed.get(name) ?? []).filter((link) => link.long_url === long_url);
      const [first] = found;
      if (first) broken.push({ ...first, status, reason: found.map(({ reason }) => reason).join('; ') });
    },
    facts() {
      const failed = new Set(kinds.flatMap((verdicts) => [...verdicts.failed.keys()]));
      return { checks, links, counts, broken, changedSince: failed.size - broken.length };
    },
  };
}

function brokenLink(row: ReturnType<typeof checkedFields>, isShortUrl: boolean): Pick<BrokenLink, 'short_url' | 'reason'> {
  const { short_url, status, http_status, reason, final_url } = row;
  const target = status === 'wrong' && final_url !== undefined ? `: ${final_url}` : '';
  const what = isShortUrl ? 'the short URL: ' : '';
  return {
    short_url: withoutScheme(short_url),
    reason: `${what}${[http_status, reason].filter(Boolean).join(' ')}${target}`,
  };
}

async function coversAll({ listing }: KeptCheck, session: Session): Promise<boolean> {
  if (listing === undefined) return false;
  if (listing.allDomains) return true;
  const { domain } = listing;
  const isSame = session.domainNamed && domain !== undefined && isOn(domain, session);
  return isSame || !(await hasNamesakes(session));
}

function isCovered(shortUrl: string, session: Session): boolean {
  return !session.domainNamed || isOn(recordDomain({ short_url: shortUrl }) ?? '', session);
}

function isOn(name: string, { domain = '' }: Session): boolean {
  return withoutLocalPort(name) === withoutLocalPort(domain);
}
