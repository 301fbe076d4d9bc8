import { safe } from '../../base/safe-text.ts';
import type { OutputOptions } from '../output-options.ts';
import type { RowPrinter, RowsReport } from '../report.ts';
import type { Streams } from '../streams.ts';

/** Prints one sentence per row, with its QR code if requested. */
export async function createSentences(
  { sentence, qr, runRows = 0, resultsIn }: RowsReport & Required<Pick<RowsReport, 'sentence'>>,
  { format, quiet }: OutputOptions,
  streams: Streams,
): Promise<RowPrinter> {
  const { stdout, glyphs } = streams;
  if (runRows > maxRowsShown && format === undefined && qr === undefined) {
    if (!quiet && resultsIn === undefined) await streams.message(notListedText);
    return { row: () => undefined, end: async () => undefined };
  }
  const { green } = await streams.paint('stdout');
  const draw = qr && (await createPictures(streams));
  return {
    async row(row) {
      const text = streams.fitted(safe(sentence(row, glyphs)));
      const line = text.startsWith(glyphs.tick) ? `${green(glyphs.tick)}${text.slice(glyphs.tick.length)}` : text;
      await stdout.write(`${line}\n`);
      await draw?.(qr?.(row) ?? '');
    },
    end: async () => undefined,
  };
}

/** More rows would push failures and the summary off the screen. */
const maxRowsShown = 20;
const notListedText = 'rows are not listed on a terminal; to get them, use --results <file>, -o or a pipe';

/** The returned function prints a message if the code does not fit. */
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
