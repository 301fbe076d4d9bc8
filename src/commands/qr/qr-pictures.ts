import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checksum } from '../../base/checksum.ts';
import { type CliError, LocalError, orElse, UsageError } from '../../base/errors.ts';
import type { Session } from '../../cli/session.ts';
import { parseUrl } from '../../contract/web-address.ts';
import { errorCode, fileError, fileWork } from '../../files/file-error.ts';
import { makeFolders } from '../../files/folders.ts';
import { removeFile } from '../../files/remove-file.ts';
import { batchesOf, type Row, type RowsReport } from '../../output/report.ts';

export interface QrOptions {
  readonly qr?: boolean;
  readonly qrFile?: string;
}

/**
 * Checks `--qr` and `--qr-file` before anything is sent, and returns a function that adds the codes to a report. Throws a UsageError, or a
 * LocalError for a folder that cannot be created.
 */
export function qrPictures({ qr, qrFile }: QrOptions, session: Session): (report: RowsReport) => RowsReport {
  const { streams, format, global } = session;
  if (qr && (!streams.terminal || format() !== 'table' || global.fields !== undefined)) {
    throw new UsageError('--qr requires a terminal and the format table, without --fields', {
      hint: 'to write files: --qr-file <dir>',
    });
  }
  const folder = global.dryRun ? undefined : qrFile;
  if (folder !== undefined) fileWork('make', folder, () => makeFolders(folder, 0o777));
  return (report) => {
    const address = (row: Row): string => addressOf(row, session);
    const sentence: RowsReport['sentence'] = (row, { arrow }) => `${address(row)} ${arrow} ${row.long_url ?? 'unknown'}`;
    const drawn = qr ? { sentence, ...report, qr: address } : report;
    return folder === undefined ? drawn : withFiles(drawn, folder, session);
  };
}

/** Encodes the hash: a server may send any text, and the name must not leave the folder, be hidden, name a device or repeat. */
export function qrFileName(hash: string): string {
  const encoded = [...Buffer.from(hash)].map((byte) => {
    const letter = String.fromCharCode(byte);
    return /[A-Za-z0-9_-]/.test(letter) ? letter : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
  // Windows opens a device even if the name has an extension.
  if (/^(con|prn|aux|nul|com\d|lpt\d)$/i.test(hash)) encoded[0] = `%${hash.charCodeAt(0).toString(16).toUpperCase()}`;
  const name = encoded.join('');
  if (name.length <= longestName) return `${name || '%'}.svg`;
  return `${name.slice(0, longestName)}-${checksum(hash)}.svg`;
}

/** Bytes; most file systems allow 255 for the whole name. */
const longestName = 200;

/** Cameras need the domain in ASCII. */
function addressOf(row: Row, session: Session): string {
  const shortUrl = session.shortUrl(row);
  return parseUrl(shortUrl)?.href ?? shortUrl;
}

/** Failures that the error names. */
const named = 5;

function withFiles(report: RowsReport, folder: string, session: Session): RowsReport {
  const failures: string[] = [];
  let failed = 0;
  const taken = new Set<string>();
  async function* rows(): AsyncGenerator<Iterable<Row>> {
    const { qrCode, qrSvg } = await import('../../output/qr.ts');
    for await (const batch of batchesOf(report)) {
      for (const row of batch) {
        yield [row];
        if (report.failure?.(row) || report.unreached?.(row) || typeof row.hash !== 'string') continue;
        const path = join(folder, freeName(row.hash, taken));
        const code = qrCode(addressOf(row, session));
        const problem = code
          ? writeFile(path, qrSvg(code), session.global.yes)
          : `${path}: the short URL is too long for a QR code`;
        if (problem === undefined) continue;
        failed += 1;
        if (failures.length < named) failures.push(problem);
      }
    }
  }
  return { ...report, rows: rows(), outcome: () => withUnwritten(report.outcome?.(), failed, failures) };
}

/** Hashes can repeat on another domain, or differ only in case on a file system that ignores case. */
function freeName(hash: string, taken: Set<string>): string {
  const name = qrFileName(hash);
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : name.replace(/\.svg$/, `~${number}.svg`);
    if (taken.has(candidate.toLowerCase())) continue;
    taken.add(candidate.toLowerCase());
    return candidate;
  }
}

/** Returns the problem. A file with the same content is none. */
function writeFile(path: string, content: string, overwrite = false): string | undefined {
  const target = overwrite ? `${path}.tmp` : path;
  try {
    if (overwrite) removeFile(target);
    writeFileSync(target, content, { flag: 'wx' });
    // A symbolic link at the path is replaced, not followed.
    if (overwrite) renameSync(target, path);
    return undefined;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') {
      removeFile(target);
      return fileError('write', path, error).message;
    }
    const isSame = orElse(() => readFileSync(path, 'utf8') === content, false);
    return isSame ? undefined : `${path} already exists; to overwrite it, add --yes`;
  }
}

/** Adds a local failure for codes that were not written, unless the outcome is more severe. */
function withUnwritten(outcome: CliError | undefined, failed: number, failures: readonly string[]): CliError | undefined {
  if (failed === 0 || outcome?.kind === 'unknown' || outcome?.kind === 'local') return outcome;
  const more = failed > failures.length ? [`and ${failed - failures.length} more`] : [];
  return new LocalError(`${failed} QR ${failed === 1 ? 'code was' : 'codes were'} not written; the short URLs exist`, {
    details: [...failures, ...more, ...(outcome ? [outcome.message] : [])],
  });
}
