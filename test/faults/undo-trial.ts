import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Edition } from '../../src/contract/editions.ts';
import type { FaultyHost } from '../support/faulty-process.ts';
import { faults, type Step, usualFaults } from '../support/faulty-steps.ts';
import { habitsName } from '../support/habits.ts';
import type { Manners } from '../support/manners.ts';
import { type StoredLink, seed as seedAccount, store as storeLinks } from '../support/stored-links.ts';
import { type AccountState, readAccount } from './account-state.ts';
import { type Circumstances, type Dice, rollDice } from './circumstances.ts';
import { authorization, type FaultWorld, openFaultWorld, visit } from './fault-world.ts';
import { haste, runHurried, startHurried } from './hurried-program.ts';
import { crashesOf, type Start, sentence } from './starts.ts';
import { drawDeed, moving, storyLinks, type UndoableDeed } from './undo-deeds.ts';
import { changedKeys, judgeReverted, shape, type Transition } from './undo-judge.ts';

export interface UndoTrialOptions {
  readonly seed: number;
  /** Another program than the built one: a mutant. */
  readonly program?: string | undefined;
  /** How the server shows its account. */
  readonly manners?: Manners;
}

export interface UndoFindings {
  readonly seed: number;
  readonly title: string;
  readonly deeds: number;
  readonly undone: number;
  readonly redone: number;
  readonly starts: number;
  readonly signals: number;
  /** Links that somebody else changed while a command waited. */
  readonly foreign: number;
  /** Starts that met a flipped byte in what a run had kept, and refused it. */
  readonly damaged: number;
  /** A sentence for all that went wrong; empty where nothing did. */
  readonly notes: readonly string[];
}

/** A change that can be undone, by the name of its run. */
interface Done {
  readonly run: string;
  readonly deed: UndoableDeed;
  readonly code: number | null;
  readonly transition: Transition;
}

interface Trial {
  readonly world: FaultWorld;
  readonly dice: Dice;
  /** For what a disk makes of files. */
  readonly decay: Dice;
  readonly options: UndoTrialOptions;
  readonly place: Pick<Circumstances, 'edition' | 'domains'>;
  readonly starts: Start[];
  readonly notes: string[];
  /** Links that somebody else changed at a moment of which nothing is known: no more is judged of them. */
  readonly spoiled: Set<string>;
  /** Links that somebody else changed at any time. */
  readonly touched: Set<string>;
  foreign: number;
  damaged: number;
}

const maximalStarts = 25;

/**
 * Links are made, changed and deleted, and the last changes undone and redone, in runs that are throttled for longer than what was read
 * is fresh, while somebody else writes, clocks are set and processes killed. After each command every link is held against what it has to be.
 */
export async function runUndoTrial(host: FaultyHost, options: UndoTrialOptions): Promise<UndoFindings> {
  const dice = rollDice(options.seed);
  const edition: Edition = dice.chance(0.5) ? 'a' : 'b';
  const domains = edition === 'a' && dice.chance(0.4) ? ['s.ex', 'go.ex'] : ['s.ex'];
  const place = { edition, domains } as const;
  const steps = [...usualFaults].flatMap((step) => ['PATCH', 'DELETE'].map((method): Step => ({ ...step, only: { method } })));
  const world = await openFaultWorld(host, {
    ...place,
    faulty: { ...options.manners, habits: habitsName(), seed: options.seed, chance: { rate: dice.of([0, 0, 0.15]), steps } },
    prepare: async (service) => {
      await seedAccount(service, dice.of([0, 40, 150]), edition === 'a' ? domains : [undefined]);
      for (const domain of domains) await storeLinks(service, storyLinks(24), edition === 'a' ? domain : undefined);
      for (const hash of ['t0', 't1', 'other3']) await visit(service.origin, 's.ex', hash);
    },
  });
  const trial: Trial = {
    ...{ world, dice, options, place, starts: [], notes: [], foreign: 0, damaged: 0 },
    decay: rollDice(options.seed + 1),
    spoiled: new Set(),
    touched: new Set(),
  };
  try {
    const told = await tellStory(trial);
    trial.notes.push(...crashesOf(trial.starts));
    const { starts, notes, foreign, damaged } = trial;
    return {
      seed: options.seed,
      title: `edition ${edition}, ${told.title}`,
      deeds: told.deeds,
      undone: told.undone,
      redone: told.redone,
      starts: starts.length,
      signals: starts.filter(({ sent }) => sent).length,
      foreign,
      damaged,
      notes: notes.length > 0 ? [...notes, ...starts.map(sentence)] : [],
    };
  } finally {
    await world.close();
  }
}

async function tellStory(trial: Trial): Promise<{ title: string; deeds: number; undone: number; redone: number }> {
  const { dice } = trial;
  const done: Done[] = [];
  const titles: string[] = [];
  let [deeds, undone, redone] = [0, 0, 0];
  for (let nth = 1; nth <= 4 + dice.pick(4); nth += 1) {
    if (done.length === 0 || dice.chance(0.6)) {
      const next = await doDeed(trial, nth);
      titles.push(next.title);
      deeds += 1;
      if (next.done) done.push(next.done);
      if (next.isDoubtful) break;
    } else {
      const taken = done.pop() as Done;
      const back = await takeBack(trial, 'undo', taken);
      titles.push('undo');
      undone += 1;
      // Where all was left alone, the run is still the newest.
      if (changedKeys(back.transition).length === 0) done.push(taken);
      if (changedKeys(back.transition).length === 0 || !dice.chance(0.5)) continue;
      const again = await takeBack(trial, 'redo', { ...taken, transition: back.transition });
      titles.push('redo');
      redone += 1;
      // Where all was left alone, the run stays undone.
      if (changedKeys(again.transition).length === 0) continue;
      done.push({
        ...taken,
        run: again.run ?? taken.run,
        transition: { before: again.transition.before, after: again.transition.after },
      });
    }
    await judgeNewest(trial, done);
  }
  for (const each of done.toReversed()) {
    await takeBack(trial, 'undo', each);
    undone += 1;
  }
  return { title: titles.join(', '), deeds, undone, redone };
}

async function doDeed(trial: Trial, nth: number): Promise<{ title: string; done: Done | undefined; isDoubtful: boolean }> {
  const before = await accountOf(trial);
  const deed = drawDeed(trial.dice, before, trial.world.folder, nth);
  const isTyped = !deed.argv.some((word) => ['-f', '--filter', '--by-tags', '--hashes-from', 'rewrite', 'tags'].includes(word));
  const matching = deed.selects ? matchingKeys(deed, before) : [];
  // Tags act on all domains; a bare hash would be ambiguous on an account of several.
  const isNamed = trial.place.domains.length > 1 && !deed.argv.includes('--by-tags') && deed.argv[0] !== 'tags';
  const argv = [...deed.argv, ...(isNamed ? ['--domain', 's.ex'] : [])];
  // Made twice, it moves the hashes on twice; and a server with habits never shows a note as it was asked for.
  const isOnce = deed.name === moving || habitsName() !== undefined;
  const { last, starts, meanwhile } = await carryOut(trial, argv, { method: deed.method, mayEnd: !isTyped, isOnce, matching });
  const after = await accountOf(trial);
  // A killed run may have asked for the same deletion: nobody can tell whose it was.
  if (deed.method === 'DELETE' && starts.length > 1)
    for (const [key, made] of meanwhile) if (made === undefined) trial.spoiled.add(key);
  for (const [key, made] of meanwhile)
    if (shape(after.get(key)) !== shape(made))
      trial.notes.push(`stale: ${deed.name}: ${key} was made ${shape(made)} in the wait, and is ${shape(after.get(key))}`);
  // What somebody else did in the wait is no part of the change.
  const touched = new Set([...trial.spoiled, ...meanwhile.keys()]);
  const transition = without(touched, { before, after });
  const changes = changedKeys(transition).length;
  // A signal may meet a process that has said all and is about to end: the same command is told so.
  const isToldAgain = last.code === 2 && last.stderr.includes('was already completed by run');
  if (!last.sent && !isToldAgain && ![0, 3, 5, 6, 10].includes(last.code ?? -1))
    trial.notes.push(`${deed.name} ended with ${last.code}`);
  const run = changes > 0 ? await newestRun(trial, ({ undo }) => undo === 'yes') : undefined;
  return {
    title: deed.name,
    done: changes > 0 && run ? { run, deed, code: last.code, transition } : undefined,
    // A label that no link has is renamed, merged or deleted all the same: that no link shows.
    isDoubtful: last.code === 10 || (deed.argv[0] === 'tags' && changes === 0),
  };
}

/** An undo or a redo; what it made of the account, and the name of the run that would turn it round. */
async function takeBack(
  trial: Trial,
  command: 'undo' | 'redo',
  { run, deed, code, transition }: Done,
): Promise<{ transition: Transition; run: string | undefined }> {
  const { dice, notes, spoiled } = trial;
  const keys = changedKeys(without(spoiled, transition));
  // A label that is renamed again is renamed where it is by then: nobody is asked which links lost it.
  const early =
    keys.length > 0 && dice.chance(0.3) && !['tags rename', moving].includes(deed.name)
      ? await actAsSomebodyElse(trial, dice.of(keys))
      : undefined;
  const before = await accountOf(trial);
  const matching = deed.name === moving ? [] : keys.filter((key) => before.has(key) && key !== early);
  const argv = [command, run, '--yes', '--batch-size', '5', '--concurrency', '1'];
  const { last, starts, meanwhile } = await carryOut(trial, argv, {
    method: dice.of(['PATCH', 'DELETE', 'POST']),
    mayEnd: true,
    matching,
  });
  const after = await accountOf(trial);
  const judged = judgeReverted(without(spoiled, transition), without(spoiled, { before, after }), meanwhile);
  for (const key of meanwhile.keys()) spoiled.add(key);
  const result = {
    transition: { before, after },
    run: changedKeys({ before, after }).length > 0 ? await newestRun(trial) : undefined,
  };
  // A link that stays where it is keeps others from moving.
  const isTouched = changedKeys(transition).some((key) => trial.touched.has(key));
  if (deed.name === moving && isTouched) return result;
  notes.push(...judged.notes.map((note) => `${command} ${run}: ${note}`));
  // A row that failed after a doubt may have been done by its first attempt, and one that was there before may count as created.
  const mayBeLess = isTouched || code !== 0 || deed.name === 'shorten -f';
  // Ended by a signal after its last word, it has told what was left alone; the same command finds that all is done.
  const hadTold = starts.length > 1;
  // A label is renamed on every link at once: none is looked at, and none named.
  const mayBeSilent = hadTold || deed.name === 'tags rename';
  const wanted = judged.leftAlone > 0 ? [3, 1, 6, ...(mayBeSilent ? [0] : [])] : mayBeLess ? [0, 3] : [0];
  if (!wanted.includes(last.code ?? -1))
    notes.push(`${command} ${run} ended with ${last.code}, not ${wanted}; ${judged.leftAlone} left alone`);
  return result;
}

interface ListedRun {
  readonly run: string;
  readonly undo: string;
}

/** The first of those that are listed, and wanted. */
async function newestRun(trial: Trial, isWanted: (run: ListedRun) => boolean = () => true): Promise<string | undefined> {
  const { stdout } = await startOnce(trial, ['runs', 'list', '-o', 'json'], undefined);
  return (JSON.parse(stdout) as { runs: ListedRun[] }).runs.find(isWanted)?.run;
}

/** What a nameless undo would be about: off a terminal it is refused, and names it. */
async function judgeNewest(trial: Trial, done: readonly Done[]): Promise<void> {
  const newest = done.at(-1);
  const start = await startOnce(trial, ['undo', '--yes'], undefined);
  if (start.code !== 2 && newest) trial.notes.push(`a nameless undo ended with ${start.code}`);
  if (newest && !start.stderr.includes(newest.run))
    trial.notes.push(`the newest run is ${newest.run} (${newest.deed.name}), and: ${start.stderr}`);
}

interface Way {
  readonly method: string;
  readonly mayEnd: boolean;
  /** Whoever has seen what it did does not start it again. */
  readonly isOnce?: boolean;
  /** Links that somebody else may take away from the command while it waits. */
  readonly matching: readonly string[];
}

/** The same command until it ends by itself. */
async function carryOut(
  trial: Trial,
  argv: readonly string[],
  { method, mayEnd, isOnce = false, matching }: Way,
): Promise<{ last: Start; starts: readonly Start[]; meanwhile: ReadonlyMap<string, StoredLink | undefined> }> {
  const { dice, world } = trial;
  const waits = dice.chance(0.6);
  const wait = 11 + dice.pick(40);
  const pass: Step = { only: { method } };
  const throttle: Step = { ...faults.tooMany(String(wait)), only: { method } };
  await world.server.script(waits ? [...Array.from({ length: dice.pick(3) }, () => pass), throttle] : []);
  const meanwhile = new Map<string, StoredLink | undefined>();
  const first = (await world.server.requests()).length;
  const watch = async (isDone: () => boolean): Promise<void> => {
    while (!isDone()) {
      const log = (await world.server.requests()).slice(first);
      const throttled = log.findIndex(
        ({ step }) => step.answer?.status === 429 && step.answer.headers?.['retry-after'] === String(wait),
      );
      if (throttled >= 0) {
        const [asked] = log.slice(throttled);
        const open = matching.filter((key) => !log.slice(0, throttled).some((request) => namesLink(request, key)));
        if (open.length === 0 || !asked) return;
        const key = dice.of(open);
        await actAsSomebodyElse(trial, key);
        // On a busy machine the wait may be over by then: nothing is proven.
        if (Date.now() - asked.time > (wait * 1000 * 0.1) / haste + 150) return void trial.spoiled.add(key);
        meanwhile.set(key, (await accountOf(trial)).get(key));
        trial.foreign += 1;
        return;
      }
      await delay(15);
    }
  };
  const starts: Start[] = [];
  let kills = mayEnd && dice.chance(0.5) ? 1 + dice.pick(3) : 0;
  let hasEnded = false;
  const watching = waits && matching.length > 0 && dice.chance(0.8) ? watch(() => hasEnded) : undefined;
  for (;;) {
    const repair = starts.at(-1)?.sent && trial.decay.chance(0.5) ? flipKeptByte(trial) : undefined;
    const start = await startOnce(trial, argv, kills > 0 ? { method, first } : undefined);
    starts.push(start);
    repair?.();
    if (start.sent) kills -= 1;
    if (repair && start.code === damagedRun) {
      trial.damaged += 1;
      continue;
    }
    // A signal beats what the rows got, and rows in doubt beat the signal: both say that the same command goes on.
    const isOver = start.sent ? start.code !== null && ![10, 129, 130, 143].includes(start.code) : start.code !== null;
    const isSeen = isOnce && start.stderr.includes('to undo it') && !start.stderr.includes('to resume');
    if (isOver || isSeen || starts.length >= maximalStarts) break;
  }
  hasEnded = true;
  await watching;
  return { last: starts.at(-1) as Start, starts, meanwhile };
}

/** The exit code of a run whose record is not what was written. */
const damagedRun = 9;

/** Flips a bit in the rows that the newest run keeps, where it keeps any; what is returned puts it right again. */
function flipKeptByte({ world, decay }: Trial): (() => void) | undefined {
  const runs = join(world.env.HOME ?? '', '.local', 'state', 'linkctl', 'runs');
  const inputs = existsSync(runs) ? readdirSync(runs).map((run) => join(runs, run, 'input')) : [];
  const newest = inputs
    .filter((path) => existsSync(path))
    .sort((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs)[0];
  if (newest === undefined) return undefined;
  const bytes = readFileSync(newest);
  if (bytes.length === 0) return undefined;
  const flipped = Buffer.from(bytes);
  const at = decay.pick(bytes.length);
  flipped[at] = (flipped[at] ?? 0) ^ 1;
  writeFileSync(newest, flipped);
  return () => {
    if (existsSync(newest) && readFileSync(newest).equals(flipped)) writeFileSync(newest, bytes);
  };
}

const endings = ['SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const satisfies NodeJS.Signals[];

/** With `kill` the process gets a signal at a random moment after one of its changes, its last word among them. */
async function startOnce(
  { world, dice, options, starts }: Trial,
  argv: readonly string[],
  kill: { readonly method: string; readonly first: number } | undefined,
): Promise<Start> {
  const clock = { ahead: dice.of([0, 0, 3_600_000, -3_600_000, 86_400_000]), jump: dice.of([0, 0, 90_000, -3_600_000]) };
  const started = Date.now();
  if (!kill) {
    const how = await runHurried(argv, world.env, options.program, clock);
    const start: Start = { argv, started, sent: undefined, ...how, ended: Date.now() };
    starts.push(start);
    return start;
  }
  const { process: child, ended } = startHurried(argv, world.env, options.program, clock);
  const over = ended.then((how) => ({ ...how, ended: Date.now() }));
  let sent: NodeJS.Signals | undefined;
  const signal = dice.of(endings);
  const nth = 1 + dice.pick(4);
  const after = dice.pick(60);
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  const isDue = async (): Promise<boolean> =>
    (await world.server.requests()).slice(kill.first).filter(({ method, time }) => method !== 'GET' && time >= started).length >=
    nth;
  const spoken = once(child.stderr ?? child, 'data').then(() => undefined);
  if (dice.chance(0.3)) await Promise.race([over, spoken]);
  else while (!isOver && !(await isDue())) await delay(8);
  await delay(after);
  if (child.exitCode === null && child.signalCode === null && child.kill(signal)) sent = signal;
  const how = await over;
  // What it sent at last is read before the next process begins.
  if (sent) await delay(80);
  const start = { argv, started, sent, ...how };
  starts.push(start);
  return start;
}

/** A link leads elsewhere and loses its labels, or is deleted. */
async function actAsSomebodyElse({ world, dice, place, touched, starts }: Trial, key: string): Promise<string> {
  const [domain, hash = ''] = key.split('/');
  const url = `${world.server.sideDoor}/urls/${hash}${place.edition === 'a' ? `?domain=${domain}` : ''}`;
  const nth = starts.length;
  const fields = {
    long_url: `https://foreign.example/${hash}/${nth}`,
    note: `somebody else ${nth}`,
    tags: ['-promo', '-Sale', '-Kept', '-x'],
  };
  const isDeleted = dice.chance(0.3);
  const init = isDeleted ? { method: 'DELETE' } : { method: 'PATCH', body: JSON.stringify({ urls: [fields] }) };
  await (await fetch(url, { ...init, headers: { authorization } })).text();
  touched.add(key);
  return key;
}

async function accountOf({ world, place, spoiled }: Trial): Promise<AccountState> {
  const account = await readAccount(world, place as Circumstances);
  return new Map([...account].filter(([key]) => !spoiled.has(key)));
}

function without(keys: ReadonlySet<string>, { before, after }: Transition): Transition {
  const rest = (account: AccountState): AccountState => new Map([...account].filter(([key]) => !keys.has(key)));
  return { before: rest(before), after: rest(after) };
}

/** The links that a selecting deed is about, on the default domain. */
function matchingKeys({ argv }: UndoableDeed, account: AccountState): string[] {
  const label = argv[argv.indexOf('--by-tags') + 1]?.toLowerCase();
  const [prefix] = argv.flatMap((word) => /^(?:url\^=)?(https:.*)$/.exec(word)?.[1] ?? []);
  const isTagged = argv.includes('--by-tags');
  return [...account].flatMap(([key, { long_url, tags }]) => {
    const matches = isTagged ? tags.some((tag) => tag.toLowerCase() === label) : long_url.startsWith(`${prefix}/`);
    return key.startsWith('s.ex/') && matches ? [key] : [];
  });
}

function namesLink({ url, body }: { readonly url: string; readonly body: string }, key: string): boolean {
  const hash = key.slice(key.indexOf('/') + 1);
  return new RegExp(`(?:^|[^\\w-])${hash}(?:[^\\w-]|$)`).test(`${decodeURIComponent(url)} ${body}`);
}
