import { UsageError } from '../../base/errors.ts';
import { SeenKeys } from '../../base/seen-keys.ts';
import type { Session } from '../../cli/session.ts';
import type { RecordField } from '../../contract/fields.ts';
import { linkText, recordDomain } from '../../contract/link.ts';
import type { KnownRecord } from '../../contract/records.ts';
import { foldLabel } from '../../contract/tag-label.ts';
import { withoutLocalPort } from '../../contract/web-address.ts';
import type { KeptRows } from '../../files/kept-rows.ts';
import { protectionOf } from '../../input/protection.ts';
import { quantity } from '../../output/quantity.ts';
import type { SelectedLink, SelectedLinks } from '../../select/selected-links.ts';
import type { NamedItem, NamedItems } from './comparison.ts';
import { type CopyAccounts, type DomainMap, type DomainOfCopy, domainsOfCopies } from './copy-domains.ts';
import { keptRows } from './read-links.ts';

/** The values to copy; undefined if the named link does not exist. */
type SourceLink = NamedItem<KnownRecord>;

/** Reads all links of the source, newest first, and stores them on disk. Yields them oldest first, so that the copies keep their order. */
export async function copiedLinks(links: SelectedLinks, map: DomainMap, accounts: CopyAccounts) {
  const { source } = accounts;
  const kept = keptRows<SourceLink>(source);
  const [domains, labels] = [new Set<string>(), new Set<string>()];
  let read = 0;
  for await (const page of links.pages()) {
    const rows = page.links.map((link) => sourceLink(link, source));
    for (const { target, item } of rows) {
      if (target.domain !== undefined && item) domains.add(withoutLocalPort(target.domain));
      for (const label of item?.tags ?? []) labels.add(foldLabel(label));
    }
    if (rows.length > 0) kept.add(rows);
    read = page.read;
    source.streams.progress.step(() => `${quantity(read, 'link')} read`);
  }
  const domainOf = await domainsOfCopies(domains, map, accounts);
  if (domains.size > 1) refuseCollisions(kept, domainOf);
  // A missing link keeps its key.
  const placed = ({ target: { hash, domain }, item, protection }: SourceLink): SourceLink => ({
    item,
    protection,
    target: { hash, domain: item ? domainOf(domain) : domain },
  });
  function* items(): Generator<NamedItems<KnownRecord>> {
    for (const some of kept.readBackwards()) yield { items: some.map(placed), read };
  }
  return { items, hasLabel: (label: string) => labels.has(foldLabel(label)) };
}

/** Takes the domain from the short URL, also on edition B. */
function sourceLink({ target, record }: SelectedLink, source: Pick<Session, 'now'>): SourceLink {
  if (!record) return { target, item: undefined };
  const { hash, long_url, note, tags, expiration_date, email_stats, max_clicks } = record;
  return {
    target: { hash: target.hash, domain: recordDomain(record) ?? target.domain },
    protection: protectionOf(record, source),
    item: { hash, long_url, note, tags, expiration_date, email_stats, max_clicks } satisfies Record<
      'hash' | RecordField,
      unknown
    >,
  };
}

/** Throws a UsageError if links of two domains would become one link at the target. */
function refuseCollisions(kept: KeptRows<SourceLink>, domainOf: DomainOfCopy): void {
  const copyOf = ({ target: { hash, domain } }: SourceLink): string => linkText({ hash, domain: domainOf(domain) });
  const seen = new SeenKeys();
  const candidates = new Set<string>();
  for (const rows of kept.read()) for (const copy of rows.map(copyOf)) if (!seen.add(copy)) candidates.add(copy);
  if (candidates.size === 0) return;
  const first = new Map<string, string>();
  const collisions: string[] = [];
  for (const rows of kept.read()) {
    for (const row of rows) {
      const copy = copyOf(row);
      if (!candidates.has(copy)) continue;
      const [link, other] = [linkText(row.target), first.get(copy)];
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
