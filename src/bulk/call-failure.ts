import type { CallError } from '../client/call-error.ts';

/** What every further call would meet too: no connection, credentials, quotas, the domain, the address itself (B87, F50). */
export function stopsRun(error: CallError): boolean {
  const { outcome, apiCode, kind } = error;
  if (outcome !== 'rejected') return true;
  return kind === 'auth' || kind === 'limit' || kind === 'local' || kind === 'unavailable' || apiCode === 1313;
}
