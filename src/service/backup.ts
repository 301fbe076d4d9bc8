import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Edition } from '../contract/editions.ts';
import { openConnection } from '../files/sqlite.ts';
import { fileOf } from './store/sqlite/schema.ts';

/** Throws the error of the operating system if that cannot be known. */
export function hasLinks(folder: string, edition: Edition): boolean {
  return statSync(join(folder, fileOf(edition)), { throwIfNoEntry: false }) !== undefined;
}

/**
 * Writes a consistent copy of the links to a new file for its owner alone, while other processes serve and change them. Rejects if the
 * file exists.
 */
export async function copyLinks(folder: string, edition: Edition, file: string): Promise<void> {
  if (existsSync(file)) throw Object.assign(new Error(`EEXIST: ${file}`), { code: 'EEXIST' });
  const part = `${file}.part`;
  rmSync(part, { force: true });
  // SQLite fills an empty file. Any file that SQLite creates could be read by others.
  closeSync(openSync(part, 'wx', 0o600));
  try {
    await fillCopy(folder, edition, part);
    const written = openSync(part, 'r+');
    fsyncSync(written);
    closeSync(written);
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

async function fillCopy(folder: string, edition: Edition, part: string): Promise<void> {
  const connection = await openConnection(folder, fileOf(edition));
  try {
    connection.sql('VACUUM INTO ?').run(part);
    connection.sql('ATTACH ? AS copy').run(part);
    // Nobody serves the copy. Older versions have no such table.
    const hasAddresses = connection.count("SELECT count(*) AS count FROM copy.sqlite_schema WHERE name = 'addresses'") > 0;
    if (hasAddresses) connection.exec('DELETE FROM copy.addresses');
  } finally {
    connection.close();
  }
}
