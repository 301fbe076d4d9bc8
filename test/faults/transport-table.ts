import { certify } from '../support/certificates.ts';
import { faults } from '../support/faulty-steps.ts';
import type { Fault } from './cell.ts';
import {
  answerLost,
  answerUseless,
  madeAgain,
  neverAnswered,
  nothingApplied,
  only,
  stoppedBy,
  unharmed,
} from './expectations.ts';

const always = { times: 'all' } as const;
const impatient = { flags: ['--timeout', '2'] } as const;
const unreached = {
  shorten: 'exit 8, 0 writes; 0 of 1 took effect',
  'shorten -f': 'exit 8, 0 writes; 0 of 5 took effect',
  keyed: 'exit 8, 0 writes; 0 of 5 took effect',
  edit: 'exit 8, 0 writes; 0 of 3 took effect',
  'edit -f': 'exit 8, 0 writes; 0 of 5 took effect',
  delete: 'exit 8, 0 writes; 0 of 5 took effect',
} as const;
const authority = certify('an authority');
const unknownAuthority = certify('api', { hosts: ['127.0.0.1'], issuer: authority });

/** R 3.1, F01 to F18, after requests that change something. Proxies are in client/proxies.test.ts. */
export const transportFaults: readonly Fault[] = [
  { fault: 'nothing', steps: [], expected: unharmed },
  {
    fault: 'F01: a refused connection',
    steps: [],
    env: () => ({ LINKCTL_BASE_URL: 'http://127.0.0.1:1/api/3' }),
    lasting: true,
    expected: unreached,
  },
  {
    fault: 'F01: a name that nobody knows',
    steps: [],
    env: () => ({ LINKCTL_BASE_URL: 'https://nowhere.invalid/api/3' }),
    lasting: true,
    expected: only(unreached, 'shorten', 'keyed'),
  },
  {
    fault: 'F02: nobody there for a while at the start',
    steps: [{ ...faults.goneAfter(200), only: { path: '/account' } }],
    unhurried: true,
    flags: ['--retries', '8'],
    expected: only(unharmed, 'keyed', 'edit -f', 'delete'),
  },
  {
    fault: 'F02: nobody there for a while after a reading of the listing',
    steps: [{ ...faults.goneAfter(200), only: { method: 'GET', path: '/urls' } }],
    unhurried: true,
    flags: ['--retries', '8'],
    expected: only(unharmed, 'shorten -f'),
  },
  {
    fault: 'F02: nobody there for a while between two batches',
    steps: [faults.goneAfter(200)],
    unhurried: true,
    flags: ['--retries', '8'],
    expected: only(unharmed, 'shorten -f', 'keyed', 'edit -f', 'delete'),
  },
  {
    fault: 'F03: a reset right after the connection is accepted',
    steps: [faults.refusedAfterAccept],
    // The kernel accepts before the server knows: on a busy machine the request may have left by then, and is in doubt.
    expected: { ...unharmed, shorten: `${unharmed.shorten} or exit 10, 0 writes; 0 of 1 took effect` },
  },
  { fault: 'F04: a reset before it was applied', steps: [faults.dropBefore], expected: nothingApplied },
  {
    fault: 'F11: a reset of a connection that was used before',
    steps: [faults.dropBefore],
    usedConnection: true,
    expected: only(madeAgain, 'shorten -f', 'keyed', 'edit -f', 'delete'),
  },
  {
    fault: 'F04: always a reset before it was applied',
    steps: [{ ...faults.dropBefore, ...always }],
    expected: neverAnswered(5),
  },
  { fault: 'F05: a reset after it was applied', steps: [faults.dropAfter], expected: answerLost },
  {
    fault: 'F05: always a reset after it was applied',
    steps: [{ ...faults.dropAfter, ...always }],
    expected: {
      shorten: 'exit 10, 1 write',
      'shorten -f': 'exit 0, 2 writes: 5 created',
      keyed: 'exit 10, 5 writes: 1 created, 2 unknown, 2 not_sent; 3 of 5 took effect',
      edit: 'exit 0, 5 writes',
      'edit -f': 'exit 0, 10 writes: 5 changed',
      delete: 'exit 0, 10 writes: 5 deleted',
    },
  },
  {
    fault: 'F06: a reset after two of three were applied',
    steps: [faults.dropMiddle(2)],
    expected: { ...madeAgain, shorten: answerLost.shorten },
  },
  {
    fault: 'F07: applied soon after the client gave up',
    steps: [faults.late(40)],
    expected: only({ ...madeAgain, 'shorten -f': answerLost['shorten -f'] }, 'shorten -f', 'keyed', 'edit', 'edit -f', 'delete'),
  },
  {
    fault: 'F07: applied when the reading back is over, before the final audit',
    steps: [faults.late(3000), {}, { delay: 5000 }],
    lies: true,
    expected: only(
      { ...madeAgain, 'shorten -f': `${madeAgain['shorten -f']}; 3 twice` },
      'shorten -f',
      'keyed',
      'edit -f',
      'delete',
    ),
    says: { 'shorten -f': /3 links may be duplicates/ },
  },
  { fault: 'F08: once no answer, and not applied', steps: [faults.silentBefore], ...impatient, expected: nothingApplied },
  { fault: 'F08: once no answer, and applied', steps: [faults.silentAfter], ...impatient, expected: answerLost },
  {
    fault: 'F08: never an answer',
    steps: [{ ...faults.silentBefore, ...always }],
    flags: [...impatient.flags, '--retries', '1'],
    expected: neverAnswered(2),
  },
  { fault: 'F09: a header byte by byte', steps: [{ end: 'drip head' }], ...impatient, expected: answerLost },
  {
    fault: 'F09: a body byte by byte',
    steps: [{ end: 'drip' }],
    ...impatient,
    expected: only(answerLost, 'shorten -f', 'keyed', 'edit', 'delete'),
  },
  { fault: 'F10: a body that is shorter than its length', steps: [faults.cutAfter], expected: answerLost },
  {
    fault: 'F10: a chunked body without its end',
    steps: [{ end: 'cut chunked' }],
    expected: only(answerLost, 'shorten -f', 'keyed', 'edit -f'),
  },
  {
    fault: 'F10: a body that the connection ends too early',
    steps: [{ end: 'cut unframed' }],
    expected: only(answerLost, 'shorten', 'shorten -f', 'delete'),
  },
  {
    fault: 'F12: 413 while it is still sent',
    steps: [faults.tooLargeEarly],
    expected: {
      shorten: 'exit 7, 1 write; 0 of 1 took effect',
      'shorten -f': 'exit 0, 4 writes: 5 created',
      keyed: 'exit 0, 5 writes: 5 created',
      edit: 'exit 0, 3 writes',
      'edit -f': 'exit 0, 4 writes: 5 changed',
      delete: 'exit 0, 4 writes: 5 deleted',
    },
  },
  {
    fault: 'F13: a certificate of an authority that nobody knows',
    steps: [],
    faulty: { tls: unknownAuthority },
    lasting: true,
    expected: unreached,
  },
  {
    fault: 'F13: plain HTTP where TLS is expected',
    steps: [],
    env: (baseUrl) => ({ LINKCTL_BASE_URL: baseUrl.replace('http:', 'https:') }),
    lasting: true,
    expected: only(unreached, 'keyed', 'delete'),
  },
  { fault: 'F14: 302 to another place', steps: [faults.redirect('/elsewhere')], expected: stoppedBy(8) },
  { fault: 'F14: 301 to another place', steps: [faults.redirect('/elsewhere', 301)], expected: only(stoppedBy(8), 'shorten -f') },
  {
    fault: 'F14: 307 to another place',
    steps: [faults.redirect('/elsewhere', 307)],
    expected: only(stoppedBy(8), 'shorten', 'edit -f'),
  },
  {
    fault: 'F14: 308 to another place',
    steps: [faults.redirect('/elsewhere', 308)],
    expected: only(stoppedBy(8), 'keyed', 'delete'),
  },
  {
    fault: 'F16: the network is gone from the first batch on',
    steps: [faults.goneAfter(3_600_000)],
    flags: ['--max-wait', '1'],
    expected: {
      'shorten -f': 'exit 8, 1 write: 3 created, 2 not_sent; 3 of 5 took effect',
      keyed: 'exit 8, 1 write: 3 created, 2 not_sent; 3 of 5 took effect',
      'edit -f': 'exit 8, 1 write: 3 changed, 2 not_sent; 3 of 5 took effect',
      delete: 'exit 8, 1 write: 3 deleted, 2 not_sent; 3 of 5 took effect',
    },
  },
  {
    fault: 'F17: a body without end',
    steps: [{ end: 'endless' }],
    expected: only(answerUseless, 'shorten', 'shorten -f', 'keyed', 'edit -f', 'delete'),
  },
  {
    fault: 'F17: a compressed body',
    steps: [{ answer: { headers: { 'content-encoding': 'gzip,'.repeat(900) }, body: 'x' } }],
    expected: answerUseless,
  },
  {
    fault: 'F18: a header line of 20 KB',
    steps: [{ answer: { headers: { 'x-long': 'a'.repeat(20_000) } } }],
    expected: answerUseless,
  },
  {
    fault: 'F18: 1,000 headers',
    steps: [{ answer: { raw: `HTTP/1.1 200 OK\r\n${'X-Header: aaaaaaaaaa\r\n'.repeat(1000)}Content-Length: 2\r\n\r\n{}` } }],
    expected: only(answerUseless, 'keyed', 'edit -f'),
  },
  {
    fault: 'F18: another protocol',
    steps: [{ answer: { raw: '220 smtp ready\r\n' } }],
    expected: only(answerLost, 'shorten', 'delete'),
  },
  {
    fault: 'F18: two answers to one request',
    steps: [{ answer: { raw: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'.repeat(2) } }],
    expected: only(answerLost, 'shorten -f', 'edit'),
  },
  {
    fault: 'F18: interim answers without end',
    steps: [{ answer: { raw: 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(200) } }],
    expected: only(answerLost, 'shorten -f', 'keyed', 'edit -f'),
  },
];
