import { UsageError } from '../base/errors.ts';
import { isNumbered } from '../bulk/operations/numbered-hash.ts';
import type { Mode } from '../bulk/operations/shorten.ts';
import type { RunInput } from '../bulk/run-plan.ts';
import { SeenKeys } from '../client/seen-keys.ts';
import type { ShortenItem } from '../contract/operations.ts';

/**
 * Which hashes rows ask for, so that no other row is renamed to one of them (I6). Throws a UsageError for rows without a custom hash:
 * only that makes renaming safe to repeat (4.3.4).
 */
export async function askedHashes(
  { open }: Pick<RunInput<ShortenItem>, 'open'>,
  mode: Pick<Mode, 'name'>,
): Promise<(hash: string) => boolean> {
  if (mode.name !== 'keyed') {
    throw new UsageError('--on-conflict rename: every row needs a custom hash', {
      hint: 'add --generate-hashes for the other rows',
    });
  }
  const seen = new SeenKeys();
  for await (const rows of open()) {
    for (const { item } of rows) if (item.custom_hash !== undefined && isNumbered(item.custom_hash)) seen.add(item.custom_hash);
  }
  return (hash) => seen.has(hash);
}
