import type { Signal, System } from '../base/system.ts';
import { issuesUrl } from '../base/version.ts';
import type { Format } from '../contract/formats.ts';
import { exitCodeOf, printFailure } from '../output/failures.ts';
import type { OutputOptions } from '../output/options.ts';
import type { Report } from '../output/report.ts';
import { openStreams, type Streams } from '../output/streams.ts';
import type { Context } from './context.ts';

/** The work of one command: its own flags, the context, and its operands in order. */
export type Work<Options> = (options: Options, context: Context, operands: string[]) => Promise<Report>;

/** Joins a command's flags to its work: what commander calls when the command is named. */
export type Runner = <Options>(work: Work<Options>) => (...received: unknown[]) => Promise<void>;

/** One command line on its way from flags to exit code: what is needed of it before any command is loaded. */
export interface Action {
  readonly system: System;
  readonly streams: Streams;
  /** What becomes known while the flags are read and the session is opened. */
  readonly found: Found;
  /** Prints help or the version. */
  say(text: string): Promise<void>;
  /** Tells what went wrong and answers with the exit code. Never throws. */
  fail(error: unknown): Promise<number>;
  /** Sends what is left to both streams and lets go of them; dies, where a command that heard a signal wants to. */
  release(): Promise<void>;
}

export interface Found {
  readonly output: { -readonly [K in keyof OutputOptions]: OutputOptions[K] };
  debug: boolean;
  /** For a failure that programs read (B49). */
  profile?: string | undefined;
  /** What a command that heard a signal dies of in the end. */
  death?: Signal;
}

export function createAction(argv: readonly string[], system: System): Action {
  const found: Found = {
    output: { format: guessFormat(argv) },
    debug: argv.includes('--debug') || isSet(system.env.LINKCTL_DEBUG),
  };
  const streams = openStreams(system, found.output);
  return {
    system,
    streams,
    found,
    say: streams.say,
    async fail(error) {
      const { output, profile, debug } = found;
      await printFailure(error, { format: output.format, profile, debug, issues: issuesUrl }, streams);
      return exitCodeOf(error);
    },
    async release() {
      await streams.release();
      if (found.death) system.dieOf(found.death);
    },
  };
}

/** The format in which a line that cannot be parsed hears so (B49). */
function guessFormat(argv: readonly string[]): Format | undefined {
  const words = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined);
  return words.includes('--json') || /(?:^|\n)(?:-o\n?|--output[=\n])jsonl?(?:\n|$)/.test(words.join('\n')) ? 'json' : undefined;
}

/** Whether an environment variable switches something on. */
export function isSet(text: string | undefined): boolean {
  return text !== undefined && text !== '' && text !== '0' && text !== 'false';
}
