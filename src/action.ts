import type { Command } from 'commander';
import { type Context, createContext } from './context.ts';
import { UsageError } from './errors.ts';
import { formats } from './flags/formats.ts';
import type { GlobalOptions } from './flags/globals.ts';
import { exitCodeOf, printFailure } from './output/failures.ts';
import { chooseFormat, type Format, type OutputOptions } from './output/options.ts';
import { printReport } from './output/print.ts';
import type { Report } from './output/report.ts';
import { openStreams } from './output/streams.ts';
import type { Session } from './session.ts';
import type { Signal, System } from './system.ts';
import { issuesUrl } from './version.ts';

/** The work of one command: its own flags, the context, and its operands in order. */
export type Work<Options> = (options: Options, context: Context, operands: string[]) => Promise<Report>;

/** Joins a command's flags to its work: what commander calls when the command is named. */
export type Runner = <Options>(work: Work<Options>) => (...received: unknown[]) => Promise<void>;

/** One command line on its way from flags to exit code. */
export interface Action {
  readonly run: Runner;
  /** Prints help or the version. */
  say(text: string): Promise<void>;
  /** Tells what went wrong and answers with the exit code. Never throws. */
  fail(error: unknown): Promise<number>;
  /** Sends what is left to both streams and lets go of them; dies, where a command that heard a signal wants to. */
  release(): Promise<void>;
}

export function createAction(argv: readonly string[], system: System): Action {
  const output: Mutable<OutputOptions> = { format: guessFormat(argv) };
  const streams = openStreams(system, output);
  let profile: string | undefined;
  let death: Signal | undefined;
  let debug = argv.includes('--debug') || isSet(system.env.LINKCTL_DEBUG);

  return {
    run:
      (work) =>
      async (...received) => {
        const command = received.at(-1) as Command;
        const global = command.optsWithGlobals<GlobalOptions>();
        Object.assign(output, outputOptions(global, system.env));
        debug = global.debug ?? isSet(system.env.LINKCTL_DEBUG);
        const print = (report: Report) => printReport(report, output, streams);
        const opened = (session: Session): void => {
          profile = session.profile;
          output.format ??= session.defaults.output ?? undefined;
          output.colour ??= session.defaults.color ?? undefined;
        };
        const dieOf = (signal: Signal): void => {
          death = signal;
        };
        const context = createContext(global, system, streams, {
          print,
          opened,
          dieOf,
          format: () => chooseFormat(output, streams.terminal),
        });
        const whole = async (): Promise<void> => print(await work(command.opts() as never, context, command.args));
        try {
          await context.hold(whole());
        } finally {
          await context.close();
        }
      },
    say: (text) => printReport({ kind: 'text', text }, {}, streams),
    async fail(error) {
      await printFailure(error, { format: output.format, profile, debug, issues: issuesUrl }, streams);
      return exitCodeOf(error);
    },
    async release() {
      await streams.release();
      if (death) system.dieOf(death);
    },
  };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What flags and environment say about output (B17, B18, B36). Throws a UsageError. */
function outputOptions(global: GlobalOptions, env: System['env']): OutputOptions {
  if (global.json && global.output && global.output !== 'json') throw new UsageError('specify only one of --json or --output');
  return {
    format: global.json ? 'json' : (global.output ?? formatOf(env.LINKCTL_OUTPUT)),
    fields: global.fields?.split(',').map((name) => name.trim()),
    header: global.header,
    truncate: global.truncate,
    quiet: global.quiet,
    colour: global.color === false ? 'never' : global.color,
    progress: global.progress,
    formulaGuard: global.formulaGuard,
  };
}

function formatOf(text: string | undefined): Format | undefined {
  if (!text) return undefined;
  if ((formats as readonly string[]).includes(text)) return text as Format;
  throw new UsageError(`LINKCTL_OUTPUT: expected one of {${formats.join('|')}}, got ${JSON.stringify(text)}`);
}

/** The format in which a line that cannot be parsed hears so (B49). */
function guessFormat(argv: readonly string[]): Format | undefined {
  const words = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined);
  return words.includes('--json') || /(?:^|\n)(?:-o\n?|--output[=\n])jsonl?(?:\n|$)/.test(words.join('\n')) ? 'json' : undefined;
}

function isSet(text: string | undefined): boolean {
  return text !== undefined && text !== '' && text !== '0' && text !== 'false';
}
