import type { Edition } from '../../src/contract/editions.ts';
import type { FaultyOptions, Spell } from '../support/faulty-server.ts';
import { faults, type Step, usualFaults } from '../support/faulty-steps.ts';
import type { Manners } from '../support/manners.ts';
import { seededRandom } from '../support/seeded-random.ts';

/** Random choices that are the same for the same seed. */
export interface Dice {
  /** From 0 to `count - 1`. */
  pick(count: number): number;
  chance(probability: number): boolean;
  of<T>(list: readonly T[]): T;
}

export function rollDice(seed: number): Dice {
  const random = seededRandom(seed);
  const pick = (count: number): number => Math.floor(random() * count);
  return {
    pick,
    chance: (probability) => random() < probability,
    of: <T>(list: readonly T[]): T => list[pick(list.length)] as T,
  };
}

/** What a trial takes place in: an account in use, a server with manners, faults, and people who end processes. */
export interface Circumstances {
  readonly edition: Edition;
  /** The default one first. */
  readonly domains: readonly string[];
  /** Named by `--domain`; the default one works without it. */
  readonly domain: string | undefined;
  /** Links on each domain before anything begins. */
  readonly seeded: number;
  readonly manners: Manners;
  readonly faulty: FaultyOptions;
  /** What somebody else does meanwhile: nothing, makes and deletes links of their own, or makes links equal to the rows. */
  readonly foreign: 'none' | 'others' | 'equal';
  /** Milliseconds after which a request may take effect although the client gave up; 0 where none is late. */
  readonly late: number;
  readonly signals: number;
  readonly batchSize: number;
  readonly concurrency: number;
  readonly budget: number | undefined;
  /** Seconds, where calls are given up early. */
  readonly timeout: number | undefined;
}

/** Faults of requests that change something, a lost answer twice as likely; late ones come on top. */
const usual: readonly Step[] = [
  ...usualFaults.flatMap((step) => (step === faults.dropAfter ? [step, step] : [step])),
  faults.shuffled,
];
const writes = ['POST', 'PATCH', 'DELETE'];
const reading = [faults.dropBefore, faults.badGatewayBefore, faults.htmlBefore, faults.tooMany(), faults.cutAfter];

/** A quota, a key or a server that fails in mid-run; people mend it by the next start or the one after. */
const ends: readonly Step[] = [
  faults.refuse(1303),
  faults.refuse(1303, 429),
  faults.refuse(1300),
  faults.refuse(1217),
  faults.refuse(1301),
  { apply: false, answer: { status: 503, headers: { 'content-type': 'text/html' }, body: '<h1>Maintenance</h1>' } },
];

/** What is typed makes one call or two: more of them fail, or nothing would happen. */
export function drawCircumstances(dice: Dice, seed: number, isTyped: boolean): Circumstances {
  const edition = dice.chance(0.6) ? 'a' : 'b';
  const domains = edition === 'a' && dice.chance(0.5) ? ['s.ex', 'go.ex'] : ['s.ex'];
  const timeout = dice.chance(isTyped ? 0.35 : 0.12) ? 0.5 : undefined;
  const late = dice.chance(0.2) ? dice.of([30, 150, 400]) : 0;
  const manners = drawManners(dice);
  return {
    edition,
    domains,
    domain: domains.length > 1 && dice.chance(0.5) ? dice.of(domains) : undefined,
    seeded: drawSeeded(dice),
    manners,
    faulty: {
      ...manners,
      seed,
      pause: 10,
      keepBodies: false,
      ...drawFaults(dice, late, timeout, isTyped),
      spells: drawSpells(dice),
    },
    foreign: dice.of(['none', 'none', 'none', 'none', 'others', 'others', dice.chance(0.3) ? 'equal' : 'others']),
    late,
    signals: dice.chance(0.6) ? dice.pick(4) : 0,
    // Smaller than a page that a server caps, and larger.
    batchSize: dice.chance(0.65) ? 4 + dice.pick(12) : dice.of([40, 100]),
    concurrency: dice.chance(0.5) ? 1 + dice.pick(16) : 1,
    budget: dice.chance(0.2) ? 1 + dice.pick(12) : undefined,
    timeout,
  };
}

function drawSeeded(dice: Dice): number {
  const roll = dice.pick(100);
  if (roll < 35) return 0;
  if (roll < 65) return 150;
  return roll < 98 ? 300 : 5000;
}

/** Listings that lag are 5 and 15 s behind, in the hurry of the program. */
function drawManners(dice: Dice): Manners {
  const manners: { -readonly [N in keyof Manners]: Manners[N] } = {};
  if (dice.chance(0.4)) manners.pageCap = dice.of([30, 100]);
  if (dice.chance(0.35)) manners.totalCount = dice.of(['missing', 'text', 'page length']);
  if (dice.chance(0.15)) manners.oldestFirst = true;
  if (dice.chance(0.2)) manners.lag = dice.of([100, 300]);
  if (dice.chance(0.3)) manners.longUrls = dice.of(['shown normalised', 'stored normalised']);
  if (dice.chance(0.3)) manners.notes = dice.of(['shown trimmed', 'stored trimmed']);
  if (dice.chance(0.15)) manners.hashes = 'shown in upper case';
  return manners;
}

function drawFaults(
  dice: Dice,
  late: number,
  timeout: number | undefined,
  isTyped: boolean,
): Pick<FaultyOptions, 'chance' | 'shuffles'> {
  const slow: Step[] = timeout ? [{ delay: timeout * 1000 + 300 }, faults.silentAfter, faults.silentBefore] : [];
  const lateSteps: Step[] = late ? [faults.late(late), faults.late(late)] : [];
  const steps = [...usual, ...slow, ...lateSteps].flatMap((step) =>
    writes.map((method): Step => ({ ...step, only: { method } })),
  );
  // A third of the steps that a reading meets would be too many: listings are read often.
  const reads = dice.chance(0.4) ? reading.map((step): Step => ({ ...step, only: { method: 'GET' } })) : [];
  return {
    chance: { rate: dice.of(isTyped ? [0, 0.4, 0.6, 0.8] : [0, 0.2, 0.35, 0.35]), steps: [...steps, ...reads] },
    shuffles: dice.chance(0.5),
  };
}

function drawSpells(dice: Dice): Spell[] {
  if (!dice.chance(0.45)) return [];
  const only = dice.of([undefined, { method: dice.of(writes) }]);
  return [{ from: 2 + dice.pick(8), times: 1 + dice.pick(4), step: { ...dice.of(ends), ...(only && { only }) } }];
}

/** What a row's being unknown is put down to: the first that holds. */
export function causeOf({ late, timeout, foreign, manners, signals, faulty }: Circumstances): string {
  if (foreign === 'equal') return 'somebody else makes equal links';
  if (foreign === 'others') return 'somebody else writes';
  if (late) return 'requests come late';
  if (timeout) return 'answers slower than --timeout';
  if (manners.lag) return `the listing lags ${manners.lag * 50} ms`;
  if (manners.oldestFirst) return 'oldest first';
  if (manners.totalCount) return `total_count ${manners.totalCount}`;
  if (faulty.spells?.length) return 'a quota, a key or maintenance in mid-run';
  return signals ? 'killed' : 'a sound listing';
}
