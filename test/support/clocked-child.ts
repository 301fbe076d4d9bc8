import { main } from '../../src/cli/main.ts';
import { runningClock } from './running-clock.ts';
import { createTestSystem } from './test-system.ts';

// Command lines in a process of their own, for what belongs to a process, such as its time zone; the clock of each begins to run at START.
const commands: string[][] = JSON.parse(process.argv[2] ?? '[]');
for (const argv of commands) {
  const system = createTestSystem({ env: process.env, now: runningClock(Number(process.env.START)) });
  const code = await main(argv, system);
  process.stdout.write(`${JSON.stringify({ argv, code, ...system.printed() })}\n`);
}
