import type { Command } from 'commander';

/** Pictures of the short URLs that a command shows. */
export interface QrOptions {
  readonly qr?: boolean;
  readonly qrFile?: string;
}

export function addQrFlags(command: Command): void {
  command
    .option('--qr', 'draw each short URL as a QR code (terminal only)')
    .option('--qr-file <dir>', 'write the QR code of each short URL to <dir>/<hash>.svg');
}
