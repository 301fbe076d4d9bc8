import type { LinkKey } from '../../contract/link.ts';
import type { KnownRecord } from '../../contract/records.ts';
import type { Verdict } from '../matching/row-verdict.ts';
import type { RowStatus } from '../results/row-outcome.ts';
import { byHash } from './batches.ts';
import { addressOf, type ChangeSettings, inspection, missing, reading } from './named-links.ts';
import { type BulkOperation, type Call, sendCall } from './operation.ts';

/** DELETE /urls?hashes=, or /urls/[hash] for a single row. In doubt, a missing link counts as deleted; an existing one is deleted again. */
export function deleteOperation(settings: ChangeSettings): BulkOperation<LinkKey> {
  const calls = { one: 'deleteUrl', all: 'deleteUrls', status: 'deleted', gone: { kind: 'done' } } as const;
  return removal(settings, { kind: 'delete', doubt: 'inspect', provenBy: 1306, ...calls });
}

/**
 * DELETE /stats?hashes=, or /stats/[hash] for a single row. A reset in doubt is not repeated by itself, because that would erase newer
 * clicks. The same command, given again, compares the counters with those before the attempt.
 */
export function resetOperation(settings: ChangeSettings): BulkOperation<LinkKey> {
  const calls = { one: 'resetStats', all: 'resetSelectedStats', status: 'reset', gone: missing } as const;
  return removal(settings, { kind: 'reset', doubt: 'inspect', repeat: false, isApplied: wasReset, ...calls });
}

/** If as many clicks were counted since, nothing shows that the counter was reset. */
function wasReset({ total_clicks: now }: KnownRecord, before: KnownRecord | null | undefined): boolean {
  return now === 0 || Number(now) < Number(before?.total_clicks);
}

interface Removal extends Pick<BulkOperation, 'kind' | 'doubt' | 'provenBy' | 'repeat'> {
  readonly one: 'deleteUrl' | 'resetStats';
  readonly all: 'deleteUrls' | 'resetSelectedStats';
  readonly status: RowStatus;
  /** The verdict on a row in doubt whose link is missing. The link of any other row never existed. */
  readonly gone: Verdict;
  /** Returns true if a link that is still there shows that an attempt was applied. */
  isApplied?(now: KnownRecord, before: KnownRecord | null | undefined): boolean;
}

function removal(settings: ChangeSettings, { one, all, status, gone, isApplied, ...kind }: Removal): BulkOperation<LinkKey> {
  const request = (rows: readonly LinkKey[]): Call<Removal['one' | 'all']> => {
    const { only, query, queryOfAll } = addressOf(rows, settings);
    return only === undefined
      ? { operation: all, input: { query: queryOfAll } }
      : { operation: one, input: { path: { hash: only }, query } };
  };
  return {
    ...kind,
    ...byHash,
    request,
    call: async (rows, signal, _json, watch) => {
      await sendCall(settings.client, request(rows), { signal, ...watch });
      return { verdicts: rows.map(() => ({ kind: 'done' })), surplus: [] };
    },
    read: reading(settings),
    inspect: inspection(settings, ({ payload, inDoubt, before }, links) => {
      const record = links.get(payload.hash);
      if (!record) return inDoubt ? gone : missing;
      return inDoubt && isApplied?.(record, before) ? { kind: 'done', foundLater: true } : { kind: 'again', record };
    }),
    statusOf: (_, { unchanged }) => (unchanged ? 'unchanged' : status),
  };
}
