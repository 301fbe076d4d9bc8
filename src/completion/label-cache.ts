import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { folders, type System } from '../base/system.ts';

/** What a server lists and TAB offers. */
export type LabelKind = 'tags' | 'domains';

/** 24 hours in milliseconds (B95). */
const freshFor = 86_400_000;

/** A key press reads and a terminal shows this many at the most. */
const most = 5000;

/** What was kept at most a day ago; nothing where it is older, missing or damaged. */
export function keptLabels(kind: LabelKind, profile: string, system: System): string[] {
  try {
    const { saved, labels } = JSON.parse(readFileSync(cachePath(kind, profile, system), 'utf8'));
    const age = system.now() - saved;
    return age >= 0 && age <= freshFor ? labels.filter((label: unknown) => typeof label === 'string') : [];
  } catch {
    return [];
  }
}

/**
 * Keeps what a profile's server has just listed, for TAB, which never asks a server (B95). Without a profile there is nothing
 * to file it under. Never fails: a listing works in a home that cannot be written to (B70).
 */
export async function keepLabels(
  kind: LabelKind,
  labels: readonly string[],
  { profile, system }: { readonly profile?: string | undefined; readonly system: System },
): Promise<void> {
  if (profile === undefined) return;
  const path = cachePath(kind, profile, system);
  try {
    // A key press, which only reads, does not load these.
    const { makePrivateFolder } = await import('../files/folders.ts');
    const { atomicWrite } = await import('../files/atomic-write.ts');
    makePrivateFolder(dirname(path));
    atomicWrite(path, JSON.stringify({ saved: system.now(), labels: labels.slice(0, most) }), system);
  } catch {
    // TAB offers less.
  }
}

function cachePath(kind: LabelKind, profile: string, system: System): string {
  return join(folders(system).cache, kind, `${profile}.json`);
}
