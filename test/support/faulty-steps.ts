/**
 * What the faulty server does with one request. The parts are independent of each other and apply in this order: the request is
 * applied or not, an answer is found (the backend's, or one of our own), it is altered, delayed, and the exchange ends somehow.
 * Steps are plain JSON, so that a script can be sent to a server in another process.
 */
export interface Step {
  /** Requests that the step is for; others do not use it up. */
  readonly only?: { readonly method?: string /** Part of path and query. */; readonly path?: string };
  /** Requests that the step lasts for; 1 without it. */
  readonly times?: number | 'all';
  /**
   * What the backend sees of the request: all of it (without this), nothing, only the first hashes of its query or items of
   * `urls`, or all of it some milliseconds after the client lost its connection, or with `release`.
   */
  readonly apply?: boolean | { readonly first: number } | { readonly late: number | 'release' };
  /** The answer instead of the backend's. Without a backend: 200 and an envelope that says OK. */
  readonly answer?: CannedAnswer;
  /** What is done to the backend's answer, or to its `urls`. */
  readonly alter?: 'shuffle' | 'drop last' | 'repeat first' | 'add foreign' | 'without errors' | 'normalise' | 'shout' | Change;
  /** Milliseconds before the answer begins. */
  readonly delay?: number;
  /** The request takes effect, and its exchange ends when the test says so with `release`. */
  readonly held?: true;
  /**
   * How the exchange ends: reset as soon as the connection is accepted (nothing is read, nothing logged), reset without a byte of
   * an answer, ended after half of the body (of a known length, chunked, or framed by the end of the connection alone), a byte
   * each 20 ms, a body that never ends, an answer that never comes, or an answer before the request was read.
   */
  readonly end?:
    | 'accept'
    | 'reset'
    | 'cut'
    | 'cut chunked'
    | 'cut unframed'
    | 'drip head'
    | 'drip'
    | 'endless'
    | 'silent'
    | 'early';
  /** Milliseconds from the end of this exchange in which nobody listens: connections are closed and refused. */
  readonly down?: number;
}

/** Something else in the place of what the backend answered. */
export interface Change {
  readonly status?: number;
  /** Text before and after the body. */
  readonly around?: readonly [string, string];
  /** Members that every one of `urls` gets. */
  readonly each?: object;
  /** The first of `urls`. */
  readonly first?: unknown;
}

export interface CannedAnswer {
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
  /** Text as it is, or anything else as JSON. */
  readonly body?: unknown;
  /** Instead of all that: bytes written to the socket as they are, one a character. */
  readonly raw?: string;
}

/** The usual faults, by name. Several requests: `{ ...faults.dropBefore, times: 3 }`. */
export const faults = {
  /** F03 */
  refusedAfterAccept: { end: 'accept' },
  /** F04 */
  dropBefore: { apply: false, end: 'reset' },
  /** F05 */
  dropAfter: { end: 'reset' },
  /** F06 */
  dropMiddle: (first: number): Step => ({ apply: { first }, end: 'reset' }),
  /** F07 */
  late: (milliseconds: number | 'release'): Step => ({ apply: { late: milliseconds }, end: 'reset' }),
  /** F08 */
  silentBefore: { apply: false, end: 'silent' },
  silentAfter: { end: 'silent' },
  /** F10 */
  cutAfter: { end: 'cut' },
  /** F12 */
  tooLargeEarly: { apply: false, answer: { status: 413, body: '' }, end: 'early' },
  /** F14 */
  redirect: (location: string, status = 302): Step => ({ apply: false, answer: { status, headers: { location }, body: '' } }),
  /** F20 */
  htmlBefore: { apply: false, answer: { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Sign in</h1>' } },
  htmlAfter: { answer: { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Sign in</h1>' } },
  /** F23 to F28: an error of the service for the whole call. */
  refuse: (code: number, status = 400, message = 'refused'): Step => ({
    apply: false,
    answer: { status, body: { error: { code, message } } },
  }),
  /** F29 */
  tooMany: (retryAfter?: string): Step => ({
    apply: false,
    answer: { status: 429, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter }, body: '' },
  }),
  /** F30 */
  badGatewayBefore: { apply: false, answer: { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>502</h1>' } },
  badGatewayAfter: { answer: { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>502</h1>' } },
  /** F02, F16: the exchange itself goes well. */
  goneAfter: (milliseconds: number): Step => ({ down: milliseconds }),
  /** F32 to F36 */
  shorter: { alter: 'drop last' },
  longer: { alter: 'add foreign' },
  shuffled: { alter: 'shuffle' },
  repeated: { alter: 'repeat first' },
  withoutErrors: { alter: 'without errors' },
} as const satisfies { readonly [name: string]: Step | ((...given: never[]) => Step) };

/** What trials do to requests that change something, each as likely as the others. */
export const usualFaults: readonly Step[] = [
  faults.dropBefore,
  faults.dropAfter,
  faults.dropMiddle(3),
  faults.badGatewayBefore,
  faults.badGatewayAfter,
  faults.cutAfter,
  faults.htmlBefore,
  faults.htmlAfter,
  faults.tooMany(),
  faults.shorter,
];
