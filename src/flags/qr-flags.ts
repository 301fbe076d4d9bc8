import type { Command } from 'commander';

/** Pictures of the short URLs that a command shows. */
export interface QrOptions {
  readonly qr?: boolean;
  readonly qrFile?: string;
}

export function addQrFlags(command: Command): void {
  command
    .option('--qr', 'draw each short URL as a QR code, on a terminal')
    .option('--qr-file <dir>', 'write each short URL as a QR code into a folder: <hash>.svg');
}
