import { fileBatches } from '../bulk/operations/cut-input.ts';
import type { Session } from '../cli/session.ts';
import { refuseRowFlags } from '../flags/bulk-flags.ts';
import { checkHashFile } from '../input/hash-file.ts';
import type { RowsReport } from '../output/report.ts';
import { namesDomains } from '../output/url-columns.ts';
import { type NamedChange, nameOf, same } from './asked-change.ts';
import { refuseTooMany } from './consent-limits.ts';
import { outcomes, planOf } from './named-plan.ts';
import { consentToRows } from './planned-rows.ts';
import { runReport } from './run-report.ts';
import { keepsUndo, sendingOf } from './sending-flags.ts';

/** The same change of every hash of a file. */
export async function changeFile(change: NamedChange, path: string, session: Session): Promise<RowsReport> {
  refuseRowFlags(change.options, '--hashes-from');
  const source = await session.openInput(path, 'hashes');
  const file = await checkHashFile(source, session, 'listed change');
  refuseTooMany(file.rows, session);
  const sending = sendingOf(change.options, session);
  const { batchSize } = sending;
  if (session.global.dryRun) {
    const targets = fileBatches(file, same, { limit: batchSize });
    return planOf(change, { input: file, targets, batchSize, domains: file.domains, isTyped: false }, session);
  }
  const undo = await keepsUndo(change.options, session);
  const rows = await consentToRows({ ...change, input: file, outcomeOf: outcomes(change), batchSize }, session);
  return await runReport(
    {
      ...sending,
      operation: change.operation,
      undo,
      what: `${nameOf(change)} --hashes-from ${path}`,
      input: { ...rows, name: source.name, sha256: source.sha256(), change: source.change, copyTo: source.copyTo },
      payload: same,
      ...(change.flags ?? { options: {} }),
      columns: ['hash'],
    },
    { ...namesDomains(change.presentation, file.domains), domains: file.domains, ignoreMissing: change.options.ignoreMissing },
    session,
  );
}
