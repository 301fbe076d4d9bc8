import { randomUUID } from 'node:crypto';
import { closeSync, constants, copyFileSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync } from 'node:fs';
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
  // Another process may write the same file.
  const part = `${file}.${randomUUID()}.part`;
  // SQLite fills an empty file. Any file that SQLite creates could be read by others.
  closeSync(openSync(part, 'wx', 0o600));
  try {
    await fillCopy(folder, edition, part);
    syncFile(part);
    nameCopy(part, file);
  } finally {
    rmSync(part, { force: true });
  }
}

/** Unlike a rename, throws if the file exists. */
function nameCopy(part: string, file: string): void {
  try {
    linkSync(part, file);
  } catch (error) {
    if (existsSync(file)) throw error;
    // The disk has no hard links.
    copyFileSync(part, file, constants.COPYFILE_EXCL);
    syncFile(file);
  }
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
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
