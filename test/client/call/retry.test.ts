import { expect, test, vi } from 'vitest';
import { backOff } from '../../../src/client/call/retry-loop.ts';
import { faults, type Step } from '../../support/faulty-steps.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { createTestSystem } from '../../support/test-system.ts';
import { answer, failureOf, key, type Rig, rig } from '../client-fixture.ts';

const items = { body: { urls: [{ long_url: 'https://nodejs.org/' }] } };
const tags = answer({ tags: [] });
const always = (step: Step): Step => ({ ...step, times: 'all' });

test('R-4: delays lie between 0 and a cap that doubles, and are half of it on average', () => {
  const random = seededRandom(7);
  for (const [i, cap] of [200, 400, 800, 1600, 3200, 6400, 12_800, 20_000, 20_000].entries()) {
    const delays = Array.from({ length: 2000 }, () => backOff(200, i, random));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThanOrEqual(cap);
    expect(delays.reduce((sum, each) => sum + each, 0) / delays.length / cap).toBeCloseTo(0.5, 1);
  }
});

test('R-4: a read is tried five times, with full jitter', async () => {
  const { server, client, time } = await rig([always(faults.dropBefore)]);
  const error = await failureOf(client.send('listTags', {}));
  expect(error).toMatchObject({ exitCode: 8, attempts: 5, gaveUp: 'maximum number of attempts reached' });
  expect(error.details).toContain('gave up after 5 attempts');
  expect(time.slept).toEqual([100, 200, 400, 800]);
  expect(await server.requests()).toHaveLength(5);
});

test('R-4: two processes that start together do not retry in step', async () => {
  const slept = await Promise.all(
    [1, 2].map(async (seed) => {
      const { client, time } = await rig([always(faults.dropBefore)], { random: seededRandom(seed) });
      await failureOf(client.send('listTags', {}));
      return time.slept;
    }),
  );
  expect(slept[0]).not.toEqual(slept[1]);
});

test('F02: a call that was refused a connection twice goes through in the end, whatever it changes', async () => {
  // Below the ports that the system gives to servers of other tests.
  const port = 20_000 + (process.pid % 10_000);
  const starts: Promise<Rig>[] = [];
  const { client } = await rig([], {
    baseUrl: `http://127.0.0.1:${port}/api/3`,
    onSleep: async (count) => {
      if (count !== 2) return;
      starts.push(rig([answer({ urls: [] })], { server: { port } }));
      await starts[0];
    },
  });
  expect(await client.send('shortenUrls', items)).toMatchObject({ urls: [] });
  expect(await (await starts[0])?.server.requests()).toHaveLength(1);
});

test('F01: a refused connection is tried five times, a name that does not resolve twice; nothing is in doubt', async () => {
  for (const [baseUrl, attempts] of [
    ['http://127.0.0.1:9/api/3', 5],
    ['http://no-such-host.invalid/api/3', 2],
  ] as const) {
    const { client } = await rig([], { baseUrl });
    expect(await failureOf(client.send('shortenUrls', items))).toMatchObject({ exitCode: 8, outcome: 'not_sent', attempts });
  }
});

test('B76: --retries 0 switches retrying off, --retries 1 allows one', async () => {
  for (const retries of [0, 1]) {
    const { server, client } = await rig([always(faults.dropBefore)], { retries });
    expect(await failureOf(client.send('listTags', {}))).toMatchObject({ attempts: retries + 1 });
    expect(await server.requests()).toHaveLength(retries + 1);
  }
});

test('F24: 101 and 1308 on a read heal', async () => {
  const { client } = await rig([faults.refuse(101, 200), faults.refuse(1308, 400), tags]);
  expect(await client.send('listTags', {})).toMatchObject({ tags: [] });
});

test.each([
  ['429', faults.tooMany()],
  ['F28: 1219', faults.refuse(1219)],
])('%s is waited for, also by a shortening, on the longer base', async (_what, step) => {
  const { server, client, time } = await rig([{ ...step, times: 2 }, answer({ urls: [] })]);
  await client.send('shortenUrls', items);
  expect(time.slept).toEqual([500, 1000]);
  expect(await server.requests()).toHaveLength(3);
});

test.each([
  ['429', faults.tooMany('0')],
  ['1219', faults.refuse(1219)],
])('R-15: who asks for a call gets a report of each %s, although it succeeds in the end', async (_what, step) => {
  const { client } = await rig([{ ...step, times: 2 }, tags]);
  const asked: string[] = [];
  await client.send('listTags', {}, { onThrottled: () => void asked.push('slower') });
  expect(asked).toEqual(['slower', 'slower']);
});

test('F28: 1219 that stays ends with exit 8, 429 that stays with exit 7', async () => {
  const cooling = await rig([always(faults.refuse(1219))]);
  expect(await failureOf(cooling.client.send('shortenUrls', items))).toMatchObject({
    exitCode: 8,
    outcome: 'rejected',
  });
  const limited = await rig([always(faults.tooMany())]);
  expect(await failureOf(limited.client.send('shortenUrls', items))).toMatchObject({
    exitCode: 7,
    outcome: 'rejected',
  });
});

test('F28: waits for a server that cools down end with --max-wait', async () => {
  const { client, time } = await rig([always(faults.refuse(1219))], { maxWait: 2 });
  await failureOf(client.send('listTags', {}));
  expect(time.slept).toEqual([500, 1000]);
});

test('an abort while waiting ends at once, and is not retried', async () => {
  const stop = new AbortController();
  const { server, client } = await rig([always(faults.tooMany())], {
    observe: (event) => event.kind === 'retry' && stop.abort(),
  });
  expect(await failureOf(client.send('listTags', {}, { signal: stop.signal }))).toMatchObject({ gaveUp: 'interrupted' });
  expect(await server.requests()).toHaveLength(1);
});

test('an abort under way leaves a change in doubt', async () => {
  const stop = new AbortController();
  const { client, server } = await rig([faults.silentAfter]);
  const failure = failureOf(client.send('addTag', { body: { label: 'a' } }, { signal: stop.signal }));
  await vi.waitFor(async () => expect(await server.requests()).toHaveLength(1));
  stop.abort();
  expect(await failure).toMatchObject({
    exitCode: 10,
    outcome: 'ambiguous',
    gaveUp: 'interrupted',
  });
});

test('D22: a signal that is given to a call adds to the standing one: either ends it', async () => {
  const standing = new AbortController();
  const { client, server } = await rig([always(faults.silentAfter)], { signal: standing.signal });
  const own = new AbortController();
  const first = failureOf(client.send('addTag', { body: { label: 'a' } }, { signal: own.signal }));
  await vi.waitFor(async () => expect(await server.requests()).toHaveLength(1));
  own.abort();
  expect(await first).toMatchObject({ outcome: 'ambiguous', gaveUp: 'interrupted' });
  const { signal } = new AbortController();
  const second = failureOf(client.send('addTag', { body: { label: 'b' } }, { signal }));
  await vi.waitFor(async () => expect(await server.requests()).toHaveLength(2));
  standing.abort();
  expect(await second).toMatchObject({ outcome: 'ambiguous', gaveUp: 'interrupted' });
  expect(await failureOf(client.send('addTag', { body: { label: 'c' } }, { signal }))).toMatchObject({ outcome: 'not_sent' });
  expect(await server.requests()).toHaveLength(2);
});

test('R-6, G7: four calls in flight send at most twelve requests to a dead server before they stop', async () => {
  const { server, client } = await rig([always(faults.badGatewayBefore)], { maxWait: 0 });
  const calls = Array.from({ length: 4 }, () => failureOf(client.send('shortenUrls', items, { repeat: true })));
  for (const error of await Promise.all(calls)) expect(error).toMatchObject({ exitCode: 10 });
  expect((await server.requests()).length).toBeLessThanOrEqual(12);
  expect(await failureOf(client.send('listTags', {}))).toMatchObject({ attempts: 1, gaveUp: 'too many failures in this run' });
});

test('R-6, F16: with the budget empty one probe at a time looks for the server, and the calls continue when it is back', async () => {
  const { server, client, time } = await rig([
    { ...faults.badGatewayBefore, times: 12 },
    { ...faults.badGatewayBefore, times: 4, only: { path: '/account' } },
  ]);
  const calls = Array.from({ length: 4 }, () => client.send('addTag', { body: { label: 'a' } }));
  await Promise.all(calls);
  const urls = (await server.requests()).map(({ url }) => url);
  expect(urls.filter((url) => url.endsWith('/account'))).toHaveLength(5);
  expect(urls).toHaveLength(12 + 5 + 4);
  expect(Math.max(...time.slept)).toBeLessThanOrEqual(60_000);
});

test('R-6: a server that stays away is waited for as long as --max-wait, even if the clock is set back meanwhile', async () => {
  const { client, time } = await rig([always(faults.badGatewayBefore)], {
    maxWait: 60,
    onSleep: async (count) => {
      if (count === 14) time.now -= 3_600_000;
    },
  });
  const calls = Array.from({ length: 4 }, () => failureOf(client.send('addTag', { body: { label: 'a' } })));
  for (const error of await Promise.all(calls)) expect(error).toMatchObject({ gaveUp: 'too many failures in this run' });
  expect(time.slept.length).toBeGreaterThan(14);
  expect(time.slept.reduce((sum, each) => sum + each, 0)).toBeLessThan(90_000);
});

test('B83: an exchange takes as long as it takes, even if the clock is set back meanwhile', async () => {
  let now = Date.now();
  const { client, events } = await rig([tags], {
    system: createTestSystem({
      now: () => {
        now -= 3_600_000;
        return now;
      },
    }),
  });
  await client.send('listTags', {});
  const [milliseconds] = events.flatMap((event) => (event.kind === 'exchange' ? [event.milliseconds] : []));
  expect(milliseconds).toBeGreaterThan(0);
});

test('R-7, B83: each retry is reported with attempt, reason and delay, and no text holds the key', async () => {
  const { client, events } = await rig([{ answer: { status: 503, body: `echo ${key}` } }, tags]);
  await client.send('listTags', {});
  expect(events.map(({ kind }) => kind)).toEqual(['exchange', 'retry', 'exchange']);
  const exchanges = events.flatMap((event) =>
    event.kind === 'exchange' ? [{ path: event.path(), outcome: event.outcome(), detail: event.detail() }] : [],
  );
  expect(exchanges[0]).toMatchObject({ path: '/tags', outcome: 503 });
  expect(events[1]).toMatchObject({
    method: 'GET',
    path: '/tags',
    attempt: 1,
    delay: 100,
    reason: expect.stringContaining('HTTP 503'),
  });
  expect(JSON.stringify([events, exchanges])).not.toContain(key);
  expect(exchanges[0]?.detail).toMatchObject({
    requestHeaders: { authorization: 'Basic [redacted]' },
    responseBody: 'echo [redacted]',
  });
});
