import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folders } from '../../base/system.ts';
import { type ConflictPolicy, chooseMode, type DedupeScope, type Mode, type ModeRequest } from '../../bulk/operations/modes.ts';
import type { Session } from '../../cli/session.ts';
import { readableUrl } from '../../contract/web-address.ts';
import type { BulkOptions } from '../../flags/bulk-flags.ts';
import type { FieldOptions } from '../../flags/field-flags.ts';
import type { RowsReport } from '../../output/report.ts';
import { urlColumns } from '../../output/url-columns.ts';
import { sandboxName } from '../../profiles/profile-names.ts';
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
  sentence: (row, { tick, arrow }) =>
    `${tick} ${readableUrl(String(row.short_url_with_protocol))} ${arrow} ${row.long_url}${row.status === 'existing' ? ' (existing)' : ''}`,
} satisfies Partial<RowsReport>;

export async function modeOf(
  { dedupe, generateHashes = false }: ShortenOptions,
  { edition, defaults, warn }: Session,
  counts: Pick<ModeRequest, 'rows' | 'keyedRows'>,
): Promise<Mode> {
  // The server looks for the custom hash, not for the long URL (4.3.4).
  if (dedupe !== undefined && dedupe !== 'off' && counts.keyedRows > 0) {
    await warn('with a custom hash, --dedupe reuses only a link that has this hash and the same URL');
  }
  return chooseMode({ edition, ...counts, dedupe: dedupe ?? defaults.dedupe ?? 'off', generateHashes });
}

/** Adds a hint once per sandbox, only on a terminal and only if links were created. */
export function withSandboxHint(report: RowsReport, session: Session): RowsReport {
  const { profile, global, streams, edition } = session;
  if (profile !== sandboxName || global.quiet || global.dryRun || !streams.terminal || !streams.watched) return report;
  const hint = `to make links of the sandbox work, run in another terminal: linkctl serve${edition === 'b' ? ' --edition b' : ''}`;
  const isDue = (): boolean => report.outcome?.() === undefined && isFirst(session);
  return { ...report, notes: () => [...(report.notes?.() ?? []), ...(isDue() ? [hint] : [])] };
}

/** Creates a marker file, so that the hint appears once. */
function isFirst({ system, edition }: Session): boolean {
  try {
    writeFileSync(join(folders(system).data, `hint-shown-${edition}`), '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch {
    // The marker exists, or cannot be written and the hint would be repeated forever.
    return false;
  }
}
