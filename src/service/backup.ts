import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Edition } from '../contract/editions.ts';
import { openConnection } from '../files/sqlite.ts';
import { fileOf } from './store/sqlite/schema.ts';

/** The database file of an edition. */
function linksFile(folder: string, edition: Edition): string {
  return join(folder, fileOf(edition));
}

/**
 * Writes a consistent copy of the links to a new file for its owner alone, while other processes serve and change them. Rejects if there
 * are no links, or if the file exists.
 */
export async function copyLinks(folder: string, edition: Edition, file: string): Promise<void> {
  for (const [path, isWanted, fault] of [
    [linksFile(folder, edition), true, 'ENOENT'],
    [file, false, 'EEXIST'],
  ] as const) {
    if (existsSync(path) !== isWanted) throw Object.assign(new Error(`${fault}: ${path}`), { code: fault, path });
  }
  const part = `${file}.part`;
  rmSync(part, { force: true });
  // SQLite fills an empty file. Any file that SQLite creates could be read by others.
  closeSync(openSync(part, 'wx', 0o600));
  const connection = await openConnection(folder, fileOf(edition));
  try {
    connection.prepare('VACUUM INTO ?').run(part);
  } finally {
    connection.close();
  }
  const written = openSync(part, 'r+');
  fsyncSync(written);
  closeSync(written);
  renameSync(part, file);
}
