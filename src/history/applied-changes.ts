import { withoutLocalPort } from '../contract/web-address.ts';
import type { Connection } from '../files/sqlite.ts';
import { type StoredChange, takeChanges } from './noted-changes.ts';
import type { Reading } from './readings.ts';
import { nameOf } from './stored-link.ts';

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

/**
 * Takes in what this tool did to links since the last reading. Returns what is to be done when the new links of this one are known: those that were
 * reset before any reading had them.
 */
export function applyChanges(
  connection: Connection,
  reading: number,
  last: Reading | undefined,
  usualDomain: string,
): () => void {
  /** Clicks before a reset of links that no reading has had yet, by name. */
  const lost = new Map<string, { domain: string; hash: string } & Counters>();
  const apply = ({ kind, hash, at, newHash, ...noted }: StoredChange): void => {
    const domain = withoutLocalPort(noted.domain ?? usualDomain);
    const [total, unique] = [noted.total ?? 0, noted.unique ?? 0];
    const link = find(connection, domain, hash);
    if (link === undefined) {
      lose(lost, { domain, hash, total, unique }, newHash);
      return;
    }
    // A link that was reset while the last reading was made, which has read it after that.
    const wasReadAfter = last !== undefined && at >= last.from && at <= last.to && total > link.total;
    const isZeroed = kind !== 'renamed' && !(kind === 'reset' && wasReadAfter);
    if (isZeroed) {
      grow(connection, reading, link.id, {
        total: Math.max(0, total - link.total),
        unique: Math.max(0, unique - link.unique_total),
      });
      connection.sql('UPDATE links SET total = 0, unique_total = 0 WHERE id = ?').run(link.id);
    }
    mark(connection, reading, link.id, kind);
    if (kind === 'deleted') connection.sql('UPDATE links SET there = 0 WHERE id = ?').run(link.id);
    if (newHash !== null && newHash !== hash) rename(connection, link, domain, newHash);
  };
  for (const change of takeChanges(connection, reading)) apply(change);
  return () => {
    for (const { domain, hash, ...counters } of lost.values()) {
      const link = find(connection, domain, hash);
      const isYoung =
        link &&
        connection.count(
          `SELECT COUNT(*) AS count FROM events WHERE reading = ? AND link = ? AND kind = 'new'`,
          reading,
          link.id,
        );
      if (!link || isYoung !== 1) continue;
      grow(connection, reading, link.id, counters);
      mark(connection, reading, link.id, 'reset');
    }
  };
}

function find(connection: Connection, domain: string, hash: string): KnownLink | undefined {
  return connection
    .sql('SELECT id, hash, short_url, total, unique_total FROM links WHERE domain = ? AND hash = ? AND there IS NOT NULL')
    .get<KnownLink>(domain, hash);
}

function lose(
  lost: Map<string, { domain: string; hash: string } & Counters>,
  { domain, hash, total, unique }: { domain: string; hash: string } & Counters,
  newHash: string | null,
): void {
  const name = nameOf({ domain, hash });
  const before = lost.get(name) ?? { total: 0, unique: 0 };
  lost.delete(name);
  const sum = newHash === null ? { total: before.total + total, unique: before.unique + unique } : before;
  const kept = newHash ?? hash;
  if (sum.total > 0) lost.set(nameOf({ domain, hash: kept }), { domain, hash: kept, total: sum.total, unique: sum.unique });
}

function grow(connection: Connection, reading: number, link: number, { total, unique }: Counters): void {
  if (total === 0 && unique === 0) return;
  connection
    .sql(
      `INSERT INTO counters VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET clicks = clicks + excluded.clicks, unique_clicks = unique_clicks + excluded.unique_clicks`,
    )
    .run(reading, link, total, unique);
}

function mark(connection: Connection, reading: number, link: number, kind: string): void {
  connection.sql('INSERT INTO events (reading, link, kind) VALUES (?, ?, ?)').run(reading, link, kind);
}

/** Another link that had the name has none any more. Its next reading says more of the link itself. */
function rename(connection: Connection, { id, hash, short_url }: KnownLink, domain: string, newHash: string): void {
  connection.sql('UPDATE links SET there = NULL WHERE domain = ? AND hash = ? AND there IS NOT NULL').run(domain, newHash);
  const lead = short_url.endsWith(hash) ? short_url.slice(0, -hash.length) : '';
  connection.sql('UPDATE links SET hash = ?, short_url = ? WHERE id = ?').run(newHash, lead + newHash, id);
}
