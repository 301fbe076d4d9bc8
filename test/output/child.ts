import { processSystem } from '../../src/base/system.ts';
import { exitCodeOf, printFailure } from '../../src/output/failure-lines.ts';
import type { OutputOptions } from '../../src/output/output-options.ts';
import { printReport } from '../../src/output/print.ts';
import { Streams } from '../../src/output/streams.ts';
import { listing, urls } from './listing.ts';

/** Prints a listing of so many rows as a process of its own: `node child.mjs <rows> <options as JSON>`. */
const options = JSON.parse(process.argv[3] ?? '{}') as OutputOptions;
const streams = new Streams(processSystem(), options);
let fetched = 0;

async function* rows() {
  for (; fetched < Number(process.argv[2]); fetched += 1000) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    yield urls(1000);
  }
}

try {
  await printReport(listing(rows()), options, streams);
} catch (error) {
  await printFailure(error, options, streams);
  process.exitCode = exitCodeOf(error);
}
await streams.release();
if (process.env.PEAK) process.stderr.write(`${fetched} ${process.resourceUsage().maxRSS}\n`);
