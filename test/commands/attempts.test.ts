import { describe, expect } from 'vitest';
import { faults } from '../support/faulty-steps.ts';
import { sent, test } from '../support/linkctl.ts';

describe('B78: what cannot heal is asked for once', () => {
  const codes = [1102, 1204, 1206, 1215, 1217, 1300, 1301, 1302, 1303, 1306, 1309, 1312, 9999];
  test.for(codes)('code %i', async (code, { linkctl, wire }) => {
    await wire.script([{ ...faults.refuse(code), times: 'all' }]);
    expect((await linkctl(['list', '--max-wait', '0'])).code).not.toBe(0);
    expect(await sent(wire)).toHaveLength(1);
  });

  test.for([400, 401, 403, 404, 405, 409, 413, 415, 422])('HTTP %i without an envelope', async (status, { linkctl, wire }) => {
    await wire.script([{ times: 'all', apply: false, answer: { status, body: '' } }]);
    expect((await linkctl(['account'])).code).not.toBe(0);
    expect(await sent(wire)).toHaveLength(1);
  });

  test.for([101, 1219, 1308])('code %i on a read is asked for again', async (code, { linkctl, wire }) => {
    await wire.script([faults.refuse(code)]);
    expect(await linkctl(['list'])).toMatchObject({ code: 0 });
    expect(await sent(wire)).toHaveLength(2);
  });
});

describe('B79: a change whose answer was lost', () => {
  test('shortening is not sent a second time: exit 10, and how to look', async ({ linkctl, wire }) => {
    await wire.script([{ ...faults.dropAfter, only: { method: 'POST' } }]);
    const ran = await linkctl(['shorten', 'https://nodejs.org/']);
    expect(ran).toMatchObject({ code: 10, stdout: '', stderr: expect.stringContaining('hint: ') });
    expect((await sent(wire)).filter(({ call }) => call.startsWith('POST'))).toHaveLength(1);
    expect((await linkctl(['list', '--fields', 'long_url'])).stdout).toBe('https://nodejs.org/\n');
  });

  test('with a hash of its own it is sent again, because that cannot do harm', async ({ linkctl, wire }) => {
    await wire.script([{ ...faults.dropAfter, only: { method: 'POST' } }]);
    const ran = await linkctl(['shorten', 'https://nodejs.org/', '--hash', 'node']);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/\/node\n$/) });
    expect((await linkctl(['list', '--fields', 'hash'])).stdout).toBe('node\n');
  });
});
