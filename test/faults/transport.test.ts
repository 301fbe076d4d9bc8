import { afterAll, beforeAll, test } from 'vitest';
import { type FaultyHost, startFaultyHost } from '../support/faulty-process.ts';
import { cellsOf, observe } from './cell.ts';
import { transportFaults } from './transport-table.ts';

let host: FaultyHost;
beforeAll(async () => {
  host = await startFaultyHost();
});
afterAll(() => host.close());

test.concurrent.for(cellsOf(transportFaults))('$fault.fault; $deed: $expected', async ({ fault, deed, expected }, { expect }) => {
  const { sentence, violations, stderr } = await observe(host, deed, fault);
  expect({ sentence, violations }, stderr).toEqual({
    sentence: expect.toBeOneOf(expected.split(' or ')),
    violations: [],
  });
});
