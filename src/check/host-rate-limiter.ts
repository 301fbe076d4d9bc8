import type { System } from '../base/system.ts';

/** Times are milliseconds. */
export interface RateLimits {
  /** Concurrent requests, in total and per host. */
  readonly maxRequests: number;
  readonly maxPerHost: number;
  /** Minimum time between the starts of two requests to a host; doubled up to `maxInterval` while the host is overloaded. */
  readonly interval: number;
  readonly maxInterval: number;
  /** Maximum sum of the waits that a host may demand by Retry-After. */
  readonly maxWait: number;
  /**
   * Queued requests of all hosts above which no further destination is started, so that memory stays flat if all redirect to one slow host.
   */
  readonly maxQueued: number;
}

export interface HostFeedback {
  /** The response was 429 or 5xx. */
  readonly overloaded: boolean;
  /** In milliseconds. */
  readonly retryAfter?: number | undefined;
  /** The reason why the host must not be contacted. */
  readonly refused?: string | undefined;
}

/** Allows one request. */
export interface Permit {
  readonly kind: 'permit';
  /** Call it at the end of the request, without feedback if the host did not answer. */
  release(feedback?: HostFeedback): void;
}

/** Nothing more is sent to the host, so its other destinations need no pacing. */
export type Closed =
  /** Its waits exceed `maxWait`; the last one in milliseconds. */
  | { readonly kind: 'closed'; readonly retryAfter: number }
  /** None of its addresses may be contacted. */
  | { readonly kind: 'refused'; readonly reason: string };

type Job = (entry: Permit | Closed) => void;

interface QueuedRequest {
  readonly job: Job;
  readonly reject: (reason: unknown) => void;
}

interface Host {
  readonly name: string;
  inFlight: number;
  interval: number;
  /** `System.elapsed`, because the time of day may jump. */
  notBefore: number;
  /** The end of the wait that the host demanded in `System.elapsed`, and the sum of its waits since its last good response. */
  retryAt: number;
  totalWait: number;
  closed: Closed | undefined;
  /** Redirects and second attempts of destinations that have been started. */
  readonly queue: QueuedRequest[];
  isPaused: boolean;
}

/**
 * Hosts take turns. A host whose turn it is gets its queued requests first and then a new destination: `next` returns the job for one, or
 * undefined when the host has none left.
 */
export class HostRateLimiter {
  readonly #limits: RateLimits;
  readonly #system: Pick<System, 'elapsed' | 'sleep'>;
  readonly #next: (host: string) => Job | undefined;
  readonly #stop: AbortSignal;
  readonly #hosts = new Map<string, Host>();
  /** In the order of their turns. */
  readonly #ready = new Set<Host>();
  /** Hosts that cannot start a destination while too many requests are queued. */
  readonly #parked = new Set<Host>();
  #inFlight = 0;
  #queued = 0;
  #isDispatching = false;

  constructor(
    limits: RateLimits,
    system: Pick<System, 'elapsed' | 'sleep'>,
    { next, stop }: { readonly next: (host: string) => Job | undefined; readonly stop: AbortSignal },
  ) {
    this.#limits = limits;
    this.#system = system;
    this.#next = next;
    this.#stop = stop;
    stop.addEventListener('abort', () => this.#rejectAll(), { once: true });
  }

  addHost(name: string): void {
    this.#schedule(this.#host(name));
  }

  /** Resolves when a request may be sent; rejects with the reason of a stop. */
  acquire(name: string): Promise<Permit | Closed> {
    return new Promise((resolve, reject) => {
      if (this.#stop.aborted) return reject(this.#stop.reason);
      const host = this.#host(name);
      host.queue.push({ job: resolve, reject });
      this.#queued += 1;
      this.#schedule(host);
    });
  }

  #rejectAll(): void {
    this.#ready.clear();
    for (const { queue } of this.#hosts.values()) for (const { reject } of queue.splice(0)) reject(this.#stop.reason);
  }

  #host(name: string): Host {
    const known = this.#hosts.get(name);
    if (known) return known;
    const { interval } = this.#limits;
    const host: Host = {
      name,
      inFlight: 0,
      interval,
      notBefore: Number.NEGATIVE_INFINITY,
      retryAt: Number.NEGATIVE_INFINITY,
      totalWait: 0,
      closed: undefined,
      queue: [],
      isPaused: false,
    };
    this.#hosts.set(name, host);
    return host;
  }

  /** A host waits until its interval is over and then for its turn. */
  #schedule(host: Host): void {
    if (this.#stop.aborted || host.isPaused || host.inFlight >= this.#limits.maxPerHost) return;
    const delay = host.closed ? 0 : host.notBefore - this.#system.elapsed();
    if (delay <= 0) {
      this.#ready.add(host);
      this.#dispatch();
      return;
    }
    host.isPaused = true;
    const resume = (): void => {
      host.isPaused = false;
      this.#schedule(host);
    };
    this.#system.sleep(delay, this.#stop).then(resume, () => undefined);
  }

  #dispatch(): void {
    // A job may call this method before it returns.
    if (this.#isDispatching) return;
    this.#isDispatching = true;
    for (const host of this.#ready) {
      if (this.#inFlight >= this.#limits.maxRequests) break;
      this.#ready.delete(host);
      const job = this.#nextJob(host);
      if (job) this.#start(job, host);
    }
    this.#isDispatching = false;
  }

  #nextJob(host: Host): Job | undefined {
    const { maxQueued } = this.#limits;
    const first = host.queue.shift();
    if (first) {
      this.#queued -= 1;
      if (this.#queued === Math.floor(maxQueued / 2)) this.#scheduleParked();
      return first.job;
    }
    if (this.#queued < maxQueued) return this.#next(host.name) ?? this.#forget(host);
    this.#parked.add(host);
    return undefined;
  }

  /** Waits until there is room for many, because otherwise each host would be parked again at once. */
  #scheduleParked(): void {
    const parked = [...this.#parked];
    this.#parked.clear();
    for (const host of parked) this.#schedule(host);
  }

  /** Keeps hosts that are in use, slowed down or closed. */
  #forget({ name, inFlight, interval, closed }: Host): undefined {
    if (inFlight === 0 && interval <= this.#limits.interval && !closed) this.#hosts.delete(name);
  }

  #start(job: Job, host: Host): void {
    if (host.closed) {
      job(host.closed);
      this.#schedule(host);
      return;
    }
    this.#inFlight += 1;
    host.inFlight += 1;
    host.notBefore = Math.max(host.notBefore, this.#system.elapsed() + host.interval);
    job({
      kind: 'permit',
      release: (feedback) => {
        this.#inFlight -= 1;
        host.inFlight -= 1;
        if (feedback) this.#recordFeedback(feedback, host);
        this.#schedule(host);
        this.#dispatch();
      },
    });
    this.#schedule(host);
  }

  #recordFeedback({ overloaded, retryAfter = 0, refused }: HostFeedback, host: Host): void {
    const { interval, maxInterval, maxWait } = this.#limits;
    if (refused !== undefined) {
      host.closed = { kind: 'refused', reason: refused };
      return;
    }
    if (!overloaded) {
      host.interval = Math.max(interval, host.interval / 2);
      host.totalWait = 0;
      return;
    }
    const now = this.#system.elapsed();
    host.interval = Math.min(maxInterval, Math.max(1, host.interval) * 2);
    // Concurrent requests get the same Retry-After, which counts once.
    host.totalWait += Math.max(0, now + retryAfter - Math.max(now, host.retryAt));
    host.retryAt = Math.max(host.retryAt, now + retryAfter);
    if (host.totalWait > maxWait) host.closed = { kind: 'closed', retryAfter };
    host.notBefore = Math.max(host.notBefore, host.retryAt, now + host.interval);
  }
}
