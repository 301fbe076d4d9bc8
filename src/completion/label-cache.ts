import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { folders, type System } from '../base/system.ts';

export type LabelKind = 'tags' | 'domains';

/** Milliseconds. */
const freshFor = 86_400_000;

/** Bounds the time of a key press and the size of the list. */
const maxLabels = 5000;

/** Empty if the cache is older than a day, missing or damaged. */
export function cachedLabels(kind: LabelKind, profile: string, system: System): string[] {
  try {
    const { saved, labels } = JSON.parse(readFileSync(cachePath(kind, profile, system), 'utf8'));
    const age = system.now() - saved;
    return age >= 0 && age <= freshFor ? labels.filter((label: unknown) => typeof label === 'string') : [];
  } catch {
    return [];
  }
}

/** Caches a listing for completion, which never contacts a server. Does nothing without a profile. Never fails, because the listing itself succeeded. */
export async function cacheLabels(
  kind: LabelKind,
  labels: readonly string[],
  { profile, system }: { readonly profile?: string | undefined; readonly system: System },
): Promise<void> {
  if (profile === undefined) return;
  const path = cachePath(kind, profile, system);
  try {
    // Imported here, because completion itself only reads.
    const { makePrivateFolder } = await import('../files/folders.ts');
    const { atomicWrite } = await import('../files/atomic-write.ts');
    const { lacksKey } = await import('../contract/records.ts');
    // Such a label cannot be sent.
    const typable = labels.filter((label) => !lacksKey(label));
    makePrivateFolder(dirname(path));
    atomicWrite(path, JSON.stringify({ saved: system.now(), labels: typable.slice(0, maxLabels) }), system);
  } catch {
    // Completion offers less.
  }
}

function cachePath(kind: LabelKind, profile: string, system: System): string {
  return join(folders(system).cache, kind, `${profile}.json`);
}
