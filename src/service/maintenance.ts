import { setImmediate as turn } from 'node:timers/promises';
import { dayOf } from './store/click-days.ts';
import type { Store } from './store/store.ts';

/** Another process on the same links shows another address. */
export class Disagreement extends Error {}

interface UpkeepSettings {
  /** Under which the links are served by this process. */
  readonly address?: string | undefined;
  readonly visitorDays?: number | undefined;
  readonly now: () => number;
}

/** What a service does now and then as long as it runs. */
export interface Upkeep {
  /** Rejects with `Disagreement`. */
  readonly started: Promise<void>;
  stop(): Promise<void>;
}

/** Milliseconds between two times at which a process says its address: a third of what it is known for. */
const claimInterval = 10_000;

/** Milliseconds between two times at which old visitors are looked for. */
const visitorsInterval = 86_400_000;

export function startUpkeep(
  store: Store,
  { address, visitorDays, now }: UpkeepSettings,
  onFailure: (error: unknown) => void,
): Upkeep {
  const timers: NodeJS.Timeout[] = [];
  let isStopped = false;
  let forgetting: Promise<void> | undefined;
  const claim = async (): Promise<void> => {
    const other = address === undefined ? undefined : await store.claimAddress(address);
    if (other !== undefined) throw new Disagreement(`another process serves the same links as ${other}`);
  };
  const forgetVisitors = async (days: number): Promise<void> => {
    for (let after: number | undefined = 0; after !== undefined && !isStopped; await turn()) {
      after = await store.forgetVisitors(dayOf(now()) - days, after);
    }
  };
  const start = async (): Promise<void> => {
    await claim();
    if (address !== undefined) timers.push(setInterval(() => void claim().catch(onFailure), claimInterval).unref());
    if (visitorDays === undefined) return;
    const forget = (): void => {
      forgetting = forgetVisitors(visitorDays).catch(onFailure);
    };
    forget();
    timers.push(setInterval(forget, visitorsInterval).unref());
  };
  return {
    started: start(),
    stop: async () => {
      isStopped = true;
      for (const timer of timers) clearInterval(timer);
      await forgetting;
    },
  };
}
