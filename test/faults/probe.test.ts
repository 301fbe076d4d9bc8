import { afterAll, beforeAll, test } from 'vitest';
import { appendFileSync } from 'node:fs';
import { type FaultyHost, startFaultyHost } from '../support/faulty-process.ts';
import { observe, type Fault } from './cell.ts';
import { deedNames } from './deeds.ts';
import { transportFaults } from './transport-table.ts';
import { applicationFaults } from './application-table.ts';
let host: FaultyHost;
beforeAll(async () => { host = await startFaultyHost(); });
afterAll(() => host.close());
const only = process.env.ONLY ?? '';
const all = (process.env.T ? transportFaults : applicationFaults).filter((f: Fault) => f.fault.includes(only));
const cells = all.flatMap((fault) => deedNames.map((deed) => ({ fault, deed })));
test.concurrent.for(cells)('$fault.fault | $deed', { timeout: 60000 }, async ({ fault, deed }) => {
  const start = Date.now();
  const o = await observe(host, deed, fault);
  appendFileSync('/tmp/probe.out', JSON.stringify({ f: fault.fault, d: deed, s: o.sentence, ms: Date.now() - start, v: o.violations, e: o.stderr }) + '\n');
});
