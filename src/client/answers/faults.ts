import { shellWord } from '../../base/quoted.ts';
import { errorTraits } from '../../contract/errors.ts';
import type { Envelope, ErrorRecord } from '../../contract/records.ts';
import { parseUrl } from '../../contract/web-address.ts';
import { type ApiMessage, apiMessage, noApi, refusedCredentials, serverMessages, smallerBatches } from '../api-messages.ts';
import type { CallOutcome, Fault } from '../call-error.ts';
import type { WireAnswer, WireFailure } from '../http/transport.ts';
import type { AccountOptions, Subject } from '../subject.ts';

export type Reading =
  /** The envelope reports success and all members have the right types. */
  | { readonly kind: 'result'; readonly result: Envelope }
  | { readonly kind: 'refusal'; readonly error: ErrorRecord }
  /** JSON that is no answer of this API; `problem` names the field. */
  | { readonly kind: 'unexpected'; readonly problem: string }
  | { readonly kind: 'unreadable'; readonly problem: string };

export function transportFault(
  { sent, message, hint, nature, cause }: WireFailure,
  account: Pick<AccountOptions, 'baseUrl' | 'profile'>,
): Fault {
  return {
    outcome: sent ? 'ambiguous' : 'not_sent',
    kind: 'unavailable',
    message,
    hint: hint ?? hintFor({ sent, nature }, account),
    cause,
    retry: nature === 'lasting' || nature === 'interrupted' ? 'never' : 'passing',
    timedOut: nature === 'timeout',
    unresolved: nature === 'unresolved',
  };
}

function hintFor(
  { sent, nature }: Pick<WireFailure, 'sent' | 'nature'>,
  { baseUrl, profile }: Pick<AccountOptions, 'baseUrl' | 'profile'>,
): string | undefined {
  const isUnreached = !sent && (nature === 'passing' || nature === 'unresolved');
  // Only the base URL of a stored profile can be listed.
  const place = profile === undefined ? baseUrl : 'linkctl auth list';
  return isUnreached ? `check that the server is running and that the base URL is correct: ${place}` : undefined;
}

/** The body of a redirect is not read, so it has no `reading`. */
export function answerFault(answer: WireAnswer, reading: Reading | undefined, subject: Subject): Fault {
  if (!reading) return redirect(answer, subject);
  if (reading.kind === 'refusal') return refusal(reading.error, answer, subject);
  const problem = reading.kind === 'result' ? 'an error status with a response that reports success' : reading.problem;
  const isAbsent = answer.status === 404 && reading.kind !== 'result';
  return statusFault(answer, isAbsent ? apiNotFound(problem, subject) : statusMessage(answer, problem, subject));
}

const cooldown = 1219;
const callsUsedUp = 1303;

/** With these statuses the whole call was refused, whatever the body contains. */
const refusingStatuses: readonly number[] = [400, 401, 403, 404, 405, 407, 411, 413, 414, 415, 422, 429];

function refusal(error: ErrorRecord, answer: WireAnswer, subject: Subject): Fault {
  const { status } = answer;
  const text = apiMessage(error, subject);
  const { doubtful } = errorTraits(error.code);
  const refused = doubtful
    ? status !== 400 && refusingStatuses.includes(status)
    : refusingStatuses.includes(status) || (status < 500 && status !== 408);
  const throttled = error.code === cooldown || (status === 429 && error.code !== callsUsedUp);
  return {
    ...text,
    outcome: refused ? 'rejected' : 'ambiguous',
    kind: refused && status === 429 && error.code !== cooldown ? 'limit' : status >= 500 ? 'unavailable' : text.kind,
    details: serverMessages(error),
    serverMessage: error.message,
    apiCode: error.code,
    status,
    retry: !refused ? 'passing' : throttled ? 'throttled' : doubtful ? 'passing' : 'never',
    retryAfter: answer.headers['retry-after'],
  };
}

/** Handles answers without a readable error of the API. */
function statusFault({ status, headers }: WireAnswer, text: StatusMessage): Fault {
  const outcome: CallOutcome = refusingStatuses.includes(status) ? 'rejected' : 'ambiguous';
  return {
    ...text,
    outcome,
    status,
    retry: status === 429 ? 'throttled' : isTransient(status) ? 'passing' : 'never',
    retryAfter: headers['retry-after'],
  };
}

/** Tells whether a retry can help. `outcome` tells separately whether a change happened. */
function isTransient(status: number): boolean {
  return status < 400 || status === 408 || status >= 500;
}

type StatusMessage = ApiMessage & { readonly details?: string[] };

/** A wrong base URL is permanent, so this is a local failure. */
function apiNotFound(problem: string, subject: Subject): StatusMessage {
  const { message, hint } = noApi(subject);
  return { kind: 'local', message: `${message} (HTTP 404): ${problem}`, hint };
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
    hint: smallerBatches,
  },
  414: { message: 'the request URL is too long for this server (HTTP 414)', hint: smallerBatches },
  429: { message: 'rate limit reached (HTTP 429)', hint: 'run the same command again later' },
};

/** Redirects are not followed: another host would receive the credentials. */
function redirect({ status, headers }: WireAnswer, { path, identity: { baseUrl, profile } }: Subject): Fault {
  const target = redirectTarget(headers.location, baseUrl + path);
  const other = target && target.origin !== parseUrl(baseUrl)?.origin ? target.origin : undefined;
  const login = profile === undefined ? 'linkctl auth login' : `linkctl auth login --profile ${profile}`;
  return {
    outcome: 'rejected',
    kind: 'unavailable',
    message: `server redirects to ${other ?? target?.pathname ?? 'another address'} (HTTP ${status}); redirects are not followed`,
    hint: other
      ? `if that is the right server, set base_url to it: ${login} --base-url ${shellWord(other)}`
      : `check the base URL ${baseUrl}`,
    status,
    retry: 'never',
  };
}

/** Undefined for an address that is no server, or whose host has other characters than names have: a shell would run `http://$(...)`. */
function redirectTarget(location: string | undefined, from: string): URL | undefined {
  const url = location ? parseUrl(location, from) : undefined;
  return url && /^https?:$/.test(url.protocol) && /^[a-z\d.:[\]-]+$/.test(url.host) ? url : undefined;
}
