import type { CallError } from '../client/call-error.ts';

/** The call was too large for this server: half of it may not be (R-13, B86). */
export function isTooLarge({ outcome, apiCode, status }: CallError): boolean {
  return outcome === 'rejected' && (apiCode === 1310 || apiCode === 1221 || status === 413);
}

/** What every further call would meet too: no connection, credentials, quotas, the domain, the address itself (B87, F50). */
export function stopsRun({ outcome, apiCode, kind }: CallError): boolean {
  if (outcome !== 'rejected') return true;
  return kind === 'auth' || kind === 'limit' || kind === 'local' || kind === 'unavailable' || apiCode === 1313;
}
