/** The kinds of failure differ in what the caller can do about them. */
type ErrorKind = 'failed' | 'auth' | 'not_found' | 'rejected' | 'limit' | 'unavailable' | 'local';

export interface ErrorTraits {
  /** The text of 7.3. */
  readonly message: string;
  readonly kind: ErrorKind;
  /** The refused part of the call: the values, the hash (or its owner), the size, or a resource that the server lacks. */
  readonly about?: 'values' | 'hash' | 'size' | 'resource';
  /** Everything else that is refused for the same reason. Codes of kind `auth` refuse every call. */
  readonly refuses?: 'every call' | 'every row';
  /** For an item: it was not applied, and sending it again may succeed. */
  readonly temporary?: true;
  /** The server may have applied the call: status 400 comes with every error, also with these. */
  readonly doubtful?: true;
}

/** The error codes of 7.3. Servers send others as well, which pass through as numbers. */
export const errors = {
  /** OK. A failed item with this code has a field that was not applied. */
  0: { message: '', kind: 'rejected' },
  101: { message: 'Unknown error', kind: 'failed', doubtful: true },
  1102: { message: 'Invalid username', kind: 'auth' },
  1204: { message: 'Not a valid Short URL hash', kind: 'rejected', about: 'hash' },
  1206: { message: 'URL you tried to shorten was invalid', kind: 'rejected', about: 'values' },
  1215: { message: 'Short URL is not correct or existed', kind: 'rejected', about: 'hash' },
  1216: { message: 'URL you tried to shorten is not allowed', kind: 'rejected', about: 'values' },
  1217: { message: 'Access Denied', kind: 'auth' },
  1218: { message: 'Short URL is not correct', kind: 'rejected', about: 'hash' },
  1219: { message: 'Target server on cooldown', kind: 'unavailable', temporary: true },
  1220: { message: 'URLs limit has been reached', kind: 'limit', temporary: true },
  1221: { message: 'Exceeded limit of batch operation', kind: 'limit', about: 'size' },
  1300: { message: 'Invalid API key', kind: 'auth' },
  1301: { message: 'Invalid resource', kind: 'local', about: 'resource', refuses: 'every call' },
  1302: { message: 'Method not supported', kind: 'local', about: 'resource' },
  1303: { message: 'API call limit reached', kind: 'limit', refuses: 'every call' },
  1305: { message: 'Missing input parameters', kind: 'failed' },
  1306: { message: 'URL not found in DB', kind: 'not_found', about: 'hash' },
  1307: { message: 'Wrong number of input parameters', kind: 'failed' },
  1308: { message: 'HTTP error', kind: 'unavailable', doubtful: true },
  1309: { message: 'Tag not found', kind: 'not_found' },
  1310: { message: 'Too big POST data', kind: 'limit', about: 'size' },
  1311: { message: 'Invalid or duplicate tag label', kind: 'rejected', about: 'values' },
  1312: { message: 'Invalid date', kind: 'rejected', about: 'values' },
  /** Edition A. */
  1313: { message: 'Domain not found', kind: 'not_found', refuses: 'every row' },
  /** Edition A. */
  1314: { message: 'Invalid webhook parameter', kind: 'rejected', about: 'values' },
} as const satisfies { readonly [code: number]: ErrorTraits };

export type ErrorCode = keyof typeof errors;

export function isErrorCode(code: number): code is ErrorCode {
  return Object.hasOwn(errors, code);
}

/** Codes that are not listed get neutral traits. */
export function errorTraits(code: number | undefined): ErrorTraits {
  return code !== undefined && isErrorCode(code) ? errors[code] : unlisted;
}

const unlisted: ErrorTraits = { message: '', kind: 'failed' };
