import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { System } from '../../base/system.ts';
import type { Invocation } from '../../cli/invocation.ts';
import { atomicWrite } from '../../files/atomic-write.ts';
import { acquireClaim } from '../../files/claim-lock.ts';
import { refuseChangedOwner } from '../../files/ownership.ts';
import { readKeys } from '../../profiles/key-source.ts';

/** The keys of a service, and where they are. */
export interface OwnKeys {
  readonly path: string;
  /** One a line; all are valid. */
  readonly keys: readonly string[];
  /** Whether the file was made by this start. */
  readonly isNew: boolean;
}

/** The keys of `--api-key-file`, or one of 192 bits that is made once and kept for the next start, in a file of 0600. */
export async function ownKeys(data: string, invocation: Invocation): Promise<OwnKeys> {
  const { system, global } = invocation;
  const { path, isNew } = global.apiKeyFile ? { path: global.apiKeyFile, isNew: false } : await keptKeyFile(data, system);
  return { path, isNew, keys: await keysIn(path, invocation) };
}

/** The keys in a file, now. */
export async function keysIn(path: string, { system, warn }: Pick<Invocation, 'system' | 'warn'>): Promise<readonly string[]> {
  const { values, warnings } = await readKeys(path, system);
  await warn(...warnings);
  if (values.some((key) => key.length < 22)) await warn(`${path}: the key is short; use at least 22 random characters`);
  return values;
}

/** Under a lock: of two that start at once, both must have the key that stays. */
async function keptKeyFile(data: string, system: System): Promise<Pick<OwnKeys, 'path' | 'isNew'>> {
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
