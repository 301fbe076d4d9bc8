import { recordDomain } from '../../contract/link.ts';
import type { BulkOperation } from '../operations/operation.ts';
import type { RowOutcome } from '../results/row-outcome.ts';
import type { SettledChange } from '../run-plan.ts';

/** The change of an outcome that the history of clicks has to know. `working`: the domain of rows that name none. */
export function changesOf(
  { status, payload, index: row, before, record }: RowOutcome,
  operation: BulkOperation,
  working: string | undefined,
): SettledChange[] {
  if (!('hash' in payload && typeof payload.hash === 'string')) return [];
  const { hash } = payload;
  const named = 'domain' in payload && typeof payload.domain === 'string' ? payload.domain : working;
  const domain = recordDomain(before ?? record ?? {}) ?? named;
  const change = { row, link: { hash, domain }, before: before ?? undefined, after: record };
  if (status === 'deleted' || status === 'reset') return [{ ...change, kind: status }];
  const name = operation.requestedFields?.(payload).custom_hash;
  // Of a row that was applied in part the record says it.
  const isRenamed =
    name !== undefined && name !== hash && (status === 'changed' || (status === 'failed' && record?.hash === name));
  return isRenamed ? [{ ...change, kind: 'renamed', after: record ?? { hash: name } }] : [];
}
