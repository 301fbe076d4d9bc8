import { UnavailableError } from '../../base/errors.ts';
import { SeenKeys } from '../../base/seen-keys.ts';
import { rowBatches } from '../../bulk/operations/batches.ts';
import type { Session } from '../../cli/session.ts';
import { batchSizeOf } from '../../client/batch-limits.ts';
import { type LinkKey, linkText, recordDomain } from '../../contract/link.ts';
import { lacksKey, type UrlRecord } from '../../contract/records.ts';
import { withoutLocalPort } from '../../contract/web-address.ts';
import type { BulkOptions } from '../../flags/bulk-flags.ts';
import type { SelectedLinks, SelectedPage } from '../../select/selected-links.ts';
import { type Decisions, decider, type FileLink, sinceBase } from '../decide/apply.ts';
import type { ComparedLink } from '../decide/outcome.ts';
import { openBase } from './base.ts';
import { EmptyCells } from './empty-cells.ts';
import { checkedRows } from './file.ts';
import { recordsOf } from './named-records.ts';

/** A link of one side with its key on the other side. A missing link has no item. */
export type NamedItem<Item> = Omit<ComparedLink<Item>, 'record'>;

export interface NamedItems<Item> {
  readonly items: readonly NamedItem<Item>[];
  readonly read: number;
}

interface Sides<Item> {
  items(): AsyncIterable<NamedItems<Item>> | Iterable<NamedItems<Item>>;
  /** All links of the other side, including those that the first side lacks. */
  otherSide?(): AsyncIterable<SelectedPage>;
  readonly batchSize: number;
}

/**
 * Yields each link once: the first side's in order, with the other side's current records, then those that only the other has, and those
 * that were named there and that neither has.
 */
export async function* comparedPages<Item>(
  { items, otherSide, batchSize }: Sides<Item>,
  { client }: Pick<Session, 'client'>,
): AsyncGenerator<SelectedPage<ComparedLink<Item>>> {
  const named = new SeenLinks();
  const missing = new SeenLinks();
  let count = 0;
  for await (const { items: some, read } of items()) {
    const sought = some.flatMap(({ target, item }) => (item === undefined ? [] : [target]));
    const find = await recordsOf(client, sought, batchSize);
    const links = some.map((link) => ({ ...link, record: link.item === undefined ? undefined : find(link.target) }));
    if (otherSide) for (const { target, record } of links) (record ? named : missing).add(target, record);
    count = read;
    yield { links, read };
  }
  if (!otherSide) return;
  for await (const { links } of otherSide()) {
    for (const { target, record } of links)
      if (record && missing.has(target, record) && !lacksKey(target.hash)) throw inconsistent(target);
    const others = links.filter(({ target, record }) => !missing.has(target, record) && named.add(target, record));
    count += others.length;
    yield { links: others.map((link) => ({ ...link, item: undefined })), read: count };
  }
}

/** A link that is listed but not found by its hash may or may not exist, so nothing is sent. */
function inconsistent(link: LinkKey): UnavailableError {
  return new UnavailableError(`the server lists ${linkText(link)}, but did not find it by its hash`, {
    hint: 'it may have been created since: run the same command again',
  });
}

/**
 * Recognizes links under every name that a server may use. A listing of the default domain may leave out its name, and some servers change
 * the case of a hash or pad it with blanks. A link of the file that is not recognized would be deleted.
 */
class SeenLinks {
  readonly #seen = new SeenKeys();

  /** Returns true if the link is new. */
  add(link: LinkKey, record: UrlRecord | undefined): boolean {
    const isKnown = namesOf(link, record).map((name) => !this.#seen.add(name));
    return !isKnown.includes(true);
  }

  has(link: LinkKey, record: UrlRecord | undefined): boolean {
    return namesOf(link, record).some((name) => this.#seen.has(name));
  }
}

function namesOf({ hash, domain }: LinkKey, record: UrlRecord | undefined): string[] {
  const domains = [domain, record && recordDomain(record)].map((name) => name && withoutLocalPort(name));
  const hashes = [hash, record?.hash ?? hash].map((one) => one.trim());
  return [...new Set(domains.flatMap((name) => hashes.map((one) => linkText({ hash: one, domain: name }))))];
}

/** Opens a file of links, and its base, to compare the links with the account. */
export async function openComparison(options: BulkOptions, session: Session, isOnlyRead = session.global.dryRun === true) {
  const base = await openBase(options, session);
  const { input, domains, targets, reading } = await checkedRows('apply', options, session, { isOnlyRead, base });
  const empty = new EmptyCells(targets, session.edition, options.clearEmpty === true);
  const batchSize = batchSizeOf(session, options.batchSize);
  async function* items(): AsyncGenerator<NamedItems<FileLink>> {
    let read = 0;
    for await (const rows of rowBatches(input, batchSize)) {
      read += rows.length;
      // Dates are compared as days.
      const links = rows.map(({ line, item, protection }) => ({ line, item: reading.dated(item), protection }));
      yield { items: links.map((link) => ({ ...link, target: { hash: link.item.hash, domain: link.item.domain } })), read };
    }
  }
  async function* pages(otherSide: () => AsyncIterable<SelectedPage>): AsyncGenerator<SelectedPage<ComparedLink<FileLink>>> {
    for await (const { links, read } of comparedPages({ items, otherSide, batchSize }, session)) {
      yield { links: links.map((link) => (link.item ? { ...link, item: empty.filled(link.item, link.record) } : link)), read };
    }
  }
  /** Joins the links of the file with those of the account. */
  const compared = <Account extends Pick<SelectedLinks, 'pages'>>(account: Account, decisions: Decisions) => ({
    links: { ...(account as Omit<Account, 'pages'>), pages: () => pages(account.pages) },
    decide: decider(sinceBase(decisions, base)),
  });
  return { base, input, domains, reading, empty, compared };
}
