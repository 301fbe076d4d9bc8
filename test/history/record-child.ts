import { CliError, exitCodes } from '../../src/base/errors.ts';
import { processSystem } from '../../src/base/system.ts';
import { wholeAccount } from '../../src/history/readings.ts';
import { startRecording } from '../../src/history/recording.ts';
import { childAccount, pageOf } from './record-pages.ts';

// Records so many pages at a time, and kills itself in front of one of the pages, or of the end.
const [at, pages, clicks, killedAt] = process.argv.slice(2).map(Number) as [number, number, number, number];
const system = Object.create(processSystem(), { now: { value: () => at } });
try {
  const recording = await startRecording(childAccount, { scope: wholeAccount, edition: 'a', defaultDomain: '' }, system);
  for (let page = 0; page < pages; page += 1) {
    if (page === killedAt) process.kill(process.pid, 'SIGKILL');
    recording.add(pageOf(page, clicks));
  }
  if (killedAt === pages) process.kill(process.pid, 'SIGKILL');
  recording.finish();
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : 'no error');
  process.exit(error instanceof CliError ? error.exitCode : exitCodes.failed);
}
