import { appendFileSync } from 'node:fs';
import { processSystem } from '../../src/base/system.ts';
import { acquireClaim } from '../../src/files/claim-lock.ts';

// Takes and leaves the lock until it is killed, or `rounds` times, and writes down when it was inside.
const [folder, log, rounds] = process.argv.slice(2) as [string, string, string];
const system = processSystem();
for (let round = 0; round < Number(rounds); round++) {
  const claim = await acquireClaim({ folder, guards: 'the test', waitMilliseconds: 60_000 }, system);
  appendFileSync(log, `enter ${process.pid}\n`);
  await system.sleep(Math.floor(Math.random() * 3));
  appendFileSync(log, `leave ${process.pid}\n`);
  claim.release();
}
