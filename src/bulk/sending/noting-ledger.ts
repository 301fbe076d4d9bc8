import { recordDomain } from '../../contract/link.ts';
import type { Ledger } from '../journal/ledger.ts';
import type { BulkOperation } from '../operations/operation.ts';
import type { RowOutcome } from '../results/row-outcome.ts';
import type { NoteChanges, SettledChange } from '../run-plan.ts';

interface NoteSettings {
  readonly operation: BulkOperation;
  readonly run: string;
  readonly domain: string | undefined;
  readonly note: NoteChanges;
}

export function notingLedger(ledger: Ledger, { operation, run, domain, note }: NoteSettings): Ledger {
  return {
    intent: (serialized) => ledger.intent(serialized),
    ambiguous: (...doubt) => ledger.ambiguous(...doubt),
    async settled(batch, outcomes, ...rest) {
      const changes = outcomes.flatMap((outcome) => changesOf(outcome, operation, domain));
      if (changes.length > 0) await note(run, changes);
      await ledger.settled(batch, outcomes, ...rest);
    },
  };
}

function changesOf(
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
