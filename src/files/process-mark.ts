import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import { checksum } from '../base/checksum.ts';
import { orElse } from '../base/errors.ts';
import { processExists, type System } from '../base/system.ts';

export type MarkSystem = Pick<System, 'platform' | 'processId' | 'randomBytes' | 'now'>;

/** Identifies the process that created a file, parsed from the name of the file. */
export interface ProcessMark {
  readonly processId: number;
  /** In ticks since boot; `0` if the platform does not report it. */
  readonly startTime: string;
  readonly host: string;
  /** Identifies the boot of the machine: a checksum of the system's boot ID or, on Windows, the boot time in hexadecimal seconds. */
  readonly boot: string;
  readonly namespace: string;
}

const pattern = /^(\d+)\.(\d+)\.([0-9a-f]{8})-([0-9a-f]{8})-(\d+)-[0-9a-f]{16}$/;

/**
 * A unique part of a file name: `<pid>.<start time>.<machine and a random number>`. The name carries all of it because a new file is still
 * empty.
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
 * A process that is suspended counts as alive, and so does one that cannot be seen from here (another host or container). The boot IDs are
 * compared before the host names because a host may change its name, as a laptop does in another network.
 */
export function isAlive(mark: ProcessMark, system: MarkSystem): boolean {
  const own = ownMark(system);
  if (!isOfThisMachine(mark, system)) return true;
  if (!isSameBoot(mark.boot, own.boot, system)) return false;
  if (mark.namespace !== own.namespace) return true;
  if (mark.startTime === '0' || own.startTime === '0') return processExists(mark.processId);
  // A missing answer does not mean that the process is dead: /proc may hide the processes of others, or no file descriptor may be left.
  const status = statusOf(mark.processId);
  return status ? !status.zombie && status.startTime === mark.startTime : processExists(mark.processId);
}

/** A monotonic time with the machine that it is of, so that another process can compare it with its own. */
export interface MachineTime extends Machine {
  readonly at: number;
}

export function machineTime(system: MarkSystem & Pick<System, 'elapsed'>): MachineTime {
  const { host, boot } = ownMark(system);
  return { host, boot, at: Math.floor(system.elapsed()) };
}

type Machine = Pick<ProcessMark, 'host' | 'boot'>;

export function isOfThisMachine({ host, boot }: Machine, system: MarkSystem): boolean {
  const own = ownMark(system);
  return host === own.host || (boot === own.boot && boot !== unknownBoot && system.platform !== 'win32');
}

/** Windows reports its uptime by a clock that may have been adjusted, though not by this much. */
function isSameBoot(one: string, other: string, { platform }: MarkSystem): boolean {
  if (platform !== 'win32') return one === other;
  return one === unknownBoot || Math.abs(Number.parseInt(one, 16) - Number.parseInt(other, 16)) < clockToleranceSeconds;
}

const clockToleranceSeconds = 600;
const unknownBoot = shortSum('');

/** Cached because reading it takes five files, and it never changes. */
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

function machineMark({ platform, now }: MarkSystem): Machine {
  if (platform === 'darwin') {
    // macOS takes its host name from the network, while the hardware ID is stable.
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
  return orElse(() => execFileSync(program, argv, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }), '');
}

/** False in containers whose /proc is that of the host. */
function procShows(processId: number): boolean {
  return textOf('/proc/self/stat').startsWith(`${processId} `);
}

/** Reads fields 3 and 22 of /proc/<pid>/stat. */
function statusOf(processId: number): { zombie: boolean; startTime: string } | undefined {
  const stat = textOf(`/proc/${processId}/stat`);
  // The second field is the name of the program in brackets, which may itself contain brackets and spaces.
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startTime = rest[18];
  return startTime ? { zombie: state === 'Z' || state === 'X', startTime } : undefined;
}

function textOf(path: string): string {
  return orElse(() => readFileSync(path, 'latin1'), '');
}

function linkOf(path: string): string {
  return orElse(() => readlinkSync(path), '');
}
