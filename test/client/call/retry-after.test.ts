import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { retryAfter } from '../../../src/base/retries.ts';
import { faults, type Step } from '../../support/faulty-steps.ts';
import { answer, failureOf, rig } from '../client-fixture.ts';

const items = { body: { urls: [{ long_url: 'https://nodejs.org/' }] } };
const tags = answer({ tags: [] });
const always = (step: Step): Step => ({ ...step, times: 'all' });
const now = Date.UTC(2026, 0, 1);

test.each([
  ['2', 2000],
  ['0.5', 500],
  ['0', 0],
  [' 7 ', 7000],
  ['-5', undefined],
  ['abc', undefined],
  ['NaN', undefined],
  ['', undefined],
  ['1e3', undefined],
  ['2147483649', undefined],
  ['Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
  ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
  ['Thu, 99 Foo 2026', undefined],
])('R-5, F29: Retry-After %j is %j ms', (value, expected) => {
  expect(retryAfter(value, now)).toBe(expected);
});

test('R-5, G8: Retry-After is waited for in full, with at most a tenth more', async () => {
  for (const random of [() => 0, () => 0.999999]) {
    const { client, time } = await rig([faults.tooMany('2'), tags], { random });
    await client.send('listTags', {});
    expect(time.slept[0]).toBeGreaterThanOrEqual(2000);
    expect(time.slept[0]).toBeLessThanOrEqual(2200);
  }
});

test('G8: by the wall clock, no request comes before Retry-After is over', async () => {
  const { server, client } = await rig([faults.tooMany('0.4'), tags], {
    system: {
      env: {},
      platform: 'linux',
      nodeVersion: 'v20.0.0',
      now: Date.now,
      elapsed: () => performance.now(),
      random: () => 0,
      sleep: async (ms) => void (await delay(ms)),
      stderr: process.stderr,
    },
  });
  await client.send('listTags', {});
  const [first, second] = await server.requests();
  expect((second?.time ?? 0) - (first?.time ?? 0)).toBeGreaterThanOrEqual(400);
});

test('R-5, G8: who asks for a call is told when a wait that the server asked for is over', async () => {
  const { client } = await rig([faults.tooMany('2'), faults.tooMany(), tags]);
  const waits: (Promise<unknown> | undefined)[] = [];
  await client.send('listTags', {}, { onThrottled: (over) => void waits.push(over) });
  expect(waits).toEqual([expect.any(Promise), undefined]);
  await waits[0];
});

test.each(['3600', 'Sat, 01 Jan 2099 00:00:00 GMT'])(
  'R-5: Retry-After %s stops at once: one attempt, exit 7, the time',
  async (value) => {
    const { server, client, time } = await rig([always(faults.tooMany(value))]);
    const error = await failureOf(client.send('listTags', {}));
    expect(error).toMatchObject({ exitCode: 7, attempts: 1, notBefore: now + (retryAfter(value, now) ?? 0) });
    expect(error.details.join()).toMatch(/no further calls before (2026-01-01T01:00:00|2099-01-01T00:00:00)\.000Z/);
    expect(time.slept).toEqual([]);
    expect(await server.requests()).toHaveLength(1);
  },
);

test('R-5: 503 with a long Retry-After stops a read with exit 7 and leaves a shortening in doubt', async () => {
  const step = always({ answer: { status: 503, headers: { 'retry-after': '3600' }, body: '' } });
  expect(await failureOf((await rig([step])).client.send('listTags', {}))).toMatchObject({ exitCode: 7 });
  expect(await failureOf((await rig([step])).client.send('shortenUrls', items))).toMatchObject({ exitCode: 10 });
});

test('R-5: a Retry-After that makes no sense is reported and not followed', async () => {
  const { client, events, time } = await rig([faults.tooMany('-5'), tags]);
  await client.send('listTags', {});
  expect(events).toContainEqual({ kind: 'warning', message: 'ignoring the invalid Retry-After of the server: -5' });
  expect(time.slept).toEqual([500]);
});

test('R-5, B77: --max-wait 10 allows ten seconds', async () => {
  const { client, time } = await rig([faults.tooMany('10'), tags], { maxWait: 10, random: () => 0 });
  await client.send('listTags', {});
  expect(time.slept).toEqual([10_000]);
});
