import type { LinkKey } from '../../contract/link.ts';
import type { Verdict } from '../matching/row-verdict.ts';
import type { RowStatus } from '../results/row-outcome.ts';
import { byHash } from './batches.ts';
import { addressOf, type ChangeSettings, inspection, missing, reading } from './named-links.ts';
import { type BulkOperation, type Call, sendCall } from './operation.ts';

/** DELETE /urls?hashes=, or /urls/[hash] for a single row. In doubt, a missing link counts as deleted; an existing one is deleted again. */
export function deleteOperation(settings: ChangeSettings): BulkOperation<LinkKey> {
  const calls = { one: 'deleteUrl', all: 'deleteUrls', status: 'deleted', gone: { kind: 'done' } } as const;
  return removal(settings, { kind: 'delete', doubt: 'inspect', ...calls });
}

/** DELETE /stats?hashes=, or /stats/[hash] for a single row. A reset in doubt is not repeated, because that would erase newer clicks. */
export function resetOperation(settings: ChangeSettings): BulkOperation<LinkKey> {
  const calls = { one: 'resetStats', all: 'resetSelectedStats', repeat: false, status: 'reset', gone: missing } as const;
  return removal(settings, { kind: 'reset', doubt: 'leave', ...calls });
}

interface Removal extends Pick<BulkOperation, 'kind' | 'doubt'> {
  readonly one: 'deleteUrl' | 'resetStats';
  readonly all: 'deleteUrls' | 'resetSelectedStats';
  readonly repeat?: false;
  readonly status: RowStatus;
  /** The verdict on a row in doubt whose link is missing. The link of any other row never existed. */
  readonly gone: Verdict;
}

function removal(settings: ChangeSettings, { one, all, repeat, status, gone, ...kind }: Removal): BulkOperation<LinkKey> {
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
      await sendCall(settings.client, request(rows), { signal, ...watch, ...(repeat !== undefined && { repeat }) });
      return { verdicts: rows.map(() => ({ kind: 'done' })), surplus: [] };
    },
    read: reading(settings),
    inspect: inspection(settings, ({ payload, inDoubt }, links) => {
      const record = links.get(payload.hash);
      return record ? { kind: 'again', record } : inDoubt ? gone : missing;
    }),
    statusOf: (_, { unchanged }) => (unchanged ? 'unchanged' : status),
  };
}
