import { dirname, join } from 'node:path';
import { LocalError } from '../base/errors.ts';
import { configPath, type System } from '../base/system.ts';
import { acquireClaim } from '../files/claim-lock.ts';
import { makePrivateFolder } from '../files/folders.ts';
import { refuseChangedOwner } from '../files/ownership.ts';
import { type ConfigDocument, configVersion, documentFaults, otherDisk, readDocument } from './config-file.ts';

/**
 * Holds a lock, so that concurrent changes are not lost. If `change` throws or the file is corrupt, nothing is written. Returns warnings about permissions. Throws `LocalError`.
 */
export async function changeConfig(system: System, change: (draft: ConfigDocument) => void): Promise<readonly string[]> {
  const path = configPath(system);
  // Imported before the lock is taken, so that nobody waits for it.
  const { storeDocument } = await import('./config-store.ts');
  makePrivateFolder(dirname(path));
  const claim = await acquireClaim({ folder: join(dirname(path), 'lock'), guards: 'the configuration' }, system);
  try {
    refuseChangedOwner(claim.path, otherDisk, system);
    const { document, warnings } = readDocument(path, system);
    refuseNewer(document, path);
    change(document);
    const [fault] = documentFaults(document);
    if (fault) throw new LocalError(`cannot save to ${path}: ${fault}`);
    storeDocument(path, document, system);
    return warnings;
  } finally {
    claim.release();
  }
}

function refuseNewer({ version = configVersion }: ConfigDocument, path: string): void {
  if (version <= configVersion) return;
  throw new LocalError(`${path} was written by a newer linkctl (file version ${version}); this version can only read it`, {
    hint: 'install the newer linkctl',
  });
}
