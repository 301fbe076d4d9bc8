import type { Database } from './postgres-database.ts';

/** Rows of links and their tags that a process adds before the statistics are first renewed. */
const firstRows = 500;

/**
 * Renews the statistics of the planner whenever the rows that this process has added double. With statistics of an almost empty account, a
 * page of a tag expression may take minutes; autovacuum renews them only after a minute or more. Returns the function to call with each
 * number of added rows.
 */
export function plannerStatistics(database: Database): (rows: number) => void {
  let known = firstRows;
  let added = 0;
  return (rows) => {
    added += rows;
    if (added < known) return;
    known += added;
    added = 0;
    // Autovacuum does the same, if late.
    database.read((queries) => queries.run('ANALYZE urls, url_tags, tags')).catch(() => {});
  };
}
