import { withoutLocalPort } from '../contract/web-address.ts';
import type { Connection } from '../files/sqlite.ts';
import { type StoredChange, takeChanges } from './noted-changes.ts';
import { type Reading, wasListed } from './readings.ts';
import { type LinkName, nameOf } from './stored-link.ts';

interface Counters {
  readonly total: number;
  readonly unique: number;
}

interface KnownLink {
  readonly id: number;
  readonly hash: string;
  readonly short_url: string;
  readonly total: number;
  readonly unique_total: number;
}

interface AppliedReading {
  readonly nth: number;
  readonly last: Reading | undefined;
  /** Other links than the listed ones do not belong to this reading. */
  readonly isSelection: boolean;
  /** The newest change when this reading began. */
  readonly notedBefore: number;
  /** The domain of links that were changed without naming one. */
  readonly defaultDomain: string;
}

/** Applies the changes that this tool made since the last reading to the stored links, before this reading is counted. */
export function applyChanges(connection: Connection, reading: AppliedReading): void {
  const changedMeanwhile = new Set<number>();
  for (const change of takeChanges(connection, reading.nth)) {
    const { id, isListed } = applyChange(connection, reading, change);
    const isMeanwhile = change.id > reading.notedBefore && (isListed || !reading.isSelection);
    if (id !== undefined && isMeanwhile) changedMeanwhile.add(id);
  }
  for (const id of changedMeanwhile) listUnread(connection, id);
}

/** The ID is undefined if no reading has had the link, and it has nothing to count. `isListed`: it was taken out of the listing. */
function applyChange(
  connection: Connection,
  reading: AppliedReading,
  change: StoredChange,
): { readonly id: number | undefined; readonly isListed: boolean } {
  const { kind, hash, newHash, at } = change;
  const domain = withoutLocalPort(change.domain ?? reading.defaultDomain);
  const row = unlist(connection, { id: change.id, domain, hash });
  const renamedRow = newHash === null ? undefined : unlist(connection, { id: change.id, domain, hash: newHash });
  const isListed = row !== undefined || renamedRow !== undefined;
  const [total, unique] = [change.total ?? 0, change.unique ?? 0];
  const hasClicks = kind !== 'renamed' && total > 0;
  const link =
    find(connection, domain, hash) ??
    addLink(connection, reading.nth, { name: { domain, hash }, row: row ?? renamedRow, hasClicks });
  if (link === undefined) return { id: undefined, isListed };
  const { last } = reading;
  // The last reading may have read the link after the reset.
  const wasReadAfter = last !== undefined && at >= last.from && at <= last.to && total > link.total;
  if (kind !== 'renamed' && !(kind === 'reset' && wasReadAfter)) {
    addClicks(connection, reading.nth, link.id, {
      total: growth(link.total, total),
      unique: growth(link.unique_total, unique),
    });
    connection.sql('UPDATE links SET total = 0, unique_total = 0 WHERE id = ?').run(link.id);
  }
  addEvent(connection, reading.nth, link.id, kind);
  if (kind === 'deleted') connection.sql('UPDATE links SET there = 0 WHERE id = ?').run(link.id);
  if (newHash !== null && newHash !== hash) rename(connection, link, domain, newHash);
  return { id: link.id, isListed };
}

/** A listed link, as `recording.ts` stages it. */
interface ListedRow {
  readonly short_url: string;
  readonly long_url: string;
  readonly tags: string;
}

/**
 * Takes a link out of the listing if the change was noted after its page was requested: nobody knows whether its counter, or even the link
 * of this name, is that before the change or that after it. The next reading will count it.
 */
function unlist(
  connection: Connection,
  { domain, hash, id }: Pick<StoredChange, 'id' | 'hash'> & { readonly domain: string },
): ListedRow | undefined {
  return connection
    .sql(
      `DELETE FROM listed WHERE domain = ? AND hash = ? AND noted < ?
       RETURNING short_url, long_url, tags`,
    )
    .get<ListedRow>(domain, hash, id);
}

/** A link that was changed during the reading is listed as it is stored: so it is neither counted nor gone. */
function listUnread(connection: Connection, id: number): void {
  connection
    .sql(
      `INSERT OR IGNORE INTO listed (domain, hash, short_url, long_url, tags, noted)
       SELECT domain, hash, short_url, long_url, tags, 0 FROM links WHERE id = ? AND there = 1`,
    )
    .run(id);
}

/** 0 if the counter was not known (-1). */
function growth(before: number, now: number): number {
  return before < 0 ? 0 : Math.max(0, now - before);
}

function find(connection: Connection, domain: string, hash: string): KnownLink | undefined {
  return connection
    .sql('SELECT id, hash, short_url, total, unique_total FROM links WHERE domain = ? AND hash = ? AND there IS NOT NULL')
    .get<KnownLink>(domain, hash);
}

/**
 * Adds a link that was made since the last reading. If an earlier reading listed its domain, it starts at zero; otherwise with the first
 * total that is read. A deleted link that was never read has only its name.
 */
function addLink(
  connection: Connection,
  reading: number,
  {
    name: { domain, hash },
    row,
    hasClicks,
  }: { readonly name: LinkName; readonly row: ListedRow | undefined; readonly hasClicks: boolean },
): KnownLink | undefined {
  const isCovered = connection.count(`SELECT ${wasListed('?')} AS count`, domain) > 0;
  if (row === undefined && !(isCovered && hasClicks)) return undefined;
  const start = isCovered ? 0 : -1;
  const { short_url, long_url, tags } = row ?? { short_url: nameOf({ domain, hash }), long_url: '', tags: '[]' };
  connection
    .sql(
      'INSERT INTO links (domain, hash, short_url, long_url, tags, total, unique_total, there) VALUES (?, ?, ?, ?, ?, ?, ?, 1)',
    )
    .run(domain, hash, short_url, long_url, tags, start, start);
  const link = find(connection, domain, hash);
  if (link === undefined) return undefined;
  connection.sql('INSERT INTO counters (reading, link, clicks, unique_clicks) VALUES (?, ?, 0, 0)').run(reading, link.id);
  if (isCovered) addEvent(connection, reading, link.id, 'new');
  return link;
}

function addClicks(connection: Connection, reading: number, link: number, { total, unique }: Counters): void {
  if (total === 0 && unique === 0) return;
  connection
    .sql(
      `INSERT INTO counters (reading, link, clicks, unique_clicks) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET clicks = clicks + excluded.clicks, unique_clicks = unique_clicks + excluded.unique_clicks`,
    )
    .run(reading, link, total, unique);
}

function addEvent(connection: Connection, reading: number, link: number, kind: string): void {
  connection.sql('INSERT INTO events (reading, link, kind) VALUES (?, ?, ?)').run(reading, link, kind);
}

/** A link that had the new name before loses it. The next reading updates the rest of the renamed link. */
function rename(connection: Connection, { id, hash, short_url }: KnownLink, domain: string, newHash: string): void {
  connection.sql('UPDATE links SET there = NULL WHERE domain = ? AND hash = ? AND there IS NOT NULL').run(domain, newHash);
  const lead = short_url.endsWith(hash) ? short_url.slice(0, -hash.length) : '';
  connection.sql('UPDATE links SET hash = ?, short_url = ? WHERE id = ?').run(newHash, lead + newHash, id);
}
