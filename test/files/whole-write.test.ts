import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { writeWhole } from '../../src/files/whole-write.ts';

test('R-21: a pipe that does not block and is full gets every byte when its reader comes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'linkctl-pipe-'));
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = spawn('sh', ['-c', 'sleep 0.2; head -c 300000 "$0" | wc -c', path]);
  const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => {
    reader.kill();
    closeSync(pipe);
    rmSync(folder, { recursive: true });
  });
  writeWhole(pipe, Buffer.alloc(300_000, 'x'));
  expect((await text(reader.stdout)).trim()).toBe('300000');
});
