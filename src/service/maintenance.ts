import { setImmediate as turn } from 'node:timers/promises';
import { dayLength } from '../base/times.ts';
import { dayOf } from './store/click-days.ts';
import type { Store } from './store/store.ts';

/** Another process serves the same links at another address. */
export class AddressConflict extends Error {}

interface MaintenanceSettings {
  /** The address at which this process serves the links. */
  readonly address?: string | undefined;
  readonly visitorDays?: number | undefined;
  readonly now: () => number;
}

/** Periodic tasks of a running service. */
export interface Maintenance {
  /** Rejects with `AddressConflict`. */
  readonly started: Promise<void>;
  /** Call it when everything is stored: then another process may serve or import the links. */
  stop(): Promise<void>;
}

/** Milliseconds between renewals of the address, a third of its lease. */
const claimInterval = 10_000;

/** Milliseconds between deletions of old visitors. */
const visitorsInterval = dayLength;

/** Opens the store at the address, and maintains it. */
export function startMaintenance(
  store: Store,
  { address, visitorDays, now }: MaintenanceSettings,
  onFailure: (error: unknown) => void,
): Maintenance {
  const timers: NodeJS.Timeout[] = [];
  let isStopped = false;
  let forgetting: Promise<void> | undefined;
  const refuse = (other: string | undefined): void => {
    if (other !== undefined) throw new AddressConflict(`another process serves the same links as ${other}`);
  };
  const forgetVisitors = async (days: number): Promise<void> => {
    for (let after: number | undefined = 0; after !== undefined && !isStopped; await turn()) {
      after = await store.forgetVisitors(dayOf(now()) - days, after);
    }
  };
  const start = async (): Promise<void> => {
    refuse(await store.open(address));
    if (address !== undefined) {
      const renew = () => void store.claimAddress(address).then(refuse).catch(onFailure);
      timers.push(setInterval(renew, claimInterval).unref());
    }
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
      if (address !== undefined) await store.releaseAddress();
    },
  };
}
