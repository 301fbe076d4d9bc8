import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { parseNetwork } from '../../src/service/client-address.ts';
import { listen } from '../../src/service/listener.ts';
import { textResponse } from '../../src/service/message.ts';
import { unavailable } from '../../src/service/visits/redirects.ts';
import { runProgram, startProgram } from '../support/built-program.ts';
import { certify } from '../support/certificates.ts';
import { needs, programIn } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { test } from './running-service.ts';

/** The files of the operators' page, by the programs that they are for. */

const run = promisify(execFile);
const deployment = join(import.meta.dirname, '..', '..', 'src', 'service', 'deployment');
const textOf = (name: string) => readFile(join(deployment, name), 'utf8');

test('O2: systemd takes the unit, and what it starts serves', async ({ folder }) => {
  needs('systemd-analyze');
  const { stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', join(deployment, 'linkctl.service')]);
  expect((stdout + stderr).split('\n').filter((line) => line.includes('linkctl.service'))).toEqual([]);
  const unit = await textOf('linkctl.service');
  const [, argv = ''] = /^ExecStart=\/usr\/bin\/env linkctl (.*)$/m.exec(unit) ?? [];
  const words = argv
    .replace(/\$\{STATE_DIRECTORY\}/, folder)
    .replace('8787', '0')
    .replace('9187', '0')
    .split(' ');
  const program = startProgram([...words, '-o', 'json'], { HOME: folder });
  let said = '';
  program.process.stdout?.on('data', (text: string) => {
    said += text;
  });
  const early = program.ended.then((ended) => Promise.reject(new Error(ended.stderr)));
  await Promise.race([until(() => said.includes('\n'), 'it listens'), early]);
  early.catch(() => {});
  const { metrics_url, public_url } = JSON.parse(said) as { metrics_url: string; public_url: string };
  expect(public_url).toBe('https://s.example');
  expect((await fetch(metrics_url.replace('metrics', 'healthz'))).status).toBe(200);
  program.process.kill('SIGKILL');
  await program.ended;
});

test('O2: nginx takes its configuration', async ({ folder }) => {
  const { stderr } = await run(...(await nginx(folder, ['-t'])));
  expect(stderr).toContain('test is successful');
});

/** Starts nginx before two processes at these ports. Returns how to send it a request, and how to end it. */
async function startNginx(folder: string, ports: readonly number[]) {
  const socketPath = join(folder, 'socket');
  const [program, words] = await nginx(folder, ['-g', 'daemon off; master_process off;'], (conf) =>
    ports
      .reduce((text, port, index) => text.replace(`127.0.0.1:${8787 + index}`, `127.0.0.1:${port}`), conf)
      .replace('listen 80;', `listen unix:${folder}/plain;`)
      .replace('listen 443 ssl;', `listen unix:${socketPath};`),
  );
  const proxy = spawn(program, words, { stdio: 'ignore' });
  const ended = once(proxy, 'exit');
  const send = async (path: string, method = 'GET'): Promise<number | undefined> => {
    const sent = request({ socketPath, path, method, headers: { host: 's.example' } }).end();
    const [answer] = await once(sent, 'response');
    answer.resume();
    return answer.statusCode;
  };
  await until(() => send('/known').then(Boolean, () => false), 'nginx listens');
  const end = async () => {
    proxy.kill('SIGKILL');
    await ended;
  };
  return { send, end };
}

test('O2: behind nginx, a link that cannot be answered for now takes no other link with it', async ({ folder }) => {
  const handle = async ({ target }: { target: string }) => (target === '/unknown' ? unavailable : textResponse(200, 'known'));
  const processes = await Promise.all([1, 2].map(() => listen({ host: '127.0.0.1', port: 0, bodyBytes: 1, handle })));
  const { send, end } = await startNginx(
    folder,
    processes.map(({ port }) => port),
  );
  const seen: (number | undefined)[] = [];
  for (const path of ['/unknown', '/known', '/unknown', '/known']) seen.push(await send(path));
  await end();
  await Promise.all(processes.map(({ close }) => close()));
  expect(seen).toEqual([503, 200, 503, 200]);
});

test('O2: behind nginx, a change is sent to one process, and a visit to the other if the first has gone', async ({ folder }) => {
  const received: string[] = [];
  // Each loses the connection when it has read the first request of a method.
  const servers = [1, 2].map(() =>
    createServer((incoming, response) => {
      const { method = '' } = incoming;
      const isLost = incoming.url === '/lost' && !received.includes(method);
      if (incoming.url === '/lost') received.push(method);
      if (isLost) incoming.socket.destroy();
      else response.end();
    }).listen(0, '127.0.0.1'),
  );
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const { send, end } = await startNginx(
    folder,
    servers.map((server) => (server.address() as AddressInfo).port),
  );
  const statuses: (number | undefined)[] = [];
  for (const method of ['GET', 'DELETE', 'POST', 'PATCH']) {
    statuses.push(await send('/lost', method));
    // Of `fail_timeout`: then both processes are asked again.
    await delay(2100);
  }
  await end();
  for (const server of servers) server.close();
  expect([received, statuses]).toEqual([
    ['GET', 'GET', 'DELETE', 'POST', 'PATCH'],
    [200, 502, 502, 502],
  ]);
});

test('O2: Caddy takes its configuration', async ({ folder }) => {
  needs('caddy');
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const { stdout, stderr } = await run(
    'caddy',
    ['validate', '--adapter', 'caddyfile', '--config', join(deployment, 'Caddyfile')],
    { env },
  );
  expect(stdout + stderr).toContain('Valid configuration');
});

test('O2: the container files start it with flags that it has, and from files that there are', async ({ folder }) => {
  const [container, compose] = [await textOf('Containerfile'), await textOf('compose.yaml')];
  const started = [/^ENTRYPOINT .*$/m.exec(container)?.[0], /^ {2}command: .*$/m.exec(compose)?.[0]].join();
  const { stdout: help } = await runProgram(['serve', '--help'], { HOME: folder });
  const flags = [...started.matchAll(/"(--[a-z-]+)"/g)].map(([, flag]) => flag);
  expect([flags.length, flags.filter((flag) => !help.includes(`${flag} `))]).toEqual([7, []]);
  // The proxy is outside, so that its connections come from the network of the containers.
  const [, trusted] = /"--trusted-proxy", "([^"]+)"/.exec(started) ?? [];
  expect(trusted).toBe(/subnet: (.*)/.exec(compose)?.[1]);
  expect(trusted && parseNetwork(trusted)).toBeTruthy();
  const [, file = ''] = /dockerfile: (.*)/.exec(compose) ?? [];
  expect(await readFile(join(deployment, '..', '..', '..', file), 'utf8')).toBe(container);
});

/** The program and the words that start it with the file, as `change` has left it. */
async function nginx(folder: string, words: readonly string[], change = (conf: string) => conf): Promise<[string, string[]]> {
  needs('nginx');
  const { cert, key } = certify('s.example', { hosts: ['s.example'] });
  await writeFile(join(folder, 'fullchain.pem'), cert);
  await writeFile(join(folder, 'key.pem'), key);
  const conf = change((await textOf('nginx.conf')).replaceAll('/etc/ssl/s.example', folder));
  const main = `pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${conf} }`;
  await writeFile(join(folder, 'nginx.conf'), main);
  return [programIn('nginx') ?? '', ['-p', folder, '-c', join(folder, 'nginx.conf'), ...words]];
}
