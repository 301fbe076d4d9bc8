import type { Command } from 'commander';
import type { Client } from './client/client.ts';
import { startDeadline } from './deadline.ts';
import { UsageError } from './errors.ts';
import { formats } from './flags/formats.ts';
import type { GlobalOptions } from './flags/globals.ts';
import type { Source } from './input/source.ts';
import { exitCodeOf, printFailure } from './output/failures.ts';
import { chooseFormat, type Format, type OutputOptions } from './output/options.ts';
import { printReport } from './output/print.ts';
import type { Report } from './output/report.ts';
import { openStreams, type Streams } from './output/streams.ts';
import type { Account, Session, SessionHooks } from './session.ts';
import { folders, type Signal, type System } from './system.ts';
import { issuesUrl } from './version.ts';

/** What a command works with besides its own flags and operands. */
export interface Context {
  readonly system: System;
  readonly global: GlobalOptions;
  readonly streams: Streams;
  /** Whom we talk to, opened when first asked for and closed when the command ends. */
  session(): Promise<Session>;
  /** A client for an account that is not stored yet; whoever asks closes it. */
  connect(account: Account): Promise<Client>;
  /** The format in force; to be asked for when the session is open. */
  format(): Format;
  /** Prints before the command is over, for one that then goes on: `serve`. */
  print(report: Report): Promise<void>;
  /** A line for people on stderr that `-q` does not silence; the same one is told once. */
  warn(text: string): Promise<void>;
  /** A line for people on stderr, not with `-q`. */
  note(text: string): Promise<void>;
  /** From now on the command itself hears of signals; they no longer end it at once (R-18). Answers with what gives them back. */
  hearSignals(listener: (signal: Signal) => void): () => void;
  /** The program dies of this signal, as the shell expects, when everything is told (B41). */
  dieOf(signal: Signal): void;
  /** What is to be cleared away when the command ends, however it ends. */
  atEnd(task: () => Promise<void>): void;
  /** Aborted when `--max-time` is over; the reason is the failure to end with. Calls that have no signal of their own end by it. */
  readonly deadline: AbortSignal;
}

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

/** Opens what `-` or a path names (B39, B42) until the command ends; `things` are what it holds: `URLs`. */
export async function openInput(operand: string, things: string, { system, streams, atEnd }: Context): Promise<Source> {
  const { openSource } = await import('./input/source.ts');
  const source = await openSource(operand, {
    system,
    spoolFolder: folders(system).state,
    onTerminal: () => void streams.tell(`reading ${things} from the terminal; end with Ctrl-D`),
  });
  atEnd(() => source.discard());
  return source;
}

/** Tag selections act on all domains and the server ignores `domain` (4.1.7): one that was named is refused, never ignored. */
export async function refuseDomain(session: Session, { warn }: Context): Promise<void> {
  if (session.domainNamed) {
    throw new UsageError(
      'specify only one of --domain or --by-tags: tag selections act on all domains, the server ignores domain',
    );
  }
  if (session.domain !== undefined) await warn(`tag selections act on all domains, not on ${session.domain} alone`);
}

/** Whose links a question is about (B58): `profile "work" on api.example.com`, with the working domain where there is one. */
export function whereabouts({ client: { identity }, domain }: Pick<Session, 'client' | 'domain'>): string {
  const { profile, username, host } = identity;
  const account = profile === undefined ? `account "${username}"` : `profile "${profile}"`;
  return `${account} on ${host}${domain === undefined ? '' : `, domain ${domain}`}`;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface OpenContext extends Context {
  hold(work: Promise<void>): Promise<void>;
  close(): Promise<void>;
}

function createContext(
  global: GlobalOptions,
  system: System,
  streams: Streams,
  { print, opened, dieOf, format }: Pick<Context, 'print' | 'dieOf' | 'format'> & { opened(session: Session): void },
): OpenContext {
  let session: Promise<Session> | undefined;
  const tasks: (() => Promise<void>)[] = [];
  const watch = watchSignals(system, streams);
  const deadline = startDeadline(global.maxTime, system);
  const told = new Set<string>();
  const warn = async (text: string): Promise<void> => {
    if (told.size < told.add(text).size) await streams.tell(text, 'warning: ');
  };
  const trace = (text: string) => streams.tell(text);
  const note = async (text: string) => (global.quiet ? undefined : streams.tell(text));
  const hooks: SessionHooks = {
    system,
    warn,
    note,
    trace,
    redactWith: streams.redactWith,
    terminal: () => streams.watched,
    deadline: deadline.signal,
  };
  const open = async (): Promise<Session> => {
    const { openSession } = await import('./session.ts');
    const one = await openSession(global, hooks);
    opened(one);
    return one;
  };
  return {
    system,
    global,
    streams,
    print,
    warn,
    note,
    hearSignals: watch.hear,
    dieOf,
    format,
    atEnd: (task) => void tasks.push(task),
    deadline: deadline.signal,
    hold: (work) => deadline.hold(work, watch.isHeard),
    connect: async (account) => (await import('./session.ts')).connect(account, global, hooks),
    session() {
      session ??= open();
      return session;
    },
    async close() {
      watch.end();
      deadline.release();
      for (const task of tasks) await task();
      await (await session?.catch(() => undefined))?.close();
    },
  };
}

interface SignalWatch {
  readonly hear: Context['hearSignals'];
  isHeard(): boolean;
  end(): void;
}

/** Ctrl-C and its like end a command at once, with a word (B41), unless the command hears them itself. */
function watchSignals(system: System, streams: Streams): SignalWatch {
  let heard: ((signal: Signal) => void) | undefined;
  let isDying = false;
  const hear = (signal: Signal): void => {
    const die = (): void => system.dieOf(signal);
    if (heard) heard(signal);
    else if (isDying) die();
    else {
      isDying = true;
      streams.interject('interrupted').then(die, die);
    }
  };
  const stops = [
    ...(['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => system.onSignal(signal, () => hear(signal))),
    // B89. Ctrl-T on BSD and macOS; elsewhere nobody sends SIGINFO.
    ...(['SIGUSR2', 'SIGINFO'] as const).map((signal) => system.onSignal(signal, () => streams.progress.status())),
  ];
  return {
    hear(listener) {
      heard = listener;
      return () => {
        heard = undefined;
      };
    },
    isHeard: () => heard !== undefined,
    end: () => {
      for (const stop of stops) stop();
    },
  };
}

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
