import { setMaxListeners } from 'node:events';
import type { System } from '../base/system.ts';
import type { Destinations } from './destinations.ts';
import { type Closed, type Place, PoliteHosts, type Politeness } from './host-rate-limiter.ts';
import { type JudgingWorld, judge } from './probe.ts';
import type { AskerOptions } from './probe-client.ts';
import type { ChainWorld } from './redirect-chain.ts';
import type { Verdict } from './verdict.ts';

/** All that a check keeps to. */
export interface CheckSettings
  extends Politeness,
    AskerOptions,
    Pick<ChainWorld, 'redirects' | 'report'>,
    Pick<JudgingWorld, 'pause'> {}

/** How politely and how patiently destinations are asked; times are milliseconds. */
export const usualLimits = {
  total: 32,
  perHost: 4,
  gap: 50,
  longestGap: 30_000,
  mostWaiting: 1000,
  timeout: 20_000,
  redirects: 10,
  pause: 3000,
} as const;

export interface EngineSignals {
  /** Nothing new is sent, and what is not known by then is left. */
  readonly stop: AbortSignal;
  /** What is under way is given up. */
  readonly abort: AbortSignal;
}

/**
 * Asks all destinations, as politely as the settings say. `take` gets each verdict as it comes and is awaited; what it throws ends the
 * check. Resolves when every verdict was taken, or when nothing is under way any more after a stop.
 */
export async function askAll(
  destinations: Destinations,
  settings: CheckSettings,
  system: Pick<System, 'now' | 'sleep'>,
  { stop, abort }: EngineSignals,
  take: (destination: number, verdict: Verdict) => Promise<void>,
): Promise<void> {
  // undici takes a tenth of a second to load, which help and an empty selection do without.
  const { createAsker } = await import('./probe-client.ts');
  const asker = createAsker(settings);
  const failed = new AbortController();
  const ended = AbortSignal.any([stop, failed.signal]);
  const failures: unknown[] = [];
  // Each wait and each request listens to them, and Node takes more than ten for a leak.
  setMaxListeners(0, ended, abort);
  let underWay = 0;
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const finishIfDone = (): void => {
    if (underWay === 0 && (ended.aborted || destinations.left === 0)) finish();
  };
  const askOne = async (destination: number, entry: Place | Closed): Promise<void> => {
    try {
      const verdict = await judge(destinations.questionOf(destination), entry, world);
      if (!abort.aborted) await take(destination, verdict);
    } catch (error) {
      if (error !== ended.reason) {
        failures.push(error);
        failed.abort();
      }
    }
    underWay -= 1;
    finishIfDone();
  };
  const hosts = new PoliteHosts(settings, system, {
    stop: ended,
    next(host) {
      const destination = destinations.take(host);
      if (destination === undefined) return undefined;
      underWay += 1;
      return (entry) => void askOne(destination, entry);
    },
  });
  const world: JudgingWorld = { ...settings, asker, hosts, stop: ended, signal: abort, sleep: system.sleep, now: system.now };
  for (const host of destinations.hosts()) hosts.open(host);
  ended.addEventListener('abort', finishIfDone, { once: true });
  finishIfDone();
  await finished;
  if (failures.length > 0) throw failures[0];
}
