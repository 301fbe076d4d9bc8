import type { Command } from 'commander';
import type { Session } from '../../cli/session.ts';
import type { RowsReport } from '../../output/report.ts';
import type { QrOptions } from './qr-pictures.ts';

export function addQrFlags(command: Command): void {
  command
    .option('--qr', 'draw each short URL as a QR code (terminal only)')
    .option('--qr-file <dir>', 'write the QR code of each short URL to <dir>/<hash>.svg');
}

/** Imports the QR code only if it is needed. Throws what `qrPictures` throws. */
export async function picturesOf(options: QrOptions, session: Session): Promise<(report: RowsReport) => RowsReport> {
  if (!options.qr && options.qrFile === undefined) return (report) => report;
  return (await import('./qr-pictures.ts')).qrPictures(options, session);
}
