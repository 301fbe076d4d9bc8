import { batchesOf, byHash, fileBatches } from '../bulk/batches.ts';
import type { RunInput } from '../bulk/run-plan.ts';
import type { Session } from '../cli/session.ts';
import type { LinkKey } from '../contract/link.ts';
import type { EditFields } from '../contract/operations.ts';
import type { UrlRecord } from '../contract/records.ts';
import type { PlannedRequest } from '../output/dry-run.ts';
import type { RowsReport } from '../output/report.ts';
import { type Batches, dryRun, editText, linkChangeColumns, linkChanges } from './dry-run.ts';

/** What `--dry-run` says of a change of named links. */
export interface PlannedChangeOfNamed {
  /** What every URL is given. */
  readonly fields?: EditFields;
  /** How a call begins: the hashes follow in the path or in the query. */
  readonly request: { readonly method: string; readonly path: string };
  /** How people read it: `delete`, `would be deleted`. */
  readonly planned: { readonly change: string; readonly done: string };
}

/** B60: which of the links that were typed the change would meet, and what would become of them. */
export function planOfTyped(
  change: PlannedChangeOfNamed,
  targets: readonly LinkKey[],
  limit: number,
  session: Session,
): RowsReport {
  return planOf(change, () => batchesOf(targets, { limit, ...byHash }), [targets], limit, session);
}

/** The same of a file of hashes. */
export function planOfFile(
  change: PlannedChangeOfNamed,
  file: Pick<RunInput, 'open'>,
  limit: number,
  session: Session,
): RowsReport {
  const batches = (rules = {}) => fileBatches(file, (item) => item as LinkKey, { limit, ...rules });
  return planOf(change, () => batches(byHash), batches(), limit, session);
}

function planOf(
  change: PlannedChangeOfNamed,
  calls: () => Batches<LinkKey>,
  targets: Batches<LinkKey>,
  batchSize: number,
  session: Session,
): RowsReport {
  const { fields, planned } = change;
  const textOf = (_: LinkKey, record: UrlRecord) => (fields ? editText(fields, record) : planned.change);
  async function* requests(): AsyncGenerator<PlannedRequest> {
    for await (const some of calls()) yield plannedCall(some, change);
  }
  const changes = linkChanges(targets, textOf, session, batchSize);
  return dryRun({ requests: requests(), changes, noun: 'link', done: planned.done, columns: linkChangeColumns }, session);
}

function plannedCall(targets: readonly LinkKey[], { request, fields }: PlannedChangeOfNamed): PlannedRequest {
  const { method, path } = request;
  const [{ hash, domain }] = targets as readonly [LinkKey];
  const body = fields && { urls: [fields] };
  if (targets.length === 1) return { method, path: `${path}/${encodeURIComponent(hash)}`, query: { domain }, body };
  return { method, path, query: { hashes: targets.map((target) => target.hash).join(','), domain }, body };
}
