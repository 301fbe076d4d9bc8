import { CliError, exitCodes } from '../../src/base/errors.ts';
import { processSystem } from '../../src/base/system.ts';
import { startRecording } from '../../src/history/recording.ts';
import { childAccount, pageOf } from './record-pages.ts';

// Records so many pages, and kills itself in front of one of them, or of the end.
const [pages, clicks, killedAt] = process.argv.slice(2).map(Number) as [number, number, number];
try {
  const recording = await startRecording(childAccount, { scope: 'account', edition: 'a', usualDomain: '' }, processSystem());
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
