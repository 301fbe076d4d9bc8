import { existsSync, statSync } from 'node:fs';
import { CliError } from '../../src/base/errors.ts';
import { processSystem } from '../../src/base/system.ts';
import { readKey } from '../../src/profiles/key-source.ts';

// Runs its arguments as `api_key_command`, whose time is over when the file of the first argument has text, and ends as the program does.
const [file = '', ...argv] = process.argv.slice(2);
const system = processSystem();
const sleep = async (_time: number, signal?: AbortSignal): Promise<void> => {
  while (!existsSync(file) || statSync(file).size === 0) await system.sleep(10, signal);
};
try {
  await readKey({ kind: 'command', argv }, { ...system, sleep });
} catch (error) {
  if (!(error instanceof CliError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error.exitCode;
}
