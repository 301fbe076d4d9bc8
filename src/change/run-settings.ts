import { UsageError } from '../base/errors.ts';
import type { AppliedKind, AppliedRow } from '../bulk/operations/applying.ts';
import { recordShown } from '../bulk/past-runs/later-lines.ts';
import type { Session } from '../cli/session.ts';
import { batchSizeOf } from '../client/batch-limits.ts';
import { editions } from '../contract/editions.ts';
import type { LinkKey } from '../contract/link.ts';
import type { EditFields } from '../contract/operations.ts';
import type { BulkOptions } from '../flags/bulk-flags.ts';
import type { PlannedOutcome } from './decide/outcome.ts';
import { foldersOf } from './environment.ts';

/** `--undo` and `--no-undo` take precedence over the setting of the profile. */
export function isUndoKept({ undo }: BulkOptions, { defaults }: Session): boolean {
  return undo ?? defaults.undo !== 'off';
}

/** Like `isUndoKept`; false is noted on stderr. */
export async function keepsUndo(options: BulkOptions, session: Session): Promise<boolean> {
  if (isUndoKept(options, session)) return true;
  const why = options.undo === false ? '--no-undo' : `undo is off for profile "${session.profile}"`;
  await session.note(`${why}: this change cannot be undone`);
  return false;
}

/** Throws a UsageError if `--batch-size` or `--concurrency` is too large. */
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

/** Records that the results were printed, so that the same command starts a new run. Signals have no effect from then on. */
export async function markShown(run: string, { system, listenForSignals }: Session): Promise<void> {
  listenForSignals(() => undefined);
  await recordShown(run, foldersOf({ system }), system);
}

/** Returns the domain of links that name none. Looks up the default domain, so that a resumed run has the same one. */
export async function pinnedDomain({ edition, domain, domains }: Session): Promise<string | undefined> {
  return domain ?? (editions[edition].severalDomains ? (await domains()).defaultDomain : undefined);
}

const appliedKinds: { readonly [K in PlannedOutcome['kind']]?: AppliedKind } = { create: 'shorten', delete: 'delete' };

/** Makes the item of a run that creates, edits and deletes links. */
export function appliedRow({ hash, domain }: LinkKey, fields: EditFields, kind: PlannedOutcome['kind']): AppliedRow {
  const { custom_hash: _, ...asked } = fields;
  return { operation: appliedKinds[kind] ?? 'edit', hash, domain, ...asked };
}
