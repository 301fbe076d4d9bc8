import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Edition } from '../contract/editions.ts';
import { openConnection } from '../files/sqlite.ts';
import { fileOf } from './store/sqlite/schema.ts';

/** The file of an edition in a data folder, for messages and to put a copy back. */
export function linksFile(folder: string, edition: Edition): string {
  return join(folder, fileOf(edition));
}

/**
 * Writes the links of a data folder, as they are at one moment, to a new file for its owner alone; meanwhile others may serve and change them.
 * Rejects where there are none, and where the file is there already.
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
  // The engine fills an empty file; one that it makes, others could read.
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
