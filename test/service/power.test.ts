import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { buildChild, type ChildProgram } from '../support/child-program.ts';
import { needs } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { connect, test } from './running-service.ts';

/** What of a folder survives a power cut: what was on the disk before it was said. */

let program: ChildProgram;

beforeAll(async () => {
  program = await buildChild(join(import.meta.dirname, 'service-child.ts'));
});

afterAll(() => program.remove());

test('E62: a change through the API is synced before it is answered, a click is not', async ({ folder }) => {
  needs('strace');
  const log = join(folder, 'strace.log');
  const flags = ['-f', '-s', '60', '-e', 'trace=fdatasync,fsync,write,writev,read', '-o', log];
  const child = spawn('strace', [...flags, process.execPath, program.file, join(folder, 'data')], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  // With the program that it watches.
  onTestFinished(() => void process.kill(-(child.pid as number), 'SIGKILL'));
  const lines = createInterface(child.stdout as NonNullable<typeof child.stdout>);
  const [baseUrl = ''] = (await lines[Symbol.asyncIterator]().next()).value.split('\n') as string[];
  const client = connect({ baseUrl, origin: new URL(baseUrl).origin });
  /** What the kernel heard from the request to its answer. */
  const heard = async (request: RegExp, answer: RegExp): Promise<string> => {
    const text = () => readFileSync(log, 'latin1').split(request).slice(1).join('');
    await until(() => answer.test(text()), 'the answer is in the log');
    return text().split(answer)[0] ?? '';
  };
  await client.shorten({ long_url: 'https://example.com/', custom_hash: 'abc' });
  expect(await heard(/POST \/api\/3\/urls /, /HTTP\/1\.1 200 OK/)).toMatch(/f(data)?sync\(/);
  await client.visit('/abc');
  // Whose answer has the click, and so comes after it was stored.
  expect((await client.call('GET', '/stats/abc')).body.stats[0]?.total_clicks).toBe(1);
  expect(await heard(/GET \/abc /, /HTTP\/1\.1 200 OK/)).not.toMatch(/f(data)?sync\(/);
  await client.call('DELETE', '/urls/abc');
  expect(await heard(/DELETE \/api\/3\/urls\/abc /, /HTTP\/1\.1 200 OK/)).toMatch(/f(data)?sync\(/);
});
