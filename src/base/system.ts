import { randomBytes } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import { closeSync, fstatSync, openSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { isatty, ReadStream } from 'node:tty';
import { LocalError, orElse, signalCodes } from './errors.ts';
import { quoted } from './quoted.ts';

export interface OutputStream {
  readonly isTTY?: boolean;
  /** 0 or undefined if unknown. */
  readonly columns?: number;
  readonly fd?: number;
  write(text: string, done?: (error?: Error | null) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
}

export interface InputStream extends Readable {
  readonly isTTY?: boolean;
  /** Undefined if the stream has no file descriptor. */
  readonly fd?: number;
  setRawMode?(raw: boolean): unknown;
}

/** Signals that end a command. */
export type EndingSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export type Signal = EndingSignal | 'SIGUSR2' | 'SIGINFO';

/** All access to the outside world. Nothing else in `src/` reads `process`, the clock or randomness, so tests can replace it. */
export interface System {
  readonly stdin: InputStream;
  /** Opens the terminal while stdin is used for other input; the caller destroys it. Undefined without a terminal. */
  terminal(): InputStream | undefined;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** `process.version` with its leading `v`. */
  readonly nodeVersion: string;
  readonly processId: number;
  /** Owner of new files; undefined on Windows. */
  readonly userId?: number | undefined;
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Monotonic milliseconds; only differences are meaningful. */
  elapsed(): number;
  /** In [0, 1), for jitter; not for secrets. */
  random(): number;
  /** Suitable for secrets. */
  randomBytes(count: number): Uint8Array;
  /** Resolves a host name to all its addresses. */
  lookup(name: string): Promise<readonly LookupAddress[]>;
  /** Rejects early with the signal's reason if the signal aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Returns a function that removes the listener. */
  onSignal(signal: Signal, listener: () => void): () => void;
  /** Dies of the signal, so that the shell sees it. */
  dieOf(signal: EndingSignal): void;
  /** Hides the arguments from `ps`, because they contain a password. */
  hideArguments(): void;
  /** Reports an uncaught error and ends the process with the exit code that `report` returns. */
  onCrash(report: (error: unknown) => Promise<number>): void;
}

/** Absolute paths. A relative XDG value is ignored, as its specification demands. */
interface Folders {
  /** Credentials and defaults. */
  readonly config: string;
  /** Data that can be fetched again. */
  readonly cache: string;
  /** Records of runs. */
  readonly state: string;
  /** Links of the sandbox. */
  readonly data: string;
}

export class NoFolderError extends LocalError {}

/** Each getter throws a `LocalError` if the folder is unknown: most commands need none or one of them. */
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

/** The file of profiles. Throws like `folders`. */
export function configPath(system: Pick<System, 'env' | 'platform'>): string {
  return join(folders(system).config, 'config.json');
}

/** Defaults below the home folder. */
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

/** Does not ask the user database: a service may have no entry there, or a wrong one. */
function homeFolder(name: keyof Folders, [variable, other]: readonly [string, string], env: System['env']): string {
  const home = env[variable] ?? '';
  if (isAbsolute(home)) return home;
  throw new NoFolderError(`the ${name} folder is unknown: neither ${variable} nor ${other} is an absolute path`, {
    hint: `set ${variable} to your home folder`,
  });
}

/** Hints name this variable, which moves the data folder. */
export function dataVariable({ platform }: Pick<System, 'platform'>): string {
  return platform === 'win32' ? 'LOCALAPPDATA' : 'XDG_DATA_HOME';
}

/** True also for processes of other users. */
export function processExists(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

interface ProcessSystem extends System {
  /** Ends the process, whether its terminal is still there or not. */
  exit(code: number): never;
}

export function processSystem(): ProcessSystem {
  let terminal: InputStream | undefined;
  let isListening = false;
  const exit = (code: number): never => {
    // What never listened for a signal did not run long enough to outlive its terminal.
    if (isListening) closeLostTerminals();
    process.exit(code);
  };
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
    // `performance` would load a module of Node for this alone.
    elapsed: () => Number(process.hrtime.bigint()) / 1e6,
    random: () => Math.random(),
    randomBytes: (count) => randomBytes(count),
    lookup: async (name) => (await import('node:dns/promises')).lookup(name, { all: true }),
    sleep: (milliseconds, signal) => delay(milliseconds, undefined, signal ? { signal } : {}),
    onSignal: (signal, listener) => {
      isListening = true;
      process.on(signal, listener);
      return () => process.off(signal, listener);
    },
    dieOf: (signal) => {
      endRawMode();
      // Windows has no signals to die of, so the exit code stands for it.
      if (process.platform === 'win32') process.exit(signalCodes[signal]);
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    },
    hideArguments: () => {
      process.title = 'linkctl';
    },
    onCrash: (report) => {
      const end = (code = 1): never => {
        endRawMode();
        return exit(code);
      };
      process.once('uncaughtException', (error) => {
        process.once('uncaughtException', () => end());
        report(error).then(end, () => end());
      });
    },
    exit,
  };
}

function openTerminal(): InputStream | undefined {
  if (process.platform === 'win32') return undefined;
  return orElse(() => new ReadStream(openSync('/dev/tty', 'r')), undefined);
}

/** Node takes up to three milliseconds to open a stream, so it is opened on first use. */
function lateStream(fd: number, open: () => NodeJS.WriteStream): OutputStream {
  let isTTY = true;
  return {
    fd,
    // A terminal can go away; nothing else becomes one.
    get isTTY() {
      isTTY &&= isTerminal(fd);
      return isTTY;
    },
    get columns() {
      return open().columns;
    },
    write: (text, done) => open().write(text, done),
    on: (event, listener) => open().on(event, listener),
    off: (event, listener) => open().off(event, listener),
  };
}

function isTerminal(fd: number): boolean {
  return isDevice(fd) && isatty(fd);
}

/** `node:tty` takes time to load, so a file, a pipe and the null device are recognized first. */
function isDevice(fd: number): boolean {
  const file = fstatSync(fd);
  return file.isCharacterDevice() && file.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}

/** At its end Node restores the terminals that it started with, and crashes if one is gone. It ignores closed streams. */
function closeLostTerminals(): void {
  for (const fd of [0, 1, 2]) {
    if (orElse(() => isDevice(fd) && !isatty(fd), false)) closeSync(fd);
  }
}

/** A terminal in raw mode would not echo input for the next program. */
function endRawMode(): void {
  if (process.stdin.isRaw) process.stdin.setRawMode(false);
}
