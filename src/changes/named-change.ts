import { writeFileSync } from 'node:fs';
import { checksum } from '../base/checksum.ts';
import { fileBatches } from '../bulk/batches.ts';
import type { TypedResult } from '../bulk/inline.ts';
import type { BulkOperation } from '../bulk/operations/operation.ts';
import type { OperationSettings, RunInput, RunPlan } from '../bulk/run-plan.ts';
import type { Session } from '../cli/session.ts';
import { type LinkDomains, type LinkKey, linkText } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import { type BulkOptions, refuseRowFlags, refuseRunFlags } from '../flags/bulk-flags.ts';
import { checkHashFile, type NamedHashes, placedOperands } from '../input/named-links.ts';
import { quantity } from '../output/quantity.ts';
import type { RowsReport } from '../output/report.ts';
import { namesDomains } from '../output/url-columns.ts';
import { keepsUndo, sendingOf } from './checked-rows.ts';
import { type Question, refuseTooMany, requireAnswer } from './consent.ts';
import { type ChangeOfLinks, namedRequests } from './dry-run.ts';
import { inlineReport } from './inline-report.ts';
import { plannedLinks, planReport } from './plan-report.ts';
import { outcomeOf } from './planned-links.ts';
import { consentToRows, type ReadableRows } from './planned-rows.ts';
import { collectRun, type RunPresentation, runReport, shownBefore } from './run-report.ts';

/** The same change of every URL that is named, by operands or by a file of hashes. */
export interface NamedChange extends ChangeOfLinks {
  readonly selection: NamedHashes;
  readonly options: BulkOptions & { readonly ignoreMissing?: boolean };
  readonly presentation: RunPresentation;
  readonly asks: Question;
  /** Beside the hashes all that the change depends on (J8). */
  readonly flags?: Pick<RunPlan<object>, 'options' | 'recall'>;
  operation(settings: Omit<OperationSettings, 'mayCall'>): BulkOperation<LinkKey>;
}

/** Operands and a file of hashes. */
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
    const input = { open: () => [targets.map((item, index) => ({ line: index + 1, item }))] };
    return planOf(change, { input, targets: [targets], batchSize, domains, isTyped: true }, session);
  }
  const undo = await keepsUndo(change.options, session);
  const rows = targets.map((item, index) => ({ line: index + 1, item }));
  const named = { rows: rows.length, open: () => [rows] };
  const input = change.asks.isOptional
    ? named
    : await consentToRows({ ...change, input: named, outcomeOf: outcomes(change), batchSize }, session);
  const done = await typedRun(change, { undo, rows: input }, session);
  const presentation = { ...namesDomains(change.presentation, domains), ignoreMissing: change.options.ignoreMissing };
  const printed = () => shownBefore(done.run, session);
  return await inlineReport(done, { presentation, fields: change.fields, printed }, session);
}

/** As a run, whatever their number: it leaves a record, and can be undone where it keeps what the links were. */
async function typedRun(
  change: NamedChange,
  { undo, rows }: { readonly undo: boolean; readonly rows: ReadableRows<LinkKey> },
  session: Session,
): Promise<TypedResult<LinkKey>> {
  const { options, operation, flags = { options: {} } } = change;
  const targets: LinkKey[] = [];
  for await (const some of rows.open()) for (const { item } of some) targets.push(item);
  const texts = targets.map(linkText);
  const what = `${nameOf(change)} ${texts.length === 1 ? texts[0] : quantity(texts.length, 'link')}`;
  const json = JSON.stringify(targets);
  const input = {
    ...rows,
    name: what,
    // Another change of the same links is another run.
    sha256: checksum(JSON.stringify([json, flags.options])),
    copyTo: async (path: string) => writeFileSync(path, json, { flag: 'wx', mode: 0o600, flush: true }),
  };
  return await collectRun(
    { ...sendingOf(options, session), ...flags, operation, undo, input, payload: same, what, columns: ['hash'] },
    session,
  );
}

async function changeFile(change: NamedChange, path: string, session: Session): Promise<RowsReport> {
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

/** What the change would do to a link. */
function outcomes({ fields = {}, verb }: NamedChange) {
  return (_: LinkKey, record: UrlRecord | undefined) => outcomeOf(verb === 'change' ? fields : verb, record);
}

/** What runs are listed as. */
function nameOf({ verb }: NamedChange): string {
  return verb === 'change' ? 'edit' : verb;
}

const same = (link: LinkKey): LinkKey => link;

/** Links as they are listed, and as rows of a run. */
interface PlannedTargets {
  readonly input: Pick<RunInput<LinkKey>, 'open'>;
  readonly targets: Iterable<readonly LinkKey[]> | AsyncIterable<readonly LinkKey[]>;
  /** Links that are read in one call. */
  readonly batchSize: number;
  readonly domains: LinkDomains;
  readonly isTyped: boolean;
}

/** The links that the change would affect, and what it would do to each. */
function planOf(
  change: NamedChange,
  { input, targets, batchSize, domains, isTyped }: PlannedTargets,
  session: Session,
): RowsReport {
  const links = plannedLinks(targets, outcomes(change), { client: session.client, batchSize });
  const requests = namedRequests({ ...change, input, payload: same, isTyped }, session);
  return planReport({ links, requests, verb: change.verb, domains }, session);
}
