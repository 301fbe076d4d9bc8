import { dirname } from 'node:path';
import type { System } from '../base/system.ts';
import { atomicWrite, type WriteSystem } from '../files/atomic-write.ts';
import { makePrivateFolder } from '../files/folders.ts';
import { cachePath, type LabelKind } from './label-cache.ts';

/** A key press reads and a terminal shows this many at the most. */
const most = 5000;

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
    makePrivateFolder(dirname(path));
    atomicWrite(path, JSON.stringify({ saved: system.now(), labels: labels.slice(0, most) }), system);
  } catch {
    // TAB offers less.
  }
}
