/**
 * A lock across transactions is a row with its holder and expiry, which is renewed with each step, so that another process can take over
 * after a crash. Other kinds of locks are not portable.
 */

/** In milliseconds. */
export const lease = 10_000;

/** The clock of the database in milliseconds, because the clocks of processes differ. */
export const clock = 'CAST(extract(epoch FROM now()) * 1000 AS BIGINT)';
