import { type CliError, InterruptedError } from '../base/errors.ts';
import type { EndingSignal, System } from '../base/system.ts';
import { type Format, isJson } from '../contract/formats.ts';
import type { GlobalOptions } from '../flags/globals.ts';
import type { Source } from '../input/source.ts';
import { exitCodeOf, printFailure } from '../output/failure-lines.ts';
import type { OutputOptions } from '../output/output-options.ts';
import { Streams } from '../output/streams.ts';

/** Everything that exists before the command line is parsed, so that parse errors can be printed. */
export interface Launch {
  readonly system: System;
  readonly streams: Streams;
  /** Filled in from the command line, the environment and the profile. */
  readonly output: { -readonly [K in keyof OutputOptions]: OutputOptions[K] };
  /** Parts of a printed failure besides its message. */
  readonly failure: { debug: boolean; profile?: string | undefined };
  /** `change` is set before a changing call is sent. From then on, the program waits for the command, which reports the outcome. */
  readonly sent: { change: boolean };
  /** After all output, this signal ends the process, as shells expect. Returns the failure to report. */
  dieOf(signal: EndingSignal): CliError;
  /** Prints a failure and returns the exit code. Never throws. */
  fail(error: unknown): Promise<number>;
  /** Flushes and closes both streams. */
  release(): Promise<void>;
}

/** Limits the time of one command (`--max-time`). */
export interface Deadline {
  /** Aborted at the deadline, with the failure as its reason; undefined without a limit. */
  readonly signal: AbortSignal | undefined;
  /**
   * Waits for `work`. At the deadline, unless `handlesEnd` returns true, calls are interrupted and fail with the deadline's error. Work that
   * changed nothing and waits for something else is abandoned a second later.
   */
  hold(work: Promise<void>, handlesEnd: () => boolean): Promise<void>;
}

/** A launch with parsed global flags. */
export interface Invocation extends Launch {
  readonly global: GlobalOptions;
  /** Milliseconds since 1970. Fixed at the start, so that all relative times of a command agree. */
  readonly now: number;
  /** Set if stdin is the input: answers are then read from the terminal itself. */
  readonly stdinIsInput: boolean;
  readonly deadline: Deadline;
  /** Ends calls at the deadline, and by a signal once a change was sent, unless the command listens for signals. */
  readonly calls: AbortSignal;
  /** Final only after the session is open. */
  format(): Format;
  /** Says that stdin is read, if it is a terminal; for a command that reads it without `openInput`. */
  announceInput(things: string): Promise<void>;
  /** Opens `-` or a path until the command ends; `things` names the content in messages, such as `URLs`. */
  openInput(operand: string, things: string, encoding?: string): Promise<Source>;
  /** Prints on stderr even with `-q`, but each line only once. */
  warn(...texts: readonly string[]): Promise<void>;
  /** Prints on stderr unless `-q` is given. */
  note(text: string): Promise<void>;
  /** From now on, signals go to `listener` instead of ending the command. */
  listenForSignals(listener: (signal: EndingSignal) => void): void;
  /** Registers clean-up; tasks run in reverse order, also after a failure. */
  atEnd(task: () => Promise<void>): void;
}

export function createLaunch(argv: readonly string[], system: System): Launch {
  const output: Launch['output'] = {};
  const failure: Launch['failure'] = { debug: argv.includes('--debug') || isSet(system.env.LINKCTL_DEBUG) };
  const streams = new Streams(system, output);
  let death: EndingSignal | undefined;
  return {
    system,
    streams,
    output,
    failure,
    sent: { change: false },
    dieOf(signal) {
      death = signal;
      return new InterruptedError(signal);
    },
    async fail(error) {
      const format = output.format ?? (await formatOfFailure(argv, system));
      await printFailure(error, { ...failure, format }, streams);
      return exitCodeOf(error);
    },
    async release() {
      await streams.release();
      if (death) system.dieOf(death);
    },
  };
}

/** A file of the program that is missing must not hide the failure. */
async function formatOfFailure(argv: readonly string[], system: System): Promise<Format | undefined> {
  const found = import('./failure-format.ts').then(({ failureFormat }) => failureFormat(argv, system));
  return await found.catch(() => undefined);
}

/** `table` from a profile or variable is the terminal's default anyway; only `-o table` asks for the rows of a run. */
export function explicitFormat(format: Format | undefined, { terminal }: Pick<Streams, 'terminal'>): Format | undefined {
  return format === 'table' && terminal ? undefined : format;
}

/** False with `--fields` or JSON, where the user decides about the fields. */
export function showsDefaultFields({ global, format }: Invocation): boolean {
  return global.fields === undefined && !isJson(format());
}

export function isSet(text: string | undefined): boolean {
  return text !== undefined && text !== '' && text !== '0' && text !== 'false';
}
