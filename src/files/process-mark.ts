import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { checksum } from '../base/checksum.ts';
import { processExists, type System } from '../base/system.ts';

/** What a mark needs of the world. */
export type MarkSystem = Pick<System, 'platform' | 'processId' | 'randomBytes'>;

/** Which process made a file, read from the file's name. */
export interface ProcessMark {
  readonly processId: number;
  /** Ticks since boot; `0` where the platform does not say. */
  readonly startTime: string;
  readonly host: string;
  readonly boot: string;
  readonly namespace: string;
}

const pattern = /^(\d+)\.(\d+)\.([0-9a-f]{8})-([0-9a-f]{8})-(\d+)-[0-9a-f]{16}$/;

/**
 * Text for the name of a file that says who made it: `<pid>.<start time>.<machine and a random number>`. It never repeats. As
 * all of it is in the name, a file that was just created and is still empty says it too.
 */
export function newMark(system: MarkSystem): string {
  const { processId, startTime, host, boot, namespace } = ownMark(system);
  return `${processId}.${startTime}.${host}-${boot}-${namespace}-${Buffer.from(system.randomBytes(8)).toString('hex')}`;
}

export function parseMark(text: string): ProcessMark | undefined {
  const [, processId, startTime, host, boot, namespace] = pattern.exec(text) ?? [];
  if (!processId || !startTime || !host || !boot || !namespace) return undefined;
  return { processId: Number(processId), startTime, host, boot, namespace };
}

/**
 * Whether the maker of a mark may still run (R-X11). No clock is asked: a process that was stopped for an hour is alive. Where it
 * cannot be known (another host, another container) the answer is yes.
 */
export function isAlive(mark: ProcessMark, system: MarkSystem): boolean {
  const own = ownMark(system);
  if (mark.host !== own.host) return true;
  if (mark.boot !== own.boot) return false;
  if (mark.namespace !== own.namespace) return true;
  if (mark.startTime === '0' || own.startTime === '0') return processExists(mark.processId);
  // Only an answer counts as death: /proc may hide the processes of others, or there may be no file left to open.
  const status = statusOf(mark.processId);
  return status ? !status.zombie && status.startTime === mark.startTime : processExists(mark.processId);
}

/** A process is who it is for as long as it lives, and finding out takes five files. */
const ownMarks = new WeakMap<MarkSystem, ProcessMark>();

function ownMark(system: MarkSystem): ProcessMark {
  const known = ownMarks.get(system) ?? findMark(system);
  ownMarks.set(system, known);
  return known;
}

function findMark({ platform, processId }: MarkSystem): ProcessMark {
  const startTime = platform === 'linux' && procShows(processId) ? statusOf(processId)?.startTime : undefined;
  return {
    processId,
    startTime: startTime ?? '0',
    host: checksum(hostname() + textOf('/etc/machine-id')).slice(0, 8),
    boot: checksum(textOf('/proc/sys/kernel/random/boot_id')).slice(0, 8),
    namespace: (startTime && /\d+/.exec(linkOf('/proc/self/ns/pid'))?.[0]) ?? '0',
  };
}

/** Whether /proc has the ids that we know; in a container it may be the host's. */
function procShows(processId: number): boolean {
  return textOf('/proc/self/stat').startsWith(`${processId} `);
}

/** Fields 3 and 22 of /proc/<pid>/stat, where it can be read. */
function statusOf(processId: number): { zombie: boolean; startTime: string } | undefined {
  const stat = textOf(`/proc/${processId}/stat`);
  // The second field is the program's name in brackets and may itself hold brackets and spaces.
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startTime = rest[18];
  return startTime ? { zombie: state === 'Z' || state === 'X', startTime } : undefined;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
