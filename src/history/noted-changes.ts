import { closeSync, existsSync, fsyncSync, openSync, readFileSync } from 'node:fs';
import { checksum } from '../base/checksum.ts';
import type { System } from '../base/system.ts';
import { fileError } from '../files/file-error.ts';
import { writeWhole } from '../files/whole-write.ts';
import { type HistoryAccount, hasHistory, historyPaths } from './history-folder.ts';
import type { ChangeKind } from './parts.ts';

/** What this tool did to a link. */
export interface NotedChange {
  readonly kind: ChangeKind;
  /** The row of its run. */
  readonly row: number;
  readonly hash: string;
  /** As listed; undefined for the account's default domain, or its only one. */
  readonly domain?: string | undefined;
  /** Its counters right before, where they are known. */
  readonly total?: number | undefined;
  readonly unique?: number | undefined;
  /** Of a renamed link. */
  readonly newHash?: string | undefined;
}

/** A line of the file of changes. */
interface ChangesLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** What it was done by. A resumed run may say the same of a row once more. */
  readonly run: string;
  readonly changes: readonly NotedChange[];
}

/**
 * Adds changes to the history of an account, if there is one; synced when it returns. One write at the end of the file takes no lock, so that no
 * change waits for a recorder. Throws a `LocalError`.
 */
export function noteChanges(line: ChangesLine, account: HistoryAccount, system: System): void {
  if (line.changes.length === 0 || !hasHistory(account, system)) return;
  const path = historyPaths(account, system).changes;
  const json = JSON.stringify(line);
  try {
    const file = openSync(path, 'a', 0o600);
    try {
      // A line that was torn before this one ends here.
      writeWhole(file, Buffer.from(`\n${checksum(json)} ${json}\n`));
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw fileError('write', path, error);
  }
}

export interface PendingChange extends NotedChange {
  readonly at: number;
}

/** The changes behind an offset, each row of a run once, and where the file ends. Torn lines are left out. */
export function changesFrom(offset: number, path: string): { changes: PendingChange[]; end: number } {
  if (!existsSync(path)) return { changes: [], end: 0 };
  const bytes = readFileSync(path);
  // A shorter file is another one.
  const start = offset > bytes.length ? 0 : offset;
  const seen = new Set<string>();
  const changes: PendingChange[] = [];
  let position = 0;
  for (const text of bytes.toString('latin1').split('\n')) {
    const line = decode(text);
    for (const change of line?.changes ?? []) {
      const key = `${line?.run} ${change.row}`;
      if (seen.has(key)) continue;
      seen.add(key);
      if (position >= start) changes.push({ ...change, at: line?.at ?? 0 });
    }
    position += text.length + 1;
  }
  return { changes, end: bytes.length };
}

/** `text` has a character a byte. */
function decode(text: string): ChangesLine | undefined {
  const json = Buffer.from(text.slice(17), 'latin1').toString();
  if (text === '' || text.slice(0, 16) !== checksum(json)) return undefined;
  return JSON.parse(json);
}
