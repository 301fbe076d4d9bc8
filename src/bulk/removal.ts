import { fittingHashes } from '../client/groups.ts';
import { urlsByHash } from '../client/named-urls.ts';
import type { LinkKey } from '../contract/link.ts';
import { type ChangeSettings, domainOf, missing } from './edit.ts';
import type { BatchAnswer, BulkOperation, LookReason } from './operation.ts';
import { again, type Verdict } from './verdict.ts';

/** DELETE /urls?hashes=, or /urls/[hash] for one. In doubt what is gone is our doing, and what is left is deleted (2.1). */
export function deleteOperation(settings: ChangeSettings): BulkOperation<LinkKey> {
  return {
    ...removal(settings),
    kind: 'delete',
    doubt: 'look',
    statusOf: () => 'deleted',
    call: async (rows, signal) => {
      const query = domainOf(rows, settings);
      const [only] = rows;
      if (rows.length === 1 && only) {
        await settings.client.send('deleteUrl', { path: { hash: only.hash }, query }, { signal });
      } else {
        await settings.client.send('deleteUrls', { query: { ...query, hashes: listOf(rows) } }, { signal });
      }
      return allDone(rows);
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
    ...removal(settings),
    kind: 'reset',
    doubt: retryReset ? 'repeat' : 'leave',
    statusOf: () => 'reset',
    call: async (rows, signal) => {
      const query = domainOf(rows, settings);
      const [only] = rows;
      const options = { signal, ...(retryReset && { repeat: true }) };
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

function removal(settings: ChangeSettings): Removal {
  return {
    group: ({ domain }) => domain ?? '',
    fitting: fittingHashes,
    look: async (rows, reason, signal) => {
      const { domain } = domainOf(rows, settings);
      const found = await urlsByHash(
        rows.map(({ hash }) => hash),
        { ...settings, domain, signal },
      );
      return rows.map(({ hash }) => (found.has(hash) ? again : gone(reason)));
    },
  };
}

/** After class A a URL that is not there is one that we deleted; after a plain 1306 it never was (CLI.md 3.9.4). */
function gone(reason: LookReason): Verdict {
  return reason === 'ambiguous' ? { kind: 'done' } : missing;
}

function allDone(rows: readonly LinkKey[]): BatchAnswer {
  return { verdicts: rows.map(() => ({ kind: 'done' })), surplus: [] };
}

function listOf(rows: readonly LinkKey[]): string {
  return rows.map(({ hash }) => hash).join(',');
}
