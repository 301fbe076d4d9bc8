import type { ErrorCode } from '../../contract/errors.ts';
import { UnfinishedImport } from '../store/store-options.ts';

/** Refuses a call or one of its items. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  /** Sent only for items, because the envelope of a call has no place for it (2.1). */
  readonly details: string;
  /** Additional headers of the response to a call. */
  readonly headers: { readonly [name: string]: string };

  constructor(code: ErrorCode, details = '', headers: Refusal['headers'] = {}) {
    super(details);
    this.code = code;
    this.details = details;
    this.headers = headers;
  }
}

/** 400 for other codes. API.md shows a status only for 1300 (7.1, 7.5); the others are our choice. */
export const statuses: { readonly [C in ErrorCode]?: number } = {
  101: 500,
  1217: 403,
  // It excludes that anything was done, unlike 500 and 503, so clients repeat any call after a moment.
  1219: 429,
  1301: 404,
  1302: 405,
  // Not 429, because clients would retry soon, while the limit is reset on the next day.
  1303: 403,
  1306: 404,
  1309: 404,
  1310: 413,
  1313: 404,
};

/** Of calls that arrive while the links cannot be used. The code is the one for a server that takes no calls for a while (7.3). */
export const notYet = new Refusal(1219, '', { 'retry-after': '1' });

/** Unexpected errors are 101. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  return error instanceof UnfinishedImport ? notYet : new Refusal(101);
}
