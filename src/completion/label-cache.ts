import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { folders, type System } from '../base/system.ts';

/** What a server lists and TAB offers. */
export type LabelKind = 'tags' | 'domains';

/** 24 hours in milliseconds (B95). */
const freshFor = 86_400_000;

/** What was kept at most a day ago; nothing where it is older, missing or damaged. */
export function keptLabels(kind: LabelKind, profile: string, system: Pick<System, 'env' | 'platform' | 'now'>): string[] {
  try {
    const { saved, labels } = JSON.parse(readFileSync(cachePath(kind, profile, system), 'utf8'));
    const age = system.now() - saved;
    return age >= 0 && age <= freshFor ? labels.filter((label: unknown) => typeof label === 'string') : [];
  } catch {
    return [];
  }
}

/** Where the labels of a profile are kept. */
export function cachePath(kind: LabelKind, profile: string, system: Pick<System, 'env' | 'platform'>): string {
  return join(folders(system).cache, kind, `${profile}.json`);
}
