import { UsageError } from '../base/errors.ts';
import { folders } from '../base/system.ts';
import type { AppliedKind, AppliedRow } from '../bulk/operations/applying.ts';
import { recordShown } from '../bulk/past-runs/later-lines.ts';
import type { Session } from '../cli/session.ts';
import { batchSizeOf } from '../client/batch-limits.ts';
import { editions } from '../contract/editions.ts';
import type { LinkKey } from '../contract/link.ts';
import type { EditFields } from '../contract/operations.ts';
import type { BulkOptions } from '../flags/bulk-flags.ts';
import type { PlannedOutcome } from './decide/outcome.ts';

/** A change keeps what the links were, unless it is told not to. */
export async function keepsUndo({ undo = true }: BulkOptions, session: Session): Promise<boolean> {
  if (!undo) await session.note('--no-undo: this change cannot be undone');
  return undo;
}

/** Throws a UsageError for a batch that no server of this edition takes. */
export function sendingOf(options: BulkOptions, session: Session) {
  const { batchSize, concurrency, budget, failFast, again, force, results, failed } = options;
  if (concurrency !== undefined && concurrency > 16) throw new UsageError('--concurrency: expected at most 16');
  return {
    batchSize: batchSizeOf(session, batchSize),
    concurrency,
    budget,
    failFast,
    again,
    force,
    overwrite: session.global.yes,
    results,
    failed,
  };
}

/** Somebody has seen the result: the same command begins anew, and from here on a signal changes nothing any more. */
export async function shownBefore(run: string, { system, listenForSignals }: Session): Promise<void> {
  listenForSignals(() => undefined);
  await recordShown(run, folders(system).state, system);
}

/** The domain of links that name none: looked up once, so that the run and the one that resumes it are the same. */
export async function pinnedDomain({ domain, edition, domains }: Session, named?: string): Promise<string | undefined> {
  return named ?? domain ?? (editions[edition].severalDomains ? (await domains()).defaultDomain : undefined);
}

const appliedKinds: { readonly [K in PlannedOutcome['kind']]?: AppliedKind } = { create: 'shorten', delete: 'delete' };

/** The item of a run in which links are made, changed and deleted. */
export function appliedRow({ hash, domain }: LinkKey, fields: EditFields, kind: PlannedOutcome['kind']): AppliedRow {
  const { custom_hash: _, ...asked } = fields;
  return { operation: appliedKinds[kind] ?? 'edit', hash, domain, ...asked };
}
