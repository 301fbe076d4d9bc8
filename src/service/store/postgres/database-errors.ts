import { OutdatedProgram } from '../outdated-program.ts';

/** The code of an error: an SQLSTATE of five characters, or a name of the operating system. */
function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** Whether another transaction came in between and this one was undone: to be tried again. */
export function isConflict(error: unknown): boolean {
  // Serialization failure, and deadlock.
  return ['40001', '40P01'].includes(codeOf(error));
}

/** Whether the connection has other prepared statements than those that were prepared on it: a pooler is in between. */
export function isOfPooler(error: unknown): boolean {
  // Such a statement is there already, or is not there.
  return ['42P05', '26000'].includes(codeOf(error));
}

/** Whether the server takes no changes any more: it was the primary. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006';
}

/** Two processes that make the same table at once: PostgreSQL says so in one of these ways. */
export function isMadeTwice(error: unknown): boolean {
  return ['23505', '42P07', '42710', 'XX000', '40001'].includes(codeOf(error));
}

/** Whether the connection ended, or the server is going down or coming up. */
export function isLost(error: unknown): boolean {
  if ([DatabaseGone, OutcomeUnknown, DatabaseBusy, OutdatedProgram].some((kind) => error instanceof kind)) return false;
  // Of the driver, after `answerTime`.
  if (error instanceof Error && error.message === 'Query read timeout') return false;
  const code = codeOf(error);
  const isOfServer = code.length === 5 && /\d/.test(code);
  // Read-only is one that was the primary: the new one is another connection.
  return isOfServer ? /^(08|57P0[123]|25006)/.test(code) : error instanceof Error && !(error instanceof TypeError);
}

/** The database does not answer: no call waits for it again before a moment has passed. */
export class DatabaseGone extends Error {
  constructor(cause?: unknown) {
    super('the database does not answer', { cause });
  }
}

/** The server takes no changes: a standby. */
export class ReadOnlyServer extends Error {
  constructor() {
    super('the database is read-only; name the server that takes changes, or all of them: postgresql://user@one,two/database');
  }
}

/** Others were at work for too long. */
export class DatabaseBusy extends Error {
  constructor() {
    super('the database is busy with other changes');
  }
}

/** The connection ended while a transaction was committed: nobody knows whether it is stored. */
export class OutcomeUnknown extends Error {
  constructor(cause?: unknown) {
    super('the connection to the database ended during a change, which may be stored', { cause });
  }
}
