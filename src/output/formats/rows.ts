import { type Format, isJson } from '../../contract/formats.ts';
import { FailedRows } from '../failed-rows.ts';
import { chooseFormat, type OutputOptions } from '../options.ts';
import { batchesOf, type RowPrinter, type RowsReport } from '../report.ts';
import type { Streams } from '../streams.ts';
import { createJson } from './json.ts';
import { createLines } from './separated.ts';

/** Prints rows as they come, in one format. What was printed before a failure of the source is valid in that format (B22). */
export async function printRows(report: RowsReport, options: OutputOptions, streams: Streams): Promise<void> {
  const format = chooseFormat(options, streams.terminal);
  const printer = await createPrinter(report, options, streams, format);
  const failed = new FailedRows(streams, report.failuresIn);
  const { failure: failureOf, unreached }: Partial<RowsReport> = isJson(format) ? {} : report;
  let count = 0;
  try {
    for await (const batch of batchesOf(report)) {
      for (const row of batch) {
        count += 1;
        if (unreached?.(row)) continue;
        const failure = failureOf?.(row);
        const taken = failure ? failed.report(failure) : printer.row(row);
        if (taken) await taken;
      }
    }
  } catch (error) {
    if (!streams.stdout.failure()) await endEarly(printer, streams);
    if (!streams.stdout.failure()) await failed.end();
    throw error;
  }
  await printer.end(true);
  await failed.end();
  if (options.quiet) return;
  const hidden = printer.hidden?.() ?? [];
  if (hidden.length > 0) await streams.message(`hidden to fit the terminal: ${hidden.join(', ')} (use --no-truncate)`);
  if (count === 0 && report.empty !== undefined && streams.watched) await streams.message(report.empty);
}

async function createPrinter(report: RowsReport, options: OutputOptions, streams: Streams, format: Format): Promise<RowPrinter> {
  if (isJson(format)) return createJson(report, options, streams, format);
  if (format !== 'table') return createLines(report, options, streams, format);
  const { sentence } = report;
  if (sentence && !options.fields && streams.terminal) {
    const { createSentences } = await import('./sentences.ts');
    return await createSentences({ ...report, sentence }, options, streams);
  }
  const { createTable } = await import('./table.ts');
  return await createTable(report, options, streams);
}

/** Ignores a failure of the output, which would hide the failure of the source. */
async function endEarly(printer: RowPrinter, { stdout }: Streams): Promise<void> {
  try {
    await printer.end(false);
    await stdout.flush();
  } catch {
    return;
  }
}
