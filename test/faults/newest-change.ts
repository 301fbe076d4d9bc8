import { join } from 'node:path';
import { newestFirst, runFolders } from '../../src/bulk/past-runs/run-names.ts';

/** The name of the newest run that is no undo, in a home: off a terminal `undo` needs it. */
export function newestChange(home: string): string {
  const found = newestFirst(runFolders(join(home, '.local', 'state', 'linkctl'))).find(
    ({ begin }) => begin?.undoes === undefined,
  );
  if (!found) throw new Error('no run is recorded');
  return found.run;
}
