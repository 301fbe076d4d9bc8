import { CliError, messageOf } from '../base/errors.ts';
import { jsonText, safe, safeLines } from '../base/safe-text.ts';
import { type Format, isJson } from '../contract/formats.ts';
import { codeMark, printError, printHint } from './failure-lines.ts';
import { createLines } from './formats/separated.ts';
import { chooseFormat, type OutputOptions } from './output-options.ts';
import { batchesOf, type DoneReport, type Report, type RowPrinter, type RowsReport, type TextReport } from './report.ts';
import type { Streams } from './streams.ts';
import { ClosedPipe } from './writer.ts';

/** Prints the report, its notes, and throws its outcome. A closed pipe ends a read silently, unless it reported failed rows before. */
export async function printReport(report: Report, options: OutputOptions, streams: Streams): Promise<void> {
  const failed = failedRows(streams);
  try {
    await (report.kind === 'rows' ? printRows(report, options, streams, failed) : printOther(report, options, streams));
    await streams.stdout.flush();
  } catch (error) {
    if (!isStopped(error, report, streams)) {
      const reported = (error instanceof ClosedPipe && report.abandoned?.()) || withChanges(error, report, streams);
      if (reported) throw reported;
      const outcome = failed.any() && report.outcome?.();
      if (outcome) throw outcome;
      return;
    }
  } finally {
    streams.progress.stop();
  }
  const outcome = report.outcome?.();
  if (!options.quiet || outcome) {
    for (const note of report.notes?.() ?? []) await streams.note(note);
  }
  if (!streams.stdout.failure()) await report.printed?.();
  if (outcome) throw outcome;
}

/** True if the output failed while the command was stopped by a signal or the end of its time, and therefore reports this as usual. */
function isStopped(error: unknown, report: Report, { stdout }: Streams): boolean {
  const outcome = error === stdout.failure() ? report.outcome?.() : undefined;
  return outcome !== undefined && (outcome === error || outcome.kind === 'interrupted');
}

/** Output that could not be written must not hide that something was changed, nor how the change ended, least of all in doubt. */
function withChanges(error: unknown, report: Report, { stdout, pasteable }: Streams): unknown {
  const changes = report.unwritten?.() ?? (report.kind === 'done' && [report.sentence, ...(report.notes?.() ?? [])]);
  if (!changes || error !== stdout.failure()) return error instanceof ClosedPipe ? undefined : error;
  const ending = report.outcome?.();
  // A change that was complete before its output was given up did not end by what ended the output.
  const why = error instanceof CliError && error.kind !== 'local' ? 'not all of the output was read' : messageOf(error);
  const { kind, message, details } =
    ending?.kind === 'unknown' ? ending : new CliError('local', why, { details: ending && [ending.message] });
  const again = !ending && 'runRows' in report ? 'run the same command again to print its rows' : undefined;
  const hint = (ending ?? report.abandoned?.())?.hint ?? again;
  return new CliError(kind, message, { cause: error, details: [...details, ...changes.map(pasteable)], hint });
}

async function printOther(report: Exclude<Report, RowsReport>, options: OutputOptions, streams: Streams): Promise<void> {
  switch (report.kind) {
    case 'record': {
      const { formatRecord } = await import('./formats/record.ts');
      return await streams.stdout.write(formatRecord(report, options, streams));
    }
    case 'done':
      return await printDone(report, options, streams);
    case 'text':
      return await streams.stdout.write(plainText(report, streams.terminal));
  }
}

async function printDone({ sentence, record }: DoneReport, options: OutputOptions, streams: Streams): Promise<void> {
  const { stdout, glyphs, terminal } = streams;
  const format = chooseFormat(options, terminal);
  if (isJson(format)) {
    await stdout.write(`${jsonText(record, terminal && format === 'json')}\n`);
  } else if (format === 'table') {
    const paint = await streams.paint('stdout');
    await stdout.write(`${paint.green(glyphs.tick)} ${streams.fitted(safe(sentence), 'stdout', `${glyphs.tick} `)}\n`);
  }
}

/** On a terminal, control characters are escaped and the text ends with a line feed. */
function plainText({ text }: TextReport, terminal: boolean): string {
  if (!terminal || text === '') return text;
  return safeLines(text.endsWith('\n') ? text : `${text}\n`);
}

/** Prints rows as they arrive. If the source fails, the output so far is valid in its format. */
async function printRows(report: RowsReport, options: OutputOptions, streams: Streams, failed: FailedRows): Promise<void> {
  const format = chooseFormat(options, streams.terminal);
  const printer = await createPrinter(report, options, streams, format);
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
    if (!streams.stdout.failure()) await failed.end(report.failuresIn);
    throw error;
  }
  await printer.end(true);
  await failed.end(report.failuresIn);
  if (options.quiet) return;
  const hidden = printer.hidden?.() ?? [];
  if (hidden.length > 0) await streams.message(`hidden to fit the terminal: ${hidden.join(', ')} (use --no-truncate)`);
  if (count === 0 && report.empty !== undefined && streams.watched) await streams.message(report.empty);
}

async function createPrinter(report: RowsReport, options: OutputOptions, streams: Streams, format: Format): Promise<RowPrinter> {
  if (report.chart) {
    const { createChart } = await import('./formats/chart.ts');
    return await createChart(report.chart, streams);
  }
  if (isJson(format)) {
    const { createJson } = await import('./formats/json-rows.ts');
    return createJson(report, options, streams, format);
  }
  if (format !== 'table') return createLines(report, options, streams, format);
  const { sentence } = report;
  if (sentence && !options.fields && streams.terminal) {
    const { createSentences } = await import('./formats/sentences.ts');
    return await createSentences({ ...report, sentence }, options, streams);
  }
  const { createTable } = await import('./formats/table.ts');
  return await createTable(report, options, streams);
}

/** A failure of the output must not hide the failure of the source. */
async function endEarly(printer: RowPrinter, { stdout }: Streams): Promise<void> {
  try {
    await printer.end(false);
    await stdout.flush();
  } catch {
    return;
  }
}

interface Group {
  readonly mark: string;
  readonly hint: string | undefined;
  /** Rows often have the same details, such as the server's message. */
  readonly details: Set<string>;
  count: number;
}

/** Maximum number of lines per group. */
const maxLines = 5;
/** Bounds memory: a server may invent any number of codes. */
const maxGroups = 50;

type FailedRows = ReturnType<typeof failedRows>;

/** Prints the first failures of each group and counts the rest, so memory stays constant. */
function failedRows(streams: Streams) {
  const groups = new Map<string, Group>();
  const groupOf = ({ kind, apiCode, hint }: CliError): Group => {
    const exact = `${kind} ${apiCode ?? ''}`;
    const key = groups.has(exact) || groups.size < maxGroups ? exact : kind;
    const group = groups.get(key) ?? { mark: key === kind ? '' : codeMark(apiCode), hint, details: new Set(), count: 0 };
    groups.set(key, group);
    return group;
  };
  return {
    async report(failure: CliError): Promise<void> {
      const group = groupOf(failure);
      group.count += 1;
      if (group.count <= maxLines) await printError(failure, streams, group.details);
    },
    any: () => groups.size > 0,
    /** Prints the number of further failures, with the file that has them, and the hints. */
    async end(failuresIn: string | undefined): Promise<void> {
      const where = failuresIn === undefined ? '' : ` (see ${failuresIn})`;
      for (const { count, mark } of groups.values()) {
        if (count > maxLines) await streams.message(`${streams.glyphs.ellipsis} and ${count - maxLines} more${mark}${where}`);
      }
      const hints = new Set([...groups.values()].flatMap(({ hint }) => hint ?? []));
      for (const hint of hints) await printHint(hint, streams);
    },
  };
}
