import { dirname } from 'node:path';
import Conf from 'conf';
import type { System } from '../base/system.ts';
import { atomicWrite } from '../files/atomic-write.ts';
import { type ConfigDocument, parseDocument } from './config-file.ts';

/**
 * Stores the configuration with conf, which knows its path and form and keeps its own members of the file. Three things conf does not do
 * safely, so they are ours:
 * - Reading (`readConfig`): conf takes 70 ms to load, makes the folder, replaces bytes that are not UTF-8, and does not ask who owns the file.
 * - The lock around reading, changing and storing (`changeConfig`): two processes with conf alone lose changes (R 0.1).
 * - `_write`: on a nearly full disk, conf's puts a file that was cut short in the place of the good one (R 0.1, R-23).
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
