import { describe, expect } from 'vitest';
import { faults, type Step } from '../support/faulty-steps.ts';
import { sent, test } from '../support/linkctl.ts';
import type { Manners } from '../support/manners.ts';
import { seed, stored } from '../support/stored-links.ts';

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
    expect((await sent(wire)).filter(({ call }) => call.startsWith('GET /urls'))).toHaveLength(2);
  });
});

describe('B79: a change whose answer was lost', () => {
  test('shortening is not sent a second time: exit 10, and how to look', async ({ linkctl, wire }) => {
    await wire.script([{ ...faults.dropAfter, only: { method: 'POST' } }]);
    const ran = await linkctl(['shorten', 'https://nodejs.org/'], { haste: 50 });
    expect(ran).toMatchObject({ code: 10, stdout: '', stderr: expect.stringContaining('hint: ') });
    expect((await sent(wire)).filter(({ call }) => call.startsWith('POST'))).toHaveLength(1);
    expect((await linkctl(['list', '--fields', 'long_url'])).stdout).toBe('https://nodejs.org/\n');
  });

  test.for<[string, Manners, Step]>([
    ['a listing that is behind', { lag: 100 }, faults.dropAfter],
    ['a listing without the URL as it was typed', { longUrls: 'stored normalised', pageCap: 30 }, faults.dropAfter],
    ['an answer that comes after the time-out', { lag: 100 }, faults.silentAfter],
    ['a request that is applied after the connection was lost', {}, faults.late(100)],
  ])(
    'D1: %s makes no second link of a typed URL: exit 10, and the link that may be it is named',
    async ([, manners, step], { linkctl, wire, service }) => {
      await seed(service, 150);
      await wire.behave(manners);
      await wire.script([{ ...step, only: { method: 'POST' } }]);
      const ran = await linkctl(['shorten', 'https://MÜNCHEN.example/a?b=ü', '--timeout', '1'], { haste: 50 });
      const made = (await stored(service)).slice(150);
      expect(made).toHaveLength(1);
      expect(ran).toMatchObject({
        code: 10,
        stdout: '',
        stderr: expect.stringContaining(`possibly created: ${made[0]?.short_url_with_protocol}`),
      });
    },
  );

  test('with a hash of its own it is sent again, because that cannot do harm', async ({ linkctl, wire }) => {
    await wire.script([{ ...faults.dropAfter, only: { method: 'POST' } }]);
    const ran = await linkctl(['shorten', 'https://nodejs.org/', '--hash', 'node']);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/\/node\n$/) });
    expect((await linkctl(['list', '--fields', 'hash'])).stdout).toBe('node\n');
  });
});
