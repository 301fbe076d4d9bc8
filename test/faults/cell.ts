import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldJournal } from '../../src/bulk/journal/fold.ts';
import { doneStatuses, type RowStatus } from '../../src/bulk/results/row-outcome.ts';
import { main } from '../../src/cli/main.ts';
import type { ServiceLimits } from '../../src/service/service-options.ts';
import { type Ended, runProgram } from '../support/built-program.ts';
import type { FaultyHost } from '../support/faulty-process.ts';
import type { FaultyOptions, LoggedRequest } from '../support/faulty-server.ts';
import type { Step } from '../support/faulty-steps.ts';
import { noValue } from '../support/no-value.ts';
import { createTestSystem } from '../support/test-system.ts';
import { type Deed, type DeedName, deedNames, deeds, type ResultRow, readResults } from './deeds.ts';
import type { Expected } from './expectations.ts';
import { canary, type FaultWorld, openFaultWorld } from './fault-world.ts';
import { haste } from './hurried-program.ts';

/** A fault of the matrix, and what each command makes of it. */
export interface Fault {
  readonly fault: string;
  /** For the first requests that change something, unless a step says what it is for. */
  readonly steps: readonly Step[];
  readonly flags?: readonly string[];
  readonly limits?: Partial<ServiceLimits>;
  readonly faulty?: FaultyOptions;
  /** Of the program, from the address of the faulty server: `{ LINKCTL_BASE_URL: … }`. */
  readonly env?: (baseUrl: string) => Record<string, string>;
  /** Waits are as long as they are for people. */
  readonly unhurried?: boolean;
  /** The server says what is not so, or does it when nobody reads any more: what is reported cannot be true. */
  readonly lies?: boolean;
  /** The first request that changes something comes on a connection of earlier ones. */
  readonly usedConnection?: boolean;
  /** Going on meets the same. */
  readonly lasting?: boolean;
  readonly expected: Expected;
  /** What stderr must say. */
  readonly says?: { readonly [D in DeedName]?: RegExp };
}

export interface Cell {
  readonly fault: Fault;
  readonly deed: DeedName;
  readonly expected: string;
}

/** Every command that the faults say something of. */
export function cellsOf(faults: readonly Fault[]): Cell[] {
  return faults.flatMap((fault) =>
    deedNames.flatMap((deed) => {
      const expected = fault.expected[deed];
      return expected === undefined ? [] : [{ fault, deed, expected }];
    }),
  );
}

export interface Observed {
  readonly sentence: string;
  /** What must hold whatever the fault is, and did not. */
  readonly violations: readonly string[];
  readonly stderr: string;
}

/** Runs one command against one fault and checks exit code, requests, results file and what the service has. */
export async function observe(host: FaultyHost, name: DeedName, fault: Fault): Promise<Observed> {
  const world = await openFaultWorld(host, { limits: fault.limits, faulty: fault.faulty });
  try {
    const deed = deeds[name];
    const argv = [...(await deed.prepare(world)), ...(fault.flags ?? [])];
    await world.server.script(scriptOf(deed, fault.steps));
    const env = { ...world.env, ...fault.env?.(world.server.baseUrl) };
    const ended = await (fault.unhurried ? runProgram(argv, env) : runHurried(argv, env));
    const requests = await world.server.requests();
    const writes = Math.max(0, requests.filter(({ method }) => method === deed.method).length - deed.proof);
    const stored = await world.stored();
    const results = readResults(world);
    const effects = deed.effects(stored);
    const violations = [
      ...textViolations(ended, deed),
      ...(deed.journalled ? resultViolations(results, deed, ended) : []),
      ...results.flatMap((row, index) =>
        fault.lies ? [] : lieIn(row, deed.isDone(stored, index, row.hash), effects[index] ?? 0),
      ),
      ...(await journalViolations(world)),
      ...requests.filter(({ url }) => !url.startsWith('/api/3')).map(({ url }) => `a request for ${url}`),
      ...(fault.usedConnection && !isReused(requests, deed.method) ? ['the connection was a new one'] : []),
      ...(fault.says?.[name]?.test(ended.stderr) === false ? [`not said: ${fault.says[name]}`] : []),
    ];
    if (!fault.lasting && results.some(({ status }) => status === 'not_sent'))
      violations.push(...(await goOn(world, deed, argv, effects)));
    return { sentence: sentenceOf(ended, writes, results, effects), violations, stderr: ended.stderr };
  } finally {
    await world.close();
  }
}

/** In this process: what a kill does to the program is not asked here. */
async function runHurried(argv: readonly string[], env: Record<string, string>): Promise<Ended> {
  const system = createTestSystem({ env, haste });
  const code = await main(argv, system);
  return { code, signal: null, ...system.printed() };
}

function isReused(requests: readonly LoggedRequest[], method: string): boolean {
  const first = requests.findIndex((request) => request.method === method);
  return requests.slice(0, first).some(({ connection }) => connection === requests[first]?.connection);
}

function scriptOf({ method, proof }: Deed, steps: readonly Step[]): Step[] {
  const proving: Step[] = proof > 0 ? [{ only: { method }, times: proof }] : [];
  return [...proving, ...steps.map((step) => ({ only: { method }, ...step }))];
}

function sentenceOf({ code, signal }: Ended, writes: number, results: readonly ResultRow[], effects: readonly number[]): string {
  const statuses = new Map<string, number>();
  for (const { status } of results) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const reported = [...statuses].map(([status, count]) => `${count} ${status}`).join(', ');
  const effective = effects.filter((count) => count > 0).length;
  const twice = effects.filter((count) => count > 1).length;
  return [
    `exit ${code ?? signal}, ${writes} ${writes === 1 ? 'write' : 'writes'}${reported && `: ${reported}`}`,
    ...(effective < effects.length ? [`${effective} of ${effects.length} took effect`] : []),
    ...(twice > 0 ? [`${twice} twice`] : []),
  ].join('; ');
}

/** One line says what is wrong with the command as a whole, and before it one for each row that failed. */
function textViolations({ code, stdout, stderr }: Ended, { rows }: Deed): string[] {
  const text = stdout + stderr;
  const errors = (stderr.match(/^error: /gm) ?? []).length;
  const isTold = code === 0 ? errors === 0 : errors >= 1 && errors <= (rows === 1 ? 1 : rows + 1);
  return [
    ...(isTold ? [] : [`${errors} error lines with exit ${code}: ${stderr}`]),
    ...(/^ {4}at /m.test(text) || text.includes('internal error') ? [`a stack trace: ${stderr}`] : []),
    ...secretsIn('the output', text),
    ...(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(text) ? ['a raw control character'] : []),
    ...(noValue.test(text) ? [`a value that is none: ${text}`] : []),
  ];
}

function secretsIn(place: string, text: string): string[] {
  const forms = [canary, encodeURIComponent(`ann:${canary}`), Buffer.from(`ann:${canary}`).toString('base64')];
  return forms.some((form) => text.includes(form)) ? [`the key in ${place}`] : [];
}

/** R-X9: every row once, in order, whatever the exit code is; unless nothing was begun. */
function resultViolations(results: readonly ResultRow[], { rows }: Deed, { code, stderr }: Ended): string[] {
  const numbers = results.map(({ row }) => Number(row)).join();
  const all = Array.from({ length: rows }, (_, row) => row + 1).join();
  if (numbers === all || (numbers === '' && code !== 0 && code !== 3)) return [];
  return [`rows ${numbers || 'none'} in the results file: ${stderr}`];
}

/** Whether the results file says something of a row that the service knows better. */
function lieIn({ row, status, hash }: ResultRow, isDone: boolean, effects: number): string[] {
  if (doneStatuses.has(status as RowStatus)) return isDone ? [] : [`row ${row} is reported ${status} as ${hash} and is not`];
  if (status === 'unknown') return [];
  return effects === 0 ? [] : [`row ${row} is reported ${status} and took effect`];
}

async function journalViolations(world: FaultWorld): Promise<string[]> {
  const journal = world.journal();
  if (!journal) return [];
  const broken = await foldJournal(journal).then(
    () => [],
    (error: unknown) => [`the journal does not fold: ${error}`],
  );
  const state = join(world.folder, '.local');
  const texts = readdirSync(state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  return [...broken, ...secretsIn('the state folder', texts.join('\n'))];
}

/** The same command again, and nothing goes wrong: what was not sent is done, and nothing is done twice. */
async function goOn(world: FaultWorld, deed: Deed, argv: readonly string[], before: readonly number[]): Promise<string[]> {
  await world.server.script([]);
  const ended = await runHurried(argv, world.env);
  const results = readResults(world);
  const twice = deed.effects(await world.stored()).filter((count, row) => count > Math.max(1, before[row] ?? 0));
  const isOver = results.every(({ status }) => doneStatuses.has(status as RowStatus) || status === 'unknown');
  const code = results.some(({ status }) => status === 'unknown') ? 10 : 0;
  return isOver && ended.code === code && twice.length === 0
    ? []
    : [`going on: exit ${ended.code}, ${results.map(({ status }) => status)}, ${twice.length} twice: ${ended.stderr}`];
}
