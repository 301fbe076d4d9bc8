import type { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import type { Signal, System } from '../base/system.ts';
import { type Format, formats, isFormat } from '../contract/formats.ts';
import type { GlobalOptions } from '../flags/globals.ts';
import { chooseFormat, type OutputOptions } from '../output/options.ts';
import { printReport } from '../output/print.ts';
import type { Report } from '../output/report.ts';
import type { Streams } from '../output/streams.ts';
import { type Action, isSet, type Runner } from './action.ts';
import { createContext } from './context.ts';
import type { Session } from './session.ts';

/** Runs the command that a line names, in a context of its own, and prints what it reports. */
export function createRunner({ system, streams, found }: Action): Runner {
  const { output } = found;
  const print = (report: Report) => printReport(report, output, streams);
  const opened = (session: Session): void => {
    found.profile = session.profile;
    output.format ??= usual(session.defaults.output ?? undefined, streams);
    output.colour ??= session.defaults.color ?? undefined;
  };
  const dieOf = (signal: Signal): void => {
    found.death = signal;
  };
  const format = (): Format => chooseFormat(output, streams.terminal);
  return (work) =>
    async (...received) => {
      const command = received.at(-1) as Command;
      const global = command.optsWithGlobals<GlobalOptions>();
      Object.assign(output, outputOptions(global, system.env, streams));
      found.debug = global.debug ?? isSet(system.env.LINKCTL_DEBUG);
      const context = createContext(global, system, streams, { print, opened, dieOf, format });
      const whole = async (): Promise<void> => print(await work(command.opts() as never, context, command.args));
      try {
        await context.hold(whole());
      } catch (error) {
        // Why it failed matters more than what could not be cleared away then (D42).
        await context.close().catch(() => undefined);
        throw error;
      }
      await context.close();
    };
}

/** What flags and environment say about output (B17, B18, B36). Throws a UsageError. */
function outputOptions(global: GlobalOptions, env: System['env'], streams: Streams): OutputOptions {
  if (global.json && global.output && global.output !== 'json') throw new UsageError('specify only one of --json or --output');
  return {
    format: global.json ? 'json' : (global.output ?? usual(formatOf(env.LINKCTL_OUTPUT), streams)),
    fields: global.fields?.split(',').map((name) => name.trim()),
    header: global.header,
    truncate: global.truncate,
    quiet: global.quiet,
    colour: global.color === false ? 'never' : global.color,
    progress: global.progress,
    formulaGuard: global.formulaGuard,
  };
}

/** A terminal has tables anyway: as the usual format they ask for nothing more, unlike those of `-o` (B26). */
function usual(format: Format | undefined, { terminal }: Streams): Format | undefined {
  return format === 'table' && terminal ? undefined : format;
}

function formatOf(text: string | undefined): Format | undefined {
  if (!text) return undefined;
  if (isFormat(text)) return text;
  throw new UsageError(`LINKCTL_OUTPUT: expected one of {${formats.join('|')}}, got ${JSON.stringify(text)}`);
}
