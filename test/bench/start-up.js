import { execFileSync } from 'node:child_process';
import { median, minima, ratio, runInTurn } from './processes.js';

/** A URL that the canned server knows. */
const known = 'https://shop.example.com/catalogue/item/00000000?utm_source=newsletter';

/** Whole processes: what makes no call against `node -e 0`, what makes one against a bare script that makes one. */
export async function startUp(world) {
  const server = await world.canned();
  try {
    storeProfile(world, server.baseUrl);
    const installed = installPeers(world);
    const lines = [
      ['--version', ['--version'], 1.15],
      ['--help', ['--help'], 1.15],
      ['help shorten', ['help', 'shorten'], 1.15],
      ['__complete', ['__complete', 'shor'], 1.15],
      ['a usage error', ['shorten', '--nosuch'], 1.5],
      ['shorten URL, stored profile', ['shorten', known], 1.4, 'call'],
      ['list --limit 500 in a pipe', ['list', '--limit', '500'], 1.5, 'page'],
      ['-p sandbox shorten URL', ['-p', 'sandbox', 'shorten', 'https://nodejs.org/'], 2.0, 'call'],
    ];
    const commands = [
      { argv: [process.execPath, '-e', '0'] },
      { argv: [process.execPath, world.baseline('one-call.cjs'), server.baseUrl, known] },
      { argv: [process.execPath, world.baseline('one-page.cjs'), server.baseUrl] },
      ...lines.map(([what, argv]) => ({ argv: world.linkctl(...argv), env: world.env, code: what === 'a usage error' ? 2 : 0 })),
      { argv: ['npm', '--version'] },
      ...installed.map(({ program }) => ({ argv: [process.execPath, program, '--version'] })),
      { argv: ['python3', world.baseline('one-call.py'), server.baseUrl] },
      {
        argv: [
          'curl',
          '-s',
          '-u',
          'ann:secret',
          '--json',
          '{"urls":[{"long_url":"https://nodejs.org/"}]}',
          `${server.baseUrl}/urls`,
        ],
      },
    ];
    const [empty, call, page, ...samples] = await runInTurn(commands, { rounds: world.quick ? 5 : 21 });
    const names = installed.map(({ name }) => [`${name} --version`]);
    const peers = [['npm --version'], ...names, ['Python: one call with urllib'], ['curl: one call']];
    return [...lines, ...peers].map(([what, , most, against], index) => {
      const [unit, bare] = { call: ['x a bare node:http call', call], page: ['x a bare node:http GET', page] }[against] ?? [
        'x node -e 0',
        empty,
      ];
      return {
        what: `start-up: ${what}`,
        unit,
        value: ratio(samples[index], bare),
        most,
        note: `minima ${minima(samples[index], bare).toFixed(2)}x, CPU ${ratio(samples[index], bare, 'cpu').toFixed(2)}x; ${(1000 * median(samples[index].map(({ wall }) => wall))).toFixed(0)} ms`,
      };
    });
  } finally {
    await server.stop();
  }
}

/** A command-line tool of others, bundled and built on commander as ours is; none where the registry cannot be reached. */
function installPeers(world) {
  const folder = world.path('peers');
  const peers = [{ name: 'npm-check-updates', version: '17.1.18', command: 'ncu' }];
  const flags = ['--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save'];
  try {
    execFileSync('npm', ['install', ...flags, ...peers.map(({ name, version }) => `${name}@${version}`)], { stdio: 'pipe' });
  } catch {
    return [];
  }
  return peers.map(({ name, command }) => ({ name, program: `${folder}/node_modules/.bin/${command}` }));
}

function storeProfile(world, baseUrl) {
  const [node, ...argv] = world.linkctl(
    'auth',
    'login',
    '--base-url',
    baseUrl,
    '--username',
    'ann',
    '--edition',
    'a',
    '--with-key',
  );
  execFileSync(node, [...argv, '-p', 'work'], { env: { ...process.env, ...world.env }, input: 'secret\n', stdio: 'pipe' });
}
