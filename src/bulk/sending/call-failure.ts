import { CliError } from '../../base/errors.ts';
import type { CallError, Fault } from '../../client/call-error.ts';

/** What every further call would meet too: no connection, credentials, quotas, the domain, the address itself (B87, F50). */
export function stopsRun({ outcome, apiCode, kind }: Fault): boolean {
  if (outcome !== 'rejected') return true;
  return kind === 'auth' || kind === 'limit' || kind === 'local' || kind === 'unavailable' || apiCode === 1313;
}

/** Whether a call was refused for what every further call would meet too. */
export function refusesAll({ outcome, last }: CallError): boolean {
  return outcome === 'rejected' && stopsRun(last);
}

/** What the last attempt met, without a word about attempts before it. */
export function lastOf(error: CallError): CliError {
  const { kind, message, hint, apiCode } = error.last;
  if (error.last.outcome === error.outcome) return error;
  return new CliError(kind, message, { hint, apiCode, details: error.details, cause: error });
}

/**
 * Codes that speak of the values alone: what they refuse they refused in the attempt before as well. Any other code may speak of
 * what that attempt made (D4, D5).
 */
const aboutValues: ReadonlySet<number> = new Set([1206, 1216, 1311, 1312, 1314]);

/** Codes that speak of what stands at a hash: where nothing of ours does, that is why. Of the others nobody knows what they refuse. */
const aboutHashes: ReadonlySet<number> = new Set([1204, 1215, 1218, 1306]);

export function speaksOfValues({ code }: { readonly code: number }): boolean {
  return aboutValues.has(code);
}

export function speaksOfHashes({ code }: { readonly code: number }): boolean {
  return aboutHashes.has(code);
}
