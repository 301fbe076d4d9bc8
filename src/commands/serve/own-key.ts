import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { System } from '../../base/system.ts';
import type { Invocation } from '../../cli/invocation.ts';
import { atomicWrite } from '../../files/atomic-write.ts';
import { acquireClaim } from '../../files/claim-lock.ts';
import { refuseForeignMaking } from '../../files/ownership.ts';
import { readKey } from '../../profiles/key-source.ts';

/** the key of `--api-key-file`, or one of 192 bits that is made once and kept for the next start, in a file of 0600. */
export async function ownKey(data: string, { system, global, warn }: Invocation): Promise<string> {
  const path = global.apiKeyFile ?? (await keptKeyFile(data, system));
  const { value, warnings } = await readKey({ kind: 'file', path }, system);
  await warn(...warnings);
  if (value.length < 22) await warn(`${path}: the key is short; use at least 22 random characters`);
  return value;
}

/** Under a lock: of two that start at once, both must have the key that stays. */
async function keptKeyFile(data: string, system: System): Promise<string> {
  const path = join(data, 'api-key');
  const claim = await acquireClaim({ folder: join(data, 'lock'), guards: 'the key of the service' }, system);
  try {
    refuseForeignMaking(claim.path, 'set --data to a folder on a disk that keeps owners', system);
    if (!existsSync(path)) atomicWrite(path, `${Buffer.from(system.randomBytes(24)).toString('base64url')}\n`, system);
    return path;
  } finally {
    claim.release();
  }
}
