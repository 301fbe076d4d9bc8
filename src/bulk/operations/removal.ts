import type { LinkKey } from '../../contract/link.ts';
import { again, type BatchAnswer, type Verdict } from '../matching/row-verdict.ts';
import { byHash } from '../sending/batches.ts';
import { addressOf, type ChangeSettings, inspection, missing, reading } from './named-links.ts';
import { type BulkOperation, type Call, sendCall } from './operation.ts';

/** DELETE /urls?hashes=, or /urls/[hash] for one. In doubt what is gone is our doing, and what is left is deleted. */
export function deleteOperation(settings: ChangeSettings): BulkOperation<LinkKey> {
  const { client } = settings;
  const request = (rows: readonly LinkKey[]): Call<'deleteUrl' | 'deleteUrls'> => {
    const { only, query, queryOfAll } = addressOf(rows, settings);
    return only !== undefined
      ? { operation: 'deleteUrl', input: { path: { hash: only }, query } }
      : { operation: 'deleteUrls', input: { query: queryOfAll } };
  };
  return {
    ...removal(settings, { kind: 'done' }),
    kind: 'delete',
    doubt: 'inspect',
    provenBy: 1306,
    statusOf: () => 'deleted',
    request,
    call: async (rows, signal, _json, watch) => {
      await sendCall(client, request(rows), { signal, ...watch });
      return allDone(rows);
    },
  };
}

interface ResetSettings extends ChangeSettings {
  /** Repeat in doubt, although clicks that came meanwhile are lost too. */
  readonly retryReset?: boolean | undefined;
}

/** DELETE /stats?hashes=, or /stats/[hash] for one. In doubt nothing is repeated: it would erase newer clicks too. */
export function resetOperation({ retryReset: repeat = false, ...settings }: ResetSettings): BulkOperation<LinkKey> {
  const { client } = settings;
  const request = (rows: readonly LinkKey[]): Call<'resetStats' | 'resetSelectedStats'> => {
    const { only, query, queryOfAll } = addressOf(rows, settings);
    return only !== undefined
      ? { operation: 'resetStats', input: { path: { hash: only }, query } }
      : { operation: 'resetSelectedStats', input: { query: queryOfAll } };
  };
  return {
    ...removal(settings, missing),
    kind: 'reset',
    doubt: repeat ? 'repeat' : 'leave',
    statusOf: () => 'reset',
    request,
    call: async (rows, signal, _json, watch) => {
      await sendCall(client, request(rows), { signal, ...watch, repeat });
      return allDone(rows);
    },
  };
}

/** `gone`: the verdict on a row in doubt whose link does not exist. For any other row the link never existed. */
function removal(
  settings: ChangeSettings,
  gone: Verdict,
): Pick<BulkOperation<LinkKey>, 'group' | 'fitting' | 'inspect' | 'read'> {
  return {
    ...byHash,
    read: reading(settings),
    inspect: inspection(settings, ({ payload, inDoubt }, links) => (links.has(payload.hash) ? again : inDoubt ? gone : missing)),
  };
}

function allDone(rows: readonly LinkKey[]): BatchAnswer {
  return { verdicts: rows.map(() => ({ kind: 'done' })), surplus: [] };
}
