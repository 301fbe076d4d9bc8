import { UsageError } from '../../base/errors.ts';
import type { ConflictPolicy, Mode } from '../../bulk/operations/modes.ts';
import { isNumbered } from '../../bulk/operations/numbered-hash.ts';
import type { RunInput } from '../../bulk/run-plan.ts';
import { SeenKeys } from '../../client/seen-keys.ts';
import type { ShortenItem } from '../../contract/operations.ts';

/** Throws a UsageError for rows without a custom hash where only that makes a policy safe to repeat (4.3.4). */
export function requireHashes(policy: ConflictPolicy | undefined, mode: Pick<Mode, 'name'>): void {
  if ((policy !== 'rename' && policy !== 'update') || mode.name === 'keyed') return;
  throw new UsageError(`--on-conflict ${policy}: every row needs a custom hash`, {
    hint: 'add --generate-hashes for the other rows',
  });
}

/** Which hashes rows ask for, so that no other row is renamed to one of them (I6). */
export async function askedHashes({ open }: Pick<RunInput<ShortenItem>, 'open'>): Promise<(hash: string) => boolean> {
  const seen = new SeenKeys();
  for await (const rows of open()) {
    for (const { item } of rows) if (item.custom_hash !== undefined && isNumbered(item.custom_hash)) seen.add(item.custom_hash);
  }
  return (hash) => seen.has(hash);
}
