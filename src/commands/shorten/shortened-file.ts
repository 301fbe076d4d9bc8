import { CliError, PartialError } from '../../base/errors.ts';
import { shortenOperation } from '../../bulk/operations/shortening.ts';
import { updatingOperation } from '../../bulk/operations/update.ts';
import type { OperationSettings } from '../../bulk/run-plan.ts';
import { runReport } from '../../change/report.ts';
import { checkedRows } from '../../change/rows/file.ts';
import { askedHashes, consentToUpdates, requireHashes } from '../../change/rows/taken-hashes.ts';
import { sendingOf } from '../../change/run-settings.ts';
import type { Invocation } from '../../cli/invocation.ts';
import { openSession } from '../../cli/session.ts';
import { fieldNames } from '../../contract/fields.ts';
import { isJson } from '../../contract/formats.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import { readFieldFlags } from '../../flags/field-flags.ts';
import { runFlags } from '../../flags/run-flags.ts';
import type { InputRow } from '../../input/row.ts';
import { plainQuantity } from '../../output/quantity.ts';
import type { RowsReport } from '../../output/report.ts';
import { picturesOf } from '../qr/qr-flags.ts';
import { modeOf, type ShortenOptions, shortenPresentation, withSandboxHint } from './shorten-options.ts';

/** Checks all rows before it sends the first batch. */
export async function shortenFile(options: ShortenOptions, invocation: Invocation): Promise<RowsReport> {
  const session = await openSession(invocation);
  const { edition } = session;
  const { onConflict } = options;
  const values = await readFieldFlags(options, session);
  const sending = sendingOf(options, session);
  const first: InputRow<'shorten'>[] | undefined = invocation.global.dryRun && !isJson(session.format()) ? [] : undefined;
  const isPlain = Object.keys(values).length === 0;
  const filled = (item: ShortenItem): ShortenItem => (isPlain ? item : { ...values, ...item });
  const checked = await checkedRows('shorten', options, session, { utm: options.utm, first }).catch((error) => {
    if (session.format() === 'table' && first?.length && error instanceof CliError) return { error };
    throw error;
  });
  if ('error' in checked) {
    const { previewOfRows } = await import('./planned-urls.ts');
    return previewOfRows(first?.map(({ item }) => filled(item)) ?? [], checked.error, session);
  }
  const { input, withHash, reading } = checked;
  const mode = await modeOf(options, session, { rows: input.rows, keyedRows: withHash });
  requireHashes(onConflict, mode);
  const payload = (item: ShortenItem): ShortenItem => filled(reading.dated(item));
  const isUpdate = onConflict === 'update';
  const isRequested = onConflict === 'rename' ? await askedHashes(input) : undefined;
  const flags = runFlags(values, options, reading);
  const planned = {
    ...sending,
    operation: (settings: OperationSettings) =>
      isUpdate ? updatingOperation(settings) : shortenOperation({ ...settings, mode, onConflict, isRequested }),
    mode,
    undo: isUpdate,
    input,
    payload,
    restoreOptions: flags.restoreOptions,
    // Omitting the default keeps the identity of runs that were started without the flag.
    options: { ...flags.options, mode: mode.name, onConflict: onConflict === 'fail' ? undefined : onConflict },
    columns: fieldNames('shorten', edition),
  };
  if (invocation.global.dryRun) {
    const { planOfFile } = await import('./planned-urls.ts');
    if (input.skipped > 0) await session.warn(skippedText(input.skipped));
    return await planOfFile(planned, { first: first?.map(({ item }) => item) ?? [], options }, session);
  }
  const rows = isUpdate ? await consentToUpdates({ input, payload, batchSize: sending.batchSize }, session) : input;
  const picture = await picturesOf(options, session);
  const report = await runReport(
    { ...planned, input: { ...input, ...rows } },
    { ...shortenPresentation, doing: 'shortening' },
    session,
  );
  return withSandboxHint(picture(withSkipped(report, input.skipped)), session);
}

/** Skipped rows make the run incomplete even if no row failed. */
function withSkipped(report: RowsReport, skipped: number): RowsReport {
  if (skipped === 0) return report;
  return { ...report, outcome: () => report.outcome?.() ?? new PartialError(skippedText(skipped)) };
}

function skippedText(count: number): string {
  const links = count === 1 ? 'it a public link' : 'them public links';
  return `${plainQuantity(count, 'row')} skipped: protected or disabled at the source; --include-protected makes ${links}`;
}
