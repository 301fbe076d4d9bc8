import type { Edition } from './editions.ts';

/** The error codes of API.md 7.3 and their message texts. Codes that are not here exist in the field: pass them through as numbers. */
export const errorMessages = {
  0: '',
  101: 'Unknown error',
  1102: 'Invalid username',
  1204: 'Not a valid Short URL hash',
  1206: 'URL you tried to shorten was invalid',
  1215: 'Short URL is not correct or existed',
  1216: 'URL you tried to shorten is not allowed',
  1217: 'Access Denied',
  1218: 'Short URL is not correct',
  1219: 'Target server on cooldown',
  1220: 'URLs limit has been reached',
  1221: 'Exceeded limit of batch operation',
  1300: 'Invalid API key',
  1301: 'Invalid resource',
  1302: 'Method not supported',
  1303: 'API call limit reached',
  1305: 'Missing input parameters',
  1306: 'URL not found in DB',
  1307: 'Wrong number of input parameters',
  1308: 'HTTP error',
  1309: 'Tag not found',
  1310: 'Too big POST data',
  1311: 'Invalid or duplicate tag label',
  1312: 'Invalid date',
  1313: 'Domain not found',
  1314: 'Invalid webhook parameter',
} as const;

export type ErrorCode = keyof typeof errorMessages;

/** Codes that only one edition knows (API.md 9.3). */
export const errorEditions: { readonly [C in ErrorCode]?: Edition } = { 1313: 'a', 1314: 'a' };

export function isErrorCode(code: number): code is ErrorCode {
  return Object.hasOwn(errorMessages, code);
}
