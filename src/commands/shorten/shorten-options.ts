import { type ConflictPolicy, chooseMode, type DedupeScope, type Mode, type ModeRequest } from '../../bulk/operations/modes.ts';
import type { ForeseenConflicts } from '../../change/rows/taken-hashes.ts';
import type { Session } from '../../cli/session.ts';
import type { BulkOptions } from '../../flags/bulk-flags.ts';
import type { FieldOptions } from '../../flags/field-flags.ts';
import type { RowsReport } from '../../output/report.ts';
import { readableUrl, urlColumns } from '../../output/url-columns.ts';
import type { QrOptions } from '../qr/qr-pictures.ts';

export interface ShortenOptions extends FieldOptions, BulkOptions, QrOptions {
  readonly dedupe?: DedupeScope;
  readonly generateHashes?: boolean;
  readonly onConflict?: ConflictPolicy;
  readonly utm?: string;
}

/** A pipe gets one short URL per line and nothing else. */
export const shortenPresentation = {
  key: 'urls',
  columns: urlColumns,
  tableFields: ['short_url_with_protocol', 'long_url'],
  pipedFields: ['short_url_with_protocol'],
  sentence: (row, { tick, arrow }) => `${tick} ${readableUrl(String(row.short_url_with_protocol))} ${arrow} ${row.long_url}`,
} satisfies Partial<RowsReport>;

export async function modeOf(
  { dedupe, generateHashes = false }: ShortenOptions,
  { edition, defaults, warn }: Session,
  counts: Pick<ModeRequest, 'rows' | 'keyedRows'>,
): Promise<Mode> {
  // With a custom hash the server compares only the hash (4.3.3, 4.3.4).
  if (dedupe !== undefined && dedupe !== 'off' && counts.keyedRows > 0) {
    await warn('--dedupe does not apply to rows with a custom hash: each of them gets a new link');
  }
  return chooseMode({ edition, ...counts, dedupe: dedupe ?? defaults.dedupe ?? 'off', generateHashes });
}

export async function foreseen(
  { onConflict = 'fail' }: ShortenOptions,
  session: Session,
): Promise<ForeseenConflicts | undefined> {
  if (onConflict === 'fail') return undefined;
  const { foreseeConflicts } = await import('../../change/rows/taken-hashes.ts');
  return foreseeConflicts(onConflict, session);
}
