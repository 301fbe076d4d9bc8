import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
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
  needs('nginx');
  const { cert, key } = certify('s.example', { hosts: ['s.example'] });
  await writeFile(join(folder, 'fullchain.pem'), cert);
  await writeFile(join(folder, 'key.pem'), key);
  const conf = (await textOf('nginx.conf')).replaceAll('/etc/ssl/s.example', folder);
  const main = `pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${conf} }`;
  await writeFile(join(folder, 'nginx.conf'), main);
  const { stderr } = await run(programIn('nginx') ?? '', ['-t', '-p', folder, '-c', join(folder, 'nginx.conf')]);
  expect(stderr).toContain('test is successful');
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
  expect([flags.length, flags.filter((flag) => !help.includes(`${flag} `))]).toEqual([6, []]);
  const [, file = ''] = /dockerfile: (.*)/.exec(compose) ?? [];
  expect(await readFile(join(deployment, '..', '..', '..', file), 'utf8')).toBe(container);
});
