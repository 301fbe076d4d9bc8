import { isIP } from 'node:net';
import type { System } from '../base/system.ts';

/**
 * Some systems report every name as nonexistent while they are offline. Then `known`, a host that had an address when the check began,
 * seems to be missing as well, which proves nothing about other names.
 */
export async function createNameLookup(known: string, { lookup }: Pick<System, 'lookup'>): Promise<System['lookup']> {
  const hasAddress = (name: string): Promise<boolean> =>
    lookup(name).then(
      () => true,
      () => false,
    );
  const isKnownToExist = isIP(known) === 0 && (await hasAddress(known));
  return async (name) => {
    try {
      return await lookup(name);
    } catch (cause) {
      if (isKnownToExist && isUnknownName(cause) && !(await hasAddress(known))) {
        throw new Error(`neither ${name} nor ${known} has an address`, { cause });
      }
      throw cause;
    }
  };
}

/** A name server reported that the name does not exist or has no address. */
export function isUnknownName(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA');
}
