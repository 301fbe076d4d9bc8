import { type Context, sourceOptions } from '../action.ts';
import { runFew } from '../bulk/few.ts';
import type { BulkOperation } from '../bulk/operation.ts';
import { outcomeFailure, outcomeRow, wasNotSent } from '../bulk/outcome-row.ts';
import { type RowOutcome, runEnd } from '../bulk/row-outcome.ts';
import type { OperationSettings, RunInput } from '../bulk/run-plan.ts';
import { namedUrls } from '../client/named-urls.ts';
import type { UrlRecord } from '../contract/records.ts';
import type { BulkOptions } from '../flags/bulk-flags.ts';
import { type NamedHashes, placedOn, readTargets } from '../input/hash-targets.ts';
import { checkHashFile, type HashOperand } from '../input/hashes.ts';
import { openSource } from '../input/source.ts';
import { dryRunReport, type PlannedRequest } from '../output/dry-run.ts';
import type { Row, RowsReport } from '../output/report.ts';
import type { Session } from '../session.ts';
import { sendingOf } from './checked-rows.ts';
import { consentToNamed, refuseTooMany } from './consent.ts';
import { type RunLook, runReport } from './run-report.ts';

/** The same change of every URL that is named, by operands or by a file of hashes. */
export interface NamedChange {
  readonly selection: NamedHashes;
  readonly options: BulkOptions & { readonly ignoreMissing?: boolean };
  readonly look: RunLook;
  /** As it begins a question, where the change asks: `Delete`. */
  readonly asks?: string;
  /** Tells what is about to be lost, of the first URLs, whether it is asked for or not. */
  announce?(first: readonly UrlRecord[]): Promise<void>;
  /** Whatever the change depends on besides the hashes, for the journal (J8). */
  readonly settings: Readonly<Record<string, unknown>>;
  operation(settings: OperationSettings & { readonly batchSize: number }): BulkOperation<HashOperand>;
  /** The request of a group, for `--dry-run`. */
  planned(hashes: readonly string[], domain: string | undefined): PlannedRequest;
}

/** A few operands go out at once; a file of hashes is a long run with a journal. */
export async function changeNamed(change: NamedChange, session: Session, context: Context): Promise<RowsReport> {
  return change.selection.kind === 'hashes'
    ? await changeOperands(change, session, context)
    : await changeFile(change, change.selection.path, session, context);
}

async function changeOperands(change: NamedChange, session: Session, context: Context): Promise<RowsReport> {
  const targets = await readTargets(change.selection, session, sourceOptions(context, 'hashes'));
  refuseTooMany(targets.length, context);
  const { batchSize } = sendingOf(change.options, session, context);
  if (context.global.dryRun) return dryRunReport(plannedGroups([targets], change, batchSize));
  await consent(change, targets.length, targets.slice(0, 5), session, context);
  const { client } = session;
  const { ignoreMissing = false, failFast } = change.options;
  const operation = change.operation({ client, domain: session.domain, batchSize, rows: targets.length });
  const { outcomes, tally, stop } = await runFew(operation, targets, {
    system: context.system,
    batchSize,
    failFast,
    signal: context.deadline,
    warn: (message) => void context.warn(message),
  });
  const shown = ignoreMissing ? outcomes.filter(({ error }) => error?.code !== 1306) : outcomes;
  const rows = new Map<Row, RowOutcome<HashOperand>>(shown.map((outcome) => [outcomeRow(outcome, session), outcome]));
  const end = runEnd(tally, stop, { ignoreMissing, noun: 'URLs' });
  const [only] = outcomes;
  return {
    ...change.look,
    kind: 'rows',
    rows: rows.keys(),
    failure: (row) => outcomeFailure(rows.get(row) as RowOutcome<HashOperand>, client.identity),
    unreached: wasNotSent,
    members: () => ({ summary: { rows: tally.rows, ...tally.counts } }),
    outcome: () => {
      if (end.kind !== 'error') return undefined;
      return (only && outcomes.length === 1 && outcomeFailure(only, client.identity, { told: true })) || end.error;
    },
  };
}

async function changeFile(change: NamedChange, path: string, session: Session, context: Context): Promise<RowsReport> {
  const source = await openSource(path, sourceOptions(context, 'hashes'));
  try {
    const file = await checkHashFile(source, (operand) => placedOn(operand, session));
    refuseTooMany(file.rows, context);
    const sending = sendingOf(change.options, session, context);
    if (context.global.dryRun) return dryRunReport(plannedFile(file, change, sending.batchSize));
    await consent(change, file.rows, file.first, session, context);
    const spool = source.spooled ? source.path : undefined;
    const input: RunInput = { name: source.name, sha256: source.sha256(), rows: file.rows, open: file.open, spool };
    return await runReport(
      {
        ...sending,
        operation: (settings) => change.operation({ ...settings, batchSize: sending.batchSize }),
        pinsDomain: false,
        input,
        payload: (item) => item as HashOperand,
        options: change.settings,
        columns: ['hash'],
      },
      { ...change.look, ignoreMissing: change.options.ignoreMissing },
      session,
      context,
    );
  } catch (error) {
    await source.discard();
    throw error;
  }
}

/** What is shown of the first URLs is read once, for the announcement and for the question. */
async function consent(
  { asks, announce }: NamedChange,
  count: number,
  targets: readonly HashOperand[],
  session: Session,
  context: Context,
): Promise<void> {
  if (asks === undefined) return;
  let first: UrlRecord[] | undefined;
  const read = async (): Promise<UrlRecord[]> => {
    if (first) return first;
    first = [];
    for await (const { record } of namedUrls(session.client, targets, { items: targets.length })) if (record) first.push(record);
    return first;
  };
  if (announce) await announce(await read());
  await consentToNamed(asks, async () => ({ count, first: await read() }), session, context);
}

async function* plannedFile(
  { open }: { open: RunInput['open'] },
  change: NamedChange,
  batchSize: number,
): AsyncGenerator<PlannedRequest> {
  for await (const rows of open()) {
    yield* plannedGroups([rows.map(({ item }) => item as HashOperand)], change, batchSize);
  }
}

function* plannedGroups(
  batches: Iterable<readonly HashOperand[]>,
  change: NamedChange,
  batchSize: number,
): Generator<PlannedRequest> {
  for (const targets of batches) {
    const domains = new Map<string | undefined, string[]>();
    for (const { hash, domain } of targets) domains.set(domain, [...(domains.get(domain) ?? []), hash]);
    for (const [domain, hashes] of domains) {
      for (let start = 0; start < hashes.length; start += batchSize)
        yield change.planned(hashes.slice(start, start + batchSize), domain);
    }
  }
}
