import type { ErrorCode } from '../contract/errors.ts';

/** A call, or one item of it, that the rules do not allow. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  /** What in particular; sent for items, because an envelope has no place for it (2.1). */
  readonly details: string;
  /** What the answer to a whole call has besides its usual headers. */
  readonly headers: { readonly [name: string]: string };

  constructor(code: ErrorCode, details = '', headers: Refusal['headers'] = {}) {
    super(details);
    this.code = code;
    this.details = details;
    this.headers = headers;
  }
}

/** The HTTP status of a whole call that is refused. API.md shows 400 for 1300 alone (7.1, 7.5): the others are our choice. */
export function statusOf(code: ErrorCode): number {
  return statuses[code] ?? 400;
}

const statuses: { readonly [C in ErrorCode]?: number } = {
  101: 500,
  1217: 403,
  1301: 404,
  1302: 405,
  // Not 429, which clients and proxies take as "soon again": the day must end first.
  1303: 403,
  1306: 404,
  1309: 404,
  1310: 413,
  1313: 404,
};
