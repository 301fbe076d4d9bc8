import { isIP } from 'node:net';
import type { System } from '../base/system.ts';

/**
 * Looks names up. Some systems say of every name that it does not exist while they are offline; then they say it of `known`, too, a host
 * that had an address when the check began. Where that is seen, nothing is known of the other name.
 */
export async function createNames(known: string, { lookup }: Pick<System, 'lookup'>): Promise<System['lookup']> {
  const isFound = (name: string): Promise<boolean> =>
    lookup(name).then(
      () => true,
      () => false,
    );
  const isProof = isIP(known) === 0 && (await isFound(known));
  return async (name) => {
    try {
      return await lookup(name);
    } catch (cause) {
      if (isProof && isUnknownName(cause) && !(await isFound(known))) {
        throw new Error(`neither ${name} nor ${known} has an address`, { cause });
      }
      throw cause;
    }
  };
}

/** A name server has said that there is no such name, or that it has no address. */
export function isUnknownName(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA');
}
