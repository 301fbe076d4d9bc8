import type { checkedFields } from '../bulk/results/check-results.ts';
import { lastCheck } from '../changes/last-check.ts';
import { failingStatuses, isCheckStatus } from '../check/verdict.ts';
import type { Session } from '../cli/session.ts';
import { recordDomain } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import { withoutLocalPort } from '../contract/web-address.ts';
import type { BrokenLink, CheckFacts } from '../report/facts.ts';

/** What the last check of the account found, against what is listed now: a link that leads elsewhere since is not known to be broken. */
export interface BrokenLinks {
  /** Takes note of a link of the listing. */
  listed(record: UrlRecord): void;
  /** When everything was listed. */
  facts(): CheckFacts;
}

/** Undefined where no check is recorded. Throws a LocalError where its record cannot be read. */
export async function brokenLinks(session: Session): Promise<BrokenLinks | undefined> {
  const { client, system, shortUrl } = session;
  const check = await lastCheck(client.identity, system);
  if (!check) return undefined;
  const failed = new Map<string, BrokenLink>();
  for await (const rows of check.rows(new Set(failingStatuses))) {
    for (const row of rows) {
      const link = brokenLink(row);
      if (link && isCovered(link, session)) failed.set(row.short_url, link);
    }
  }
  const broken: BrokenLink[] = [];
  const { at, what, links, counts } = check;
  return {
    listed(record) {
      const link = failed.get(shortUrl(record));
      if (link && link.long_url === record.long_url) broken.push(link);
    },
    facts: () => ({ at: Date.parse(at), what, links, counts, broken, changedSince: failed.size - broken.length }),
  };
}

/** Undefined for a link that was named and did not exist. */
function brokenLink(row: ReturnType<typeof checkedFields>): BrokenLink | undefined {
  const { short_url, long_url, status, http_status, reason, final_url } = row;
  if (long_url === undefined || !isCheckStatus(status)) return undefined;
  const led = status === 'wrong' && final_url !== undefined ? `: ${final_url}` : '';
  return {
    short_url: short_url.replace(/^https?:\/\//, ''),
    long_url,
    status,
    reason: `${[http_status, reason].filter(Boolean).join(' ')}${led}`,
  };
}

/** A report of one domain is about its links alone. */
function isCovered(link: BrokenLink, { domain, domainNamed }: Session): boolean {
  if (!domainNamed || domain === undefined) return true;
  return withoutLocalPort(recordDomain(link) ?? '') === withoutLocalPort(domain);
}
