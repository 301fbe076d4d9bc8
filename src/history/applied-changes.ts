import { withoutLocalPort } from '../contract/web-address.ts';
import type { Connection } from '../files/sqlite.ts';
import { type StoredChange, takeChanges } from './noted-changes.ts';
import type { Reading } from './readings.ts';
import { nameOf } from './stored-link.ts';

interface Counters {
  readonly total: number;
  readonly unique: number;
}

/** A link that is in no reading yet, and its clicks before its reset. */
interface PendingReset extends Counters {
  readonly domain: string;
  readonly hash: string;
}

interface KnownLink {
  readonly id: number;
  readonly hash: string;
  readonly short_url: string;
  readonly total: number;
  readonly unique_total: number;
}

/**
 * Applies the changes that this tool made since the last reading. Returns a function to call once the new links of this reading are known:
 * it applies the resets of links that no earlier reading contained.
 */
export function applyChanges(
  connection: Connection,
  reading: number,
  last: Reading | undefined,
  defaultDomain: string,
): () => void {
  /** By name. */
  const pendingResets = new Map<string, PendingReset>();
  const apply = ({ kind, hash, at, newHash, ...noted }: StoredChange): void => {
    const domain = withoutLocalPort(noted.domain ?? defaultDomain);
    const [total, unique] = [noted.total ?? 0, noted.unique ?? 0];
    const link = find(connection, domain, hash);
    if (link === undefined) {
      addPendingReset(pendingResets, { domain, hash, total, unique }, newHash);
      return;
    }
    // The last reading may have read the link after the reset.
    const wasReadAfter = last !== undefined && at >= last.from && at <= last.to && total > link.total;
    const isZeroed = kind !== 'renamed' && !(kind === 'reset' && wasReadAfter);
    if (isZeroed) {
      addClicks(connection, reading, link.id, {
        total: growth(link.total, total),
        unique: growth(link.unique_total, unique),
      });
      connection.sql('UPDATE links SET total = 0, unique_total = 0 WHERE id = ?').run(link.id);
    }
    addEvent(connection, reading, link.id, kind);
    if (kind === 'deleted') connection.sql('UPDATE links SET there = 0 WHERE id = ?').run(link.id);
    if (newHash !== null && newHash !== hash) rename(connection, link, domain, newHash);
  };
  for (const change of takeChanges(connection, reading)) apply(change);
  return () => {
    for (const { domain, hash, ...counters } of pendingResets.values()) {
      const link = find(connection, domain, hash);
      if (!link || connection.count(newEvents, reading, link.id) !== 1) continue;
      addClicks(connection, reading, link.id, counters);
      addEvent(connection, reading, link.id, 'reset');
    }
  };
}

/** 0 if the counter was not known (-1). */
function growth(before: number, now: number): number {
  return before < 0 ? 0 : Math.max(0, now - before);
}

const newEvents = `SELECT COUNT(*) AS count FROM events WHERE reading = ? AND link = ? AND kind = 'new'`;

function find(connection: Connection, domain: string, hash: string): KnownLink | undefined {
  return connection
    .sql('SELECT id, hash, short_url, total, unique_total FROM links WHERE domain = ? AND hash = ? AND there IS NOT NULL')
    .get<KnownLink>(domain, hash);
}

function addPendingReset(
  pendingResets: Map<string, PendingReset>,
  { domain, hash, total, unique }: PendingReset,
  newHash: string | null,
): void {
  const name = nameOf({ domain, hash });
  const before = pendingResets.get(name) ?? { total: 0, unique: 0 };
  pendingResets.delete(name);
  const sum = newHash === null ? { total: before.total + total, unique: before.unique + unique } : before;
  const kept = newHash ?? hash;
  if (sum.total > 0) pendingResets.set(nameOf({ domain, hash: kept }), { ...sum, domain, hash: kept });
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
