import type { System } from '../base/system.ts';
import type { Edition } from '../contract/editions.ts';
import type { UrlRecord } from '../contract/records.ts';
import { acquireClaim, type Claim } from '../files/claim-lock.ts';
import type { Connection } from '../files/sqlite.ts';
import { applyChanges } from './applied-changes.ts';
import { type History, type HistoryAccount, historyPaths, openHistory } from './history-database.ts';
import { newestChange } from './noted-changes.ts';
import { type ReadingScope, readingsOf, wasListed } from './readings.ts';
import { storedLink } from './stored-link.ts';

export interface RecordedReading {
  readonly links: number;
  readonly added: number;
  readonly counted: number;
  readonly gone: number;
}

interface RecordingSettings {
  readonly scope: ReadingScope;
  readonly edition: Edition;
  /** The domain of links that were changed without naming one. */
  readonly defaultDomain: string;
}

/**
 * The listed links, with null for counters that the server leaves out, and the newest change that was noted before the page was requested;
 * and those that differ from the stored ones.
 */
const staging = `
  CREATE TEMP TABLE listed (
    domain TEXT NOT NULL,
    hash TEXT NOT NULL,
    short_url TEXT NOT NULL,
    long_url TEXT NOT NULL,
    tags TEXT NOT NULL,
    total INTEGER,
    unique_total INTEGER,
    noted INTEGER NOT NULL,
    PRIMARY KEY (domain, hash)
  ) WITHOUT ROWID;
  CREATE TEMP TABLE changed (
    link INTEGER PRIMARY KEY,
    short_url TEXT NOT NULL,
    long_url TEXT NOT NULL,
    tags TEXT NOT NULL,
    total INTEGER NOT NULL,
    unique_total INTEGER NOT NULL
  );
`;

export type Recording = Awaited<ReturnType<typeof startRecording>>;

/**
 * Throws a `LocalError` if the history is damaged, or if another recorder does not finish within 10 seconds: overlapping readings would see
 * counters fall.
 */
export async function startRecording(account: HistoryAccount, settings: RecordingSettings, system: System) {
  const history = await openHistory(account, system);
  try {
    const folder = historyPaths(account, system).lock;
    const claim = await acquireClaim({ folder, guards: `the history of ${account.username}` }, system);
    return recordingIn(history, claim, settings, system);
  } catch (error) {
    history.close();
    throw error;
  }
}

/** Stages a reading page by page. `finish` adds it to the history in one transaction; `discard` leaves the history unchanged. */
function recordingIn(
  history: History,
  claim: Claim,
  { scope, edition, defaultDomain }: RecordingSettings,
  system: Pick<System, 'now'>,
) {
  const from = system.now();
  let links = 0;
  let isClosed = false;
  const notedBefore = history.work('stage', (connection) => {
    connection.exec(staging);
    return newestChange(connection);
  });
  // A page may be requested before the one before it is added, but after the one before that.
  let [noted, notedNext] = [notedBefore, notedBefore];
  /** Does nothing after `finish`. */
  const discard = (): void => {
    if (isClosed) return;
    isClosed = true;
    history.close();
    claim.release();
  };
  return {
    discard,
    links: () => links,
    /** A link that is listed twice counts once. */
    add(records: readonly UrlRecord[]): void {
      history.work('stage', (connection) => {
        const stage = connection.sql(
          `INSERT OR IGNORE INTO listed (domain, hash, short_url, long_url, tags, total, unique_total, noted)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        );
        for (const record of records) {
          const { domain, hash, short_url, long_url, tags } = storedLink(record, edition);
          const [total, unique] = countersOf(record);
          const labels = tags.length === 0 ? '[]' : JSON.stringify(tags.toSorted());
          links += Number(stage.run(domain, hash, short_url, long_url, labels, total, unique, noted).changes);
        }
        [noted, notedNext] = [notedNext, newestChange(connection)];
      });
    },
    /** Throws a `LocalError` and leaves the history unchanged if it cannot be written. */
    finish(): RecordedReading {
      try {
        return history.work('write', (connection) => {
          const readings = readingsOf(connection);
          const reading = readings.length + 1;
          const known = connection.count('SELECT MAX(id) AS count FROM links');
          const isSelection = scope.kind === 'selection';
          applyChanges(connection, { nth: reading, last: readings.at(-1), isSelection, notedBefore, defaultDomain });
          const counted = countKnown(connection, reading, known);
          addNew(connection, reading);
          const added = connection.count('SELECT COUNT(*) AS count FROM links WHERE id > ? AND there = 1', known);
          const gone = settleScope(connection, reading, scope);
          connection
            .sql('INSERT INTO readings (id, began, ended, scope, words, links) VALUES (?, ?, ?, ?, ?, ?)')
            .run(reading, from, system.now(), scope.kind, scope.words, links);
          return { links, added, counted, gone };
        });
      } finally {
        discard();
      }
    },
  };
}

/** A listing shows which links are gone; for a selection, the links that were read are stored. */
function settleScope(connection: Connection, reading: number, { kind, words }: ReadingScope): number {
  if (kind === 'selection') {
    connection
      .sql(`INSERT INTO selected (reading, link)
         SELECT ?, links.id FROM listed JOIN links USING (domain, hash) WHERE there = 1`)
      .run(reading);
    return 0;
  }
  const domain = kind === 'domain' ? words : null;
  const isGone = `there = 1 AND (?1 IS NULL OR domain = ?1) AND NOT EXISTS
    (SELECT 1 FROM listed WHERE listed.domain = links.domain AND listed.hash = links.hash)`;
  connection
    .sql(`INSERT INTO events (reading, link, kind) SELECT ?2, id, 'gone' FROM links WHERE ${isGone}`)
    .run(domain, reading);
  return Number(connection.sql(`UPDATE links SET there = 0 WHERE ${isGone}`).run(domain).changes);
}

const isKnown = 'listed.domain = links.domain AND listed.hash = links.hash AND links.there IS NOT NULL';

/** A counter that fell restarted at zero. One that was not known (-1) starts as it is. */
const grown = (counter: string): string =>
  `changed.${counter} - CASE WHEN links.${counter} < 0 THEN changed.${counter}
     WHEN changed.${counter} < links.${counter} THEN 0 ELSE links.${counter} END`;

/**
 * Updates the stored links and returns how many of the links of earlier readings, whose IDs end with `known`, have other counters or
 * reappeared. A counter that the server leaves out is unchanged.
 */
function countKnown(connection: Connection, reading: number, known: number): number {
  connection
    .sql(
      `INSERT INTO changed (link, short_url, long_url, tags, total, unique_total)
       SELECT links.id, listed.short_url, listed.long_url, listed.tags,
         COALESCE(listed.total, links.total), COALESCE(listed.unique_total, links.unique_total)
       FROM listed JOIN links ON ${isKnown}
       WHERE there = 0 OR (listed.short_url, listed.long_url, listed.tags) <> (links.short_url, links.long_url, links.tags)
         OR listed.total <> links.total OR listed.unique_total <> links.unique_total`,
    )
    .run();
  const both = 'changed JOIN links ON links.id = changed.link';
  const isCounted = '(changed.total, changed.unique_total) <> (links.total, links.unique_total)';
  const counted = connection.count(
    `SELECT COUNT(*) AS count FROM ${both} WHERE links.id <= ? AND (${isCounted} OR there = 0)`,
    known,
  );
  connection
    .sql(
      `INSERT INTO counters (reading, link, clicks, unique_clicks)
       SELECT ?, link, ${grown('total')}, ${grown('unique_total')} FROM ${both} WHERE ${isCounted} ORDER BY link
       ON CONFLICT DO UPDATE SET clicks = clicks + excluded.clicks, unique_clicks = unique_clicks + excluded.unique_clicks`,
    )
    .run(reading);
  connection
    .sql(`INSERT INTO events (reading, link, kind) SELECT ?, link, 'fell' FROM ${both} WHERE changed.total < links.total`)
    .run(reading);
  connection
    .sql(
      `UPDATE links SET (short_url, long_url, tags, total, unique_total, there) =
         (changed.short_url, changed.long_url, changed.tags, changed.total, changed.unique_total, 1)
       FROM changed WHERE links.id = changed.link`,
    )
    .run();
  return counted;
}

/**
 * Adds links that no earlier reading had. If an earlier reading covered the domain, all clicks of such a link are later; otherwise their
 * time is unknown. Every link gets a row of counters, which marks the start for links that a selection read first.
 */
function addNew(connection: Connection, reading: number): void {
  const last = connection.count('SELECT MAX(id) AS count FROM links');
  connection
    .sql(
      `INSERT INTO links (domain, hash, short_url, long_url, tags, total, unique_total, there)
       SELECT domain, hash, short_url, long_url, tags, COALESCE(total, -1), COALESCE(unique_total, -1), 1 FROM listed
       WHERE NOT EXISTS (SELECT 1 FROM links WHERE ${isKnown})`,
    )
    .run();
  const isCovered = wasListed('links.domain');
  connection
    .sql(
      `INSERT INTO counters (reading, link, clicks, unique_clicks)
       SELECT ?, id, CASE WHEN ${isCovered} THEN MAX(total, 0) ELSE 0 END,
         CASE WHEN ${isCovered} THEN MAX(unique_total, 0) ELSE 0 END
       FROM links WHERE id > ? ORDER BY id`,
    )
    .run(reading, last);
  connection
    .sql(`INSERT INTO events (reading, link, kind) SELECT ?, id, 'new' FROM links WHERE id > ? AND ${isCovered}`)
    .run(reading, last);
}

/** Null if the server sends no counter, or an invalid one. */
function countersOf({ total_clicks, unique_clicks }: UrlRecord): [total: number | null, unique: number | null] {
  if (!isCounter(total_clicks)) return [null, null];
  return [total_clicks, isCounter(unique_clicks) ? unique_clicks : 0];
}

function isCounter(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
