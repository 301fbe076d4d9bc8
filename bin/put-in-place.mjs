import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pointer } from './code-cache.js';

/** Milliseconds in which another build may be under way. */
const anHour = 3_600_000;

/**
 * Makes `name` the folder of `dist` that runs from now on, in one step, so that nobody meets half a program (D43). The one before
 * stays until the next build: who runs it may still load parts of it. Older ones, and what is left of a build that was killed, go.
 */
export function putInPlace(dist, name, now = Date.now()) {
  const path = join(dist, pointer);
  const before = textOf(path);
  writeFileSync(`${path}.${name}`, name);
  renameSync(`${path}.${name}`, path);
  // What lay there before there were pointers is the program before.
  if (before === undefined) return;
  for (const entry of readdirSync(dist)) {
    if ([pointer, name, before].includes(entry)) continue;
    const other = statSync(join(dist, entry), { throwIfNoEntry: false });
    if (other && now - other.mtimeMs > anHour) rmSync(join(dist, entry), { recursive: true, force: true });
  }
}

function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
