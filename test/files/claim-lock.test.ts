import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { LocalError } from '../../src/base/errors.ts';
import { processSystem, type System } from '../../src/base/system.ts';
import { acquireClaim } from '../../src/files/claim-lock.ts';
import { newMark } from '../../src/files/process-mark.ts';
import { buildChild, type ChildProgram, ended } from '../support/child-program.ts';
import { asSomebody } from '../support/somebody.ts';

let child: ChildProgram;
let folder: string;
const system = processSystem();

beforeAll(async () => {
  child = await buildChild(join(import.meta.dirname, 'claim-child.ts'));
});
afterAll(() => child.remove());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'linkctl-claims-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const request = (waitMilliseconds = 0) => ({ folder, guards: 'the configuration', waitMilliseconds });
const claims = () => readdirSync(folder).filter((name) => name.startsWith('claim.'));

test('R-X11: a lock is a claim file that names process and start time, and is gone after release', async () => {
  const claim = await acquireClaim(request(), system);
  expect(claims()).toHaveLength(1);
  expect(claims()[0]).toMatch(new RegExp(`^claim\\.${process.pid}\\.\\d+\\.[0-9a-f-]+$`));
  claim.release();
  expect(claims()).toEqual([]);
});

test('exit 9: a lock that stays held ends the wait with the holder and the way out', async () => {
  const claim = await acquireClaim(request(), system);
  const failure = await acquireClaim(request(60), system).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(LocalError);
  expect(failure).toMatchObject({
    exitCode: 9,
    message: `the configuration is in use by another linkctl (process ${process.pid}); try again later`,
    hint: expect.stringContaining(`rm ${join(folder, claims()[0] as string)}`),
  });
  expect(claims()).toHaveLength(1);
  claim.release();
});

test('E73: on Windows the way out is a command of Windows', async () => {
  const windows: System = { ...system, platform: 'win32' };
  const claim = await acquireClaim(request(), windows);
  const hint = `if no such process is running on any machine: del "${claim.path}"`;
  await expect(acquireClaim(request(), windows)).rejects.toMatchObject({ hint });
  claim.release();
});

test('a waiting process gets the lock when it becomes free', async () => {
  const claim = await acquireClaim(request(), system);
  const second = acquireClaim(request(60_000), system);
  await delay(30);
  claim.release();
  (await second).release();
  expect(claims()).toEqual([]);
});

/** What `work` does where no claim can be deleted. */
function inClosedFolder<Result>(work: () => Promise<Result>): Promise<Result> {
  return asSomebody([folder], async () => {
    chmodSync(folder, 0o500);
    return await work().finally(() => chmodSync(folder, 0o700));
  });
}

test('R-X11: a claim that cannot be deleted fails nothing, because what it guarded is done', async () => {
  const claim = await acquireClaim(request(), system);
  await inClosedFolder(async () => claim.release());
  expect(claims()).toHaveLength(1);
});

test('exit 9: the claim of a dead process that cannot be deleted', async () => {
  const dead = `claim.${newMark(system).replace(/^(\d+)\.\d+/, '$1.1')}`;
  writeFileSync(join(folder, dead), '');
  const failure = await inClosedFolder(() => acquireClaim(request(), system).catch((error: unknown) => error));
  expect(failure).toMatchObject({ exitCode: 9, message: `cannot delete ${join(folder, dead)}: permission denied` });
});

test('R-X11: of two that look at the same moment and see nobody, none gets in that sees the other afterwards', async () => {
  // The random number of a claim's name is asked for when its maker has seen nobody: there another process shows its claim.
  let other = '';
  const surprised: System = {
    ...system,
    randomBytes: (count) => {
      other = `claim.${newMark(system)}`;
      writeFileSync(join(folder, other), '');
      return system.randomBytes(count);
    },
  };
  await expect(acquireClaim(request(), surprised)).rejects.toThrow('the configuration is in use');
  expect(claims()).toEqual([other]);
});

test('R-X11: where somebody shows a claim already, nobody else shows one', async () => {
  const claim = await acquireClaim(request(), system);
  const shown: number[] = [];
  const watching: System = {
    ...system,
    randomBytes: (count) => {
      shown.push(count);
      return system.randomBytes(count);
    },
  };
  await expect(acquireClaim(request(60), watching)).rejects.toThrow('the configuration is in use');
  expect(shown).toEqual([]);
  claim.release();
});

test('R-X11: the claim of a process id that was given to somebody else is deleted', async () => {
  const mark = newMark(system).replace(/^(\d+)\.\d+/, '$1.1');
  writeFileSync(join(folder, `claim.${mark}`), '');
  const claim = await acquireClaim(request(), system);
  expect(existsSync(join(folder, `claim.${mark}`))).toBe(false);
  claim.release();
});

test('R-X11: a claim of another host holds, because nobody here can know that its process is dead', async () => {
  const mark = newMark(system).replace(/^\d+\.\d+\.[0-9a-f]{8}-[0-9a-f]{8}/, '99999999.1.00000000-00000000');
  writeFileSync(join(folder, `claim.${mark}`), '');
  await expect(acquireClaim(request(), system)).rejects.toThrow('process 99999999');
});

test('R-X11: no process enters while another is inside, with holders killed and stopped at random', async () => {
  const seen = await storm({ children: 4, entries: 40, kills: 4 });
  expect(seen.overlaps).toEqual([]);
  expect(seen.failures).toEqual([]);
});

/** Processes in a race for one lock; some are killed and replaced, some are stopped for a while, until there was enough of it. */
async function storm({ children, entries, kills }: { children: number; entries: number; kills: number }) {
  const log = join(folder, 'log');
  writeFileSync(log, '');
  const killed = new Set<number | undefined>();
  const ends: ReturnType<typeof ended>[] = [];
  const start = (): ChildProcess => {
    const started = child.start([join(folder, 'lock'), log, '1000000']);
    ends.push(ended(started));
    return started;
  };
  const running = Array.from({ length: children }, start);
  const linesOf = (): string[] => readFileSync(log, 'latin1').trim().split('\n');
  while (killed.size < kills || linesOf().length < 2 * entries) {
    await delay(Math.random() * 120);
    const index = Math.floor(Math.random() * children);
    const victim = running[index] as ChildProcess;
    if (Math.random() < 0.6) {
      victim.kill('SIGSTOP');
      await delay(Math.random() * 120);
      victim.kill('SIGCONT');
    } else {
      killed.add(victim.pid);
      victim.kill('SIGKILL');
      running[index] = start();
    }
  }
  const finished = linesOf();
  for (const last of running) last.kill('SIGKILL');
  const failures = (await Promise.all(ends)).filter(({ signal, stderr }) => signal !== 'SIGKILL' || stderr !== '');
  return { overlaps: overlapsOf(finished, killed), failures };
}

/** Every `enter` must be followed by the same process's `leave`, unless that process was killed inside. */
function overlapsOf(lines: readonly string[], killed: ReadonlySet<number | undefined>) {
  const overlaps: string[] = [];
  let inside: string | undefined;
  for (const line of lines) {
    const [what, id] = line.split(' ') as [string, string];
    if (inside && inside !== id && !killed.has(Number(inside))) overlaps.push(`${id} while ${inside}`);
    inside = what === 'enter' ? id : undefined;
  }
  return overlaps;
}

test('R-X11: a zombie does not hold the lock', async () => {
  // `sleep` never asks how its predecessor's child ended, so that child stays a zombie.
  const parent = spawn('sh', ['-c', 'sleep 0.05 & echo $!; exec sleep 20'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const zombie = Number(await new Promise((resolve) => parent.stdout.once('data', (chunk) => resolve(String(chunk)))));
  try {
    writeFileSync(join(folder, `claim.${markOf(zombie)}`), '');
    (await acquireClaim(request(60_000), system)).release();
    expect(claims()).toEqual([]);
  } finally {
    parent.kill('SIGKILL');
  }
});

/** The mark that another process would have made. */
function markOf(processId: number): string {
  const stat = readFileSync(`/proc/${processId}/stat`, 'latin1');
  const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return newMark(system).replace(/^\d+\.\d+/, `${processId}.${startTime}`);
}
