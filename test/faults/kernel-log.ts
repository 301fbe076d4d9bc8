import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { needs } from '../support/tools.ts';

/** What a program asked of the kernel: `fdatasync(21</home/ann/…/journal.log>) = 0`, paths instead of bare descriptors. */
export interface SystemCall {
  readonly text: string;
  /** Its places in the order of all beginnings and ends. */
  readonly begun: number;
  over: number;
}

/** Writes, syncs, and names that come and go. */
const traced = [
  ...['write', 'writev', 'pwrite64', 'sendto', 'sendmsg', 'fdatasync', 'fsync'],
  ...['mkdir', 'rename', 'renameat', 'renameat2', 'unlink', 'unlinkat', 'rmdir'],
];

/** Runs Node to its end, and says what the kernel heard of it. Linux and strace. */
export async function kernelLog(
  folder: string,
  argv: readonly string[],
  env: Record<string, string>,
  stdin = '',
): Promise<SystemCall[]> {
  needs('strace');
  const log = join(folder, 'strace.log');
  const flags = ['-f', '-y', '-s', '100', '-e', `trace=${traced}`, '-o', log];
  const running = promisify(execFile)('strace', [...flags, process.execPath, ...argv], { env });
  running.child.stdin?.end(stdin);
  await running.catch((error: { code?: unknown }) => {
    // Of the program; strace passes it on.
    if (typeof error.code !== 'number') throw error;
  });
  return callsIn(readFileSync(log, 'latin1'));
}

/** Threads take turns: a call that is broken off is continued in a later line of its thread. */
function callsIn(log: string): SystemCall[] {
  const calls: SystemCall[] = [];
  const underWay = new Map<string, SystemCall & { text: string }>();
  for (const [place, line] of log.split('\n').entries()) {
    const [, thread = '', text = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(text);
    const broken = /^(.*) <unfinished \.\.\.>$/.exec(text);
    if (resumed) {
      const call = underWay.get(thread);
      if (call) Object.assign(call, { text: call.text + resumed[1], over: place });
    } else if (/^\w+\(/.test(text)) {
      const call = { text: broken?.[1] ?? text, begun: place, over: broken ? Number.POSITIVE_INFINITY : place };
      if (broken) underWay.set(thread, call);
      calls.push(call);
    }
  }
  return calls;
}

/** The call that does this, the nth of those; it throws where there is none. */
export function callOf(calls: readonly SystemCall[], pattern: RegExp, nth = 0): SystemCall {
  const found = calls.filter(({ text }) => pattern.test(text))[nth];
  if (!found) throw new Error(`the kernel heard nothing like ${pattern}`);
  return found;
}

/** Whether each is over before the next begins. */
export function areInOrder(calls: readonly SystemCall[]): boolean {
  return calls.every(({ begun }, nth) => nth === 0 || (calls[nth - 1] as SystemCall).over < begun);
}
