import { setMaxListeners } from 'node:events';
import type { System } from '../base/system.ts';
import type { Destinations } from './destinations.ts';
import { type Closed, HostRateLimiter, type Permit, type RateLimits } from './host-rate-limiter.ts';
import { type ProbeContext, probe } from './probe.ts';
import type { ProbeClientOptions } from './probe-client.ts';
import type { RedirectContext } from './redirect-chain.ts';
import type { Verdict } from './verdict.ts';

export interface CheckSettings
  extends RateLimits,
    ProbeClientOptions,
    Pick<RedirectContext, 'redirects' | 'report'>,
    Pick<ProbeContext, 'pause'> {}

/** Times are milliseconds. */
export const defaultLimits = {
  maxRequests: 32,
  maxPerHost: 4,
  interval: 50,
  maxInterval: 30_000,
  maxQueued: 1000,
  timeout: 20_000,
  redirects: 10,
  pause: 3000,
} as const;

interface CheckSignals {
  /** Stops new requests; open results stay open. */
  readonly stop: AbortSignal;
  /** Cancels requests in flight. */
  readonly abort: AbortSignal;
}

/**
 * Probes all destinations within the limits. `take` gets each verdict and is awaited; an error of it ends the check. Resolves when every
 * verdict was taken or, after a stop, when no request is in flight.
 */
export async function probeAll(
  destinations: Destinations,
  settings: CheckSettings,
  system: Pick<System, 'elapsed' | 'now' | 'sleep'>,
  { stop, abort }: CheckSignals,
  take: (destination: number, verdict: Verdict) => Promise<void>,
): Promise<void> {
  // undici takes a tenth of a second to load, which help and an empty selection do not need.
  const { createProbeClient } = await import('./probe-client.ts');
  const client = createProbeClient(settings);
  const failed = new AbortController();
  const ended = AbortSignal.any([stop, failed.signal]);
  const failures: unknown[] = [];
  // Every delay and request adds a listener, and Node reports more than ten as a leak.
  setMaxListeners(0, ended, abort);
  const probes = probesInFlight(() => ended.aborted || destinations.left === 0);
  const probeOne = async (destination: number, entry: Permit | Closed): Promise<void> => {
    try {
      const verdict = await probe(destinations.targetOf(destination), entry, context);
      if (!abort.aborted) await take(destination, verdict);
    } catch (error) {
      if (error !== ended.reason) {
        failures.push(error);
        failed.abort();
      }
    }
    probes.end();
  };
  const limiter = new HostRateLimiter(settings, system, {
    stop: ended,
    next(host) {
      const destination = destinations.take(host);
      if (destination === undefined) return undefined;
      probes.begin();
      return (entry) => void probeOne(destination, entry);
    },
  });
  const context: ProbeContext = {
    ...settings,
    client,
    hosts: limiter,
    stop: ended,
    signal: abort,
    sleep: system.sleep,
    now: system.now,
  };
  for (const host of destinations.hosts()) limiter.addHost(host);
  ended.addEventListener('abort', probes.finishIfDone, { once: true });
  probes.finishIfDone();
  await probes.finished;
  if (failures.length > 0) throw failures[0];
}

/** `finished` resolves when none is in flight and no other is to begin. */
function probesInFlight(isLast: () => boolean) {
  let inFlight = 0;
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const finishIfDone = (): void => {
    if (inFlight === 0 && isLast()) finish();
  };
  return {
    finished,
    finishIfDone,
    begin(): void {
      inFlight += 1;
    },
    end(): void {
      inFlight -= 1;
      finishIfDone();
    },
  };
}
