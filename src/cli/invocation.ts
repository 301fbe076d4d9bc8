import type { Signal, System } from '../base/system.ts';
import { type Format, isJson } from '../contract/formats.ts';
import type { GlobalOptions } from '../flags/globals.ts';
import type { Source } from '../input/source.ts';
import { exitCodeOf, printFailure } from '../output/failures.ts';
import type { OutputOptions } from '../output/options.ts';
import { Streams } from '../output/streams.ts';
import type { Deadline } from './deadline.ts';

/** One run of the program before its command line is read: enough to say why that failed. */
export interface Launch {
  readonly system: System;
  readonly streams: Streams;
  /** What is known about output so far: from the command line, the environment and the profile. */
  readonly output: { -readonly [K in keyof OutputOptions]: OutputOptions[K] };
  /** What a failure shows beside its message (B48, B49). */
  readonly failure: { debug: boolean; profile?: string | undefined };
  /** `change`: a call that changes something was sent, or is about to be. */
  readonly sent: { change: boolean };
  /** Prints help, the version or completions. */
  say(text: string): Promise<void>;
  /** The program dies of this signal, as the shell expects, when everything is printed (B41). */
  dieOf(signal: Signal): void;
  /** Prints a failure and answers with the exit code. Never throws. */
  fail(error: unknown): Promise<number>;
  /** Sends what is left to both streams and closes them. */
  release(): Promise<void>;
}

/** One run of the program when its flags are read: what a command works with besides its own flags and operands. */
export interface Invocation extends Launch {
  readonly global: GlobalOptions;
  /** When the command began, in milliseconds since 1970: whatever it counts from now, or from today, it counts from the same moment. */
  readonly now: number;
  /** stdin is the input of the command: whoever answers a question types on the terminal itself (B56). */
  readonly stdinIsInput: boolean;
  /** `--max-time`: calls end with it, unless the command listens for signals. */
  readonly deadline: Deadline;
  /** The format of the output; known when the session is open. */
  format(): Format;
  /** Opens what `-` or a path names (B39, B42) until the command ends; `things` are what it holds: `URLs`. */
  openInput(operand: string, things: string, encoding?: string): Promise<Source>;
  /** Lines for people on stderr that `-q` does not silence; the same line only once. */
  warn(...texts: readonly string[]): Promise<void>;
  /** A line for people on stderr, not with `-q`. */
  note(text: string): Promise<void>;
  /** From now on signals go to the command and no longer end it at once. Answers with what ends that. */
  listenForSignals(listener: (signal: Signal) => void): () => void;
  /** Something to clear away when the command ends, however it ends; the last comes first. */
  atEnd(task: () => Promise<void>): void;
}

export function createLaunch(argv: readonly string[], system: System): Launch {
  const output = { format: guessFormat(argv) };
  const failure: Launch['failure'] = { debug: argv.includes('--debug') || isSet(system.env.LINKCTL_DEBUG) };
  const streams = new Streams(system, output);
  let death: Signal | undefined;
  return {
    system,
    streams,
    output,
    failure,
    sent: { change: false },
    say: (text) => streams.print(text),
    dieOf(signal) {
      death = signal;
    },
    async fail(error) {
      await printFailure(error, { ...failure, format: output.format }, streams);
      return exitCodeOf(error);
    },
    async release() {
      await streams.release();
      if (death) system.dieOf(death);
    },
  };
}

/** The format in which the failure of a line that cannot be parsed is printed (B49). */
function guessFormat(argv: readonly string[]): Format | undefined {
  const words = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined);
  return words.includes('--json') || /(?:^|\n)(?:-o\n?|--output[=\n])jsonl?(?:\n|$)/.test(words.join('\n')) ? 'json' : undefined;
}

/** On a terminal, `table` as the default of a profile or variable asks for nothing; `-o table` asks for the rows of a run (B26). */
export function usualFormat(format: Format | undefined, { terminal }: Pick<Streams, 'terminal'>): Format | undefined {
  return format === 'table' && terminal ? undefined : format;
}

/** Whether rows are shown with the fields that the command chooses: not `--fields`, and no JSON, which holds them all. */
export function showsDefaultFields({ global, format }: Invocation): boolean {
  return global.fields === undefined && !isJson(format());
}

/** Whether an environment variable switches something on. */
export function isSet(text: string | undefined): boolean {
  return text !== undefined && text !== '' && text !== '0' && text !== 'false';
}
