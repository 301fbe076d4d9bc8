import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import { checksum } from '../base/checksum.ts';
import { processExists, type System } from '../base/system.ts';

/** What a mark needs of the world. */
export type MarkSystem = Pick<System, 'platform' | 'processId' | 'randomBytes' | 'now'>;

/** Which process made a file, read from the file's name. */
export interface ProcessMark {
  readonly processId: number;
  /** Ticks since boot; `0` where the platform does not say. */
  readonly startTime: string;
  readonly host: string;
  /** Which start of the machine: a sum of the system's name for it, or the second in which it was, in hex (Windows). */
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
 * Whether the maker of a mark may still run. A process that was stopped for an hour is alive. Where it cannot be known
 * (another host, another container) the answer is yes. A host may change its name, as a laptop does in another network, so it is
 * asked for only where the boots say nothing.
 */
export function isAlive(mark: ProcessMark, system: MarkSystem): boolean {
  const own = ownMark(system);
  const sameBoot = isSameBoot(mark.boot, own.boot, system);
  const sameMachine = (sameBoot && own.boot !== unknownBoot && system.platform !== 'win32') || mark.host === own.host;
  if (!sameMachine) return true;
  if (!sameBoot) return false;
  if (mark.namespace !== own.namespace) return true;
  if (mark.startTime === '0' || own.startTime === '0') return processExists(mark.processId);
  // Only an answer counts as death: /proc may hide the processes of others, or there may be no file left to open.
  const status = statusOf(mark.processId);
  return status ? !status.zombie && status.startTime === mark.startTime : processExists(mark.processId);
}

/** Windows says how long it has been running: by a clock that may have been set meanwhile, but not by as much. */
function isSameBoot(one: string, other: string, { platform }: MarkSystem): boolean {
  if (platform !== 'win32') return one === other;
  return one === unknownBoot || Math.abs(Number.parseInt(one, 16) - Number.parseInt(other, 16)) < secondsOfClock;
}

const secondsOfClock = 600;
const unknownBoot = shortSum('');

/** A process is who it is for as long as it lives, and finding out takes five files. */
const ownMarks = new WeakMap<MarkSystem, ProcessMark>();

function ownMark(system: MarkSystem): ProcessMark {
  const known = ownMarks.get(system) ?? findMark(system);
  ownMarks.set(system, known);
  return known;
}

function findMark(system: MarkSystem): ProcessMark {
  const { platform, processId } = system;
  const startTime = platform === 'linux' && procShows(processId) ? statusOf(processId)?.startTime : undefined;
  return {
    processId,
    startTime: startTime ?? '0',
    ...machineMark(system),
    namespace: (startTime && /\d+/.exec(linkOf('/proc/self/ns/pid'))?.[0]) ?? '0',
  };
}

/** Which machine this is, and which start of it. */
function machineMark({ platform, now }: MarkSystem): Pick<ProcessMark, 'host' | 'boot'> {
  if (platform === 'darwin') {
    // macOS takes its name from the network; the number of the hardware stays.
    const hardware = /"IOPlatformUUID" = "(.+?)"/.exec(outputOf('ioreg', '-rd1', '-c', 'IOPlatformExpertDevice'))?.[1];
    return { host: shortSum(hardware ?? hostname()), boot: shortSum(outputOf('sysctl', '-n', 'kern.bootsessionuuid')) };
  }
  const host = shortSum(hostname() + textOf('/etc/machine-id'));
  if (platform !== 'win32') return { host, boot: shortSum(textOf('/proc/sys/kernel/random/boot_id')) };
  return {
    host,
    boot: Math.round(now() / 1000 - uptime())
      .toString(16)
      .padStart(8, '0'),
  };
}

function shortSum(text: string): string {
  return checksum(text).slice(0, 8);
}

function outputOf(program: string, ...argv: string[]): string {
  try {
    return execFileSync(program, argv, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
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
