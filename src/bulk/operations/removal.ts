import { urlsByHash } from '../../client/named-urls.ts';
import type { LinkKey } from '../../contract/link.ts';
import { byHash } from '../batches.ts';
import { lastSeen } from '../checked/last-seen.ts';
import { again, type BatchAnswer, type Verdict } from '../matching/verdict.ts';
import { type ChangeSettings, domainOf, missing } from './edit.ts';
import type { BulkOperation } from './operation.ts';

/** DELETE /urls?hashes=, or /urls/[hash] for one. In doubt what is gone is our doing, and what is left is deleted (2.1). */
export function deleteOperation(settings: ChangeSettings): BulkOperation<LinkKey> {
  return {
    ...removal(settings, { kind: 'done' }),
    kind: 'delete',
    doubt: 'look',
    provenBy: 1306,
    statusOf: () => 'deleted',
    call: async (rows, signal, _json, onDoubt) => {
      const query = domainOf(rows, settings);
      const [only] = rows;
      const options = { signal, onDoubt };
      const before = await lastSeen(rows, { ...settings, ...query }, signal);
      if (rows.length === 1 && only) {
        await settings.client.send('deleteUrl', { path: { hash: only.hash }, query }, options);
      } else {
        await settings.client.send('deleteUrls', { query: { ...query, hashes: listOf(rows) } }, options);
      }
      if (!before) return allDone(rows);
      return { verdicts: rows.map(({ hash }) => ({ kind: 'done', record: before.get(hash) ?? { hash } })), surplus: [] };
    },
  };
}

export interface ResetSettings extends ChangeSettings {
  /** Repeat in doubt, although clicks that came meanwhile are lost too. */
  readonly retryReset?: boolean | undefined;
}

/** DELETE /stats?hashes=, or /stats/[hash] for one. In doubt nothing is repeated: it would erase newer clicks too (2.1). */
export function resetOperation({ retryReset = false, ...settings }: ResetSettings): BulkOperation<LinkKey> {
  return {
    ...removal(settings, missing),
    kind: 'reset',
    doubt: retryReset ? 'repeat' : 'leave',
    statusOf: () => 'reset',
    call: async (rows, signal, _json, onDoubt) => {
      const query = domainOf(rows, settings);
      const [only] = rows;
      const options = { signal, onDoubt, ...(retryReset && { repeat: true }) };
      if (rows.length === 1 && only) {
        await settings.client.send('resetStats', { path: { hash: only.hash }, query }, options);
      } else {
        await settings.client.send('resetSelectedStats', { query: { ...query, hashes: listOf(rows) } }, options);
      }
      return allDone(rows);
    },
  };
}

type Removal = Pick<BulkOperation<LinkKey>, 'group' | 'fitting' | 'look'>;

/** `gone`: what it means of a row in doubt that its URL is not there; of any other, that it never was (CLI.md 3.9.4). */
function removal(settings: ChangeSettings, gone: Verdict): Removal {
  return {
    ...byHash,
    look: async (rows, signal) => {
      const urls = rows.map(({ payload }) => payload);
      const found = await urlsByHash(
        urls.map(({ hash }) => hash),
        { ...settings, ...domainOf(urls, settings), signal },
      );
      return rows.map(({ payload, inDoubt }) => (found.has(payload.hash) ? again : inDoubt ? gone : missing));
    },
  };
}

function allDone(rows: readonly LinkKey[]): BatchAnswer {
  return { verdicts: rows.map(() => ({ kind: 'done' })), surplus: [] };
}

function listOf(rows: readonly LinkKey[]): string {
  return rows.map(({ hash }) => hash).join(',');
}
