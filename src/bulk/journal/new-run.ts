import { existsSync, rmSync } from 'node:fs';
import { newestRuns, orderOf, type RunFolders, runRecord, smallNames } from '../records/run-names.ts';
import { nextOrder } from './order.ts';

export function newRunName(key: string, now: number, folders: RunFolders): string {
  const [date = '', time = ''] = new Date(now).toISOString().replace(/[-:]/g, '').split(/[T.]/);
  const name = `${date}-${time}-${key}`;
  for (let nth = 1; ; nth += 1) {
    const candidate = nth === 1 ? name : `${name}-${nth}`;
    if (!existsSync(runRecord(candidate, folders).path)) return candidate;
  }
}

/** The place of a new run among all of them. */
export function newOrder({ state, orders }: RunFolders): number {
  return nextOrder(orders, () => Math.max(0, ...newestRuns(state).map(orderOf)));
}

/** Records of typed links that are kept: the newest. */
const keptSmall = 200;
/** To find the newest all are read, so they are not counted exactly each time. */
const tooManySmall = 250;

/** Deletes the oldest records of typed links where there are too many. */
export function pruneSmall(folders: RunFolders): void {
  const names = new Set(smallNames(folders));
  if (names.size < tooManySmall) return;
  const sorted = newestRuns(folders.state).filter(({ run }) => names.has(run));
  for (const { run } of sorted.slice(keptSmall)) rmSync(runRecord(run, folders).path, { force: true });
}
