import { CliError, exitCodes, messageOf } from '../base/errors.ts';
import { jsonText } from '../base/safe-text.ts';
import { type Format, isJson } from '../contract/formats.ts';
import type { Streams } from './streams.ts';
import { ClosedPipe } from './writer.ts';

export interface FailureOptions {
  readonly format?: Format | undefined;
  /** Profile of the command; part of the JSON error. */
  readonly profile?: string | undefined;
  /** Prints stack traces. */
  readonly debug?: boolean | undefined;
}

/** A closed pipe is no failure. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof ClosedPipe) return exitCodes.ok;
  return error instanceof CliError ? error.exitCode : exitCodes.failed;
}

/** Prints lines for people, or one line of JSON. */
export async function printFailure(error: unknown, options: FailureOptions, streams: Streams): Promise<void> {
  if (error instanceof ClosedPipe) return;
  const failure = asCliError(error, options);
  if (isJson(options.format)) {
    // As `lead`, because `text` is wrapped on a terminal.
    await streams.message('', failureJson(failure, options, error, streams));
    return;
  }
  if (failure.reported) return;
  await printError(failure, streams);
  if (options.debug) for (const line of stackOf(error)) await streams.message(line);
  if (failure.hint !== undefined) await printHint(failure.hint, streams);
}

/** Prints the error and its details, except those that are in `shown`; adds them. */
export async function printError(
  { message, apiCode, details }: CliError,
  streams: Streams,
  shown = new Set<string>(),
): Promise<void> {
  const { red } = await streams.paint('stderr');
  await streams.message(`${message}${codeMark(apiCode)}`, `${red('error:')} `);
  for (const line of details) {
    if (!shown.has(line)) await streams.message(line);
    shown.add(line);
  }
}

export async function printHint(hint: string, streams: Streams): Promise<void> {
  const text = hintText(hint, streams);
  if (!text) return;
  const { cyan } = await streams.paint('stderr');
  await streams.message(text, `${cyan('hint:')} `);
}

/** With commands that can be pasted. Undefined if it holds a secret: without it, a pasted command would do something else. */
function hintText(hint: string, streams: Streams): string | undefined {
  const text = streams.pasteable(hint);
  return streams.redacts(text) ? undefined : text;
}

/** Returns ` [API 1306]` with a leading space. */
export function codeMark(apiCode: number | undefined): string {
  return apiCode === undefined ? '' : ` [API ${apiCode}]`;
}

/** Any other error is a bug of linkctl and asks the user to report it. */
function asCliError(error: unknown, { debug }: FailureOptions): CliError {
  if (error instanceof CliError) return error;
  return new CliError('failed', `internal error: ${messageOf(error)}`, {
    details: ['this is a bug in linkctl; please report it'],
    hint: debug ? undefined : 'to see where it happened, run the same command with --debug',
  });
}

function failureJson(failure: CliError, { profile, debug }: FailureOptions, error: unknown, streams: Streams): string {
  const { exitCode: code, kind, apiCode: api_code, message, details, hint } = failure;
  return jsonText({
    error: {
      code,
      kind,
      api_code,
      message,
      details: details.length > 0 ? details : undefined,
      hint: hint && hintText(hint, streams),
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
