/**
 * A lock that a process keeps between its transactions is a row with its name and an end, which it renews with each step: of a process that
 * was killed, another one takes over. Locks of other kinds are not everywhere.
 */

/** Milliseconds. */
export const lease = 10_000;

/** The time of the database, in milliseconds: clocks of processes differ. */
export const clock = 'CAST(extract(epoch FROM now()) * 1000 AS BIGINT)';
