import { fingerprintOf } from '../../base/fingerprint.ts';
import { type CheckRecord, checkRecords } from '../../bulk/check-runs/check-record.ts';
import { checkedFields } from '../../bulk/check-runs/check-results.ts';
import { foldersOf } from '../../change/environment.ts';
import type { CheckedLink } from '../../check/destinations.ts';
import { byStatus, type CheckStatus, checkStatuses, failingStatuses, isCheckStatus } from '../../check/verdict.ts';
import type { Session } from '../../cli/session.ts';
import { hasSeveralDomains } from '../../client/whole-listing.ts';
import { recordDomain, withoutScheme } from '../../contract/link.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { isSameDomain } from '../../contract/web-address.ts';
import { readKeptRows } from '../../files/kept-rows.ts';
import type { CheckFacts, FailingLink } from '../../report/facts.ts';

/** Combines check results with the current listing: a link whose destination changed since has no result. */
export interface FailingLinks {
  listed(record: UrlRecord): void;
  /** Call this after the last record. `isWhole` is false if only some links were listed, because the others may still exist. */
  facts(isWhole: boolean): CheckFacts;
}

/**
 * Reads the latest result of each link, for its destination and its short URL separately. Undefined if no link was checked. Throws a
 * LocalError if the record of a check cannot be read.
 */
export async function failingLinks(session: Session): Promise<FailingLinks | undefined> {
  const [destinations, shortUrls] = [new Verdicts(), new Verdicts()];
  const used: CheckRecord[] = [];
  const { client } = session;
  // Newest first; each is read before the next one is opened.
  for await (const check of checkRecords(foldersOf(session), client.identity)) {
    try {
      const verdicts = check.options.shortUrls === true ? shortUrls : destinations;
      // A newer check covered everything, so older ones add nothing.
      if (verdicts.isWhole) continue;
      if (await verdicts.add(check, session)) used.push(check);
      verdicts.isWhole = check.complete && (await coversAll(check, session));
      if (destinations.isWhole && shortUrls.isWhole) break;
    } finally {
      await check.close();
    }
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
  readonly failed = new Map<string, FailingLink>();
  isWhole = false;

  /** Returns false if newer checks covered all of its links. */
  async add({ input, options, statusOf, verdictOf }: CheckRecord, session: Session): Promise<boolean> {
    const before = this.#found.size;
    let index = -1;
    for await (const links of readKeptRows<CheckedLink>(input)) {
      for (const link of links) {
        index += 1;
        const status = statusOf(index);
        const { long_url } = link;
        const short_url = withoutScheme(link.short_url);
        // A hash that did not exist has no destination.
        if (!isCheckStatus(status) || long_url === undefined) continue;
        if (this.#found.has(short_url) || !isCovered(short_url, session)) continue;
        if (failingStatuses.includes(status)) {
          const shortUrls = options.shortUrls === true;
          const row = checkedFields({ link, verdict: await verdictOf(index), shortUrls });
          this.failed.set(short_url, { ...failingLink(row, shortUrls), long_url, status });
        }
        this.#found.set(short_url, packed(checkStatuses.indexOf(status), long_url));
      }
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

function againstListing(kinds: readonly Verdicts[], checks: CheckFacts['checks'], { shortUrl }: Session): FailingLinks {
  const failing: FailingLink[] = [];
  const counts = byStatus(() => 0);
  let links = 0;
  let changed = 0;
  return {
    listed(record) {
      const name = withoutScheme(shortUrl(record));
      const { long_url = '', note } = record;
      const status = statusOf(kinds.map((verdicts) => verdicts.rankOf(name, long_url)));
      const failed = kinds.flatMap((verdicts) => verdicts.failed.get(name) ?? []);
      const [first, ...more] = failed.filter((link) => link.long_url === long_url);
      if (!first && failed.length > 0) changed += 1;
      if (status === undefined) return;
      links += 1;
      counts[status] += 1;
      if (!first) return;
      const reason = [first, ...more].map((link) => link.reason).join('; ');
      failing.push({ ...first, note: note || undefined, status, reason });
    },
    facts(isWhole) {
      const failed = new Set(kinds.flatMap((verdicts) => [...verdicts.failed.keys()]));
      return { checks, links, counts, failing, changedSince: isWhole ? failed.size - failing.length : changed };
    },
  };
}

function failingLink(row: ReturnType<typeof checkedFields>, isShortUrl: boolean): Pick<FailingLink, 'short_url' | 'reason'> {
  const { short_url, status, http_status, reason, final_url } = row;
  const target = status === 'wrong' && final_url !== undefined ? `: ${final_url}` : '';
  const what = isShortUrl ? 'the short URL: ' : '';
  return {
    short_url: withoutScheme(short_url),
    reason: `${what}${[http_status, reason].filter(Boolean).join(' ')}${target}`,
  };
}

/** Options that restrict a check to some links; `sha256` is that of a file of hashes. */
const selecting = ['operands', 'sha256', 'tags', 'search', 'filter'] as const;

async function coversAll({ options, domain }: CheckRecord, session: Session): Promise<boolean> {
  if (selecting.some((option) => options[option] !== undefined)) return false;
  if (options.allDomains === true) return true;
  const isSame = session.domainNamed && domain !== undefined && isOn(domain, session);
  return isSame || !(await hasSeveralDomains(session).catch(() => true));
}

function isCovered(shortUrl: string, session: Session): boolean {
  return !session.domainNamed || isOn(recordDomain({ short_url: shortUrl }) ?? '', session);
}

function isOn(name: string, { domain = '' }: Session): boolean {
  return isSameDomain(name, domain);
}
