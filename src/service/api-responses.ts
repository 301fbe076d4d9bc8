import type { ErrorCode } from '../contract/errors.ts';
import type { Envelope } from '../contract/records.ts';
import type { ServiceResponse } from './message.ts';
import { Refusal, statusOf } from './refusal.ts';
import { errorRecord } from './url-records.ts';

/** What the document's examples read (9.2). */
export const apiVersion = '3.1';

/** `version` is on every answer. Wider than API.md 9.2; as public deployments do (FIELD-NOTES 1). */
export function succeed(result: object): ServiceResponse {
  return envelope(200, { error: errorRecord(0), version: apiVersion, ...result });
}

/** The answer to a call that failed as a whole: code, message, and no other payload (7.1). */
export function refuse(refusal: ErrorCode | Refusal): ServiceResponse {
  const { code, headers } = refusal instanceof Refusal ? refusal : new Refusal(refusal);
  return envelope(statusOf(code), { error: errorRecord(code) }, headers);
}

function envelope(status: number, body: Envelope, headers: ServiceResponse['headers'] = {}): ServiceResponse {
  const json = { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  return { status, headers: { ...json, ...headers }, body: JSON.stringify(body) };
}
