import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { doneStatuses, type RowStatus } from '../../src/bulk/results/row-outcome.ts';
import type { Ended } from '../support/built-program.ts';
import type { LoggedRequest } from '../support/faulty-server.ts';
import { noValue } from '../support/no-value.ts';
import type { Dice } from './circumstances.ts';
import type { FaultWorld } from './fault-world.ts';
import { startHurried } from './hurried-program.ts';

/** Processes that may be needed until a run on an account in use is over; a run that needs more never ends. */
export const maximalStarts = 25;

/** One process of a trial. Times are milliseconds since 1970. */
export interface Start extends Ended {
  readonly argv: readonly string[];
  readonly started: number;
  readonly ended: number;
  /** The signal that it was sent before it ended. */
  readonly sent: NodeJS.Signals | undefined;
}

const endings = ['SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'] as const satisfies NodeJS.Signals[];

/**
 * Starts the program. With `mayEnd` it gets a signal at a random moment: some milliseconds after its first output, when Node has started
 * and the file is read, or some time after its start if there is no output.
 */
export async function startOnce(
  argv: readonly string[],
  world: FaultWorld,
  program: string | undefined,
  dice: Dice,
  mayEnd: boolean,
): Promise<Start> {
  const started = Date.now();
  const { process: child, ended } = startHurried(argv, world.env, program);
  const over = ended.then((how) => ({ ...how, ended: Date.now() }));
  const signal = dice.of(endings);
  const afterWord = dice.pick(200);
  const afterStart = 120 + dice.pick(250);
  let sent: NodeJS.Signals | undefined;
  if (mayEnd && child.stderr) {
    const spoken = once(child.stderr, 'data').then(() => delay(afterWord));
    await Promise.race([over, spoken, delay(afterStart + 400)]);
    if (child.exitCode === null && child.signalCode === null && child.kill(signal)) sent = signal;
  }
  const how = await over;
  // What it sent at last is read before the next process begins.
  if (sent) await world.server.settled();
  return { argv, started, sent, ...how };
}

/** Errors after which no process asks the server anything more (R-12). */
const finalCodes: readonly unknown[] = [1300, 1301, 1303, 1217];

/** Requests that came after an answer that forbids further ones. */
export function requestsAfterTheEnd(starts: readonly Start[], log: readonly LoggedRequest[], concurrency: number): string[] {
  return starts.flatMap((start, index) => {
    const next = starts[index + 1]?.started ?? Number.POSITIVE_INFINITY;
    const own = log.filter(({ time }) => time >= start.started && time < next);
    // A server without a list of domains says so with 1301: that ends nothing.
    const refused = own.findIndex(
      ({ step, url }) =>
        finalCodes.includes(codeOf(step.answer?.body)) && !(url.includes('/domains') && codeOf(step.answer?.body) === 1301),
    );
    const after = refused < 0 ? [] : own.slice(refused + concurrency);
    const code = codeOf(own[refused]?.step.answer?.body);
    return after.map(({ method, url }) => `start ${index + 1}: ${method} ${url.slice(0, 80)} after ${code}`);
  });
}

function codeOf(body: unknown): number | undefined {
  return (body as { error?: { code?: number } } | undefined)?.error?.code;
}

/** What no output may hold. */
export function crashesOf(starts: readonly Start[]): string[] {
  return starts.flatMap(({ stdout, stderr }, index) =>
    /^ {4}at /m.test(stderr) || /internal error/.test(stderr) || noValue.test(stdout + stderr)
      ? [`start ${index + 1}: ${stderr.slice(0, 400)}`]
      : [],
  );
}

/** For the notes of a trial that failed. */
export function sentence({ argv, code, signal, sent, stderr }: Start): string {
  return `  ${argv.slice(0, 14).join(' ')} -> ${sent ? `${sent} ` : ''}${code ?? signal}: ${stderr.trim().slice(-500)}`;
}

export function countSent(starts: readonly Start[]): number {
  return starts.filter(({ sent }) => sent).length;
}

/** What a process said of a row. */
export interface Reported {
  readonly status: string;
  readonly hash: string;
  /** Of the error, where there is a results file. */
  readonly code?: string;
}

/** Rows that would change nothing are not sent, and done all the same. */
export function isDone({ status }: { readonly status: string }): boolean {
  return doneStatuses.has(status as RowStatus) || status === 'unchanged';
}

type Printed = Partial<Reported & { readonly short_url: string }>;

/**
 * What a command line without a results file reported in JSON. For rows that it did not print, the exit code says it. `names`: the
 * short URLs of the rows, where it found the links itself.
 */
export function reportedRows({ stdout, code }: Start, rows: number, done: string, names?: readonly string[]): Reported[] {
  const printed = (Object.values(firstJson(stdout)).find(Array.isArray) ?? []) as Printed[];
  const rest = code === null ? 'unreported' : (restOf.get(code) ?? (code === 0 ? done : 'not_sent'));
  const isNamed = ({ short_url, hash }: Printed, name = ''): boolean =>
    short_url ? short_url === name : name.endsWith(`/${hash}`);
  return Array.from({ length: rows }, (_, index) => {
    const inOrder = printed.length === rows ? printed[index] : undefined;
    const row = names ? printed.find((one) => isNamed(one, names[index])) : inOrder;
    return { status: row?.status ?? rest, hash: row?.hash ?? '' };
  });
}

const restOf: ReadonlyMap<number, string> = new Map([
  [3, 'failed'],
  [5, 'failed'],
  [6, 'failed'],
  [10, 'unknown'],
]);

function firstJson(text: string): object {
  try {
    return JSON.parse(text.split('\n')[0] ?? '');
  } catch {
    return {};
  }
}

/** Whether the last eight starts all ended by themselves with the same message: more of them would not help. */
export function makesNoProgress(starts: readonly Start[]): boolean {
  const last = starts.slice(-8).map(({ code, sent, stderr }) => sent ?? `${code} ${/\d+ rows: .*(?= \()/.exec(stderr)}`);
  return last.length === 8 && new Set(last).size === 1 && !starts.at(-1)?.sent;
}
