import { CliError, exitCodes, messageOf } from '../base/errors.ts';
import { type Format, isJson } from '../contract/formats.ts';
import { jsonText } from './formats/json.ts';
import type { Streams } from './streams.ts';
import { ClosedPipe } from './writer.ts';

export interface FailureOptions {
  readonly format?: Format | undefined;
  /** The profile that the command uses, for programs (B49). */
  readonly profile?: string | undefined;
  /** Shows stack traces (B48). */
  readonly debug?: boolean | undefined;
}

/** The exit code of whatever ended a command. A closed pipe is no failure (B40). */
export function exitCodeOf(error: unknown): number {
  if (error instanceof ClosedPipe) return exitCodes.ok;
  return error instanceof CliError ? error.exitCode : exitCodes.failed;
}

/** Says on stderr why a command failed: as lines for people (B45), or as one line of JSON (B49). */
export async function printFailure(error: unknown, options: FailureOptions, streams: Streams): Promise<void> {
  if (error instanceof ClosedPipe) return;
  const failure = foreseen(error, options);
  if (isJson(options.format)) {
    await streams.message(failureJson(failure, options, error));
    return;
  }
  if (failure.reported) return;
  await printError(failure, streams);
  for (const line of failure.details) await streams.message(line);
  if (options.debug) for (const line of stackOf(error)) await streams.message(line);
  if (failure.hint !== undefined) await printHint(failure.hint, streams);
}

export async function printError({ message, apiCode }: CliError, streams: Streams): Promise<void> {
  const { red } = await streams.paint('stderr');
  await streams.message(`${message}${codeMark(apiCode)}`, `${red('error:')} `);
}

export async function printHint(hint: string, streams: Streams): Promise<void> {
  const { cyan } = await streams.paint('stderr');
  await streams.message(hint, `${cyan('hint:')} `);
}

/** `[API 1306]`, with a blank before it. */
export function codeMark(apiCode: number | undefined): string {
  return apiCode === undefined ? '' : ` [API ${apiCode}]`;
}

/** A bug of ours as a failure like the others (B48). */
function foreseen(error: unknown, { debug }: FailureOptions): CliError {
  if (error instanceof CliError) return error;
  return new CliError('failed', `internal error: ${messageOf(error)}`, {
    details: ['this is a bug in linkctl; please report it'],
    hint: debug ? undefined : 'to see where it happened, run the same command with --debug',
  });
}

function failureJson(failure: CliError, { profile, debug }: FailureOptions, error: unknown): string {
  const { exitCode: code, kind, apiCode: api_code, message, details, hint } = failure;
  return jsonText({
    error: {
      code,
      kind,
      api_code,
      message,
      details: details.length > 0 ? details : undefined,
      hint,
      profile,
      stack: debug ? stackOf(error) : undefined,
    },
  });
}

function stackOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const cause = error.cause === undefined ? [] : stackOf(error.cause);
  const [first = '', ...others] = (error.stack ?? error.message).split('\n');
  return [first, ...others, ...cause.map((line, index) => (index === 0 ? `caused by ${line}` : line))];
}
