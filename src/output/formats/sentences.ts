import { safe } from '../../base/safe-text.ts';
import type { OutputOptions } from '../options.ts';
import type { RowPrinter, RowsReport } from '../report.ts';
import type { Streams } from '../streams.ts';

/** Rows that are changes, for people: a sentence a row, and its QR code below where one is wanted. */
export async function createSentences(
  { sentence, qr, runRows = 0, resultsIn }: RowsReport & Required<Pick<RowsReport, 'sentence'>>,
  { format, quiet }: OutputOptions,
  streams: Streams,
): Promise<RowPrinter> {
  const { stdout, glyphs } = streams;
  if (runRows > shownOfRun && format === undefined && qr === undefined) {
    if (!quiet && resultsIn === undefined) await streams.message(notListed);
    return { row: () => undefined, end: async () => undefined };
  }
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

/** Rows of a run that a terminal shows, a line each; more would bury its failures and its summary (B26, D36). */
const shownOfRun = 20;
const notListed = 'rows are not listed on a terminal; to get them, use --results <file>, -o or a pipe';

/** Draws a text below its sentence, or says why there is no picture. */
async function createPictures(streams: Streams): Promise<(text: string) => Promise<void>> {
  const { drawQr, qrCode, qrWidth } = await import('../qr.ts');
  const canvas = { coloured: streams.coloured('stdout'), halves: streams.glyphs.halves };
  return async (text) => {
    const code = qrCode(text);
    if (!code) return await streams.message(`too long for a QR code: ${text}`);
    const width = qrWidth(code, canvas);
    if (width > streams.width()) {
      return await streams.message(`the QR code needs ${width} columns; to write it to a file, use --qr-file`);
    }
    await streams.stdout.write(`${drawQr(code, canvas).join('\n')}\n`);
  };
}
