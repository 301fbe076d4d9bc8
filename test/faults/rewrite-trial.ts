import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Edition } from '../../src/contract/editions.ts';
import type { FaultyHost } from '../support/faulty-process.ts';
import type { FaultyOptions } from '../support/faulty-server.ts';
import { faults, type Step, usualFaults } from '../support/faulty-steps.ts';
import { type Dice, rollDice } from './circumstances.ts';
import { readResults, resultsPath } from './deeds.ts';
import { startHurried } from './hurried-program.ts';
import { newestChange } from './newest-change.ts';
import { type AccountLink, domainsOf, from, to } from './rewrite-account.ts';
import { type ForeignDeed, foreignDeeds, judgeDump, judgeResults, judgeSent, keyOf, type Sent } from './rewrite-judge.ts';
import { type Dump, openServedAccount, type PreparedAccount, type ServedAccount } from './served-account.ts';
import { crashesOf, type Start, sentence } from './starts.ts';

export const stories = [
  'all domains',
  'all domains, faults',
  'one domain',
  'somebody else writes before the undo',
  'somebody else writes while the undo is interrupted',
] as const;

export interface RewriteTrialOptions {
  readonly seed: number;
  /** Kills at most, of the rewrite and again of the undo. */
  readonly kills: number;
  /** Without it, the usual one of the edition. */
  readonly batchSize?: number | undefined;
  /** Another program than the built one: a mutant. */
  readonly program?: string | undefined;
  readonly story?: (typeof stories)[number];
  /** When kills are likely to hit something; runs without one say more of it. */
  readonly pace: Pace;
}

/** Milliseconds from a start to its first output, and from there to its end. */
export type Pace = { [P in 'rewrite' | 'undo']: { toPlan: number; toEnd: number } };

export interface RewriteFindings {
  readonly seed: number;
  readonly title: string;
  readonly selected: number;
  readonly starts: number;
  readonly kills: number;
  /** Changes that were sent, by links, in both directions. */
  readonly sent: Sent;
  readonly leftAlone: number;
  /** The most of one process. */
  readonly peakMebibytes: number;
  /** A sentence for all that went wrong; empty where nothing did. */
  readonly notes: readonly string[];
}

/** Starts that may be needed until a command says that it is done. */
const maximalStarts = 25;

/**
 * Two fifths of an account are rewritten and then taken back, each with kill -9 at random moments and the same command again until it
 * is done. After both, every record of the service is held against what it has to be, byte for byte, and every change that was sent
 * against what it was for.
 */
export async function runRewriteTrial(
  account: PreparedAccount,
  host: FaultyHost,
  options: RewriteTrialOptions,
): Promise<RewriteFindings> {
  const dice = rollDice(options.seed);
  const story = options.story ?? dice.of(stories);
  const world = await openServedAccount(account, host, faultyOptions(story, options.seed));
  try {
    const trial: Trial = { account, world, dice, options, starts: [], notes: [], peak: 0 };
    const selected = selectedLinks(account, story);
    const rewritten = new Map([...account.dump, ...selected.map((link) => rewrittenRecord(link, account.dump))]);
    const code = await untilDone('rewrite', rewriteArguments(story, account.edition), trial);
    if (code !== 0) trial.notes.push(`rewrite ended with ${code}`);
    trial.notes.push(...judgeDump('after the rewrite', await world.dump(), rewritten));
    const between = trial.starts.length;
    const undoneFrom = Date.now();
    const deeds = await takeBack(trial, story, selected);
    trial.notes.push(...judgeDump('after the undo', await world.dump(), account.dump, deeds));
    const log = await world.server.requests();
    const bound = options.batchSize ?? (account.edition === 'a' ? 1000 : 500);
    const judge = (isUndo: boolean, wantedUrl: (link: AccountLink) => string) => {
      const wanted = new Map(selected.map((link) => [keyOf(link), wantedUrl(link)]));
      const sentThen = log.filter(({ time }) => time >= undoneFrom === isUndo);
      return judgeSent(sentThen, wanted, bound);
    };
    const sent = judge(false, ({ rewritten }) => rewritten);
    const sentBack = judge(true, ({ item }) => item.long_url);
    trial.notes.push(...sent.notes, ...sentBack.notes, ...crashesOf(trial.starts));
    return {
      seed: options.seed,
      title: `edition ${account.edition}, ${story}`,
      selected: selected.length,
      starts: trial.starts.length,
      kills: trial.starts.filter((start) => start.sent).length,
      sent: {
        links: sent.links + sentBack.links,
        again: sent.again + sentBack.again,
        calls: sent.calls + sentBack.calls,
        largest: Math.max(sent.largest, sentBack.largest),
      },
      leftAlone: deeds.filter(({ kind }) => kind === 'leads elsewhere' || kind === 'deleted').length,
      peakMebibytes: trial.peak,
      notes: trial.notes.length > 0 ? [...trial.notes, `undo from start ${between + 1} on`, ...trial.starts.map(sentence)] : [],
    };
  } finally {
    await world.close();
  }
}

interface Trial {
  readonly account: PreparedAccount;
  readonly world: ServedAccount;
  readonly dice: Dice;
  readonly options: RewriteTrialOptions;
  readonly starts: Start[];
  readonly notes: string[];
  peak: number;
}

function faultyOptions(story: (typeof stories)[number], seed: number): FaultyOptions {
  if (story !== 'all domains, faults') return {};
  const steps = [...usualFaults, faults.dropMiddle(300), faults.late(30)];
  return { seed, chance: { rate: 0.25, steps: steps.map((step): Step => ({ ...step, only: { method: 'PATCH' } })) } };
}

function selectedLinks({ edition, links }: PreparedAccount, story: (typeof stories)[number]): AccountLink[] {
  const domain = domainsOf[edition].at(-1);
  return links.filter((link) => link.rewritten !== link.item.long_url && (story !== 'one domain' || link.domain === domain));
}

function rewriteArguments(story: (typeof stories)[number], edition: Edition): string[] {
  const domain = domainsOf[edition].at(-1) ?? '';
  const where = story === 'one domain' ? ['--domain', domain] : ['--all-domains'];
  return ['rewrite', from, to, '--max-affected', '1000000', ...(edition === 'a' ? where : [])];
}

function rewrittenRecord(link: AccountLink, dump: Dump): [string, string] {
  const key = keyOf(link);
  return [key, JSON.stringify({ ...JSON.parse(dump.get(key) ?? '{}'), long_url: link.rewritten })];
}

/** `undo last` until it is done; returns what somebody else did meanwhile. */
async function takeBack(
  trial: Trial,
  story: (typeof stories)[number],
  selected: readonly AccountLink[],
): Promise<readonly ForeignDeed[]> {
  const { account, world, dice, notes } = trial;
  const isBefore = story === 'somebody else writes before the undo';
  const isAmid = story === 'somebody else writes while the undo is interrupted';
  const deeds = isBefore || isAmid ? foreignDeeds(account, selected, dice, isAmid) : [];
  const act = async (): Promise<void> => {
    for (const { link, change } of deeds) {
      const method = change ? 'PATCH' : 'DELETE';
      await world.call(method, link.domain, link.item.custom_hash, change);
    }
  };
  if (isBefore) await act();
  const argv = ['undo', newestChange(world.env.HOME ?? ''), ...(isBefore ? ['--results', resultsPath(world)] : [])];
  const code = await untilDone('undo', argv, trial, isAmid ? act : undefined);
  const refused = deeds.filter(({ kind }) => kind === 'leads elsewhere' || kind === 'deleted');
  if (isBefore ? code !== 3 : code !== 0 && !(isAmid && code === 3)) notes.push(`undo ended with ${code}`);
  if (isBefore) notes.push(...judgeResults(readResults(world), selected.length, refused));
  return deeds;
}

/** The same command until it ends by itself with 0 or 3, which is returned. */
async function untilDone(
  phase: keyof Pace,
  argv: readonly string[],
  trial: Trial,
  afterFirst?: () => Promise<void>,
): Promise<number | null> {
  const { dice, options, starts } = trial;
  const size = options.batchSize === undefined ? [] : ['--batch-size', String(options.batchSize)];
  let kills = options.kills === 0 ? 0 : 1 + dice.pick(options.kills);
  let act = afterFirst;
  for (let nth = 0; nth < maximalStarts; nth += 1) {
    const start = await startOnce([...argv, '--yes', ...size], phase, trial, kills > 0);
    starts.push(start);
    if (start.sent) kills -= 1;
    await act?.();
    act = undefined;
    if (start.code === 0 || start.code === 3) return start.code;
    // It was killed after its last word: `undo last` once more would take back the undo.
    const [summary] = phase === 'undo' ? (/^\d+ links: .*$/m.exec(start.stderr) ?? []) : [];
    if (summary) return summary.includes(' failed') ? 3 : 0;
  }
  return starts.at(-1)?.code ?? null;
}

/** Two of three kills come when changes are sent, the others while links are read. */
async function startOnce(argv: readonly string[], phase: keyof Pace, trial: Trial, mayKill: boolean): Promise<Start> {
  const { dice, world, options } = trial;
  const pace = options.pace[phase];
  const isEarly = dice.chance(0.35);
  const moment = dice.pick(1000) / 1000;
  const started = Date.now();
  const { process: child, ended } = startHurried(argv, world.env, options.program);
  const over = ended.then((how) => ({ ...how, ended: Date.now() }));
  const watching = setInterval(() => {
    trial.peak = Math.max(trial.peak, peakMebibytes(child.pid));
  }, 50);
  let planned: number | undefined;
  const shown = once(child.stderr ?? child, 'data').then(() => {
    planned = Date.now();
  });
  let sent: NodeJS.Signals | undefined;
  if (mayKill) {
    const late = shown.then(() => delay(moment * pace.toEnd));
    await Promise.race([over, isEarly ? delay(moment * pace.toPlan) : late]);
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) sent = 'SIGKILL';
  }
  const how = await over;
  clearInterval(watching);
  if (!sent && planned !== undefined && how.stdout.length > 10_000)
    Object.assign(pace, { toPlan: planned - started, toEnd: how.ended - planned });
  // What it sent at last is read before the next process begins.
  if (sent) await world.server.settled();
  return { argv, started, sent, ...how };
}

/** The most that the process has had in memory so far (Linux). */
function peakMebibytes(processId: number | undefined): number {
  try {
    const [, kibibytes = '0'] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${processId}/status`, 'utf8')) ?? [];
    return Math.round(Number(kibibytes) / 1024);
  } catch {
    return 0;
  }
}
