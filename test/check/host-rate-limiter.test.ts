import { expect, test } from 'vitest';
import {
  type Closed,
  type HostFeedback,
  HostRateLimiter,
  type Permit,
  type RateLimits,
} from '../../src/check/host-rate-limiter.ts';
import { VirtualTime } from './virtual-time.ts';

const usual: RateLimits = { maxRequests: 32, maxPerHost: 4, interval: 50, maxInterval: 30_000, maxWait: 60_000, maxQueued: 1000 };

interface Request {
  readonly host: string;
  /** Since the beginning. */
  readonly at: number;
  readonly inside: number;
  readonly ofHost: number;
}

interface World {
  /** Requests that each host is to get. */
  readonly hosts: Readonly<Record<string, number>>;
  readonly limits?: Partial<RateLimits>;
  /** How long a request takes. */
  readonly takes?: number;
  /** What the nth request of a host finds. */
  readonly finds?: (host: string, nth: number) => HostFeedback | undefined;
}

/** Sends all requests, as the hosts let them in. */
async function requestsOf({ hosts, limits, takes = 80, finds = () => ({ overloaded: false }) }: World) {
  const time = new VirtualTime();
  const began = time.now();
  const left = new Map(Object.entries(hosts));
  const requests: Request[] = [];
  const closed: string[] = [];
  const inside = new Map<string, number>();
  const send = async (host: string, entry: Permit | Closed): Promise<void> => {
    if (entry.kind !== 'permit') return void closed.push(host);
    inside.set(host, (inside.get(host) ?? 0) + 1);
    const all = [...inside.values()].reduce((sum, one) => sum + one, 0);
    const nth = requests.filter((request) => request.host === host).length;
    requests.push({ host, at: time.now() - began, inside: all, ofHost: inside.get(host) ?? 0 });
    await time.sleep(takes);
    inside.set(host, (inside.get(host) ?? 0) - 1);
    entry.release(finds(host, nth));
  };
  const limiter = new HostRateLimiter({ ...usual, ...limits }, time, {
    stop: new AbortController().signal,
    next(host) {
      const count = left.get(host) ?? 0;
      if (count === 0) return undefined;
      left.set(host, count - 1);
      return (entry) => void send(host, entry);
    },
  });
  for (const host of left.keys()) limiter.addHost(host);
  await time.run();
  return { requests, closed, timesOf: (host: string) => requests.filter((one) => one.host === host).map(({ at }) => at) };
}

const many = (count: number, each: number) => Object.fromEntries(Array.from({ length: count }, (_, nth) => [`h${nth}`, each]));

test('K2: requests to a host begin 50 ms apart', async () => {
  const { timesOf } = await requestsOf({ hosts: { a: 5 } });
  expect(timesOf('a')).toEqual([0, 50, 100, 150, 200]);
});

test('K2: at most 4 are under way at a host, and 32 in all', async () => {
  const { requests } = await requestsOf({ hosts: many(9, 20), takes: 5000 });
  expect(requests).toHaveLength(180);
  expect(Math.max(...requests.map(({ ofHost }) => ofHost))).toBe(4);
  expect(Math.max(...requests.map(({ inside }) => inside))).toBe(32);
});

test('K2: hosts take turns, so that one with many destinations does not keep the others waiting', async () => {
  const { timesOf } = await requestsOf({ hosts: { big: 1000, small: 3 }, limits: { maxRequests: 4 }, takes: 100 });
  expect(timesOf('small').at(-1)).toBeLessThan(1000);
});

test('K2: a host that answers 429 or 5xx is asked half as often each time, down to every 30 s, and recovers', async () => {
  const { timesOf } = await requestsOf({
    hosts: { a: 16 },
    takes: 0,
    finds: (_, nth) => ({ overloaded: nth < 12 }),
  });
  const times = timesOf('a');
  const gaps = times.slice(1).map((time, nth) => time - (times[nth] ?? 0));
  expect(gaps).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000, 30_000, 15_000, 7500]);
});

test('K2: Retry-After is waited for before anything else is sent there, while other hosts go on', async () => {
  const { timesOf } = await requestsOf({
    hosts: { a: 4, b: 200 },
    takes: 10,
    finds: (host, nth) => (host === 'a' && nth === 0 ? { overloaded: true, retryAfter: 5000 } : { overloaded: false }),
  });
  expect(timesOf('a').slice(0, 2)).toEqual([0, 5010]);
  expect(timesOf('b')[199]).toBe(199 * 50);
});

test('K2: a host that asks for a longer wait than --max-wait is not asked again', async () => {
  const { timesOf, closed } = await requestsOf({
    hosts: { a: 5, b: 3 },
    takes: 0,
    finds: (host) => (host === 'a' ? { overloaded: true, retryAfter: 60_001 } : { overloaded: false }),
  });
  expect(timesOf('a')).toEqual([0]);
  expect(closed).toEqual(['a', 'a', 'a', 'a']);
  expect(timesOf('b')).toHaveLength(3);
});

test('K2, K3: what is left of a host without a public address is not paced', async () => {
  const { timesOf, closed } = await requestsOf({
    hosts: { a: 400 },
    takes: 1,
    finds: () => ({ overloaded: false, refused: 'private' }),
  });
  expect(timesOf('a')).toEqual([0]);
  expect(closed).toHaveLength(399);
});

test('K2: waits that a host asks for add up, until it answers well', async () => {
  const asking = (well: number) =>
    requestsOf({
      hosts: { a: 6 },
      takes: 0,
      finds: (_, nth) => (nth === well ? { overloaded: false } : { overloaded: true, retryAfter: 25_000 }),
    });
  expect((await asking(2)).closed).toHaveLength(0);
  expect((await asking(9)).closed).toHaveLength(3);
});

test('K2: several answers at once that ask for the same wait are one wait', async () => {
  const { closed, timesOf } = await requestsOf({
    hosts: { a: 8 },
    takes: 1000,
    finds: (_, nth) => (nth < 4 ? { overloaded: true, retryAfter: 50_000 } : { overloaded: false }),
  });
  expect(closed).toEqual([]);
  expect(timesOf('a')[4]).toBe(51_150);
});

test('K2: where all redirect to one slow host, no more than some wait there, and every host gets its turn in the end', async () => {
  const time = new VirtualTime();
  const left = new Set(Array.from({ length: 300 }, (_, nth) => `h${nth}`));
  let [waiting, mostSeen, ended] = [0, 0, 0];
  const visit = async (host: string, entry: Permit | Closed): Promise<void> => {
    if (entry.kind === 'permit') entry.release({ overloaded: false });
    // The first redirect; the others are more than there are requests that wait.
    if (Number(host.slice(1)) < 50) {
      waiting += 1;
      mostSeen = Math.max(mostSeen, waiting);
      const next = await limiter.acquire('slow');
      waiting -= 1;
      await time.sleep(1000);
      if (next.kind === 'permit') next.release({ overloaded: false });
    }
    ended += 1;
  };
  const limiter = new HostRateLimiter({ ...usual, maxQueued: 10 }, time, {
    stop: new AbortController().signal,
    next: (host) => (left.delete(host) ? (entry) => void visit(host, entry) : undefined),
  });
  for (const host of left) limiter.addHost(host);
  await time.run();
  expect(ended).toBe(300);
  expect(mostSeen).toBeLessThanOrEqual(10 + 32);
});
