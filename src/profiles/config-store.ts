import { dirname } from 'node:path';
import Conf, { type Options } from 'conf';
import type { System } from '../base/system.ts';
import { atomicWrite } from '../files/atomic-write.ts';
import { type ConfigDocument, parseDocument } from './config-file.ts';

/** What of `Conf` we use. Its own types call `_write` private, and overriding it is the cure of RELIABILITY.md 0.1. */
interface Store {
  store: ConfigDocument;
  _write(document: ConfigDocument): void;
}
const Base = Conf as unknown as new (options: Options<ConfigDocument>) => Store;

/** The configuration file as `Conf` keeps it, written safely. Imported when something is written, as `conf` is slow to load. */
export class ConfigStore extends Base {
  readonly #path: string;
  readonly #system: System;

  constructor(path: string, system: System) {
    super({
      cwd: dirname(path),
      projectSuffix: '',
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      clearInvalidConfig: false,
      serialize,
      deserialize: (text) => parseDocument(Buffer.from(text), path),
    });
    this.#path = path;
    this.#system = system;
  }

  override _write(document: ConfigDocument): void {
    atomicWrite(this.#path, serialize(document), this.#system);
  }
}

function serialize(document: ConfigDocument): string {
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
