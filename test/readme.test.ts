import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { programPath, runShell } from './support/built-program.ts';
import { test } from './support/linkctl.ts';
import { needs } from './support/tools.ts';

const readme = readFileSync(join(import.meta.dirname, '..', 'README.md'), 'utf8');

/** A port that nobody has at the moment. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** The blocks that a reader can replay, in order. */
const blocks = [...readme.matchAll(/<!-- replay -->\n```sh\n([\s\S]*?)```/g)].map((match) => match[1] as string);

test('every command of the README that stands for a replay works when pasted, in order', async ({ homeEnv, folder }) => {
  needs('curl');
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'linkctl'), `#!/bin/sh\nexec ${process.execPath} ${programPath} "$@"\n`);
  chmodSync(join(bin, 'linkctl'), 0o755);
  // A service that was started must not outlive a line that fails: it would hold our pipes.
  const script = `trap 'kill $(jobs -p) 2> /dev/null || :' EXIT; cd "$HOME"; set -e; set -o pipefail; export PATH="${bin}:$PATH"\n${blocks.join('\n')}wait\n`;
  const ran = await runShell(script.replaceAll('8787', String(await freePort())), homeEnv);
  expect({ code: ran.code, stderr: ran.stderr }).toMatchObject({ code: 0 });
  expect(ran.stderr).not.toMatch(/^(error|internal error|warning):/m);
  expect(blocks.length).toBeGreaterThan(7);
});

test('what the README says of commands names only commands that there are', async ({ linkctl }) => {
  const named = new Set([...readme.matchAll(/(?:^|[`| ])linkctl ([a-z]+)/gm)].map((match) => match[1] as string));
  for (const name of named) expect([name, (await linkctl([name, '--help'])).code]).toEqual([name, 0]);
});
