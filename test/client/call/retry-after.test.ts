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

/** A client whose waits end when the test says so, and a call that waits because the server asked for it. */
async function paused(steps: readonly Step[] = [tags]) {
  let end = (): void => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  let isWaiting = (): void => {};
  const waiting = new Promise<void>((resolve) => {
    isWaiting = resolve;
  });
  const onSleep = async (): Promise<void> => {
    isWaiting();
    await over;
  };
  const { server, client } = await rig([faults.tooMany('2'), ...steps.map(always)], { onSleep });
  const refused = client.send('listTags', {});
  await waiting;
  return { server, client, refused, end };
}

test('R-5, G8: while one call waits for Retry-After, no other call is sent', async () => {
  const { server, client, refused, end } = await paused();
  const others = [client.send('listTags', {}), client.send('listTags', {})];
  await delay(50);
  expect(await server.requests()).toHaveLength(1);
  end();
  await Promise.all([refused, ...others]);
  expect(await server.requests()).toHaveLength(4);
});

test('G8, E4: a change that waits for the Retry-After of another call looks at its links again, and is not sent if they changed', async () => {
  const { server, client, refused, end } = await paused();
  let looks = 0;
  const isCurrent = async (): Promise<boolean> => {
    looks += 1;
    return false;
  };
  const change = failureOf(client.send('editUrls', { query: {}, body: { urls: [{ hash: 'a', note: 'n' }] } }, { isCurrent }));
  await delay(20);
  expect(looks).toBe(0);
  end();
  expect(await change).toMatchObject({ gaveUp: 'the target has changed since', outcome: 'not_sent', attempts: 0 });
  await refused;
  expect((await server.requests()).map(({ method }) => method)).toEqual(['GET', 'GET']);
});

test('G8: a call that waits for the Retry-After of another one ends with a signal, and nothing is sent', async () => {
  const { server, client, refused, end } = await paused();
  const halt = new AbortController();
  const other = failureOf(client.send('listTags', {}, { halt: halt.signal }));
  halt.abort();
  end();
  expect(await other).toMatchObject({ gaveUp: 'interrupted', outcome: 'not_sent', attempts: 0 });
  await refused;
  expect(await server.requests()).toHaveLength(2);
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
