import { safe, safeLines } from '../base/safe-text.ts';
import { isJson } from '../contract/formats.ts';
import { jsonText } from './formats/json.ts';
import { printRows } from './formats/rows.ts';
import { joinFor } from './formats/separated.ts';
import { chooseFormat, type OutputOptions } from './options.ts';
import type { DoneReport, Report, RowsReport, TextReport } from './report.ts';
import type { Streams } from './streams.ts';
import { ClosedPipe } from './writer.ts';

/**
 * Prints what a command has to say, whatever its kind, in the format chosen; then the notes; then throws the report's
 * outcome, if it has one. A closed pipe ends it without a word, unless the report has something to say about
 * that (B40).
 */
export async function printReport(report: Report, options: OutputOptions, streams: Streams): Promise<void> {
  try {
    await (report.kind === 'rows' ? printRows(report, options, streams) : printOther(report, options, streams));
    await streams.stdout.flush();
  } catch (error) {
    const reported = error instanceof ClosedPipe ? report.abandoned?.() : error;
    if (reported) throw reported;
    return;
  } finally {
    streams.progress.stop();
  }
  const outcome = report.outcome?.();
  if (!options.quiet || outcome) {
    for (const note of report.notes?.() ?? []) await streams.message(note);
  }
  if (outcome) throw outcome;
}

async function printOther(report: Exclude<Report, RowsReport>, options: OutputOptions, streams: Streams): Promise<void> {
  switch (report.kind) {
    case 'record': {
      const { recordText } = await import('./formats/record.ts');
      return await streams.stdout.write(recordText(report, options, streams.terminal));
    }
    case 'done':
      return await printDone(report, options, streams);
    case 'text':
      return await streams.stdout.write(plainText(report, streams.terminal));
  }
}

async function printDone({ sentence, record, lines = [] }: DoneReport, options: OutputOptions, streams: Streams): Promise<void> {
  const { stdout, glyphs, terminal } = streams;
  const format = chooseFormat(options, terminal);
  if (isJson(format)) {
    await stdout.write(`${jsonText(record, terminal && format === 'json')}\n`);
  } else if (format === 'table') {
    const paint = await streams.paint('stdout');
    await stdout.write(`${paint.green(glyphs.tick)} ${safe(sentence)}\n`);
  } else {
    const join = joinFor(format, options, terminal);
    await stdout.write(lines.map((line) => join([line])).join(''));
  }
}

/** On a terminal nothing may drive it, and the prompt comes on a line of its own. */
function plainText({ text }: TextReport, terminal: boolean): string {
  if (!terminal || text === '') return text;
  return safeLines(text.endsWith('\n') ? text : `${text}\n`);
}
