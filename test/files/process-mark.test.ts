import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checksum } from '../../src/base/checksum.ts';
import { processSystem, type System } from '../../src/base/system.ts';
import { waitedSince } from '../../src/bulk/checked/newest-links.ts';
import { isAlive, machineTime, newMark, type ProcessMark, parseMark } from '../../src/files/process-mark.ts';

/** A process of the same program on the same machine, as it is now; with other parts where they are given. */
function markOf(system: System, other: Partial<ProcessMark> = {}): ProcessMark {
  return { ...(parseMark(newMark(system)) as ProcessMark), ...other };
}

/** This computer, as if it were one of another kind. A new object: marks are remembered. */
const systemOf = (platform: NodeJS.Platform, now = Date.now): System => ({ ...processSystem(), platform, now });

const gone = 99_999_999;
const elsewhere = '00000000';
const unknown = checksum('').slice(0, 8);

test('E68: a computer that got another name since the last start is the same one, and its dead are dead', () => {
  const system = systemOf('linux');
  expect(isAlive(markOf(system, { host: elsewhere, processId: gone, startTime: '1' }), system)).toBe(false);
  expect(isAlive(markOf(system, { host: elsewhere }), system)).toBe(true);
});

test('E68: another computer stays one where nothing says that it is this one', () => {
  const system = systemOf('linux');
  expect(isAlive(markOf(system, { host: elsewhere, boot: elsewhere, processId: gone }), system)).toBe(true);
  expect(isAlive(markOf(system, { host: elsewhere, boot: unknown, processId: gone }), system)).toBe(true);
});

/** A Mac, for as long as the test runs: what its programs say. */
function mac(): { says(boot: string, hardware: string): System } {
  const folder = mkdtempSync(join(tmpdir(), 'linkctl-mac-'));
  const before = process.env.PATH;
  mkdirSync(join(folder, 'bin'));
  process.env.PATH = `${join(folder, 'bin')}:${before}`;
  onTestFinished(() => {
    process.env.PATH = before;
    rmSync(folder, { recursive: true });
  });
  return {
    says: (boot, hardware) => {
      const script = (text: string): string => `#!/bin/sh\ncat << 'end'\n${text}\nend\n`;
      writeFileSync(join(folder, 'bin', 'sysctl'), script(boot), { mode: 0o700 });
      writeFileSync(join(folder, 'bin', 'ioreg'), script(`    "IOPlatformUUID" = "${hardware}"`), { mode: 0o700 });
      return systemOf('darwin');
    },
  };
}

test('E69: on macOS a process id that somebody else got after a reboot holds nothing', () => {
  const { says } = mac();
  const before = markOf(says('BOOT-1', 'MAC-1'), { processId: process.ppid });
  expect(isAlive(before, says('BOOT-1', 'MAC-1'))).toBe(true);
  expect(isAlive(before, says('BOOT-2', 'MAC-1'))).toBe(false);
});

test('E68: on macOS, which takes its name from the network, the number of the hardware says which machine it is', () => {
  const { says } = mac();
  const mark = markOf(says('BOOT-1', 'MAC-1'), { processId: gone });
  expect(isAlive(mark, says('BOOT-2', 'MAC-1'))).toBe(false);
  expect(isAlive(mark, says('BOOT-2', 'MAC-2'))).toBe(true);
});

test('E69: on Windows the time of the start is in the mark: an id that somebody else got after a reboot holds nothing', () => {
  const now = Date.now();
  const system = systemOf('win32', () => now);
  const mark = markOf(system, { processId: process.ppid });
  expect(Number.parseInt(mark.boot, 16)).toBe(Math.round(now / 1000 - uptime()));
  const setBy = (minutes: number): System => systemOf('win32', () => now + minutes * 60_000);
  expect(isAlive(mark, setBy(0))).toBe(true);
  expect(isAlive(mark, setBy(5))).toBe(true);
  expect(isAlive(mark, setBy(60))).toBe(false);
  expect(isAlive({ ...mark, boot: unknown }, setBy(60))).toBe(true);
});

test.for(['linux', 'darwin', 'win32'] as const)(
  'R 1.6: time between two processes is counted by no clock that can be set, and only on one machine: %s',
  (platform) => {
    const hour = 3_600_000;
    const at = (elapsed: number, now = Date.now()): System => ({ ...systemOf(platform, () => now), elapsed: () => elapsed });
    const time = machineTime(at(1000.5));
    expect(waitedSince(time, at(1500))).toBe(500);
    expect(waitedSince(time, at(1500, Date.now() + hour))).toBe(500);
    // After a reboot, it begins at 0.
    expect(waitedSince(time, at(10))).toBe(0);
    expect(waitedSince({ ...time, boot: elsewhere }, at(1500))).toBe(500);
    expect(waitedSince({ ...time, host: elsewhere, boot: elsewhere }, at(hour))).toBe(0);
    expect(waitedSince({ ...time, host: elsewhere, boot: unknown }, at(hour))).toBe(0);
    expect(waitedSince(undefined, at(hour))).toBe(0);
  },
);
