import type { Client } from '../client/client.ts';
import { fittingHashes } from '../client/groups.ts';
import { urlsByHash } from '../client/named-urls.ts';
import type { LinkKey } from '../contract/link.ts';
import type { EditFields, EditItem } from '../contract/operations.ts';
import { matchByHash } from './hash-matching.ts';
import { notApplied, showsAll } from './not-applied.ts';
import type { BatchAnswer, BulkOperation, LookReason } from './operation.ts';
import { again, type Done, type KnownRecord, type Verdict } from './verdict.ts';

/** One row of an edit: the URL, and what it shall get where rows differ. */
export type EditedRow = EditItem & { readonly domain?: string | undefined };

export interface ChangeSettings {
  readonly client: Pick<Client, 'send'>;
  /** Edition A: where a row does not say it. */
  readonly domain?: string | undefined;
  /** Hashes in one call at most. */
  readonly batchSize: number;
}

/** PATCH /urls with a hash in each item: every row has fields of its own (4.3.7, style 3). */
export function editItemsOperation(settings: ChangeSettings): BulkOperation<EditedRow> {
  return {
    ...editing(settings, fieldsOf),
    call: async (rows, signal) => {
      const urls = rows.map(({ domain, ...item }) => item);
      const answer = await settings.client.send('editUrls', { query: domainOf(rows, settings), body: { urls } }, { signal });
      return matchByHash(rows, listOf(answer.urls));
    },
  };
}

/** PATCH /urls?hashes=, or /urls/[hash] for one: the same fields for every row (styles 2 and 1). */
export function editSameOperation(settings: ChangeSettings, fields: EditFields): BulkOperation<LinkKey> {
  return {
    ...editing<LinkKey>(settings, () => fields),
    fitting: fittingHashes,
    call: async (rows, signal): Promise<BatchAnswer> => {
      const domain = domainOf(rows, settings);
      const sent = rows.map(({ hash }) => ({ hash, custom_hash: fields.custom_hash }));
      const hashes = sent.map(({ hash }) => hash);
      const [only] = hashes;
      const answer =
        hashes.length === 1 && only !== undefined
          ? await settings.client.send('editUrl', { path: { hash: only }, query: domain, body: { urls: [fields] } }, { signal })
          : await settings.client.send(
              'editSelectedUrls',
              { query: { ...domain, hashes: hashes.join(',') }, body: { urls: [fields] } },
              { signal },
            );
      return matchByHash(sent, listOf(answer.urls));
    },
  };
}

type Editing<Row extends LinkKey> = Omit<BulkOperation<Row>, 'call' | 'fitting'>;

/** An edit ends in the same state however often it is made; only a rename must be looked at before it is repeated (2.1). */
function editing<Row extends LinkKey>(settings: ChangeSettings, fields: (row: Row) => EditFields): Editing<Row> {
  return {
    kind: 'edit',
    doubt: 'look',
    group: ({ domain }) => domain ?? '',
    look: async (rows, reason, signal) => {
      const asked = rows.flatMap((row) => [row.hash, fields(row).custom_hash ?? row.hash]);
      const { domain } = domainOf(rows, settings);
      const found = await urlsByHash(asked, { ...settings, domain, signal });
      return rows.map((row) => verdictOf(row, fields(row), found, reason));
    },
    statusOf: () => 'changed',
    notApplied: (row, record) => notApplied(fields(row), record, 'instructions'),
  };
}

/** A record that shows all that was asked for was changed; one that does not, or not all of it, can be changed again. */
function verdictOf({ hash }: LinkKey, fields: EditFields, found: ReadonlyMap<string, KnownRecord>, reason: LookReason): Verdict {
  const { custom_hash, long_url } = fields;
  const record = found.get(hash);
  if (record && reason === 'ambiguous' && showsAll(fields, record, 'instructions')) return { kind: 'done', record };
  if (record) return again;
  const renamed = custom_hash === undefined ? undefined : found.get(custom_hash);
  if (!renamed) return missing;
  const isOurs = long_url === undefined || notApplied({ long_url }, renamed).length === 0;
  return isOurs ? ({ kind: 'done', record: renamed, evidence: 'hash' } satisfies Done) : missing;
}

/** What a server says about a hash that is not there. */
export const missing: Verdict = { kind: 'failed', error: { code: 1306, message: 'URL not found in DB' } };

/** All rows of a call are on one domain: `group` sees to it. */
export function domainOf(rows: readonly LinkKey[], settings: Pick<ChangeSettings, 'domain'>): { domain?: string } {
  const domain = rows[0]?.domain ?? settings.domain;
  return domain === undefined ? {} : { domain };
}

function fieldsOf({ hash, domain, ...fields }: EditedRow): EditFields {
  return fields;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
