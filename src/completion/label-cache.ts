import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { atomicWrite, type WriteSystem } from '../files/atomic-write.ts';
import { folders, type System } from '../system.ts';

/** What a server lists and TAB offers. */
export type LabelKind = 'tags' | 'domains';

/** A key press reads and a terminal shows this many at the most. */
const most = 5000;
/** 24 hours in milliseconds (B95). */
const freshFor = 86_400_000;

/**
 * Keeps what a profile's server has just listed, for TAB, which never asks a server (B95). Without a profile there is nothing
 * to file it under. Never fails: a listing works in a home that cannot be written to (B70).
 */
export function keepLabels(
  kind: LabelKind,
  labels: readonly string[],
  profile: string | undefined,
  system: System & WriteSystem,
): void {
  if (profile === undefined) return;
  const path = cachePath(kind, profile, system);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    atomicWrite(path, JSON.stringify({ saved: system.now(), labels: labels.slice(0, most) }), system);
  } catch {
    // TAB offers less.
  }
}

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

function cachePath(kind: LabelKind, profile: string, system: Pick<System, 'env' | 'platform'>): string {
  return join(folders(system).cache, kind, `${profile}.json`);
}
