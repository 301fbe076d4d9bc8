import { randomBytes } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import { fstatSync, openSync } from 'node:fs';
import { constants } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { isatty, ReadStream } from 'node:tty';
import { LocalError } from './errors.ts';
import { quoted } from './quoted.ts';

/** A stream that people or programs read: stdout or stderr. */
export interface OutputStream {
  readonly isTTY?: boolean;
  /** Columns of the terminal; 0 or absent is unknown (B24). */
  readonly columns?: number;
  /** The file descriptor, where the stream has one of its own. */
  readonly fd?: number;
  write(text: string, done?: (error?: Error | null) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
}

/** What people or programs give us on stdin. */
export interface InputStream extends Readable {
  readonly isTTY?: boolean;
  /** Absent where it is no file of the system. */
  readonly fd?: number;
  setRawMode?(raw: boolean): unknown;
}

export type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGUSR2' | 'SIGINFO';

/**
 * The outside world in one object. Nothing else in `src/` reads `process`, the clock or randomness; a test hands in its own.
 */
export interface System {
  readonly stdin: InputStream;
  /** Where a person types while stdin is read for something else, to be destroyed after; undefined where there is no terminal. */
  terminal(): InputStream | undefined;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** `process.version`, with the leading `v`. */
  readonly nodeVersion: string;
  readonly processId: number;
  /** Who owns the files that we make; absent where files have no such owner (Windows). */
  readonly userId?: number | undefined;
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Milliseconds that only grow, whatever is done to the clock; only differences mean something. */
  elapsed(): number;
  /** A number in [0, 1), for jitter; not for secrets. */
  random(): number;
  /** Bytes fit for secrets and identifiers. */
  randomBytes(count: number): Uint8Array;
  /** All addresses of a host name, as this computer finds them. */
  lookup(name: string): Promise<readonly LookupAddress[]>;
  /** Ends early, rejecting with the signal's reason, when the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Listens to a signal sent to this process; returns what stops listening. */
  onSignal(signal: Signal, listener: () => void): () => void;
  /** Dies of the signal with its default action, so that the shell sees it (B41). */
  dieOf(signal: Signal): void;
  /** Takes the arguments out of what `ps` shows of this process: a password is among them. */
  hideArguments(): void;
  /** What nobody caught, of ours or of a package (B48): it is reported, and the program ends at once with the code that `report` answers. */
  onCrash(report: (error: unknown) => Promise<number>): void;
}

/** The folders that belong to this program, absolute. A relative XDG value is ignored, as its specification says. */
interface Folders {
  /** Credentials and defaults. */
  readonly config: string;
  /** What can be fetched again. */
  readonly cache: string;
  /** Journals of bulk runs. */
  readonly state: string;
  /** The sandbox's links. */
  readonly data: string;
}

/** Nobody says where a folder is. */
export class NoFolderError extends LocalError {}

/** Each folder is found when it is asked for, and throws a `LocalError` then: most commands need none, or one. */
export function folders(system: Pick<System, 'env' | 'platform'>): Folders {
  const find = system.platform === 'win32' ? windowsFolder : xdgFolder;
  return {
    get config() {
      const own = system.env.LINKCTL_CONFIG_DIR;
      if (own && !isAbsolute(own)) throw new LocalError(`LINKCTL_CONFIG_DIR is not an absolute path: ${quoted(own)}`);
      return own || find('config', system);
    },
    get cache() {
      return find('cache', system);
    },
    get state() {
      return find('state', system);
    },
    get data() {
      return find('data', system);
    },
  };
}

/** Below the home folder, where no variable says another place. */
const xdgPlaces = { config: '.config', cache: '.cache', state: '.local/state', data: '.local/share' } as const;

function xdgFolder(name: keyof Folders, { env }: Pick<System, 'env'>): string {
  const variable = `XDG_${name.toUpperCase()}_HOME`;
  const value = env[variable];
  return value && isAbsolute(value)
    ? join(value, 'linkctl')
    : join(homeFolder(name, ['HOME', variable], env), xdgPlaces[name], 'linkctl');
}

function windowsFolder(name: keyof Folders, { env }: Pick<System, 'env'>): string {
  const [variable, place] = name === 'config' ? ['APPDATA', 'Roaming'] : ['LOCALAPPDATA', 'Local'];
  const base = env[variable] ?? join(homeFolder(name, ['USERPROFILE', variable], env), 'AppData', place);
  return name === 'config' ? join(base, 'linkctl') : join(base, 'linkctl', name);
}

/** The system's list of users is not asked: a service may run as one who has no entry there, or the entry of another. */
function homeFolder(name: keyof Folders, [variable, other]: readonly [string, string], env: System['env']): string {
  const home = env[variable] ?? '';
  if (isAbsolute(home)) return home;
  throw new NoFolderError(`the ${name} folder is unknown: neither ${variable} nor ${other} is an absolute path`, {
    hint: `set ${variable} to your home folder`,
  });
}

/** The variable that moves a folder elsewhere, for hints. */
export function folderVariable(folder: 'state' | 'data', { platform }: Pick<System, 'platform'>): string {
  return platform === 'win32' ? 'LOCALAPPDATA' : `XDG_${folder.toUpperCase()}_HOME`;
}

/** Whether a process with this id runs here, whoever owns it. */
export function processExists(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The real world. */
export function processSystem(): System {
  let terminal: InputStream | undefined;
  return {
    get stdin() {
      return process.stdin;
    },
    terminal: () => {
      if (!terminal || terminal.destroyed) terminal = openTerminal();
      return terminal;
    },
    stdout: lateStream(1, () => process.stdout),
    stderr: lateStream(2, () => process.stderr),
    env: process.env,
    platform: process.platform,
    nodeVersion: process.version,
    processId: process.pid,
    userId: process.getuid?.(),
    now: () => Date.now(),
    elapsed: () => performance.now(),
    random: () => Math.random(),
    randomBytes: (count) => randomBytes(count),
    lookup: async (name) => (await import('node:dns/promises')).lookup(name, { all: true }),
    sleep: (milliseconds, signal) => delay(milliseconds, undefined, signal ? { signal } : {}),
    onSignal: (signal, listener) => {
      process.on(signal, listener);
      return () => process.off(signal, listener);
    },
    dieOf: (signal) => {
      endRawMode();
      // Windows has no signals to die of: what it does instead ends with 1.
      if (process.platform === 'win32') process.exit(128 + constants.signals[signal as 'SIGINT']);
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    },
    hideArguments: () => {
      process.title = 'linkctl';
    },
    onCrash: (report) => {
      const end = (code = 1): never => {
        endRawMode();
        process.exit(code);
      };
      process.once('uncaughtException', (error) => {
        process.once('uncaughtException', () => end());
        report(error).then(end, () => end());
      });
    },
  };
}

function openTerminal(): InputStream | undefined {
  if (process.platform === 'win32') return undefined;
  try {
    return new ReadStream(openSync('/dev/tty', 'r'));
  } catch {
    return undefined;
  }
}

/** Opened when it is needed: that takes Node a millisecond or two, three for the first, and few command lines need both. */
function lateStream(fd: number, open: () => NodeJS.WriteStream): OutputStream {
  return {
    fd,
    get isTTY() {
      // Only what may be a terminal is asked whether it is one: `node:tty` takes its time to load.
      return fstatSync(fd).isCharacterDevice() && isatty(fd);
    },
    get columns() {
      return open().columns;
    },
    write: (text, done) => open().write(text, done),
    on: (event, listener) => open().on(event, listener),
    off: (event, listener) => open().off(event, listener),
  };
}

/** A terminal left raw would echo nothing for the next program. */
function endRawMode(): void {
  if (process.stdin.isRaw) process.stdin.setRawMode(false);
}
