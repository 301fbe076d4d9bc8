import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { System } from '../../base/system.ts';
import type { Invocation } from '../../cli/invocation.ts';
import { atomicWrite } from '../../files/atomic-write.ts';
import { acquireClaim } from '../../files/claim-lock.ts';
import { refuseChangedOwner } from '../../files/ownership.ts';
import { readKeys } from '../../profiles/key-source.ts';

export interface ServiceKeys {
  readonly path: string;
  /** All of them are valid; the file has one per line. */
  readonly keys: readonly string[];
  readonly isNew: boolean;
}

/** Reads `--api-key-file`, or creates a key of 192 bits once and keeps it for the next start. */
export async function serviceKeys(data: string, invocation: Invocation): Promise<ServiceKeys> {
  const { system, global } = invocation;
  const { path, isNew } = global.apiKeyFile ? { path: global.apiKeyFile, isNew: false } : await defaultKeyFile(data, system);
  return { path, isNew, keys: await keysIn(path, invocation) };
}

export async function keysIn(path: string, { system, warn }: Pick<Invocation, 'system' | 'warn'>): Promise<readonly string[]> {
  const { values, warnings } = await readKeys(path, system);
  await warn(...warnings);
  if (values.some((key) => key.length < 22)) await warn(`${path}: the key is short; use at least 22 random characters`);
  return values;
}

/** The lock makes two concurrent first starts use the same key. */
async function defaultKeyFile(data: string, system: System): Promise<Pick<ServiceKeys, 'path' | 'isNew'>> {
  const path = join(data, 'api-key');
  const claim = await acquireClaim({ folder: join(data, 'lock'), guards: 'the key of the service' }, system);
  try {
    refuseChangedOwner(claim.path, 'set --data to a folder on a disk that keeps owners', system);
    const isNew = !existsSync(path);
    if (isNew) atomicWrite(path, `${Buffer.from(system.randomBytes(24)).toString('base64url')}\n`, system);
    return { path, isNew };
  } finally {
    claim.release();
  }
}
