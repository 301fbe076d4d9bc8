import { randomUUID } from 'node:crypto';
import { closeSync, constants, copyFileSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Edition } from '../contract/editions.ts';
import { type Connection, openConnection } from '../files/sqlite.ts';
import { fileOf } from './store/sqlite/schema.ts';

/** Returns undefined if the folder has no links of this edition. */
export async function openLinks(folder: string, edition: Edition): Promise<Connection | undefined> {
  const name = fileOf(edition);
  return statSync(join(folder, name), { throwIfNoEntry: false }) && openConnection(folder, name);
}

/**
 * Writes a consistent copy of the links to a new file for its owner alone, while other processes serve and change them. Throws if the
 * file exists.
 */
export function copyLinks(links: Connection, file: string): void {
  if (existsSync(file)) throw Object.assign(new Error(`EEXIST: ${file}`), { code: 'EEXIST' });
  // Another process may write the same file.
  const part = `${file}.${randomUUID()}.part`;
  // SQLite fills an empty file. Any file that SQLite creates could be read by others.
  closeSync(openSync(part, 'wx', 0o600));
  try {
    fillCopy(links, part);
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

function fillCopy(links: Connection, part: string): void {
  links.sql('VACUUM INTO ?').run(part);
  links.sql('ATTACH ? AS copy').run(part);
  // Nobody serves the copy. Older versions have no such table.
  const hasAddresses = links.count("SELECT count(*) AS count FROM copy.sqlite_schema WHERE name = 'addresses'") > 0;
  if (hasAddresses) links.exec('DELETE FROM copy.addresses');
  links.exec('DETACH copy');
}
