import { describe, expect, test } from 'vitest';
import type { System } from '../../../src/base/system.ts';
import { createLimiter, type Limiter } from '../../../src/bulk/sending/limiter.ts';
import type { Client } from '../../../src/client/client.ts';
import { until } from '../../support/until.ts';
import { test as inWorld, rowsOf } from '../bulk-world.ts';
import { crashingFile } from '../crashing-file.ts';

/** Whether so many are let in and no more; all leave again. */
async function holds(gate: Limiter, count: number): Promise<boolean> {
  let inside = 0;
  const entries = Array.from({ length: count + 1 }, () =>
    gate.acquire().then((leave) => {
      inside += 1;
      return leave;
    }),
  );
  await Promise.resolve().then(() => undefined);
  await new Promise((resolve) => setImmediate(resolve));
  const first = inside;
  for (const entry of entries) (await entry)();
  return first === count;
}

describe('R-15: the limiter', () => {
  test('R-15: lets in as many as it may, and the next one when a place is free', async () => {
    expect(await holds(createLimiter(4), 4)).toBe(true);
    expect(await holds(createLimiter(1), 1)).toBe(true);
  });

  test('R-15: halves each time that the server asks to slow down, to 1 at least', async () => {
    const gate = createLimiter(16);
    const limits: number[] = [];
    for (let time = 0; time < 6; time += 1) {
      gate.throttled();
      limits.push(gate.limit);
    }
    expect(limits).toEqual([8, 4, 2, 1, 1, 1]);
    expect(await holds(gate, 1)).toBe(true);
  });

  test('R-15: lets in one more after ten successes, to its maximum at most', async () => {
    const gate = createLimiter(3);
    gate.throttled();
    const limits: number[] = [];
    for (let success = 1; success <= 40; success += 1) {
      gate.succeeded();
      limits.push(gate.limit);
    }
    const times = (count: number, limit: number): number[] => new Array(count).fill(limit);
    expect(limits).toEqual([...times(9, 1), ...times(10, 2), ...times(21, 3)]);
    expect(await holds(gate, 3)).toBe(true);
  });

  test('R-5, G8: lets in nobody while a call waits as long as the server asked, and the last of several waits counts', async () => {
    const gate = createLimiter(4);
    const ends: (() => void)[] = [];
    const wait = () =>
      new Promise<void>((resolve, reject) => {
        ends.push(ends.length === 0 ? resolve : () => reject(new Error('halted')));
      });
    gate.throttled(wait());
    gate.throttled(wait());
    let isInside = false;
    const entry = gate.acquire().then((leave) => {
      isInside = true;
      return leave;
    });
    for (const end of ends) {
      await new Promise((resolve) => setImmediate(resolve));
      expect(isInside).toBe(false);
      end();
    }
    (await entry)();
    expect(await holds(gate, 1)).toBe(true);
  });

  test('R-15: successes before it slowed down do not count afterwards', () => {
    const gate = createLimiter(4);
    gate.throttled();
    for (let success = 0; success < 9; success += 1) gate.succeeded();
    gate.throttled();
    gate.succeeded();
    expect(gate.limit).toBe(1);
  });

  test('R-15: a place that is given back twice is one place', async () => {
    const gate = createLimiter(1);
    const leave = await gate.acquire();
    leave();
    leave();
    expect(await holds(gate, 1)).toBe(true);
  });
});

/** How many values in a row meet the condition, at most. */
function longestRun<T>(values: T[], meets: (value: T) => boolean): number {
  let longest = 0;
  let current = 0;
  for (const value of values) {
    current = meets(value) ? current + 1 : 0;
    longest = Math.max(longest, current);
  }
  return longest;
}

const cooldown = { kind: 'failed', error: { code: 1219, message: 'cooldown' } } as const;

describe.each(['items that cool down (1219)', 'a call that is asked to come later (429)'] as const)('R-15: after %s', (what) => {
  inWorld('R-15: half as many calls are under way, and one more after ten successes', async ({ world }) => {
    /** How many calls were under way when each began. */
    const underWay: number[] = [];
    let inside = 0;
    /** Most calls under way at once among the last ones. */
    let mostAtLast = 0;
    let isThrottled = false;
    const sleep: System['sleep'] = async () => undefined;
    const send: Client['send'] = (operation, input, options) => {
      if (operation === 'shortenUrls' && underWay.length >= 20 && !isThrottled && what.includes('429')) {
        options?.onThrottled?.();
        isThrottled = true;
      }
      return world.client.send(operation, input, options);
    };
    const { exit } = await world.shorten(
      rowsOf(80, (index) => ({ custom_hash: `k${index}` })),
      {
        batchSize: 1,
        concurrency: 4,
        environment: {
          system: { ...world.system, sleep },
          client: { ...world.client, send },
          // Successes count when they are written down: here at once, however slow the disk.
          openJournalFile: crashingFile({}).openJournalFile,
        },
        spoil: (operation) => ({
          ...operation,
          async call(items, ...more) {
            inside += 1;
            // The first two are one after the other: they prove the server.
            const nth = underWay.push(inside);
            await new Promise((resolve) => setTimeout(resolve, 5));
            if (nth > 60) {
              mostAtLast = Math.max(mostAtLast, inside);
              await until(() => mostAtLast >= 4, 'four calls are under way at last');
            }
            try {
              if (nth === 20 && what.includes('1219')) return { verdicts: [cooldown], surplus: [] };
              return await operation.call(items, ...more);
            } finally {
              inside -= 1;
            }
          },
        }),
      },
    );
    expect(exit).toBe(0);
    // Of ten successes, four may be those of calls that were under way.
    expect(longestRun(underWay.slice(20), (count) => count <= 2)).toBeGreaterThanOrEqual(6);
    expect([mostAtLast, Math.max(...underWay)]).toEqual([4, 4]);
  });
});
