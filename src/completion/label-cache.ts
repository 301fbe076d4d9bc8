import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { folders, type System } from '../base/system.ts';

export type LabelKind = 'tags' | 'domains';

/** Milliseconds. */
const freshFor = 86_400_000;

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

export function cachePath(kind: LabelKind, profile: string, system: System): string {
  return join(folders(system).cache, kind, `${profile}.json`);
}
