import { closeSync, fsyncSync, openSync, truncateSync, writeSync } from 'node:fs';
import type { JournalFile, OpenJournalFile } from '../../src/bulk/journal/journal.ts';

export type CrashStep = 'before append' | 'in append' | 'after append' | 'after sync';

export interface CrashingOptions {
  /** The nth line of that type, or of any, is the last thing that this process does. What was not synced is lost (F62). */
  readonly crashAt?: { readonly line?: string; readonly step: CrashStep; readonly nth?: number };
  /** The first line of that type, and whatever follows, cannot be written. */
  readonly failAt?: { readonly line: string; readonly code: string };
  /** For a negative control: intents are reported as synced when they are not. */
  readonly forgetsIntents?: boolean;
  /** Awaited when bytes are about to be synced. */
  readonly onSync?: (text: string) => Promise<void>;
}

/** A journal file that stops at a chosen step, as the disk of a killed process does: nothing is written from then on. */
export function crashingFile({ crashAt, failAt, forgetsIntents, onSync }: CrashingOptions): {
  openJournalFile: OpenJournalFile;
  /** Closes the files, as the end of a process does. Returns whether there was a crash. */
  released: () => boolean;
} {
  let isDead = false;
  let isFull = false;
  let count = 0;
  const files: number[] = [];

  const openJournalFile: OpenJournalFile = async (path, size): Promise<JournalFile> => {
    if (isDead) throw new Error('dead');
    const file = openSync(path, size === 0 ? 'w' : 'r+');
    files.push(file);
    truncateSync(path, size);
    let position = size;
    let durable = size;
    let pending = '';
    const die = (kept: number): never => {
      isDead = true;
      truncateSync(path, kept);
      throw new Error('killed');
    };
    const isTarget = (text: string): boolean => {
      const found = text.split(`"type":"${crashAt?.line ?? ''}`).length - 1;
      const before = count;
      count += found;
      const nth = crashAt?.nth ?? 1;
      return crashAt !== undefined && before < nth && count >= nth;
    };
    let dieAfter: CrashStep | undefined;
    return {
      async append(bytes) {
        if (isDead) throw new Error('dead');
        const text = Buffer.from(bytes).toString();
        if (isFull || (failAt && text.includes(`"type":"${failAt.line}"`))) {
          isFull = true;
          throw Object.assign(new Error(failAt?.code), { code: failAt?.code });
        }
        const target = isTarget(text);
        if (target && crashAt?.step === 'before append') die(durable);
        const whole = target && crashAt?.step === 'in append' ? Math.floor(bytes.length * 0.7) : bytes.length;
        writeSync(file, bytes, 0, whole, position);
        position += whole;
        if (whole < bytes.length) die(position);
        pending += text;
        if (target) dieAfter = crashAt?.step;
      },
      async sync() {
        if (isDead) throw new Error('dead');
        if (dieAfter === 'after append') die(durable);
        await onSync?.(pending);
        if (forgetsIntents && pending.includes('"type":"intent"')) return;
        pending = '';
        fsyncSync(file);
        durable = position;
        if (dieAfter === 'after sync') die(durable);
      },
      async close() {},
    };
  };

  const released = (): boolean => {
    for (const file of files) closeSync(file);
    return isDead;
  };
  return { openJournalFile, released };
}
