import { processSystem } from '../../src/base/system.ts';
import { main } from '../../src/cli/main.ts';
import { runningClock } from './running-clock.ts';

// The program in a process of its own, whose clock begins to run at START: for what belongs to a process, such as its time zone.
const now = runningClock(Number(process.env.START));
process.exitCode = await main(process.argv.slice(2), Object.create(processSystem(), { now: { value: now } }));
