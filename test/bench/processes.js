import { spawn } from 'node:child_process';
import { join } from 'node:path';

/**
 * Runs commands in turn, A B A B, and answers with their samples: wall and CPU seconds, and the peak memory in MB as the
 * operating system counted them. Python does it because Node cannot ask for the usage of one finished child. `code` is the exit code that a
 * command ends with.
 */
export async function runInTurn(commands, { rounds = 15, warmups = 1 } = {}) {
  const text = await outputOf(
    'python3',
    [join(import.meta.dirname, 'processes.py')],
    JSON.stringify({ rounds, warmups, commands }),
  );
  const { samples } = JSON.parse(text);
  for (const [index, taken] of samples.entries()) {
    const bad = taken.find(({ code }) => code !== (commands[index].code ?? 0));
    if (bad) throw new Error(`exit code ${bad.code}: ${commands[index].argv.join(' ')}`);
  }
  return samples;
}

/** Ratios are taken pair by pair and then their median: the machine's speed drifts, and both of a pair have the same. */
export function ratio(samples, baseline, quantity = 'wall') {
  return median(samples.map((sample, index) => sample[quantity] / baseline[index][quantity]));
}

/** The best of one against the best of the other: what is left of a ratio when nobody disturbs. */
export function minima(samples, baseline) {
  const least = (taken) => Math.min(...taken.map(({ wall }) => wall));
  return least(samples) / least(baseline);
}

export function median(numbers) {
  const sorted = [...numbers].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function outputOf(command, argv, input = '') {
  return new Promise((resolve, reject) => {
    const child = spawn(command, argv, { stdio: ['pipe', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(text) : reject(new Error(`${command} ended with ${code}`))));
    child.stdin.end(input);
  });
}

/** Starts a server that prints one line when it listens; answers with that line and how to end it. */
export async function startServer(argv, env = {}) {
  const child = spawn(process.execPath, argv, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', resolve);
    child.once('close', (code) => reject(new Error(`${argv[0]} ended with ${code}`)));
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  return {
    line: line.trim(),
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}
