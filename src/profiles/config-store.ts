import { dirname } from 'node:path';
import Conf from 'conf';
import type { System } from '../base/system.ts';
import { atomicWrite } from '../files/atomic-write.ts';
import { type ConfigDocument, parseDocument } from './config-file.ts';

/**
 * conf keeps the file's path and form. Three things conf does not do safely are ours:
 * - Reading (`readConfig`): conf takes 70 ms to load, creates the folder, replaces bytes that are not UTF-8 and ignores the file's owner.
 * - Locking (`changeConfig`): with conf alone, concurrent processes lose changes.
 * - `_write`: on a nearly full disk, conf replaces the file with a truncated one.
 */
export function storeDocument(path: string, document: ConfigDocument, system: System): void {
  const conf = new Conf<ConfigDocument>({
    cwd: dirname(path),
    projectSuffix: '',
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
    clearInvalidConfig: false,
    serialize,
    deserialize: (text) => parseDocument(Buffer.from(text), path),
  });
  Object.assign(conf, { _write: (changed: ConfigDocument) => atomicWrite(path, serialize(changed), system) });
  conf.store = document;
}

function serialize(document: ConfigDocument): string {
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
