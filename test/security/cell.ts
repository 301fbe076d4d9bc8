import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../src/cli/main.ts';
import { holdsSecret, secretFaults } from '../support/canary.ts';
import { startFaultyServer } from '../support/faulty-server.ts';
import type { Step } from '../support/faulty-steps.ts';
import { apiKey, type Linkctl, username } from '../support/linkctl.ts';
import { noValue } from '../support/no-value.ts';
import { createTestSystem, type World } from '../support/test-system.ts';
import { goodAnswer, goodCalls, type Subject } from './command-table.ts';

/** What one command made of one fault: its exit code, and what must hold whatever the fault is and did not. */
export interface Observed {
  readonly exit: number;
  readonly violations: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder and an account for one command, whose server misbehaves as told. */
export interface Cell {
  observe(steps: readonly Step[], options?: CellOptions): Promise<Observed>;
  close(): Promise<void>;
}

export interface CellOptions {
  /** The answer does not come. */
  readonly slow?: boolean | undefined;
  readonly flags?: readonly string[];
  readonly baseUrl?: string;
  readonly terminal?: World['terminal'];
  readonly env?: Readonly<Record<string, string>>;
}

/** Waits of our own take no time, and those for the network are short where nothing comes. */
const hurry = ['--retries', '1', '--max-wait', '5', '--progress', 'none'];
/** Seconds that an answer may take, for one that comes, where a hang is for the test to end, and one that does not. */
const patience = { usual: '600', slow: '1' };

export async function openCell(subject: Subject): Promise<Cell> {
  const server = await startFaultyServer({ keepBodies: false });
  const folder = mkdtempSync(join(tmpdir(), 'linkctl-cell-'));
  const home = { HOME: folder, PATH: process.env.PATH ?? '', LANG: 'C.UTF-8' };
  const account = { LINKCTL_USERNAME: username, LINKCTL_API_KEY: apiKey, LINKCTL_EDITION: 'a' };
  const run = (argv: readonly string[], world: World, env: Readonly<Record<string, string>> = {}, baseUrl = server.baseUrl) =>
    runHurried(argv, { ...world, env: { ...home, ...(!subject.withoutAccount && account), LINKCTL_BASE_URL: baseUrl, ...env } });
  const good: Step[] = [...goodCalls]
    .sort((one, other) => other.path.length - one.path.length)
    .map((call) => ({ only: call, times: 'all', answer: { body: goodAnswer(call) } }));
  await server.script(good);
  await subject.prepare?.(((argv) => run(argv, {})) satisfies Linkctl, folder);
  const runs = join(folder, '.local', 'state', 'linkctl', 'runs');
  const [prepared = ''] = existsSync(runs) ? readdirSync(runs).filter((name) => !name.startsWith('.')) : [];
  return {
    async observe(steps, { slow = false, flags = [], env, baseUrl, terminal } = {}) {
      const argv = [...subject.argv.map((word) => (word === 'RUN' ? prepared : word)), ...hurry, ...flags];
      argv.push('--timeout', slow ? patience.slow : patience.usual);
      await server.script([...steps.map((step) => ({ only: subject.call, times: 'all' as const, ...step })), ...good]);
      const stdin = subject.withoutAccount ? apiKey : subject.stdin;
      const ran = await run(argv, { stdin, terminal: terminal ?? subject.terminal }, env, baseUrl);
      const violations = [...textFaults(ran), ...secretFaults(folder)];
      forget(folder, prepared);
      return { exit: ran.code, violations, stdout: ran.stdout, stderr: ran.stderr };
    },
    async close() {
      rmSync(folder, { recursive: true, force: true });
      await server.close();
    },
  };
}

/** The same command again must begin from the start: an unfinished run would be gone on with. */
function forget(folder: string, prepared: string): void {
  const runs = join(folder, '.local', 'state', 'linkctl', 'runs');
  const names = existsSync(runs) ? readdirSync(runs) : [];
  for (const name of names) if (name !== prepared) rmSync(join(runs, name), { recursive: true, force: true });
  rmSync(join(folder, '.config'), { recursive: true, force: true });
}

async function runHurried(argv: readonly string[], world: World): Promise<{ code: number; stdout: string; stderr: string }> {
  let slept = 0;
  const system = createTestSystem({ ...world, now: () => Date.now() + slept });
  const sleep = async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    slept += milliseconds;
    await new Promise((resolve) => setImmediate(resolve));
  };
  const code = await main(argv, { ...system, sleep });
  return { code, ...system.printed() };
}

/** What no output may ever show. */
export function textFaults({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }): string[] {
  const text = stdout + stderr;
  // What is wrong with one row of a file, or one of several operands, is told of its own.
  // Not both: a wrapped error may begin a line with the body of the answer.
  const lines = stderr.match(/^error: .*/gm) ?? stderr.match(/^\{"error":\{"code":.*/gm) ?? [];
  const errors = lines.filter((line) => !/^error: \S+:\d+: /.test(line));
  return [
    ...(errors.length === Number(code !== 0) ? [] : [`${errors.length} error lines with exit ${code}: ${stderr}`]),
    ...(/^\s*at .*:\d+:\d+/m.test(text) || text.includes('internal error') ? [`a bug shows: ${stderr}`] : []),
    ...(rawBytes.test(text) ? [`a raw control character: ${JSON.stringify(text)}`] : []),
    ...(holdsSecret(text) ? [`the key: ${text}`] : []),
    ...(noValue.test(text) ? [`a value that is none: ${text}`] : []),
  ];
}

/** C0 but line feed and tab, DEL, C1, direction marks, separators of lines, BOM, tag characters, lone surrogates. */
const rawBytes =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]|\p{Surrogate}/u;
