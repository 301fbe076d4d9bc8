import { setTimeout as delay } from 'node:timers/promises';
import type { ShortenItem } from '../../src/contract/operations.ts';
import { oddHashes, type StoredLink } from '../support/stored-links.ts';
import type { Circumstances, Dice } from './circumstances.ts';
import { authorization, type FaultWorld } from './fault-world.ts';

/** Every link of the account, by `domain/hash`, the oldest first. */
export type AccountState = ReadonlyMap<string, StoredLink>;

export async function readAccount(world: FaultWorld, { edition, domains }: Circumstances): Promise<AccountState> {
  const all = new Map<string, StoredLink>();
  for (const domain of domains) {
    for (const record of await world.stored(edition === 'a' ? domain : undefined)) all.set(`${domain}/${record.hash}`, record);
  }
  return all;
}

/** What of a record a change can touch, as text. */
export function essence({ long_url, note, tags, expiration_date, max_clicks, email_stats, total_clicks }: StoredLink): string {
  return JSON.stringify([long_url, note, [...tags].sort(), expiration_date, max_clicks, email_stats, total_clicks]);
}

/** Links that were there before and are not what they were, although nobody selected them. */
export function touchedLinks(before: AccountState, after: AccountState, isExempt: (key: string) => boolean): string[] {
  return [...before].flatMap(([key, record]) => {
    if (isExempt(key)) return [];
    const now = after.get(key);
    if (!now) return [`${key} is gone`];
    return essence(now) === essence(record) ? [] : [`${key} was ${essence(record)} and is ${essence(now)}`];
  });
}

/** What somebody else did, by `domain/hash`. */
export interface ForeignDeeds {
  readonly made: ReadonlySet<string>;
  readonly gone: ReadonlySet<string>;
  /** Resolves when they know of all that the service did for them so far. */
  heard(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Somebody else makes and deletes links of their own at the same time, on any domain, some of them with the long URLs of the rows;
 * where they are equal to the rows in all, nobody can distinguish them.
 */
export function startForeignWriter(
  world: FaultWorld,
  { foreign, edition, domains, seeded }: Circumstances,
  items: readonly Pick<ShortenItem, 'long_url' | 'note'>[],
  dice: Dice,
): ForeignDeeds {
  const over = new AbortController();
  let calling: Promise<unknown> = Promise.resolve();
  const deeds = { made: new Set<string>(), gone: new Set<string>() };
  const writeOnce = async (nth: number): Promise<void> => {
    const domain = dice.of(domains);
    const query = edition === 'a' ? `?domain=${domain}` : '';
    if (dice.chance(0.6) || seeded < 50) {
      const { long_url, note } = dice.of(items);
      const own = dice.chance(0.5) ? long_url : `https://foreign.example/${nth}`;
      const item = foreign === 'equal' ? { long_url, note } : { long_url: own, note: 'foreign' };
      const { urls = [] } = await call(world, 'POST', `/urls${query}`, { urls: [item] });
      for (const { hash } of urls) deeds.made.add(`${domain}/${hash}`);
    } else {
      const hash = `old${oddHashes.length + dice.pick(seeded - oddHashes.length)}`;
      deeds.gone.add(`${domain}/${hash}`);
      await call(world, 'DELETE', `/urls/${hash}${query}`);
    }
  };
  const work = async (): Promise<void> => {
    for (let times = 0; foreign !== 'none' && !over.signal.aborted && times < 40; times += 1) {
      calling = writeOnce(times);
      await calling;
      await delay(5 + dice.pick(30));
    }
  };
  const working = work();
  return {
    ...deeds,
    async heard() {
      await calling;
    },
    async stop() {
      over.abort();
      await working;
    },
  };
}

async function call(world: FaultWorld, method: string, path: string, body?: object): Promise<{ urls?: StoredLink[] }> {
  const init = { method, headers: { authorization }, ...(body && { body: JSON.stringify(body) }) };
  return (await (await fetch(world.server.sideDoor + path, init)).json()) as { urls?: StoredLink[] };
}
