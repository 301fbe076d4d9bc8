import { statSync } from 'node:fs';
import type { System } from '../base/system.ts';
import { refuseForeign } from '../files/ownership.ts';
import { type Connection, openReader } from '../files/sqlite.ts';
import {
  type History,
  type HistoryAccount,
  hasHistory,
  historyOn,
  historyPaths,
  opened,
  openHistory,
  refuseOthers,
  schemaVersion,
  versionOf,
} from './history-database.ts';

/** Undefined if the account has no history. Throws a `LocalError`. */
export async function readHistory<T>(
  account: HistoryAccount,
  system: System,
  step: (connection: Connection) => T,
): Promise<T | undefined> {
  if (!hasHistory(account, system)) return undefined;
  const history = await openToRead(account, system);
  try {
    return history.work('read', step);
  } finally {
    history.close();
  }
}

/** Changes nothing, unless the tables are those of an earlier version. Throws a `LocalError`. */
async function openToRead(account: HistoryAccount, system: System): Promise<History> {
  const { file } = historyPaths(account, system);
  let isCurrent = false;
  const open = async (): Promise<Connection> => {
    refuseForeign(file, statSync(file), system);
    return await openReader(file);
  };
  const connection = await opened(file, open, (reader) => {
    isCurrent = versionOf(reader, file) === schemaVersion;
    if (isCurrent) refuseOthers(reader, account, file);
  });
  if (isCurrent) return historyOn(connection, file);
  connection.close();
  return await openHistory(account, system);
}
