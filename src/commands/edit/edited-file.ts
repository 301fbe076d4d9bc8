import { UsageError } from '../../base/errors.ts';
import { fileBatches } from '../../bulk/operations/cut-input.ts';
import { type EditedRow, editItemsOperation } from '../../bulk/operations/edit.ts';
import { type BaseListing, changedSinceBase, openBase, sinceBase } from '../../changes/base-listing.ts';
import { checkedRows } from '../../changes/checked-rows.ts';
import { refuseTooMany } from '../../changes/consent-limits.ts';
import { namedRequests } from '../../changes/dry-run.ts';
import { plannedLinks, planReport } from '../../changes/plan-report.ts';
import { outcomeOf, type PlannedOutcome } from '../../changes/planned-links.ts';
import { consentToRows } from '../../changes/planned-rows.ts';
import { runReport } from '../../changes/run-report.ts';
import { keepsUndo, sendingOf } from '../../changes/sending-flags.ts';
import type { Invocation } from '../../cli/invocation.ts';
import { openSession } from '../../cli/session.ts';
import { fieldNames } from '../../contract/fields.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { readFieldFlags, runFlags } from '../../flags/field-flags.ts';
import { refuseSelection } from '../../flags/selection-flags.ts';
import type { RowsReport } from '../../output/report.ts';
import { namesDomains } from '../../output/url-columns.ts';
import { asks, type EditOptions, editPresentation } from './edit-options.ts';

/** Each item has fields of its own (4.3.7); flags fill those that a row leaves out. */
export async function editFile(options: EditOptions, invocation: Invocation, operands: readonly string[]): Promise<RowsReport> {
  refuseSelection(operands, options, '--file');
  if (options.newHash !== undefined)
    throw new UsageError('--new-hash applies to one link: in a file, use the column custom_hash');
  const session = await openSession(invocation);
  const { edition } = session;
  const values = await readFieldFlags(options, session);
  const sending = sendingOf(options, session);
  const base = await openBase(options, session);
  if (base && Object.keys(values).length > 0)
    throw new UsageError('--base takes all values from the file: remove the other flags');
  const checked = await checkedRows('edit', options, session);
  const { domains, reading } = checked;
  const input = base ? await sinceBase(checked.input, base) : checked.input;
  if (base) refuseTooMany(input.rows - input.skipped, session);
  const outcome = (item: EditedRow, record?: UrlRecord) => rowOutcome(item, record, base);
  const payload = (item: EditedRow): EditedRow => ({ ...values, ...reading.dated(item) });
  if (session.global.dryRun) {
    const batches = fileBatches(input, payload, { limit: sending.batchSize });
    const links = plannedLinks(batches, outcome, { client: session.client, batchSize: sending.batchSize });
    const requests = namedRequests({ input, payload, operation: editItemsOperation, options, outcomeOf: outcome }, session);
    return planReport({ links, requests, verb: 'change', domains }, session);
  }
  const asked = {
    input,
    asks,
    verb: 'change',
    outcomeOf: (item: EditedRow, record?: UrlRecord) => outcome(payload(item), record),
    batchSize: sending.batchSize,
  } as const;
  const undo = await keepsUndo(options, session);
  const rows = await consentToRows(asked, session);
  return await runReport(
    {
      ...sending,
      operation: editItemsOperation,
      undo,
      what: `edit -f ${options.file}`,
      input: { ...input, ...rows, ...(base && { readAt: input.readAt }) },
      payload,
      ...withBase(runFlags(values, options, reading), base),
      columns: ['hash', ...fieldNames('edit', edition)],
    },
    { ...namesDomains(editPresentation, domains), domains },
    session,
  );
}

/** The base is part of the run's identity: another base makes another change of the same file. */
function withBase<Flags extends { readonly options: object }>(flags: Flags, base: BaseListing | undefined): Flags {
  return base ? { ...flags, options: { ...flags.options, base: base.sha256 } } : flags;
}

function rowOutcome(item: EditedRow, record: UrlRecord | undefined, base: BaseListing | undefined): PlannedOutcome {
  const { hash: _, domain: __, ...fields } = item;
  const was = record && base?.of(item);
  const since = was ? changedSinceBase(fields, was, record) : [];
  return since.length > 0
    ? { kind: 'refused', reason: `changed since the base: ${since.join(', ')}`, fields }
    : outcomeOf(fields, record);
}
