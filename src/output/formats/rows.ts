import { UsageError } from '../../base/errors.ts';
import { safe } from '../../base/safe-text.ts';
import { type Format, isJson } from '../../contract/formats.ts';
import { createFailedRows } from '../failed-rows.ts';
import { chooseColumns } from '../fields.ts';
import { chooseFormat, type OutputOptions } from '../options.ts';
import { batchesOf, namesOf, type Row, type RowsReport } from '../report.ts';
import type { Streams } from '../streams.ts';
import type { RowPrinter } from './row-printer.ts';
import { createLines, csvJoin, tsvLine } from './separated.ts';

/** Prints rows as they come, in one format. What was printed before a failure of the source is valid in that format (B22). */
export async function printRows(report: RowsReport, options: OutputOptions, streams: Streams): Promise<void> {
  const format = chooseFormat(options, streams.terminal);
  const printer = await createPrinter(format, report, options, streams);
  const failed = createFailedRows(streams, report.failuresIn);
  const { failure: failureOf, unreached }: Partial<RowsReport> = isJson(format) ? {} : report;
  let count = 0;
  try {
    for await (const batch of batchesOf(report)) {
      for (const row of batch) {
        count += 1;
        if (unreached?.(row)) continue;
        const failure = failureOf?.(row);
        const taken = failure ? failed.tell(failure) : printer.row(row);
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
  await tellHidden(printer, streams);
  if (count === 0 && report.empty !== undefined && streams.watched) await streams.tell(report.empty);
}

interface TableLike extends RowPrinter {
  hidden?(): string[];
}

async function createPrinter(format: Format, report: RowsReport, options: OutputOptions, streams: Streams): Promise<TableLike> {
  if (isJson(format)) return await createJson(format, report, options, streams);
  if (report.sentence && !options.fields && format === 'table' && streams.terminal) {
    if (isBuried(report, options)) return await createSilence(report, options, streams);
    return await createSentences(report.sentence, report.qr, streams);
  }
  if (format === 'table') return await createTablePrinter(report, options, streams);
  const columns = chooseColumns(report.columns, options.fields ?? defaultFields(format, report));
  const { stdout, terminal } = streams;
  return format === 'csv'
    ? createLines(
        stdout,
        columns,
        csvJoin({ guarded: terminal || options.formulaGuard === true, terminal }),
        options.header ?? true,
      )
    : createLines(stdout, columns, tsvLine, options.header ?? false);
}

async function createJson(
  format: Format,
  report: RowsReport,
  { fields }: OutputOptions,
  { stdout, terminal }: Streams,
): Promise<RowPrinter> {
  const names = fields && chooseColumns(report.columns, fields).map(({ name }) => name);
  const { createJsonDocument, createJsonLines } = await import('./json.ts');
  const { key, members, endless } = report;
  if (endless && format === 'json') throw new UsageError('-o json is one document, and this has no end: use -o jsonl');
  const printer = format === 'jsonl' ? createJsonLines(stdout) : createJsonDocument(stdout, { key, members, pretty: terminal });
  return names ? { ...printer, row: (row) => printer.row(pick(row, names, report)) } : printer;
}

async function createTablePrinter(report: RowsReport, options: OutputOptions, streams: Streams): Promise<TableLike> {
  const { createTable } = await import('./table.ts');
  const { drawn = [], endless } = report;
  const columns = options.fields
    ? chooseColumns(report.columns, options.fields)
    : [...chooseColumns(report.columns, report.tableFields ?? namesOf(report.columns)), ...drawn];
  // A pipe has no width: nothing is cut for it (B15, B24).
  const width = streams.terminal && options.truncate !== false ? streams.width() : undefined;
  const paint = await streams.paint('stdout');
  return createTable(streams.stdout, {
    columns,
    header: options.header ?? true,
    width,
    endless,
    ellipsis: streams.glyphs.ellipsis,
    paint,
  });
}

async function createSentences(
  sentence: NonNullable<RowsReport['sentence']>,
  qr: RowsReport['qr'],
  streams: Streams,
): Promise<RowPrinter> {
  const { stdout, glyphs } = streams;
  const { green } = await streams.paint('stdout');
  const draw = qr && (await createPictures(streams));
  return {
    async row(row) {
      const text = safe(sentence(row, glyphs));
      const line = text.startsWith(glyphs.tick) ? `${green(glyphs.tick)}${text.slice(glyphs.tick.length)}\n` : `${text}\n`;
      await stdout.write(line);
      await draw?.(qr?.(row) ?? '');
    },
    end: async () => undefined,
  };
}

/** Draws a text below its sentence, or says why there is no picture. */
async function createPictures(streams: Streams): Promise<(text: string) => Promise<void>> {
  const { drawQr, qrCode, qrWidth } = await import('../qr.ts');
  const canvas = { coloured: streams.coloured('stdout'), halves: streams.glyphs.halves };
  return async (text) => {
    const code = qrCode(text);
    if (!code) return await streams.tell(`too long for a QR code: ${text}`);
    const width = qrWidth(code, canvas);
    if (width > streams.width()) {
      return await streams.tell(`no room for a QR code of ${width} columns; --qr-file writes it to a file`);
    }
    await streams.stdout.write(`${drawQr(code, canvas).join('\n')}\n`);
  };
}

/** Rows of a run that a terminal shows, a line each; more would bury its failures and its summary (B26, D36). */
const shownOfRun = 20;

function isBuried({ runRows = 0, qr }: RowsReport, { format }: OutputOptions): boolean {
  return runRows > shownOfRun && format === undefined && qr === undefined;
}

async function createSilence({ resultsIn }: RowsReport, { quiet }: OutputOptions, { tell }: Streams): Promise<RowPrinter> {
  if (!quiet && resultsIn === undefined)
    await tell('rows are not listed on a terminal: --results <file>, -o or a pipe lists them');
  return { row: () => undefined, end: async () => undefined };
}

function defaultFields(format: Format, { columns, pipedFields = namesOf(columns), csvFields }: RowsReport): readonly string[] {
  return format === 'csv' ? (csvFields ?? pipedFields) : pipedFields;
}

/** A failed row keeps its error, whatever was chosen: nothing else would say that it failed. */
function pick(row: Row, names: readonly string[], { failure }: RowsReport): Row {
  const chosen = names.map((name) => [name, row[name] ?? null] as const);
  const error = failure?.(row) && !names.includes('error') ? [['error', row.error ?? null] as const] : [];
  return Object.fromEntries([...chosen, ...error]);
}

/** The failure of the source is what the user must hear of; one of the output here would hide it. */
async function endEarly(printer: RowPrinter, { stdout }: Streams): Promise<void> {
  try {
    await printer.end(false);
    await stdout.flush();
  } catch {
    return;
  }
}

async function tellHidden(printer: TableLike, streams: Streams): Promise<void> {
  const hidden = printer.hidden?.() ?? [];
  if (hidden.length > 0) await streams.tell(`no room for ${hidden.join(', ')}; --no-truncate shows them`);
}
