import { OutdatedProgram, UnfinishedImport } from '../store-options.ts';

/** Returns an SQLSTATE of five characters or a code of the operating system. */
function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** Another transaction interfered and this one was rolled back, so it can be retried. */
export function isConflict(error: unknown): boolean {
  // Serialization failure and deadlock.
  return ['40001', '40P01'].includes(codeOf(error));
}

/** A pooler gave the session a connection with other prepared statements. */
export function isPoolerConflict(error: unknown): boolean {
  // The prepared statement exists already, or does not exist.
  return ['42P05', '26000'].includes(codeOf(error));
}

/** The server was the primary but accepts no writes any more. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006';
}

/** PostgreSQL reports a concurrent creation of the same table in one of these ways. */
export function isDuplicateCreation(error: unknown): boolean {
  return ['23505', '42P07', '42710', 'XX000', '40001'].includes(codeOf(error));
}

/** The driver throws it after `answerTime`. */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** The connection ended, or the server is stopping or starting. */
export function isConnectionLost(error: unknown): boolean {
  const own = [DatabaseUnavailable, NoConnection, OutcomeUnknown, DatabaseBusy, OutdatedProgram, UnfinishedImport];
  if (own.some((kind) => error instanceof kind)) return false;
  if (isTimeout(error)) return false;
  const code = codeOf(error);
  const isOfServer = code.length === 5 && /\d/.test(code);
  // A read-only server was the primary, and the new primary needs another connection.
  return isOfServer ? /^(08|57P0[123]|25006)/.test(code) : error instanceof Error && !(error instanceof TypeError);
}

/** The database does not respond, so calls fail at once for a short time. */
export class DatabaseUnavailable extends Error {
  constructor() {
    super('the database does not answer');
  }
}

/** The server took the connection, but no statement: a pooler does so while all connections of its pool are in use. */
export class NoConnection extends Error {
  constructor() {
    super('the database does not answer on a new connection: the pool of a pooler may be too small');
  }
}

/** The server is a standby. */
export class ReadOnlyServer extends Error {
  constructor() {
    super('the database is read-only: use the URL of the primary, or list all servers: postgresql://user@one,two/database');
  }
}

/** Other transactions took too long. */
export class DatabaseBusy extends Error {
  constructor() {
    super('the database is busy with other changes');
  }
}

/** The connection ended during a commit, which may have succeeded. */
export class OutcomeUnknown extends Error {
  constructor(cause?: unknown) {
    super('the connection to the database ended during a change, which may be stored', { cause });
  }
}
