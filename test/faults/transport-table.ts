import { faults } from '../support/faulty-steps.ts';
import type { Fault } from './cell.ts';

const always = { times: 'all' } as const;

export const transportFaults: readonly Fault[] = [
  { fault: 'nothing goes wrong', steps: [], expected: {} },
  { fault: 'F01: refused', steps: [], env: () => ({ LINKCTL_BASE_URL: 'http://127.0.0.1:1/api/3' }), lasting: true, expected: {} },
  { fault: 'F01: a name that nobody knows', steps: [], env: () => ({ LINKCTL_BASE_URL: 'https://nowhere.invalid/api/3' }), lasting: true, expected: {} },
  { fault: 'F02: refused for a while before the first request', steps: [{ ...faults.goneAfter(200), only: { path: '/account' } }], unhurried: true, expected: {} },
  { fault: 'F02: refused for a while after a look at the listing', steps: [{ ...faults.goneAfter(200), only: { method: 'GET', path: '/urls' } }], unhurried: true, expected: {} },
  { fault: 'F02: refused for a while between two batches', steps: [faults.goneAfter(200)], unhurried: true, expected: {} },
  { fault: 'F03: reset right after accept', steps: [faults.refusedAfterAccept], expected: {} },
  { fault: 'F04: reset before it was applied', steps: [faults.dropBefore], expected: {} },
  { fault: 'F05: reset after it was applied', steps: [faults.dropAfter], expected: {} },
  { fault: 'F06: reset after a part was applied', steps: [faults.dropMiddle(2)], expected: {} },
  { fault: 'F07: applied soon after the client gave up', steps: [faults.late(40)], expected: {} },
  { fault: 'F07: applied long after', steps: [faults.late(900), {}, { delay: 1500 }], lies: true, expected: {} },
  { fault: 'F08: once no answer, and not applied', steps: [faults.silentBefore], flags: ['--timeout', '1'], expected: {} },
  { fault: 'F08: once no answer, and applied', steps: [faults.silentAfter], flags: ['--timeout', '1'], expected: {} },
  { fault: 'F04: always reset before it was applied', steps: [{ ...faults.dropBefore, ...always }], expected: {} },
  { fault: 'F05: always reset after it was applied', steps: [{ ...faults.dropAfter, ...always }], expected: {} },
  { fault: 'F08: never an answer', steps: [{ ...faults.silentBefore, ...always }], flags: ['--timeout', '1', '--retries', '1'], expected: {} },
  { fault: 'F09: a header byte by byte', steps: [{ end: 'drip head' }], flags: ['--timeout', '1'], expected: {} },
  { fault: 'F09: a body byte by byte', steps: [{ end: 'drip' }], flags: ['--timeout', '1'], expected: {} },
  { fault: 'F10: shorter than its length', steps: [faults.cutAfter], expected: {} },
  { fault: 'F10: chunked without an end', steps: [{ end: 'cut chunked' }], expected: {} },
  { fault: 'F10: the end of the connection ends it too early', steps: [{ end: 'cut unframed' }], expected: {} },
  { fault: 'F12: 413 while it is sent', steps: [faults.tooLargeEarly], expected: {} },
  ...[301, 302, 307, 308].map((status): Fault => ({ fault: `F14: ${status} to another server`, steps: [faults.redirect('http://127.0.0.1:9/', status)], expected: {} })),
  { fault: 'F16: the network is gone in the middle', steps: [faults.goneAfter(3_600_000)], flags: ['--max-wait', '1'], expected: {} },
  { fault: 'F17: a body without end', steps: [{ end: 'endless' }], expected: {} },
  { fault: 'F17: a gzip bomb', steps: [{ answer: { headers: { 'content-encoding': 'gzip' }, body: 'x' } }], expected: {} },
  { fault: 'F18: a header line of 20 KB', steps: [{ answer: { headers: { 'x-long': 'a'.repeat(20_000) } } }], expected: {} },
  { fault: 'F18: 1,000 headers', steps: [{ answer: { raw: `HTTP/1.1 200 OK\r\n${Array.from({ length: 1000 }, (_, n) => `X-H${n}: aaaaaaaaaaaa\r\n`).join('')}Content-Length: 2\r\n\r\n{}` } }], expected: {} },
  { fault: 'F18: another protocol', steps: [{ answer: { raw: '220 smtp ready\r\n' } }], expected: {} },
  { fault: 'F18: two answers', steps: [{ answer: { raw: 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}' } }], expected: {} },
  { fault: 'F18: endless interim answers', steps: [{ answer: { raw: 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(200) } }], expected: {} },
];
