import { batchesOf, byHash, fileBatches } from '../bulk/batches.ts';
import { runInline } from '../bulk/inline.ts';
import type { BulkOperation } from '../bulk/operations/operation.ts';
import type { OperationSettings, RunPlan } from '../bulk/run-plan.ts';
import type { Session } from '../cli/session.ts';
import type { LinkKey } from '../contract/link.ts';
import { type BulkOptions, refuseRowFlags, refuseRunFlags } from '../flags/bulk-flags.ts';
import { checkHashFile, itemsOf, type NamedHashes, placedOperands } from '../input/named-links.ts';
import type { PlannedRequest } from '../output/dry-run.ts';
import type { RowsReport } from '../output/report.ts';
import { namesDomains } from '../output/url-columns.ts';
import { sendingOf } from './checked-rows.ts';
import { consentToNamed, type Question, refuseTooMany, requireAnswer } from './consent.ts';
import { changeText, dryRunOfLinks, type PlannedChangeOfAll, type PlannedLinks } from './dry-run.ts';
import { inlineReport } from './inline-report.ts';
import { type RunPresentation, runReport } from './run-report.ts';

/** The same change of every URL that is named, by operands or by a file of hashes. */
export interface NamedChange extends PlannedChangeOfAll {
  readonly selection: NamedHashes;
  readonly options: BulkOptions & { readonly ignoreMissing?: boolean };
  readonly presentation: RunPresentation;
  readonly asks: Question;
  /** Beside the hashes all that the change depends on (J8). */
  readonly flags?: Pick<RunPlan<object>, 'options' | 'recall'>;
  operation(settings: Omit<OperationSettings, 'mayCall'>): BulkOperation<LinkKey>;
}

/** Operands are sent at once; a file of hashes is a long run with a journal. */
export async function changeNamed(change: NamedChange, session: Session): Promise<RowsReport> {
  const { selection, asks } = change;
  if (!asks.isOptional) await requireAnswer(session, 'named');
  return selection.kind === 'hashes'
    ? await changeOperands(change, selection.operands, session)
    : await changeFile(change, selection.path, session);
}

async function changeOperands(change: NamedChange, operands: readonly string[], session: Session): Promise<RowsReport> {
  refuseRunFlags(change.options, '<hash>...', '--hashes-from');
  const { targets, domains } = await placedOperands(operands, session, 'typed change');
  refuseTooMany(targets.length, session);
  const { batchSize } = sendingOf(change.options, session);
  if (session.global.dryRun) {
    const calls = batchesOf(targets, { limit: batchSize, ...byHash });
    return planOf(change, { calls, targets: [targets], batchSize }, session);
  }
  if (!change.asks.isOptional)
    await consentToNamed(change.asks, { count: targets.length, open: () => targets }, batchSize, session);
  const operation = change.operation({ client: session.client, domain: session.domain, batchSize });
  const done = await runInline(operation, targets, {
    system: session.system,
    batchSize,
    signal: session.deadline.signal,
    failFast: change.options.failFast,
    warn: session.warn,
  });
  const presentation = { ...namesDomains(change.presentation, domains), ignoreMissing: change.options.ignoreMissing };
  return inlineReport(done, { presentation, fields: change.fields }, session);
}

async function changeFile(change: NamedChange, path: string, session: Session): Promise<RowsReport> {
  refuseRowFlags(change.options, '--hashes-from');
  const source = await session.openInput(path, 'hashes');
  const file = await checkHashFile(source, session, 'listed change');
  refuseTooMany(file.rows, session);
  const sending = sendingOf(change.options, session);
  const { batchSize } = sending;
  if (session.global.dryRun) {
    const calls = fileBatches(file, same, { limit: batchSize, ...byHash });
    return planOf(change, { calls, targets: fileBatches(file, same, { limit: batchSize }), batchSize }, session);
  }
  const targets = { count: file.rows, open: () => itemsOf(file) };
  await consentToNamed(change.asks, targets, batchSize, session);
  return await runReport(
    {
      ...sending,
      operation: change.operation,
      input: {
        name: source.name,
        sha256: source.sha256(),
        rows: file.rows,
        open: file.open,
        change: source.change,
        copyTo: source.copyTo,
      },
      payload: same,
      ...(change.flags ?? { options: {} }),
      columns: ['hash'],
    },
    { ...namesDomains(change.presentation, file.domains), domains: file.domains, ignoreMissing: change.options.ignoreMissing },
    session,
  );
}

const same = (link: LinkKey): LinkKey => link;

/** B60: the links that the change would affect, and what it would do to each. */
function planOf(
  change: NamedChange,
  batches: Pick<PlannedLinks<LinkKey>, 'calls' | 'targets' | 'batchSize'>,
  session: Session,
): RowsReport {
  const { fields, planned, request } = change;
  const plannedCall = (targets: readonly LinkKey[]): PlannedRequest => {
    const { method, path } = request;
    const [first] = targets;
    const domain = first?.domain;
    const body = fields && { urls: [fields] };
    if (first && targets.length === 1)
      return { method, path: `${path}/${encodeURIComponent(first.hash)}`, query: { domain }, body };
    return { method, path, query: { hashes: targets.map(({ hash }) => hash).join(','), domain }, body };
  };
  return dryRunOfLinks(
    { ...batches, request: plannedCall, textOf: (_, record) => changeText(change, record), done: planned.done },
    session,
  );
}
