import { type CannedAnswer, faults, type Step } from '../support/faulty-steps.ts';
import type { Fault } from './cell.ts';
import { deedNames } from './deeds.ts';
import {
  answerLost,
  answerUseless,
  type Expected,
  madeAgain,
  neverAnswered,
  nothingApplied,
  only,
  refusedBy,
  stoppedBy,
  stoppedInTheMiddleBy,
  unharmed,
} from './expectations.ts';

const always = { times: 'all' } as const;
const ok = { code: 0, message: '' };
const hostile = '\u001b]52;c;eA==\u0007\u001b[2J\r\u009b31m\u202eevil\u0000';
/** The request takes effect, and this is its answer. */
const answered = (answer: CannedAnswer): Step[] => [{ answer }];
const each = (members: object): Step[] => [{ alter: { each: members } }];
const onListing = { only: { method: 'GET', path: '/urls' } } as const;

/** Rows of the table that differ in one value; the first is shown with every command, the others with one each in turn. */
function variants<T>(values: readonly T[], row: (value: T) => Omit<Fault, 'expected'>, expected: Expected): Fault[] {
  const names = deedNames.filter((name) => expected[name] !== undefined);
  return values.map((value, index) => ({
    ...row(value),
    expected: index === 0 ? expected : only(expected, names[index % names.length] ?? 'shorten -f'),
  }));
}

/** R 3.2, as far as commands that change something meet it: F40 and F43 are faults of reads. */
export const applicationFaults: readonly Fault[] = [
  { fault: 'F20: the page of a portal, and nothing was applied', steps: [faults.htmlBefore], expected: nothingApplied },
  { fault: 'F20: a page, and it was applied', steps: [faults.htmlAfter], expected: answerLost },
  ...variants(
    ['', 'null', '[]', '"x"', '{}'],
    (body) => ({ fault: `F21: ${body || 'an empty body'}`, steps: answered({ body }) }),
    answerLost,
  ),
  ...variants<readonly [string, string]>(
    [
      ['\ufeff', ''],
      ['', '}x'],
    ],
    (around) => ({ fault: `F21: the answer between ${JSON.stringify(around)}`, steps: [{ alter: { around } }] }),
    answerLost,
  ),
  ...variants(
    ['', '"code":"0"', '"code":0.5', '"code":1e999', '"code":-1'],
    (error) => ({ fault: `F22: {"error":{${error}}}`, steps: answered({ body: `{"error":{${error}},"urls":[]}` }) }),
    answerLost,
  ),
  { fault: 'F23: a code that nobody knows', steps: [faults.refuse(9999)], expected: refusedBy(1) },
  {
    fault: 'F23: a code that nobody knows with HTTP 500',
    steps: answered({ status: 500, body: { error: { code: 9999, message: '' } } }),
    expected: answerLost,
  },
  ...variants(
    [
      [101, 400],
      [101, 200],
      [1308, 200],
      [1308, 400],
    ] as const,
    ([code, status]) => ({
      fault: `F24: ${code} with HTTP ${status}, and it was applied`,
      steps: answered({ status, body: { error: { code, message: '' } } }),
    }),
    answerLost,
  ),
  ...variants([1300, 1102, 1217], (code) => ({ fault: `F25: ${code}`, steps: [faults.refuse(code)] }), stoppedBy(4)),
  ...variants(
    [401, 403],
    (status) => ({ fault: `F25: HTTP ${status} without a body`, steps: [{ apply: false, answer: { status } }] }),
    stoppedBy(4),
  ),
  ...variants(
    [400, 429, 200],
    (status) => ({ fault: `F26: 1303 with HTTP ${status}`, steps: [faults.refuse(1303, status)] }),
    stoppedBy(7),
  ),
  {
    fault: 'F27: 1220 for the fifth row',
    steps: [],
    limits: { maxUrls: 4 },
    flags: ['--force'],
    lasting: true,
    expected: {
      'shorten -f': 'exit 7, 2 writes: 4 created, 1 not_sent; 4 of 5 took effect',
      keyed: 'exit 7, 2 writes: 4 created, 1 not_sent; 4 of 5 took effect',
    },
  },
  { fault: 'F28: 1219 once', steps: [faults.refuse(1219)], expected: madeAgain },
  {
    fault: 'F28: 1219 always',
    steps: [{ ...faults.refuse(1219), ...always }],
    flags: ['--max-wait', '0'],
    expected: stoppedBy(8),
  },
  ...variants(
    [undefined, '0', '-5', 'abc', 'Wed, 01 Jan 2020 00:00:00 GMT', '1'],
    (wait) => ({ fault: `F29: 429 with Retry-After: ${wait}`, steps: [faults.tooMany(wait)] }),
    madeAgain,
  ),
  ...variants(
    ['3600', 'Thu, 01 Jan 2099 00:00:00 GMT'],
    (wait) => ({ fault: `F29: 429 with Retry-After: ${wait}`, steps: [faults.tooMany(wait)] }),
    stoppedBy(7),
  ),
  { fault: 'F30: 502, and nothing was applied', steps: [faults.badGatewayBefore], expected: nothingApplied },
  { fault: 'F30: always 502', steps: [{ ...faults.badGatewayBefore, ...always }], expected: neverAnswered(5) },
  ...variants(
    [502, 503, 504],
    (status) => ({
      fault: `F30: ${status} with Retry-After, and it was applied`,
      steps: answered({ status, headers: { 'retry-after': '1' } }),
    }),
    answerLost,
  ),
  { fault: 'F30: 500 around an envelope that says OK', steps: [{ alter: { status: 500 } }], expected: answerLost },
  ...variants([201, 202], (status) => ({ fault: `F31: ${status}`, steps: [{ alter: { status } }] }), unharmed),
  { fault: 'F31: 204 without a body', steps: answered({ status: 204 }), expected: answerLost },
  {
    fault: 'F32: an item too few',
    steps: [faults.shorter],
    expected: { ...answerUseless, delete: unharmed.delete },
  },
  { fault: 'F33: an item too many', steps: [faults.longer], expected: unharmed },
  { fault: 'F34: items in another order', steps: [{ ...faults.shuffled, ...always }], expected: unharmed },
  { fault: 'F35: an item twice', steps: [faults.repeated], expected: unharmed },
  {
    fault: 'F35: one hash for all',
    steps: each({ hash: 'same' }),
    lies: true,
    expected: {
      'shorten -f': 'exit 10, 1 write: 1 created, 2 unknown, 2 not_sent; 3 of 5 took effect',
      keyed: 'exit 3, 3 writes: 4 created, 1 failed',
      'edit -f': 'exit 0, 2 writes: 5 changed',
    },
  },
  ...variants<Step>(
    [faults.withoutErrors, { alter: { each: { error: null } } }],
    (step) => ({ fault: `F36: ${JSON.stringify(step.alter)}`, steps: [step] }),
    unharmed,
  ),
  ...variants<Step>(
    [{ alter: { first: null } }, { alter: { each: { error: { code: '0' } } } }, { answer: { body: { error: ok, urls: {} } } }],
    (step) => ({ fault: `F36: ${JSON.stringify(step)}`, steps: [step] }),
    { ...answerLost, delete: unharmed.delete },
  ),
  { fault: 'F37: long URLs in another form', steps: [{ alter: 'normalise', ...always }], expected: unharmed },
  { fault: 'F38: hashes in another case', steps: [{ alter: 'shout', ...always }], expected: unharmed },
  ...variants(
    ['', hostile],
    (hash) => ({ fault: `F39: the hash ${JSON.stringify(hash)} for all`, steps: each({ hash }) }),
    answerUseless,
  ),
  {
    fault: 'F39: a hash of a megabyte',
    steps: each({ hash: 'a'.repeat(1_000_000) }),
    expected: only({ ...answerLost, delete: unharmed.delete }, 'shorten -f', 'keyed', 'edit -f'),
  },
  {
    fault: 'F39: a hash that is a path',
    steps: each({ hash: '../../etc/x' }),
    lies: true,
    expected: { shorten: 'exit 0, 1 write', keyed: 'exit 3, 3 writes: 4 created, 1 failed' },
  },
  {
    fault: 'F41: names of prototypes',
    steps: each(JSON.parse('{"__proto__":{"error":1},"constructor":"x","toString":1}')),
    expected: unharmed,
  },
  { fault: 'F41: 200,000 brackets deep', steps: answered({ body: '['.repeat(200_000) }), expected: answerLost },
  {
    fault: 'F42: control characters in records',
    steps: each({ short_url: `s.ex/${hostile}`, short_url_with_protocol: `http://s.ex/${hostile}` }),
    expected: unharmed,
  },
  { fault: 'F42: control characters in a refusal', steps: [faults.refuse(1216, 400, hostile)], expected: refusedBy(6) },
  {
    fault: 'F44: an answer is lost, and the listing has no order',
    steps: [faults.dropAfter, { ...onListing, alter: 'shuffle', ...always }],
    expected: only(answerLost, 'shorten', 'shorten -f'),
  },
  {
    fault: 'F44: an answer is lost, and the listing leaves one out',
    steps: [faults.dropAfter, { ...onListing, alter: 'drop last', ...always }],
    expected: {
      shorten: 'exit 10, 1 write',
      'shorten -f': 'exit 10, 1 write: 3 unknown, 2 not_sent; 3 of 5 took effect',
    },
  },
  {
    fault: 'F45: 1306 for the whole call',
    steps: [faults.refuse(1306)],
    expected: { ...refusedBy(5), ...only(madeAgain, 'edit', 'edit -f', 'delete') },
  },
  {
    fault: 'F46: reported as done, and nothing was done',
    steps: [{ apply: false }],
    lies: true,
    expected: { ...nothingApplied, delete: 'exit 0, 2 writes: 5 deleted; 2 of 5 took effect' },
  },
  {
    fault: 'F46: other values than were asked for',
    steps: each({ note: 'other' }),
    lies: true,
    expected: { edit: 'exit 6, 1 write', 'edit -f': 'exit 3, 2 writes: 3 failed, 2 changed' },
  },
  ...variants<object>(
    [
      { counters: [] },
      {},
      { counters: { urls: { count: 9, limit: 5 } } },
      { counters: { urls: { limit: 0 }, month_urls: null } },
    ],
    (account) => ({
      fault: `F47: the account ${JSON.stringify(account)}`,
      steps: [{ only: { path: '/account' }, answer: { body: { error: ok, account } }, ...always }],
    }),
    only(unharmed, 'shorten -f', 'keyed', 'edit -f', 'delete'),
  ),
  {
    fault: 'F48: a bound of two',
    steps: [],
    limits: { maxBatch: 2 },
    expected: {
      'shorten -f': 'exit 0, 4 writes: 5 created',
      edit: 'exit 0, 3 writes',
      'edit -f': 'exit 0, 4 writes: 5 changed',
      delete: 'exit 0, 4 writes: 5 deleted',
    },
  },
  { fault: 'F50: the domain is gone in the middle', steps: [{}, faults.refuse(1313)], expected: stoppedInTheMiddleBy(5) },
];
