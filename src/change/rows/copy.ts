import { DuplicateCandidateSearch } from '../../base/duplicate-candidates.ts';
import { UsageError } from '../../base/errors.ts';
import { folders } from '../../base/system.ts';
import type { EarlierLink } from '../../bulk/records/done-change.ts';
import { batchSizeOf } from '../../client/batch-limits.ts';
import { namedUrls } from '../../client/named-urls.ts';
import { type LinkKey, linkText, recordDomain } from '../../contract/link.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { foldLabel } from '../../contract/tag-label.ts';
import { withoutLocalPort } from '../../contract/web-address.ts';
import { KeptRows } from '../../input/kept-rows.ts';
import { quantity } from '../../output/quantity.ts';
import { type CopyAccounts, type DomainMap, type DomainOfCopy, domainsOfCopies } from './copy-domains.ts';
import type { SelectedLink, SelectedLinks, SelectedPage } from './selected-links.ts';

/** A link of the source. */
interface SourceLink {
  readonly key: LinkKey;
  /** What its copy needs of it; undefined for one that was named and does not exist. */
  readonly link: EarlierLink | undefined;
}

/** A link, and the one that has its hash at the target. */
export interface CopiedLink extends SelectedLink {
  readonly source: EarlierLink | undefined;
}

/** The links of the source, on the disk until all are known, as they come newest first. */
interface Snapshot {
  readonly kept: KeptRows<SourceLink>;
  readonly domainOf: DomainOfCopy;
  /** Links that were read, those that a filter left out included. */
  readonly read: number;
}

/** Reads the links of the source whole, and gives them out oldest first: what is made in this order is listed as at the source (P4). */
export class CopiedLinks {
  readonly #links: SelectedLinks;
  readonly #map: DomainMap;
  readonly #accounts: CopyAccounts;
  readonly #labels = new Set<string>();
  #snapshot: Promise<Snapshot> | undefined;

  constructor(links: SelectedLinks, map: DomainMap, accounts: CopyAccounts) {
    this.#links = links;
    this.#map = map;
    this.#accounts = accounts;
  }

  /** Whether one of the links has the label. Known when they were read. */
  async hasLabel(label: string): Promise<boolean> {
    await this.#read();
    return this.#labels.has(foldLabel(label));
  }

  async *pages(): AsyncGenerator<SelectedPage<CopiedLink>> {
    const { kept, domainOf, read } = await this.#read();
    const { target } = this.#accounts;
    for (const some of kept.readBackwards()) {
      const copies = some.map(({ key, link }) => ({
        source: link,
        key,
        target: { hash: key.hash, domain: domainOf(key.domain) },
      }));
      const targets = copies.flatMap((copy) => (copy.source ? [copy.target] : []));
      const found = new Map<string, UrlRecord>();
      for await (const { target: named, record } of namedUrls(target.client, targets, batchSizeOf(target))) {
        if (record) found.set(linkText(named), record);
      }
      const links = copies.map((copy) =>
        // One that does not exist is named as it was.
        copy.source ? { ...copy, record: found.get(linkText(copy.target)) } : { ...copy, target: copy.key, record: undefined },
      );
      yield { links, read };
    }
  }

  #read(): Promise<Snapshot> {
    this.#snapshot ??= this.#take();
    return this.#snapshot;
  }

  async #take(): Promise<Snapshot> {
    const { source } = this.#accounts;
    const kept = new KeptRows<SourceLink>(folders(source.system).state, source.system);
    source.atEnd(async () => kept.close());
    const domains = new Set<string>();
    let read = 0;
    for await (const page of this.#links.pages()) {
      const rows = page.links.map(sourceLink);
      for (const { key, link } of rows) {
        if (key.domain !== undefined && link) domains.add(withoutLocalPort(key.domain));
        for (const label of link?.tags ?? []) this.#labels.add(foldLabel(label));
      }
      if (rows.length > 0) kept.add(rows);
      read = page.read;
      source.streams.progress.step(() => `${read} links read`);
    }
    const domainOf = await domainsOfCopies(domains, this.#map, this.#accounts);
    if (domains.size > 1) refuseCollisions(kept, domainOf);
    return { kept, domainOf, read };
  }
}

/** Its domain is what its short URL says, also on edition B. */
function sourceLink({ target, record }: SelectedLink): SourceLink {
  if (!record) return { key: target, link: undefined };
  const { hash, long_url, note, tags, expiration_date, email_stats, max_clicks } = record;
  return {
    key: { hash: target.hash, domain: recordDomain(record) ?? target.domain },
    link: { hash, long_url, note, tags, expiration_date, email_stats, max_clicks },
  };
}

/** Links of two domains that would be one link at the target: which of them is meant is not guessed. */
function refuseCollisions(kept: KeptRows<SourceLink>, domainOf: DomainOfCopy): void {
  const copyOf = ({ key: { hash, domain } }: SourceLink): string => linkText({ hash, domain: domainOf(domain) });
  const search = new DuplicateCandidateSearch();
  for (const rows of kept.read()) for (const row of rows) search.add(copyOf(row));
  const candidates = search.candidates();
  if (candidates.count === 0) return;
  const first = new Map<string, string>();
  const collisions: string[] = [];
  for (const rows of kept.read()) {
    for (const row of rows) {
      const copy = copyOf(row);
      if (!candidates.has(copy)) continue;
      const [link, other] = [linkText(row.key), first.get(copy)];
      if (other === undefined) first.set(copy, link);
      else if (other !== link) collisions.push(`${other} and ${link} would both be ${copy}`);
    }
  }
  if (collisions.length === 0) return;
  throw new UsageError(`${quantity(collisions.length, 'link')} would have the hash of another one; nothing was copied`, {
    details: [...collisions.slice(0, shown), ...(collisions.length > shown ? [`and ${collisions.length - shown} more`] : [])],
    hint: 'map the domains to different ones with --map-domain, or copy one of them with --domain',
  });
}

const shown = 5;
