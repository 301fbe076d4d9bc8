import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { rename } from '../../src/files/rename.ts';
import { asSomebody } from '../support/somebody.ts';

/** A file in a folder that takes no names at present. */
async function closedFolder(work: (from: string, to: string, folder: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'linkctl-rename-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const inner = join(folder, 'inner');
  mkdirSync(inner);
  writeFileSync(join(inner, 'new'), '');
  await asSomebody([folder, inner], async () => {
    chmodSync(inner, 0o500);
    work(join(inner, 'new'), join(inner, 'old'), inner);
  });
}

test('E70: on Windows a file that a virus scanner reads is replaced when it has done so', async () => {
  await closedFolder((from, to, folder) => {
    let waits = 0;
    rename(from, to, { platform: 'win32' }, () => {
      waits += 1;
      if (waits === 3) chmodSync(folder, 0o700);
    });
    expect(waits).toBe(3);
    expect(readdirSync(folder)).toEqual(['old']);
  });
});

test('E70: after a second it is an error, and elsewhere at once', async () => {
  await closedFolder((from, to, folder) => {
    for (const [platform, milliseconds] of [
      ['win32', 975],
      ['linux', 0],
    ] as const) {
      let waited = 0;
      const wait = (more: number): void => {
        waited += more;
      };
      expect(() => rename(from, to, { platform }, wait)).toThrow('EACCES');
      expect(waited).toBe(milliseconds);
    }
    chmodSync(folder, 0o700);
  });
});
