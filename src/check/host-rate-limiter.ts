import type { System } from '../base/system.ts';

/** How gently hosts are asked. Times are milliseconds. */
export interface Politeness {
  /** Requests under way, in all and to one host. */
  readonly total: number;
  readonly perHost: number;
  /** Between the beginnings of two requests to a host; doubled up to `longestGap` while it is strained. */
  readonly gap: number;
  readonly longestGap: number;
  /** For which a host is waited for, in all, because it asked for it. */
  readonly maxWait: number;
  /** Requests that may wait, of all hosts, before no further destination is begun: memory stays flat where all redirect to one slow host. */
  readonly mostWaiting: number;
}

/** What a request found out about its host. */
export interface Impression {
  /** It answered 429 or 5xx. */
  readonly strained: boolean;
  /** Milliseconds for which it asks to be left alone. */
  readonly retryAfter?: number | undefined;
  /** Why nothing may be sent to it: nothing was. */
  readonly refused?: string | undefined;
}

/** A request that may be sent now. */
export interface Place {
  readonly kind: 'place';
  /** Call it when the request is over; without an impression of a host that did not answer. */
  leave(impression?: Impression): void;
}

/** Nothing is sent to the host any more, so that what is left of it is not paced. */
export type Closed =
  /** It asks for a longer wait than there is, in milliseconds. */
  | { readonly kind: 'closed'; readonly asked: number }
  /** Its name has no address that may be asked. */
  | { readonly kind: 'refused'; readonly reason: string };

/** A request that is about to be sent. */
type Job = (entry: Place | Closed) => void;

interface Waiting {
  readonly job: Job;
  readonly giveUp: (reason: unknown) => void;
}

interface Host {
  readonly name: string;
  /** Requests under way. */
  inside: number;
  gap: number;
  /** Nothing is sent before. */
  notBefore: number;
  /** Until when it asked to be left alone, and for how long in all since its last good answer. */
  asked: number;
  waited: number;
  closed: Closed | undefined;
  /** Requests of destinations that were begun: redirects and second attempts. */
  readonly waiting: Waiting[];
  /** Until its time has come. */
  isResting: boolean;
}

/**
 * Lets requests in, host by host in turn. A host that may be asked now is asked for what waits for it, and then for a new
 * destination: `next` gives the job of one, or nothing where the host has none left.
 */
export class PoliteHosts {
  readonly #politeness: Politeness;
  readonly #system: Pick<System, 'now' | 'sleep'>;
  readonly #next: (host: string) => Job | undefined;
  readonly #stop: AbortSignal;
  readonly #hosts = new Map<string, Host>();
  /** In the order in which their turn comes. */
  readonly #ready = new Set<Host>();
  /** That can begin no further destination for now. */
  readonly #parked = new Set<Host>();
  #inside = 0;
  #waiting = 0;
  #isPumping = false;

  constructor(
    politeness: Politeness,
    system: Pick<System, 'now' | 'sleep'>,
    { next, stop }: { readonly next: (host: string) => Job | undefined; readonly stop: AbortSignal },
  ) {
    this.#politeness = politeness;
    this.#system = system;
    this.#next = next;
    this.#stop = stop;
    stop.addEventListener('abort', () => this.#giveUp(), { once: true });
  }

  /** The host has destinations. */
  open(name: string): void {
    this.#wake(this.#host(name));
  }

  /** Resolves when a request may be sent to the host; rejects with the signal's reason after a stop. */
  enter(name: string): Promise<Place | Closed> {
    return new Promise((resolve, reject) => {
      if (this.#stop.aborted) return reject(this.#stop.reason);
      const host = this.#host(name);
      host.waiting.push({ job: resolve, giveUp: reject });
      this.#waiting += 1;
      this.#wake(host);
    });
  }

  #giveUp(): void {
    this.#ready.clear();
    for (const { waiting } of this.#hosts.values()) for (const { giveUp } of waiting.splice(0)) giveUp(this.#stop.reason);
  }

  #host(name: string): Host {
    const known = this.#hosts.get(name);
    if (known) return known;
    const { gap } = this.#politeness;
    const host: Host = {
      name,
      inside: 0,
      gap,
      notBefore: 0,
      asked: 0,
      waited: 0,
      closed: undefined,
      waiting: [],
      isResting: false,
    };
    this.#hosts.set(name, host);
    return host;
  }

  /** Puts a host where it belongs: it rests until its time has come, and then waits for its turn. */
  #wake(host: Host): void {
    if (this.#stop.aborted || host.isResting || host.inside >= this.#politeness.perHost) return;
    const rest = host.closed ? 0 : host.notBefore - this.#system.now();
    if (rest <= 0) {
      this.#ready.add(host);
      this.#pump();
      return;
    }
    host.isResting = true;
    const awake = (): void => {
      host.isResting = false;
      this.#wake(host);
    };
    this.#system.sleep(rest, this.#stop).then(awake, () => undefined);
  }

  #pump(): void {
    // A job may come back here before it returns.
    if (this.#isPumping) return;
    this.#isPumping = true;
    for (const host of this.#ready) {
      if (this.#inside >= this.#politeness.total) break;
      this.#ready.delete(host);
      const job = this.#jobOf(host);
      if (job) this.#begin(job, host);
    }
    this.#isPumping = false;
  }

  #jobOf(host: Host): Job | undefined {
    const { mostWaiting } = this.#politeness;
    const first = host.waiting.shift();
    if (first) {
      this.#waiting -= 1;
      if (this.#waiting === Math.floor(mostWaiting / 2)) this.#wakeParked();
      return first.job;
    }
    if (this.#waiting < mostWaiting) return this.#next(host.name) ?? this.#forget(host);
    this.#parked.add(host);
    return undefined;
  }

  /** All at once, and not before there is room for many: otherwise each would be parked again and again. */
  #wakeParked(): void {
    const parked = [...this.#parked];
    this.#parked.clear();
    for (const host of parked) this.#wake(host);
  }

  /** Nobody asks for it now. What it asked for is remembered. */
  #forget({ name, inside, gap, closed }: Host): undefined {
    if (inside === 0 && gap <= this.#politeness.gap && !closed) this.#hosts.delete(name);
  }

  #begin(job: Job, host: Host): void {
    if (host.closed) {
      job(host.closed);
      this.#wake(host);
      return;
    }
    this.#inside += 1;
    host.inside += 1;
    host.notBefore = Math.max(host.notBefore, this.#system.now() + host.gap);
    let isInside = true;
    job({
      kind: 'place',
      leave: (impression) => {
        if (!isInside) return;
        isInside = false;
        this.#inside -= 1;
        host.inside -= 1;
        if (impression) this.#remember(impression, host);
        this.#wake(host);
        this.#pump();
      },
    });
    this.#wake(host);
  }

  #remember({ strained, retryAfter = 0, refused }: Impression, host: Host): void {
    const { gap, longestGap, maxWait } = this.#politeness;
    if (refused !== undefined) {
      host.closed = { kind: 'refused', reason: refused };
      return;
    }
    if (!strained) {
      host.gap = Math.max(gap, host.gap / 2);
      host.waited = 0;
      return;
    }
    const now = this.#system.now();
    host.gap = Math.min(longestGap, Math.max(1, host.gap) * 2);
    // Several requests under way are answered alike: the wait is one.
    host.waited += Math.max(0, now + retryAfter - Math.max(now, host.asked));
    host.asked = Math.max(host.asked, now + retryAfter);
    if (host.waited > maxWait) host.closed = { kind: 'closed', asked: retryAfter };
    host.notBefore = Math.max(host.notBefore, host.asked, now + host.gap);
  }
}
