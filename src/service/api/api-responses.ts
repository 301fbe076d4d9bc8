import type { ErrorCode } from '../../contract/errors.ts';
import type { Envelope } from '../../contract/records.ts';
import type { ServiceResponse } from '../message.ts';
import { Refusal, statuses } from './refusal.ts';
import { errorRecord } from './url-records.ts';

/** The version in the examples of the document (9.2). */
export const apiVersion = '3.1';

/** Sends `version` in every response, which API.md shows only for some, because public deployments do. */
export function succeed(result: object): ServiceResponse {
  return envelope(200, { error: errorRecord(0), version: apiVersion, ...result });
}

/** A call that failed as a whole: code, message, and no other payload (7.1). */
export function refuse(refusal: ErrorCode | Refusal): ServiceResponse {
  const { code, headers } = refusal instanceof Refusal ? refusal : new Refusal(refusal);
  return envelope(statuses[code] ?? 400, { error: errorRecord(code) }, headers);
}

/** The response to what is not valid HTTP. */
export const httpError: ServiceResponse = { ...refuse(1308), subject: { kind: 'call', operation: undefined, code: 1308 } };

/** The resource exists only under the service's own hosts. 403, because a path that is not there is 404. */
export function refuseHost(): ServiceResponse {
  const { code, message } = errorRecord(1301);
  const reason = 'the Host header names no host of this service; start it with --public-url or --domain';
  return envelope(403, { error: { code, message: `${message}: ${reason}` } });
}

function envelope(status: number, body: Envelope, headers: ServiceResponse['headers'] = {}): ServiceResponse {
  const json = { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  return { status, headers: { ...json, ...headers }, body: JSON.stringify(body) };
}
