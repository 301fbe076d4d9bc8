import { fittingHashes } from '../../client/batch-limits.ts';
import type { LinkKey } from '../../contract/link.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import type { KnownRecord } from '../../contract/records.ts';
import { fieldsThatDiffer, hasUnasked, notApplied } from '../../link/same.ts';
import { tagInstructions } from '../../link/tag-instructions.ts';
import { sameUrl } from '../../link/value.ts';
import { again, changedSince, hasDestination, noDestination, type Verdict } from '../matching/row-verdict.ts';
import { type AppliedRow, applyOperation, through } from './applying.ts';
import { type ChangeSettings, missing, reading } from './named-links.ts';
import type { BulkOperation, RowToInspect } from './operation.ts';

/**
 * Shortening that edits existing links whose hashes are requested with another destination. The hashes of a batch are read first, so that
 * before-images are kept and the prior destination resolves doubt. Sending first would save a call per batch, but a kill between refusal
 * and edit could leave two unknown outcomes for a row.
 */
export function updatingOperation(settings: ChangeSettings): BulkOperation<ShortenItem> {
  const applying = applyOperation(settings);
  const edited = new WeakMap<ShortenItem, KnownRecord>();
  /** Rows whose links already have the requested values, so nothing is sent. */
  const existing = new WeakSet<ShortenItem>();
  const read = reading<LinkKey>(settings);
  const applied = (row: ShortenItem): AppliedRow => appliedRow(row, edited.get(row));
  return {
    ...through(applying, applied),
    kind: 'shorten',
    kindOf: (row) => applied(row).operation,
    group: (row) => applied(row).operation,
    fitting: (rows) => fittingHashes(rows.map(keyOf)),
    read: async (rows, signal) => await read(rows.map(keyOf), signal),
    onRead: (row, link) => {
      edited.delete(row);
      existing.delete(row);
      if (link && isAsAsked(row, link)) existing.add(row);
      else if (link) edited.set(row, link);
    },
    inspect: async (rows, signal) => {
      const keys = rows.map(({ payload }) => keyOf(payload));
      const links = await read(keys, signal);
      return rows.map((row, nth) => {
        const link = links[nth];
        // The link already had the requested values, so the row was never sent.
        if (link && row.priorDestination === undefined && row.inDoubt && isAsAsked(row.payload, link))
          return { kind: 'done', record: link, unchanged: true };
        if (!link || row.priorDestination === undefined || row.priorDestination === noDestination) return verdictOnNew(row, link);
        edited.set(row.payload, link);
        return verdictOnEdit(row, link, applied(row.payload));
      });
    },
    needsPriorDestination: (row) => !existing.has(row),
    requestedFields: (row) => ({
      ...keyOf(row),
      ...(existing.has(row) ? { long_url: row.long_url } : applying.requestedFields?.(applied(row))),
    }),
    isDone: isAsAsked,
    statusOf: (row, done) => (done.unchanged ? 'existing' : applying.statusOf(applied(row), done)),
  };
}

function keyOf({ custom_hash = '' }: ShortenItem): LinkKey {
  return { hash: custom_hash };
}

function isAsAsked(row: ShortenItem, link: KnownRecord): boolean {
  const { operation: _, hash: __, ...asked } = appliedRow(row, link);
  return fieldsThatDiffer(asked, link).length === 0;
}

/** The link gets the values of the row and exactly its tags. Fields that the row omits stay unchanged. */
function appliedRow({ custom_hash: hash = '', tags, ...fields }: ShortenItem, link: KnownRecord | undefined): AppliedRow {
  if (!link) return { operation: 'shorten', hash, ...fields, ...(tags && { tags }) };
  const instructions = tagInstructions(tags ?? [], tags ? (link.tags ?? []) : []);
  return { operation: 'edit', hash, ...fields, ...(instructions.length > 0 && { tags: instructions }) };
}

/**
 * At a formerly free hash, a link with the row's destination belongs to the row; any other is someone else's and not changed. If it has
 * more than the row asked for, it may be someone else's, too, so `undo` does not delete it unasked.
 */
function verdictOnNew(
  { payload, inDoubt, priorDestination }: RowToInspect<ShortenItem>,
  link: KnownRecord | null | undefined,
): Verdict {
  if (!link) return priorDestination === undefined || priorDestination === noDestination ? again : missing;
  if (sameUrl(link.long_url, payload.long_url)) {
    const whose = inDoubt ? hasUnasked(payload, link) && ({ perhapsNew: true } as const) : ({ shared: true } as const);
    return { kind: 'done', record: link, evidence: 'hash', ...whose };
  }
  return { kind: 'failed', error: { code: 1215, message: 'the hash was taken since it was read' } };
}

function verdictOnEdit(
  { payload, priorDestination }: RowToInspect<ShortenItem>,
  link: KnownRecord,
  { hash: _, ...fields }: AppliedRow,
): Verdict {
  if (sameUrl(link.long_url, payload.long_url)) {
    const isDone = notApplied(fields, link, 'instructions').length === 0;
    return isDone ? { kind: 'done', record: link, evidence: 'hash' } : { kind: 'again', record: link };
  }
  return hasDestination(priorDestination, link) ? { kind: 'again', record: link } : changedSince(['long_url']);
}
