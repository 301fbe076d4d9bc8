import { createHash } from 'node:crypto';
import { folders } from '../base/system.ts';
import type { CheckPlan } from '../bulk/checks/check-plan.ts';
import { keptRun } from '../bulk/records/unfinished.ts';
import { forgetRun } from '../bulk/runs.ts';
import type { CheckedLink } from '../check/destinations.ts';
import type { Session } from '../cli/session.ts';
import { usesHttps } from '../client/account-domains.ts';
import { batchSizeOf } from '../client/batch-limits.ts';
import { filteredPages } from '../client/filtered-pages.ts';
import { namedUrls } from '../client/named-urls.ts';
import { coverage } from '../client/whole-listing.ts';
import { editions } from '../contract/editions.ts';
import { type LinkKey, recordDomain } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import { KeptRows, readKeptRows } from '../input/kept-rows.ts';
import { readTargets } from '../input/named-targets.ts';
import type { Source } from '../input/source.ts';
import type { LinkFilter } from '../link/rules/filter.ts';
import { grouped } from '../output/quantity.ts';
import { listingOf, readFilter, refuseDomains } from '../select/listed-selection.ts';
import { matchNote } from '../select/named-rows.ts';
import type { LinkSelection, SelectionOptions } from '../select/selection-flags.ts';

/** The links of a check, on the disk. */
export type CheckedLinks = CheckPlan['links'];

/** How a selection is read, before anything of it was. */
export interface LinkSource {
  /** What decides which links they are, as it was typed. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Links may be on several domains: a hash alone does not name them. */
  readonly severalDomains: boolean;
  /** Notes about what was read. */
  read(): Promise<{ readonly links: CheckedLinks; readonly notes: readonly string[] }>;
}

interface SourceOptions extends SelectionOptions {
  /** The short URLs themselves are asked. */
  readonly links?: boolean;
}

/** Finds out how the links of a selection are read. Throws a UsageError. */
export async function linkSource(selection: LinkSelection, options: SourceOptions, session: Session): Promise<LinkSource> {
  const filter = await readFilter(options, session);
  const given = { filter: options.filter };
  if (selection.kind === 'hashes' || selection.kind === 'file') {
    refuseDomains(options, session, { '<hash>...': true });
    let source: Source | undefined;
    const targets = await readTargets(selection, session, async (path) => {
      source = await session.openInput(path, 'hashes');
      return source;
    });
    // It was read whole.
    const sha256 = source?.sha256();
    const operands = selection.kind === 'hashes' ? selection.operands : undefined;
    return {
      given: { ...given, operands, sha256 },
      severalDomains: targets.domains.length > 1,
      read: () => readNamed(targets.open(), filter, session, options),
    };
  }
  refuseDomains(options, session, {});
  const tags = selection.kind === 'tags' ? selection.expression : undefined;
  const search = selection.kind === 'search' ? selection.text : undefined;
  const listing = await listingOf({ tags, search }, options, session);
  return {
    given: { ...given, tags, search, allDomains: options.allDomains },
    severalDomains: listing.severalDomains,
    async read() {
      const { client, streams, warn } = session;
      const kept = new LinkPages(session);
      let [matched, read] = [0, 0];
      for await (const page of filteredPages(client, listing.selections, filter, { warn })) {
        for (const record of page.rows) kept.add(await checkedLink(page.linkOf(record), record, session, options));
        ({ matched, read } = page);
        streams.progress.step(() => `${grouped(read)} links read`);
      }
      const notes = [...(filter ? [`${matchNote(matched, read)}.`] : []), ...(listing.isPart ? await coverage(session) : [])];
      return { links: kept.list(), notes };
    },
  };
}

async function readNamed(
  targets: Iterable<LinkKey> | AsyncIterable<LinkKey>,
  filter: LinkFilter | undefined,
  session: Session,
  options: SourceOptions,
) {
  const kept = new LinkPages(session);
  let [matched, read] = [0, 0];
  for await (const { target, record } of namedUrls(session.client, targets, batchSizeOf(session))) {
    if (record) read += 1;
    if (record && filter && !filter.matches(record)) continue;
    if (record) matched += 1;
    kept.add(await checkedLink(target, record, session, options));
  }
  return { links: kept.list(), notes: filter ? [`${matchNote(matched, read)}.`] : [] };
}

async function checkedLink(
  { hash, domain }: LinkKey,
  record: UrlRecord | undefined,
  session: Session,
  { links }: SourceOptions,
): Promise<CheckedLink> {
  if (!record) return { hash, domain, short_url: '' };
  const short_url = links ? await addressOf(record, session) : session.shortUrl(record);
  return { hash: record.hash, domain, short_url, long_url: record.long_url };
}

/** The short URL as it is asked: where the answer does not say whether it begins with http or https, its domain does. */
async function addressOf(record: UrlRecord, { edition, domains, shortUrl }: Session): Promise<string> {
  const host = recordDomain(record);
  if (record.short_url_with_protocol || host === undefined || !editions[edition].severalDomains) return shortUrl(record);
  const isSecure = usesHttps(await domains(), host);
  return isSecure === undefined ? shortUrl(record) : `${isSecure ? 'https' : 'http'}://${record.short_url}`;
}

/** Milliseconds for which a verdict counts as one of now: an older check is not resumed, but begun anew. */
const resumableFor = 24 * 60 * 60 * 1000;

/** The check that the same command resumes, by its name, if there is one; one that is too old is deleted. */
export async function unfinishedCheck(sha256: string, session: Session): Promise<string | undefined> {
  const { system } = session;
  const stateFolder = folders(system).state;
  const begun = await keptRun({ operation: 'check', domain: session.domain, sha256 }, { ...session, stateFolder });
  if (!begun) return undefined;
  const { run, at } = begun.begin;
  if (system.now() - Date.parse(at) > resumableFor) {
    await session.note(`run ${run} of ${at} is too old to be resumed; starting again`);
    await forgetRun(stateFolder, run, system);
    return undefined;
  }
  return run;
}

/** The links that an unfinished check had. */
export async function keptLinks(path: string, session: Session): Promise<CheckedLinks> {
  const kept = new LinkPages(session);
  for await (const links of readKeptRows<CheckedLink>(path)) for (const link of links) kept.add(link);
  return kept.list();
}

/** What makes two checks the same. */
export function sumOf(options: Readonly<Record<string, unknown>>): string {
  return createHash('sha256').update(JSON.stringify(options)).digest('hex');
}

/** Links that are read together when one of them is asked for. */
const pageLength = 32;

/** Takes links one by one and writes them down a page at a time. */
class LinkPages {
  readonly #kept: KeptRows<CheckedLink>;
  #page: CheckedLink[] = [];
  #count = 0;

  constructor({ system, atEnd }: Pick<Session, 'system' | 'atEnd'>) {
    this.#kept = new KeptRows(folders(system).state, system);
    atEnd(async () => this.#kept.close());
  }

  add(link: CheckedLink): void {
    this.#count += 1;
    if (this.#page.push(link) === pageLength) this.#flush();
  }

  #flush(): void {
    if (this.#page.length > 0) this.#kept.add(this.#page);
    this.#page = [];
  }

  /** Nothing is added after it. */
  list(): CheckedLinks {
    this.#flush();
    const kept = this.#kept;
    return {
      count: this.#count,
      at(index) {
        const link = kept.at(Math.floor(index / pageLength))[index % pageLength];
        if (!link) throw new RangeError(`there is no link ${index}`);
        return link;
      },
      *all() {
        for (const page of kept.read()) yield* page;
      },
      copyTo: (path) => kept.copyTo(path),
    };
  }
}
