import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base } from 'vitest';
import type { System } from '../../src/base/system.ts';
import { createTestSystem, type World } from '../support/test-system.ts';

interface Fixtures {
  /** A configuration folder of the test's own. */
  config: ConfigFolder;
}

export interface ConfigFolder {
  readonly folder: string;
  readonly path: string;
  /** A world whose configuration is here, and whose user we are. */
  system(world?: World): System;
  /** Puts the file there by hand: text as it is, anything else as JSON. */
  put(content: unknown, mode?: number): void;
  text(): string;
}

export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads a fixture's needs from this pattern
  config: async ({}, use) => {
    const home = mkdtempSync(join(tmpdir(), 'linkctl-config-'));
    const folder = join(home, 'linkctl');
    const path = join(folder, 'config.json');
    await use({
      folder,
      path,
      system: (world = {}) => ({
        ...createTestSystem({ ...world, env: { HOME: home, LINKCTL_CONFIG_DIR: folder, PATH: process.env.PATH, ...world.env } }),
        userId: process.getuid?.(),
      }),
      put: (content, mode = 0o600) => {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(path, typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content));
        chmodSync(path, mode);
      },
      text: () => readFileSync(path, 'utf8'),
    });
    rmSync(home, { recursive: true });
  },
});

/** A profile with a whole set of credentials. */
export const work = {
  base_url: 'https://api.example.com/rest/v3',
  username: 'ann',
  api_key: 'CANARY-4f1d2c3b4a59687786a5',
  edition: 'b',
} as const;
