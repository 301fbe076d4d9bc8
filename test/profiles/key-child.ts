import { CliError } from '../../src/base/errors.ts';
import { processSystem } from '../../src/base/system.ts';
import { readKey } from '../../src/profiles/key-source.ts';

// Runs its arguments as `api_key_command`, with a hundredth of the patience, and ends as the program does.
const system = processSystem();
const hasty = { ...system, sleep: (time: number, signal?: AbortSignal) => system.sleep(time / 100, signal) };
try {
  await readKey({ kind: 'command', argv: process.argv.slice(2) }, hasty);
} catch (error) {
  if (!(error instanceof CliError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error.exitCode;
}
