import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Edition } from '../../../contract/editions.ts';
import { type Connection, openConnection } from '../../../files/sqlite.ts';
import { servedAddresses } from '../rows/account-rows.ts';
import type { Value } from '../rows/queries.ts';
import { movedTables, type Table } from '../rows/tables.ts';
import { createSchema, fileOf } from '../sqlite/schema.ts';
import { findAccount, queriesOf } from '../sqlite/sqlite-store.ts';
import { ImportRefusal } from '../store-options.ts';

/** Rows per step. */
const chunk = 5000;

export type SourceRow = { readonly [column: string]: Value };

/** The account of a SQLite file, which is locked against writes while this is open. */
export interface ImportSource {
  readonly salt: string;
  /** Row counts by table and sums that change with any write, to recognize an unchanged source. */
  readonly contents: Readonly<Record<string, number>>;
  /** Returns the next rows after a key, or the first ones without a key. */
  rows(table: Table, after: readonly Value[]): readonly SourceRow[];
  close(): void;
}

const remedy = 'stop that process first, or wait half a minute if it was killed';

/**
 * Rejects with an `ImportRefusal` if there is no such file or account, if the file is damaged, or if another process serves it or is writing:
 * its later links would be lost.
 */
export async function openSource(folder: string, edition: Edition, username: string): Promise<ImportSource> {
  return open(folder, edition, username).catch((error: unknown) => {
    if (error instanceof ImportRefusal || !(error instanceof Error)) throw error;
    throw new ImportRefusal(`${folder}: ${error.message}`, { cause: error });
  });
}

async function open(folder: string, edition: Edition, username: string): Promise<ImportSource> {
  if (!existsSync(join(folder, fileOf(edition))))
    throw new ImportRefusal(`${folder} has no links of edition ${edition.toUpperCase()}`);
  const connection = await openConnection(folder, fileOf(edition));
  try {
    createSchema(connection, Date.now());
    const account = findAccount(connection, username);
    if (!account) throw new ImportRefusal(`${folder} has no links of ${username}; name the account with --username`);
    connection.exec('BEGIN IMMEDIATE');
    const [address] = await servedAddresses({ queries: queriesOf(connection), accountId: account.id });
    if (address !== undefined) throw new ImportRefusal(`${folder} is being served as ${address}: ${remedy}`);
    return sourceOf(connection, account);
  } catch (error) {
    connection.close();
    throw error;
  }
}

function sourceOf(connection: Connection, { id, salt }: { id: number; salt: string }): ImportSource {
  const sums = `SELECT coalesce(sum(total_clicks), 0) AS clicks, coalesce(sum(unique_clicks), 0) AS unique_clicks, coalesce(max(modified), 0) AS modified,
    coalesce(max(last_visit), 0) AS visited FROM urls WHERE account_id = ?`;
  const count = ({ name }: Table) => connection.count(`SELECT count(*) AS count FROM ${name} WHERE account_id = ?`, id);
  return {
    salt,
    contents: {
      ...Object.fromEntries(movedTables.map((table) => [table.name, count(table)])),
      ...connection.sql(sums).get<Record<string, number>>(id),
      tallied: connection.count('SELECT coalesce(sum(count), 0) AS count FROM tallies WHERE account_id = ?', id),
    },
    rows: (table, after) => {
      const key = table.key.join(', ');
      const beyond = after.length === 0 ? '' : `AND (${key}) > (${after.map(() => '?').join(', ')})`;
      return connection
        .sql(
          `SELECT ${Object.keys(table.columns).join(', ')} FROM ${table.name} WHERE account_id = ? ${beyond} ORDER BY ${key} LIMIT ${chunk}`,
        )
        .all<SourceRow>(id, ...after);
    },
    close: () => {
      connection.exec('ROLLBACK');
      connection.close();
    },
  };
}
