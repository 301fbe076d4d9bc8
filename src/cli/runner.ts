import type { Command } from 'commander';
import { InterruptedError, UsageError } from '../base/errors.ts';
import { type EndingSignal, folders } from '../base/system.ts';
import { type Format, formats, isFormat, markdown } from '../contract/formats.ts';
import type { GlobalOptions } from '../flags/globals.ts';
import { typedLine } from '../help/command-tree.ts';
import { descriptionOf, refusedFlags } from '../help/description.ts';
import { chooseFormat, type OutputOptions } from '../output/output-options.ts';
import { printReport } from '../output/print.ts';
import { withTypedAccount } from '../output/printed-commands.ts';
import { chooseColumns, type Report } from '../output/report.ts';
import { type Deadline, explicitFormat, type Invocation, isSet, type Launch } from './invocation.ts';

export type Work<Options extends object> = (options: Options, invocation: Invocation, operands: string[]) => Promise<Report>;

/** Returns the action that commander calls for a command. */
export type Runner = <Options extends object>(work: Work<Options>) => (this: Command) => Promise<void>;

/** Runs the command, prints its report and cleans up. */
export function createRunner(start: Launch): Runner {
  return <Options extends object>(work: Work<Options>) =>
    async function (this: Command) {
      const { invocation, hold, close } = await begin(start, this);
      const { output, streams } = invocation;
      const whole = async (): Promise<void> =>
        printReport(await work(this.opts<Options>(), invocation, this.args), output, streams);
      try {
        await hold(whole());
      } catch (error) {
        // The original error matters more than a failed clean-up.
        await close().catch(() => undefined);
        throw error;
      }
      await close();
    };
}

const noDeadline: Deadline = {
  signal: undefined,
  hold: (work) => work,
};

interface StartedCommand {
  readonly invocation: Invocation;
  /** Ends the work at the deadline. */
  hold(work: Promise<void>): Promise<void>;
  /** Runs all clean-up tasks, then throws their first failure. */
  close(): Promise<void>;
}

async function begin(start: Launch, command: Command): Promise<StartedCommand> {
  const { system, streams, output, failure } = start;
  const global = command.optsWithGlobals<GlobalOptions>();
  if (global.output === markdown && !withMarkdown.has(command.name())) {
    throw new UsageError(`-o markdown applies only to ${[...withMarkdown].join(' and ')}`);
  }
  Object.assign(output, outputOptions(global, start));
  const description = descriptionOf(command);
  const { fields, refusesDomain } = description;
  // A dry run shows other fields, and changes nothing that a failure could hide.
  const typedFields = global.dryRun ? undefined : output.fields;
  const given = { '--dry-run': global.dryRun, '--domain': global.domain, '--fields': typedFields };
  const refused = refusedFlags(description).find((flag) => given[flag]);
  if (refused) {
    const reason = refused === '--domain' ? `: ${refusesDomain}` : '';
    throw new UsageError(`${refused} does not apply to ${typedLine(command)}${reason}`);
  }
  if (typedFields && fields) chooseColumns(fields, typedFields);
  streams.pasteable = (text) => withTypedAccount(text, { ...global, domain: global.domain?.at(-1) });
  failure.debug = global.debug ?? isSet(system.env.LINKCTL_DEBUG);
  const { file, hashesFrom } = command.opts<{ file?: string; hashesFrom?: string }>();
  const calls = new AbortController();
  const signals = watchSignals(start, calls);
  const { maxTime } = global;
  const deadline = maxTime === undefined ? noDeadline : (await import('./time-limit.ts')).deadlineAfter(maxTime, start, calls);
  const { atEnd, clearAway } = createEnd();
  const warned = new Set<string>();
  const announceInput = async (things: string): Promise<void> => {
    if (system.stdin.isTTY) await streams.message(`reading ${things} from the terminal; end with Ctrl-D`);
  };
  const invocation: Invocation = {
    ...start,
    global,
    now: system.now(),
    stdinIsInput: [file, hashesFrom].includes('-'),
    deadline,
    calls: calls.signal,
    format: () => chooseFormat(output, streams.terminal),
    async warn(...texts) {
      for (const text of texts) {
        if (warned.has(text)) continue;
        warned.add(text);
        await streams.note(`warning: ${text}`);
      }
    },
    note: async (text) => (global.quiet ? undefined : streams.note(text)),
    announceInput,
    async openInput(operand, things, encoding) {
      const { openSource } = await import('../input/source.ts');
      const onTerminal = () => void announceInput(things);
      const source = await openSource(operand, { system, folder: folders(system).state, onTerminal, encoding });
      atEnd(async () => source.discard());
      return source;
    },
    listenForSignals: signals.listen,
    atEnd,
  };
  const close = async (): Promise<void> => {
    await clearAway();
    // A command that listens has recorded its results, so a late signal must not change the exit.
    if (!signals.isListening()) signals.end();
  };
  return { invocation, hold: (work) => deadline.hold(work, signals.isListening).catch(signals.fail), close };
}

/** Tasks run in reverse order, and a failure does not stop the others. */
function createEnd(): { clearAway(): Promise<void>; readonly atEnd: Invocation['atEnd'] } {
  const tasks: (() => Promise<void>)[] = [];
  let isOver = false;
  const clearAway = async (): Promise<void> => {
    isOver = true;
    const ends: PromiseSettledResult<void>[] = [];
    for (let task = tasks.pop(); task; task = tasks.pop()) ends.push(...(await Promise.allSettled([task()])));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  };
  return {
    clearAway,
    atEnd(task) {
      tasks.push(task);
      // Abandoned work may still open something after the end.
      if (isOver) void clearAway().catch(() => undefined);
    },
  };
}

/** Commands whose plans can be posted as a pull request comment. */
const withMarkdown: ReadonlySet<string> = new Set(['diff', 'apply']);

/** Throws a UsageError for invalid or contradictory formats. */
function outputOptions(global: GlobalOptions, { system, streams }: Launch): OutputOptions {
  if (global.json && global.output && global.output !== 'json') throw new UsageError('specify only one of --json or --output');
  const fromEnvironment = explicitFormat(formatOf(system.env.LINKCTL_OUTPUT), streams);
  const given = global.output === markdown ? 'table' : (global.output ?? fromEnvironment);
  return {
    format: global.json ? 'json' : given,
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
  if (isFormat(text)) return text;
  throw new UsageError(`LINKCTL_OUTPUT: expected one of {${formats.join('|')}}, got ${JSON.stringify(text)}`);
}

interface SignalWatch {
  /** From now on, signals go to `listener`. */
  listen(listener: (signal: EndingSignal) => void): void;
  isListening(): boolean;
  /** Throws the failure to report. A signal that ended the calls comes before it, but not before an unknown outcome or a local failure. */
  fail(error: unknown): never;
  end(): void;
}

/**
 * A signal ends a command at once with a message, unless the command listens. Once a change was sent, the first signal only ends the calls, so
 * that the command reports the outcome.
 */
function watchSignals({ system, streams, sent, dieOf }: Launch, calls: AbortController): SignalWatch {
  let listener: ((signal: EndingSignal) => void) | undefined;
  let caught: EndingSignal | undefined;
  const listen = (signal: EndingSignal): void => {
    const die = (): void => system.dieOf(signal);
    if (sent.change) streams.hurry(new InterruptedError(signal));
    if (listener) listener(signal);
    else if (caught) die();
    else {
      caught = signal;
      const written = streams.messageNow('interrupted');
      if (sent.change) calls.abort();
      else written.then(die, die);
    }
  };
  const stops = [
    ...(['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => system.onSignal(signal, () => listen(signal))),
    // Ctrl-T sends SIGINFO on BSD and macOS; other systems have no such signal.
    ...(['SIGUSR2', 'SIGINFO'] as const).map((signal) => system.onSignal(signal, () => streams.progress.status())),
  ];
  return {
    listen(next) {
      listener = next;
    },
    isListening: () => listener !== undefined,
    fail(error) {
      const { kind } = Object(error);
      throw caught && kind !== 'unknown' && kind !== 'local' ? dieOf(caught) : error;
    },
    end: () => stops.forEach((stop) => void stop()),
  };
}
