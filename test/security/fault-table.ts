import { faults, type Step } from '../support/faulty-steps.ts';
import type { CellOptions } from './cell.ts';

/** A fault, and the exit codes that it has: of a read, of a change, and of the commands that know better. */
export interface Fault {
  readonly name: string;
  readonly steps?: readonly Step[];
  readonly options?: CellOptions;
  /** It ends by a time-out. */
  readonly slow?: boolean;
  readonly read: number;
  readonly change: number;
  readonly except?: { readonly [subject: string]: number };
}

const json = (body: unknown, status = 200): Step => ({ answer: { status, body } });
const raw = (text: string): Step => ({ answer: { raw: text } });
const ok = { code: 0, message: '' };
const code = (value: unknown): Step => json(`{"error":{"code":${value},"message":""}}`);

/** Nothing was sent: nothing is in doubt. */
const unsent = { read: 8, change: 8 };
/**
 * Class A (R 1.3): a change may have happened. A long run reads the listing back, finds that nothing was created, and gives up
 * without a doubt.
 */
const doubt = { read: 8, change: 10, except: { 'shorten -f': 8 } };
/** The body of DELETE /tags/[label] is not shown (4.2): without an error in it the status decides. */
const silence = { read: 8, change: 10, except: { 'shorten -f': 8, 'tags delete': 0 } };
/** Class R: the same for all. */
const refused = (exit: number): { read: number; change: number } => ({ read: exit, change: exit });

export function transportFaults(target: string): readonly Fault[] {
  return [
    { name: 'F01: a name that does not resolve', ...unsent, options: { baseUrl: 'https://no-such-host.invalid/api' } },
    { name: 'F01: a refused connection', ...unsent, options: { baseUrl: 'http://127.0.0.1:9/api' } },
    { name: 'F13: plain HTTP on the port of HTTPS', ...unsent, options: { baseUrl: target.replace('http:', 'https:') } },
    {
      name: 'F15: a proxy that is down',
      ...unsent,
      options: { baseUrl: 'https://api.example.test/', env: { HTTPS_PROXY: 'http://127.0.0.1:9' } },
    },
    { name: 'F03: a reset right after accept', ...unsent, steps: [{ ...faults.refusedAfterAccept, only: {} }] },
    { name: 'F04: a reset before an answer', ...doubt, steps: [faults.dropBefore] },
    { name: 'F08: an answer that never comes', ...doubt, slow: true, steps: [faults.silentBefore] },
    { name: 'F09: a slow header', ...doubt, slow: true, steps: [{ end: 'drip head' }] },
    { name: 'F09: a slow body', ...doubt, slow: true, steps: [{ end: 'drip', answer: { body: ' '.repeat(500) } }] },
    { name: 'F10: a body cut short of its length', ...doubt, steps: [faults.cutAfter] },
    { name: 'F10: a chunked body without its end', ...doubt, steps: [{ end: 'cut chunked' }] },
    { name: 'F10: half a body that only the end of the connection frames', ...doubt, steps: [{ end: 'cut unframed' }] },
    ...[301, 302, 303, 307, 308].map((status) => ({
      name: `F14: ${status} to another host`,
      ...refused(8),
      steps: [faults.redirect(`${target}/stolen`, status)],
    })),
    { name: 'F14: a redirect to nowhere', ...refused(8), steps: [{ answer: { status: 302 } }] },
    { name: 'F17: an endless body', ...doubt, steps: [{ end: 'endless' }] },
    { name: 'F17: a body of more than 64 MiB', ...doubt, steps: [raw('HTTP/1.1 200 OK\r\nContent-Length: 67108865\r\n\r\n')] },
    {
      name: 'F17: a gzip bomb',
      ...doubt,
      steps: [raw(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\n\x1f\x8b\x08xxxxxx`)],
    },
    {
      name: 'F17: gzip a thousand times over',
      ...doubt,
      steps: [raw(`HTTP/1.1 200 OK\r\nContent-Encoding: ${'gzip,'.repeat(1000)}gzip\r\nContent-Length: 2\r\n\r\n{}`)],
    },
    { name: 'F18: a header line of 20 KB', ...doubt, steps: [raw(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)] },
    {
      name: 'F18: a thousand headers',
      ...doubt,
      steps: [raw(`HTTP/1.1 200 OK\r\n${'X-Header: xxxxxxxxxxxxxxxx\r\n'.repeat(1000)}\r\n`)],
    },
    { name: 'F18: a greeting that is no HTTP', ...doubt, steps: [raw('220 mail.example ESMTP\r\n')] },
    { name: 'F18: 1xx without end', ...doubt, steps: [raw('HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n'.repeat(500))] },
  ];
}

export const applicationFaults: readonly Fault[] = [
  { name: 'F20: a page with 200', ...doubt, steps: [faults.htmlBefore] },
  { name: 'F21: an empty body', ...silence, steps: [json('')] },
  { name: 'F21: null', ...doubt, steps: [json('null')] },
  { name: 'F21: a list', ...doubt, steps: [json('[]')] },
  { name: 'F21: a text', ...doubt, steps: [json('"x"')] },
  { name: 'F21: an empty object', ...silence, steps: [json('{}')] },
  { name: 'F21: a byte order mark', ...doubt, steps: [json('\ufeff{"error":{"code":0,"message":""}}')] },
  { name: 'F21: garbage after the end', ...doubt, steps: [json('{"error":{"code":0,"message":""}} x')] },
  {
    name: 'F22: no error object',
    ...silence,
    steps: [json({ urls: [], tags: [], stats: [], domains: [], log: [], account: {} })],
  },
  { name: 'F22: null as error object', ...doubt, steps: [json({ error: null })] },
  { name: 'F22: no code', ...doubt, steps: [json({ error: {} })] },
  ...['"0"', '0.5', '1e999', '-1', '-1e999', 'null', '[0]', 'true'].map((value) => ({
    name: `F22: ${value} as code`,
    ...doubt,
    steps: [code(value)],
  })),
  { name: 'F23: code 9999', ...refused(1), steps: [faults.refuse(9999)] },
  { name: 'F23: code 9999 with 200', ...refused(1), steps: [faults.refuse(9999, 200)] },
  { name: 'F23: code 9999 with 500', ...doubt, steps: [faults.refuse(9999, 500)] },
  { name: 'F24: 101 with 200', ...doubt, read: 1, steps: [faults.refuse(101, 200)] },
  { name: 'F24: 1308 with 200', ...doubt, steps: [faults.refuse(1308, 200)] },
  ...[1300, 1102, 1217].map((auth) => ({ name: `F25: ${auth}`, ...refused(4), steps: [faults.refuse(auth)] })),
  { name: 'F25: 401 without a body', ...refused(4), steps: [json('', 401)] },
  { name: 'F25: 403 with a page', ...refused(4), steps: [json('<p>', 403)] },
  ...[200, 400, 429].map((status) => ({ name: `F26: 1303 with ${status}`, ...refused(7), steps: [faults.refuse(1303, status)] })),
  { name: 'F27: 1220 for the whole call', ...refused(7), steps: [faults.refuse(1220)] },
  { name: 'F28: 1219 for ever', ...refused(8), steps: [faults.refuse(1219, 200)] },
  { name: 'F29: 429 for ever', ...refused(7), steps: [faults.tooMany()] },
  ...['0', '-5', 'abc', '3600', '1e9', 'Thu, 01 Jan 1970 00:00:00 GMT', 'Thu, 01 Jan 2099 00:00:00 GMT'].map((after) => ({
    name: `F29: 429 with Retry-After: ${after}`,
    ...refused(7),
    steps: [faults.tooMany(after)],
  })),
  { name: 'F30: 502', ...doubt, steps: [faults.badGatewayBefore] },
  { name: 'F30: 503 without a body', ...doubt, steps: [json('', 503)] },
  { name: 'F30: 504 with an envelope that says OK', ...doubt, steps: [json({ error: ok, urls: [] }, 504)] },
  { name: 'F30: 500 with an envelope that says OK', ...doubt, steps: [json({ error: ok, urls: [] }, 500)] },
  { name: 'F31: 204', ...silence, steps: [json('', 204)] },
  { name: '404 with a page', ...refused(9), steps: [json('<p>', 404)] },
  { name: '408', ...doubt, steps: [json('', 408)] },
  { name: 'F12: 413', ...refused(7), steps: [json('', 413)] },
  { name: 'F48: 1221', ...refused(7), steps: [faults.refuse(1221)] },
  { name: '1301', ...refused(9), steps: [faults.refuse(1301, 404)] },
  { name: '1302', ...refused(9), steps: [faults.refuse(1302, 405)] },
  {
    name: 'F45: 1306',
    // The base URL is wrong for a read that names no link.
    read: 9,
    change: 5,
    except: { 'list <hash>': 5, 'list --by-tags': 5, 'stats <hash>': 5, 'runs verify': 1 },
    steps: [faults.refuse(1306)],
  },
  { name: 'F49: 1309', ...refused(5), steps: [faults.refuse(1309)] },
  { name: 'F50: 1313', ...refused(5), steps: [faults.refuse(1313)] },
  { name: 'F41: nesting of 200,000 levels', ...doubt, steps: [json(`{"error":{"code":0},"urls":${'['.repeat(200_000)}`)] },
  {
    name: 'F41: nesting of 200,000 levels that ends',
    ...doubt,
    steps: [json(`{"error":{"code":0,"message":""},"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)],
  },
];
