import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Milliseconds in which another build may be at work. */
const anHour = 3_600_000;

/**
 * Makes `name` the folder of `dist` that runs from now on, in one step, so that nobody starts half a program (D43). The build before
 * it stays until the next one, as a running program may still load parts of it. Older builds and killed ones are removed.
 */
export function putInPlace(dist, name, now = Date.now()) {
  const pointer = join(dist, 'current');
  const before = textOf(pointer);
  writeFileSync(`${pointer}.${name}`, name);
  renameSync(`${pointer}.${name}`, pointer);
  // A `dist` without a pointer holds the program that ran until now.
  if (before === undefined) return;
  for (const entry of readdirSync(dist)) {
    if (['current', name, before].includes(entry)) continue;
    const other = statSync(join(dist, entry), { throwIfNoEntry: false });
    if (other && now - other.mtimeMs > anHour) remove(join(dist, entry));
  }
}

/** Another user's run may have left files that we cannot remove (`bin/linkctl.js`). The new build is in place all the same. */
function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {}
}

function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
