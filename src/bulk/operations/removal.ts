import type { LinkKey } from '../../contract/link.ts';
import { again, type Verdict } from '../matching/row-verdict.ts';
import type { RowStatus } from '../results/row-outcome.ts';
import { byHash } from './batches.ts';
import { addressOf, type ChangeSettings, inspection, missing, reading } from './named-links.ts';
import { type BulkOperation, type Call, sendCall } from './operation.ts';

/** DELETE /urls?hashes=, or /urls/[hash] for one. A link in doubt that is gone was deleted by us, and one that is left is deleted. */
export function deleteOperation(settings: ChangeSettings): BulkOperation<LinkKey> {
  return removal(settings, {
    kind: 'delete',
    doubt: 'inspect',
    provenBy: 1306,
    status: 'deleted',
    gone: { kind: 'done' },
    request(rows): Call<'deleteUrl' | 'deleteUrls'> {
      const { only, query, queryOfAll } = addressOf(rows, settings);
      return only !== undefined
        ? { operation: 'deleteUrl', input: { path: { hash: only }, query } }
        : { operation: 'deleteUrls', input: { query: queryOfAll } };
    },
  });
}

interface ResetSettings extends ChangeSettings {
  /** Repeat in doubt, although clicks that came meanwhile are lost too. */
  readonly retryReset?: boolean | undefined;
}

/** DELETE /stats?hashes=, or /stats/[hash] for one. In doubt nothing is repeated: it would erase newer clicks too. */
export function resetOperation({ retryReset: repeat = false, ...settings }: ResetSettings): BulkOperation<LinkKey> {
  return removal(settings, {
    kind: 'reset',
    doubt: repeat ? 'repeat' : 'leave',
    repeat,
    status: 'reset',
    gone: missing,
    request(rows): Call<'resetStats' | 'resetSelectedStats'> {
      const { only, query, queryOfAll } = addressOf(rows, settings);
      return only !== undefined
        ? { operation: 'resetStats', input: { path: { hash: only }, query } }
        : { operation: 'resetSelectedStats', input: { query: queryOfAll } };
    },
  });
}

interface Removal extends Pick<BulkOperation<LinkKey>, 'kind' | 'doubt' | 'provenBy'> {
  readonly repeat?: boolean;
  readonly status: RowStatus;
  /** The verdict on a row in doubt whose link does not exist. For any other row the link never existed. */
  readonly gone: Verdict;
  request(rows: readonly LinkKey[]): Call<'deleteUrl' | 'deleteUrls' | 'resetStats' | 'resetSelectedStats'>;
}

function removal(settings: ChangeSettings, { status, gone, repeat, request, ...kind }: Removal): BulkOperation<LinkKey> {
  return {
    ...byHash,
    ...kind,
    request,
    call: async (rows, signal, _json, watch) => {
      await sendCall(settings.client, request(rows), { signal, ...watch, ...(repeat !== undefined && { repeat }) });
      return { verdicts: rows.map(() => ({ kind: 'done' })), surplus: [] };
    },
    read: reading(settings),
    inspect: inspection(settings, ({ payload, inDoubt }, links) => (links.has(payload.hash) ? again : inDoubt ? gone : missing)),
    statusOf: () => status,
  };
}
