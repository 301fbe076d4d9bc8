import { errorTraits } from '../../contract/errors.ts';
import type { OperationName } from '../../contract/operations.ts';
import type { Envelope, ErrorRecord } from '../../contract/records.ts';
import { parseUrl } from '../../contract/web-address.ts';
import { type ApiMessage, apiMessage, refusedCredentials, serverWords } from '../api-messages.ts';
import type { Attempted } from '../call/retry.ts';
import type { CallOutcome, Fault } from '../call-error.ts';
import type { Answer } from '../client-options.ts';
import type { WireAnswer, WireFailure } from '../http/transport.ts';
import type { Subject } from '../subject.ts';
import { answerShapes } from './answer-shapes.ts';
import { Mismatch, optional, record, scalar, text } from './shapes.ts';

/** What a body contains. */
type Reading =
  /** The envelope says OK, and the members are what they must be. */
  | { readonly kind: 'result'; readonly result: Envelope }
  /** The envelope carries an error of the service. */
  | { readonly kind: 'refusal'; readonly error: ErrorRecord }
  /** JSON, and not an answer of this API; `problem` names the field. */
  | { readonly kind: 'unexpected'; readonly problem: string }
  | { readonly kind: 'unreadable'; readonly problem: string };

/** Reads a body by R-34 to R-36. `judge` decides what it means with its HTTP status. */
function readAnswer(operation: OperationName, answer: WireAnswer): Reading {
  if (operation === 'deleteTag' && isSilent(answer)) return { kind: 'result', result: fine };
  const parsed = parse(answer);
  if ('problem' in parsed) return { kind: 'unreadable', problem: parsed.problem };
  try {
    const result = operation === 'deleteTag' ? withError(parsed.value) : parsed.value;
    envelope(result);
    if (result.error.code !== 0) return { kind: 'refusal', error: { ...result.error, message: result.error.message ?? '' } };
    if (answer.status >= 200 && answer.status < 300) answerShapes[operation](result);
    return { kind: 'result', result };
  } catch (error) {
    if (error instanceof Mismatch) return { kind: 'unexpected', problem: error.message };
    throw error;
  }
}

/** Whether JSON nests deeper than the code that prints it can follow (R-34). Texts are skipped whole. */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  for (let i = 0; i < json.length; i += 1) {
    const code = json.charCodeAt(i);
    if (code === quote) {
      i = endOfText(json, i);
      if (i < 0) return false;
    } else if (code === openBrace || code === openBracket) {
      depth += 1;
      if (depth > maximumDepth) return true;
    } else if (code === closeBrace || code === closeBracket) depth -= 1;
  }
  return false;
}

/** The position of the quote that closes the text opened at `start`; -1 without one. */
function endOfText(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let before = end - 1;
    while (json.charCodeAt(before) === backslash) before -= 1;
    // An odd number of backslashes makes the quote a part of the text.
    if ((end - before) % 2 === 1) return end;
  }
  return -1;
}

/** Levels of nesting (R-34). */
const maximumDepth = 64;
const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [34, 92, 123, 125, 91, 93];

const fine: Envelope = { error: { code: 0, message: '' } };

/** F22: a negative number is not a code. */
const code = scalar('an integer from 0', (value) => Number.isSafeInteger(value) && Number(value) >= 0);
const envelopeShape = record({ error: record({ code, message: optional(text), details: optional(text) }) });

function envelope(value: unknown): asserts value is Envelope {
  envelopeShape(value);
}

/** API.md shows no body for DELETE /tags/[label]: the status is enough, unless the body has an error. */
function isSilent({ status, body }: WireAnswer): boolean {
  return status >= 200 && status < 300 && body.trim() === '';
}

function withError(value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && !Object.hasOwn(value, 'error') ? { ...value, ...fine } : value;
}

function parse({ headers, body }: WireAnswer): { value: unknown } | { problem: string } {
  if (isTooDeep(body)) return { problem: `nested deeper than ${maximumDepth} levels` };
  try {
    return { value: JSON.parse(body) };
  } catch {
    const type = headers['content-type']?.split(';')[0] || 'no content type';
    return { problem: `not JSON (${type}, ${Buffer.byteLength(body)} bytes)${body.trim() === '' ? '' : `: ${beginning(body)}`}` };
  }
}

/** The first 200 characters (B52) on one line; control characters are made visible where it is printed. */
function beginning(body: string): string {
  const line = body.replace(/\s+/g, ' ').trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

/** Sorts a failure of the transport into the classes N and A (R 1.3). */
export function transportFault({ sent, message, hint, nature, cause }: WireFailure, proxy: string | undefined): Fault {
  return {
    outcome: sent ? 'ambiguous' : 'not_sent',
    kind: 'unavailable',
    message,
    hint: hint ?? remedyFor({ sent, nature }, proxy),
    cause,
    retry: nature === 'lasting' || nature === 'interrupted' ? 'never' : 'passing',
    timedOut: nature === 'timeout',
    unresolved: nature === 'unresolved',
  };
}

/** A proxy is the likelier cause where one is set (B52). */
function remedyFor({ sent, nature }: Pick<WireFailure, 'sent' | 'nature'>, proxy: string | undefined): string | undefined {
  if (proxy) return `${proxy} is set: check the proxy, or add the host to NO_PROXY`;
  const isUnreached = !sent && (nature === 'passing' || nature === 'unresolved');
  return isUnreached ? 'check that the server is running and that the base URL is correct: linkctl auth list' : undefined;
}

/** Sorts a complete HTTP answer: a result, or the classes R and A (R 1.3). `asked` describes the call; only failures need it. */
export function judge<O extends OperationName>(operation: O, answer: WireAnswer, asked: () => Subject): Attempted<Answer<O>> {
  const { status } = answer;
  if (status >= 300 && status < 400) return { fault: redirect(answer, asked()) };
  const reading = readAnswer(operation, answer);
  if (reading.kind === 'result' && status >= 200 && status < 300) return { result: reading.result as Answer<O> };
  const subject = asked();
  if (reading.kind === 'refusal') return { fault: refusal(reading.error, answer, subject) };
  const problem = reading.kind === 'result' ? 'an error status with a response that reports success' : reading.problem;
  const isAbsent = status === 404 && reading.kind !== 'result';
  return { fault: statusFault(answer, isAbsent ? notThere(problem, subject) : statusMessage(answer, problem, subject)) };
}

const cooldown = 1219;
const callsUsedUp = 1303;

/** HTTP statuses that say that the call as a whole was refused, whatever the body is (R 1.3). */
const refusingStatuses: readonly number[] = [400, 401, 403, 404, 405, 407, 411, 413, 414, 415, 422, 429];

function refusal(error: ErrorRecord, answer: WireAnswer, subject: Subject): Fault {
  const { status } = answer;
  const said = apiMessage(error, subject);
  const { doubtful } = errorTraits(error.code);
  const refused = doubtful
    ? status !== 400 && refusingStatuses.includes(status)
    : refusingStatuses.includes(status) || (status < 500 && status !== 408);
  const throttled = error.code === cooldown || (status === 429 && error.code !== callsUsedUp);
  return {
    ...said,
    outcome: refused ? 'rejected' : 'ambiguous',
    kind: refused && status === 429 && error.code !== cooldown ? 'limit' : status >= 500 ? 'unavailable' : said.kind,
    details: serverWords(error),
    said: error.message,
    apiCode: error.code,
    status,
    retry: !refused ? 'passing' : throttled ? 'throttled' : doubtful ? 'passing' : 'never',
    retryAfter: answer.headers['retry-after'],
  };
}

/** An answer from which no error of the service could be read. */
function statusFault({ status, headers }: WireAnswer, said: StatusMessage): Fault {
  const outcome: CallOutcome = refusingStatuses.includes(status) ? 'rejected' : 'ambiguous';
  return {
    ...said,
    outcome,
    status,
    retry: status === 429 ? 'throttled' : heals(status) ? 'passing' : 'never',
    retryAfter: headers['retry-after'],
  };
}

/** B78: whether trying again can help. Whether a change happened is a separate question: `outcome`. */
function heals(status: number): boolean {
  return status < 400 || status === 408 || status >= 500;
}

type StatusMessage = ApiMessage & { readonly details?: string[] };

/** There is no API at this address: running the same command again does not help. */
function notThere(problem: string, { identity }: Subject): StatusMessage {
  return {
    kind: 'local',
    message: `the API is not at ${identity.baseUrl} (HTTP 404): ${problem}`,
    hint: 'check the base URL and its path, such as https://api.example.com/rest/v3',
  };
}

function statusMessage({ status }: WireAnswer, problem: string, subject: Subject): StatusMessage {
  const { host, baseUrl } = subject.identity;
  if (status === 401 || status === 403) return { ...refusedCredentials(subject, status), details: [problem] };
  const limit = limits[status];
  if (limit) return { kind: 'limit', ...limit, details: [problem] };
  return {
    kind: 'unavailable',
    message: problem.startsWith('unexpected answer') ? problem : `unreadable response from ${host} (HTTP ${status}): ${problem}`,
    hint: status >= 500 || status === 408 ? 'run the same command again later' : `check the base URL ${baseUrl}`,
  };
}

const limits: { readonly [status: number]: { readonly message: string; readonly hint: string } } = {
  413: {
    message: 'the request is too large for this server (HTTP 413)',
    hint: 'linkctl config set batch_size 100 (or less)',
  },
  414: { message: 'the request URL is too long for this server (HTTP 414)', hint: 'linkctl config set batch_size 100 (or less)' },
  429: { message: 'rate limit reached (HTTP 429)', hint: 'run the same command again later' },
};

/** Never followed: the target would see what only this server may see (R-37). */
function redirect({ status, headers }: WireAnswer, { identity: { baseUrl } }: Subject): Fault {
  const target = headers.location ? parseUrl(headers.location, baseUrl)?.origin : undefined;
  return {
    outcome: 'rejected',
    kind: 'unavailable',
    message: `server redirects to ${target ?? 'another address'} (HTTP ${status}); redirects are not followed`,
    hint: target
      ? `if that is the right server, set base_url to it: linkctl auth login --base-url ${target}`
      : `check the base URL ${baseUrl}`,
    status,
    retry: 'never',
  };
}
