import { dayLength } from '../../../base/times.ts';
import type { AccountRows, OwnRows } from '../rows/account-rows.ts';
import { type Aggregated, aggregated, type ListedValue, only, type Queries } from '../rows/queries.ts';
import { newSalt, OutdatedProgram, type StoreOptions, UnfinishedImport } from '../store-options.ts';
import { clock, postgresDialect } from './postgres-dialect.ts';
import { version } from './schema.ts';

/** The account of a process. An import gives it another salt, which the next change finds out. */
export interface Account {
  readonly accountId: number;
  salt: string;
}

/** Creates the account if it does not exist. */
export async function openAccount(queries: Queries, options: StoreOptions): Promise<Account> {
  const { edition, username, random } = options;
  for (;;) {
    const row = await queries.first<{ id: number; salt: string }>(
      'SELECT id, salt FROM accounts WHERE edition = ? AND username = ?',
      edition,
      username,
    );
    if (row) return { accountId: row.id, salt: row.salt };
    await queries.run(
      `INSERT INTO accounts (id, edition, username, salt)
       SELECT coalesce(max(id), 0) + 1, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT) FROM accounts ON CONFLICT DO NOTHING`,
      edition,
      username,
      newSalt(random),
    );
  }
}

const lock = `UPDATE accounts SET writes = writes + 1 WHERE id = ? AND (SELECT version FROM linkctl_schema WHERE id = 1) = ${version}`;
const halfImport = 'SELECT 1 FROM imports WHERE account_id = ? AND done = 0';

/**
 * The first statement of every change of an account serializes all changes. It is an update because a read lock is not effective under
 * snapshot isolation. Rejects with `UnfinishedImport` while an import is incomplete, or if a newer version of linkctl has migrated the tables.
 */
export async function lockAccount(queries: Queries, account: Account): Promise<void> {
  const { accountId } = account;
  // A change that was waiting when an import began does not see its row, but the salt.
  const text = `${lock} AND salt = ? AND NOT EXISTS (${halfImport})`;
  if (!(await unlessImported(queries, account, () => queries.run(text, accountId, account.salt, accountId)))) {
    throw new OutdatedProgram();
  }
}

/** For the import itself, and for addresses. */
export async function lockForImport({ queries, accountId }: OwnRows): Promise<void> {
  if ((await queries.run(lock, accountId)) === 0) throw new OutdatedProgram();
}

/**
 * Queries of the account that reject with `UnfinishedImport` while an import is incomplete. The same statement reads the rows and finds that
 * out, so that no rows are those of a half.
 */
export function wholeAccount(queries: Queries, accountId: number): Queries {
  const asked = (text: string) =>
    `SELECT (SELECT ${postgresDialect.jsonAggregate}(answer) FROM (${text}) AS answer) AS rows,
       (SELECT count(*) FROM (${halfImport}) AS half) AS imports`;
  const rowsIn = <Row>(answer: readonly { rows: Aggregated<Row>; imports: number }[]): Row[] => {
    const { rows, imports } = only(answer);
    if (imports > 0) throw new UnfinishedImport();
    return [...aggregated(rows)];
  };
  const all = async <Row>(text: string, ...values: readonly ListedValue[]): Promise<Row[]> =>
    rowsIn(await queries.all(asked(text), ...values, accountId));
  return {
    ...queries,
    all,
    first: async <Row>(text: string, ...values: readonly ListedValue[]) => (await all<Row>(text, ...values))[0],
    composed: async ({ sql, values }) => rowsIn(await queries.composed({ sql: asked(sql), values: [...values, accountId] })),
  };
}

/** Records a numbered group of clicks as the last one of its process; returns false if it is stored already. */
export async function isNewGroup(
  queries: Queries,
  account: Account & Pick<AccountRows, 'process'>,
  number: number,
): Promise<boolean> {
  const { accountId, process } = account;
  const text = `INSERT INTO flushes AS f (account_id, process, last, stored)
    SELECT id, CAST(? AS TEXT), CAST(? AS BIGINT), ${clock} FROM accounts WHERE id = ? AND salt = ? AND NOT EXISTS (${halfImport})
    ON CONFLICT (account_id, process) DO UPDATE SET last = excluded.last, stored = excluded.stored WHERE f.last < excluded.last`;
  return unlessImported(queries, account, () => queries.run(text, process, number, accountId, account.salt, accountId));
}

/**
 * Returns true if the statement, which needs the salt of the account and no incomplete import, changes a row. If an import has changed the
 * salt, it runs again with the new one. Rejects while an import is incomplete.
 */
async function unlessImported(queries: Queries, account: Account, statement: () => Promise<number>): Promise<boolean> {
  if ((await statement()) > 0) return true;
  if (await queries.first(halfImport, account.accountId)) throw new UnfinishedImport();
  const stored = await queries.first<{ salt: string }>('SELECT salt FROM accounts WHERE id = ?', account.accountId);
  if (!stored || stored.salt === account.salt) return false;
  account.salt = stored.salt;
  return (await statement()) > 0;
}

/** Milliseconds for which the last group of a process is kept, longer than any outage of the database. */
const groupRetention = 30 * dayLength;

export async function forgetGroups({ queries, accountId }: OwnRows): Promise<void> {
  await queries.run(`DELETE FROM flushes WHERE account_id = ? AND stored < ${clock} - ${groupRetention}`, accountId);
}
