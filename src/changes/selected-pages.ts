import { listingOf, readFilter, refuseDomains } from '../cli/listing.ts';
import type { Session } from '../cli/session.ts';
import { batchSizeOf } from '../client/batch-limits.ts';
import { filteredPages } from '../client/filtered-pages.ts';
import { namedUrls } from '../client/named-urls.ts';
import { coverage } from '../client/whole-listing.ts';
import type { LinkKey } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import type { LinkSelection, SelectionOptions } from '../flags/selection-flags.ts';
import { checkHashFile, itemsOf, placedOperands } from '../input/named-links.ts';
import type { PlannedLink, PlannedOutcome } from './planned-links.ts';

/** Links of a selection, some at a time, and what is to be done to each. */
export interface PlannedPage {
  readonly links: readonly PlannedLink[];
  /** Links read so far, those that a filter left out included. */
  readonly read: number;
}

/** What is to be done to the links of a selection. */
interface Decision {
  readonly selection: LinkSelection;
  readonly options: SelectionOptions;
  decide(record: UrlRecord): PlannedOutcome;
}

/**
 * Reads the links of a selection whenever it is called, without those that a filter leaves out (F1, F2). What is wrong with the
 * selection is found before the first link is read. Throws a UsageError.
 */
export async function selectedPages(decision: Decision, session: Session): Promise<() => AsyncGenerator<PlannedPage>> {
  const { selection, options, decide } = decision;
  const filter = await readFilter(options, session);
  refuseDomains(options, session, { '--hashes-from': options.hashesFrom });
  if (selection.kind === 'hashes' || selection.kind === 'file') {
    const open = await namedTargets(selection, session);
    return () => namedPages(open(), { decide, filter, session });
  }
  const query = {
    tags: selection.kind === 'tags' ? selection.expression : undefined,
    search: selection.kind === 'search' ? selection.text : undefined,
  };
  const { selections, isPart } = await listingOf(query, options, session);
  if (isPart) for (const note of await coverage(session)) await session.note(note);
  return async function* listedPages() {
    for await (const { rows, read, linkOf } of filteredPages(session.client, selections, filter, { warn: session.warn })) {
      yield { read, links: rows.map((record) => ({ target: linkOf(record), record, outcome: decide(record) })) };
    }
  };
}

type Targets = Iterable<LinkKey> | AsyncIterable<LinkKey>;

async function namedTargets(
  selection: Extract<LinkSelection, { kind: 'hashes' | 'file' }>,
  session: Session,
): Promise<() => Targets> {
  if (selection.kind === 'hashes') {
    const { targets } = await placedOperands(selection.operands, session, 'typed change');
    return () => targets;
  }
  const file = await checkHashFile(await session.openInput(selection.path, 'hashes'), session, 'listed change');
  return () => itemsOf(file);
}

interface Reading extends Pick<Decision, 'decide'> {
  readonly filter: Awaited<ReturnType<typeof readFilter>>;
  readonly session: Session;
}

/** Links in one page: what is read meanwhile can be said now and then. */
const pageSize = 500;

async function* namedPages(targets: Targets, { decide, filter, session }: Reading): AsyncGenerator<PlannedPage> {
  let links: PlannedLink[] = [];
  let read = 0;
  for await (const { target, record } of namedUrls(session.client, targets, batchSizeOf(session))) {
    read += 1;
    if (!record) links.push({ target, record, outcome: { kind: 'missing' } });
    else if (filter?.matches(record) ?? true) links.push({ target, record, outcome: decide(record) });
    if (links.length < pageSize) continue;
    yield { links, read };
    links = [];
  }
  yield { links, read };
}
