import { unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { orElse } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import { lacksKey } from '../contract/records.ts';
import { atomicWrite } from '../files/atomic-write.ts';
import { makePrivateFolder } from '../files/folders.ts';
import { cachePath, type LabelKind } from './label-cache.ts';

/** Bounds the time of a key press and the size of the list. */
const maxLabels = 5000;

/** Caches a listing for completion, which never contacts a server. Does nothing without a profile. Never fails: completion offers less. */
export function cacheLabels(
  kind: LabelKind,
  labels: readonly string[],
  { profile, system }: { readonly profile?: string | undefined; readonly system: System },
): void {
  if (profile === undefined) return;
  // Such a label cannot be sent.
  const typable = labels.filter((label) => !lacksKey(label));
  orElse(() => {
    const path = cachePath(kind, profile, system);
    makePrivateFolder(dirname(path));
    atomicWrite(path, JSON.stringify({ saved: system.now(), labels: typable.slice(0, maxLabels) }), system);
  }, undefined);
}

/** The name of the profile may be that of another account from now on. Never fails: completion would offer old names for a day. */
export function forgetLabels(profile: string, system: System): void {
  for (const kind of ['tags', 'domains'] as const) orElse(() => unlinkSync(cachePath(kind, profile, system)), undefined);
}
