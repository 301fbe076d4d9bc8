import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** In milliseconds. Another build may still be running within this time. */
const anHour = 3_600_000;

/**
 * Activates the folder `name` of `dist` in one step, so that nobody starts half a program. The previous build stays until the next one
 * because a running program may still load parts of it. Older and incomplete builds are removed.
 */
export function putInPlace(dist, name) {
  const pointer = join(dist, 'current');
  const before = textOf(pointer);
  writeFileSync(`${pointer}.${name}`, name);
  renameSync(`${pointer}.${name}`, pointer);
  // Without a pointer `dist` contains the program that ran until now.
  if (before === undefined) return;
  // By the clock of the file system, which can differ from that of this computer.
  const now = statSync(pointer).mtimeMs;
  for (const entry of readdirSync(dist)) {
    if (['current', name, before].includes(entry)) continue;
    const other = statSync(join(dist, entry), { throwIfNoEntry: false });
    if (other && now - other.mtimeMs > anHour) remove(join(dist, entry));
  }
}

/** Another user's run may have left files that we cannot remove (`bin/linkctl.js`), which does not affect the new build. */
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
