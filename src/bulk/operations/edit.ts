import { shortPrint } from '../../base/fingerprint.ts';
import type { Client } from '../../client/client.ts';
import { urlsByHash } from '../../client/named-urls.ts';
import { errors } from '../../contract/errors.ts';
import type { LinkKey } from '../../contract/link.ts';
import type { EditFields, EditItem } from '../../contract/operations.ts';
import { byDomain, byHash } from '../batches.ts';
import { lastSeen } from '../checked/last-seen.ts';
import { matchEdits } from '../matching/hash-matching.ts';
import { again, type BatchAnswer, type Done, doubtful, type KnownRecord, type Verdict } from '../matching/verdict.ts';
import { notApplied, showsAll } from './not-applied.ts';
import type { BulkOperation } from './operation.ts';

/** One row of an edit: the URL, and what it shall get where rows differ. */
export type EditedRow = EditItem & { readonly domain?: string | undefined };

export interface ChangeSettings {
  readonly client: Pick<Client, 'send'>;
  /** Edition A: where a row does not say it. */
  readonly domain?: string | undefined;
  /** Hashes in one call at most. */
  readonly batchSize: number;
  /** Whether one call more may be made; where given, links are read right before they are changed (U4, W3). */
  readonly mayRead?: (() => boolean) | undefined;
}

/** PATCH /urls with a hash in each item: every row has fields of its own (4.3.7, style 3). */
export function editItemsOperation(settings: ChangeSettings): BulkOperation<EditedRow> {
  const operation: BulkOperation<EditedRow> = {
    ...editing(settings, fieldsOf),
    call: async (rows, signal, _json, onDoubt) => {
      const urls = rows.map(({ domain, ...item }) => item);
      const answer = await settings.client.send(
        'editUrls',
        { query: domainOf(rows, settings), body: { urls } },
        { signal, onDoubt },
      );
      return matchEdits(rows, listOf(answer.urls));
    },
  };
  return settings.mayRead ? sparing(operation, fieldsOf, settings) : operation;
}

/** PATCH /urls?hashes=, or /urls/[hash] for one: the same fields for every row (styles 2 and 1). */
export function editSameOperation(settings: ChangeSettings, fields: EditFields): BulkOperation<LinkKey> {
  const operation: BulkOperation<LinkKey> = {
    ...editing<LinkKey>(settings, () => fields),
    ...byHash,
    call: async (rows, signal, _json, onDoubt): Promise<BatchAnswer> => {
      const domain = domainOf(rows, settings);
      const sent = rows.map(({ hash }) => ({ hash, custom_hash: fields.custom_hash }));
      const hashes = sent.map(({ hash }) => hash);
      const [only] = hashes;
      const options = { signal, onDoubt };
      const answer =
        hashes.length === 1 && only !== undefined
          ? await settings.client.send('editUrl', { path: { hash: only }, query: domain, body: { urls: [fields] } }, options)
          : await settings.client.send(
              'editSelectedUrls',
              { query: { ...domain, hashes: hashes.join(',') }, body: { urls: [fields] } },
              options,
            );
      return matchEdits(sent, listOf(answer.urls));
    },
  };
  return settings.mayRead ? sparing(operation, () => fields, settings) : operation;
}

/** W3: where links are read anyway, those that are as they are asked for are not sent. */
function sparing<Row extends LinkKey>(
  operation: BulkOperation<Row>,
  fields: (row: Row) => EditFields,
  settings: ChangeSettings,
): BulkOperation<Row> {
  return {
    ...operation,
    statusOf: (row, done) => (done.unchanged ? 'unchanged' : operation.statusOf(row, done)),
    call: async (rows, signal, json, onDoubt) => {
      const found = await lastSeen(rows, { ...settings, ...domainOf(rows, settings) }, signal);
      const same = rows.map((row): Done | undefined => {
        const record = found?.get(row.hash);
        return record && showsAll(fields(row), record, 'instructions') ? { kind: 'done', record, unchanged: true } : undefined;
      });
      const rest = rows.filter((_, position) => !same[position]);
      if (rest.length === rows.length) return await operation.call(rows, signal, json, onDoubt);
      const sent = rest.length > 0 ? await operation.call(rest, signal, undefined, onDoubt) : { verdicts: [], surplus: [] };
      const verdicts = sent.verdicts.values();
      return { verdicts: same.map((done) => done ?? verdicts.next().value), surplus: sent.surplus };
    },
  };
}

type Editing<Row extends LinkKey> = Omit<BulkOperation<Row>, 'call' | 'fitting'>;

/** An edit ends in the same state however often it is made; only a rename must be looked at before it is repeated (2.1). */
function editing<Row extends LinkKey>(settings: ChangeSettings, fields: (row: Row) => EditFields): Editing<Row> {
  const isRename = (row: Row): boolean => renames(row, fields(row));
  return {
    kind: 'edit',
    doubt: 'look',
    ...byDomain,
    needsWitness: isRename,
    witness: async (rows, signal) => {
      const asked = rows.map(({ hash }) => hash);
      const found = await urlsByHash(asked, { ...settings, ...domainOf(rows, settings), signal });
      return asked.map((hash) => placeOf(found.get(hash)));
    },
    look: async (rows, signal) => {
      const urls = rows.map(({ payload }) => payload);
      const hashes = urls.flatMap((row) => [row.hash, fields(row).custom_hash ?? row.hash]);
      const found = await urlsByHash(hashes, { ...settings, ...domainOf(urls, settings), signal });
      return rows.map(({ payload, inDoubt, before }) => {
        const asked = fields(payload);
        const record = found.get(payload.hash);
        if (!inDoubt || !isRename(payload)) return verdictOf(asked, record, inDoubt);
        return verdictOnRename(asked, record, found.get(asked.custom_hash ?? ''), before);
      });
    },
    statusOf: () => 'changed',
    notApplied: (row, record) => notApplied(fields(row), record, 'instructions'),
  };
}

function renames({ hash }: LinkKey, { custom_hash }: EditFields): boolean {
  return custom_hash !== undefined && custom_hash !== hash;
}

/** A record that shows all that was asked for was changed; one that does not, or not all of it, can be changed again. */
function verdictOf(fields: EditFields, record: KnownRecord | undefined, inDoubt: boolean): Verdict {
  if (!record) return missing;
  return inDoubt && showsAll(fields, record, 'instructions') ? { kind: 'done', record } : again;
}

/**
 * A rename in doubt, by where the two hashes lead now and where the old one led before (D5, D6, 2.1): a record at the new hash is
 * ours only where it leads to the same, and one at the old hash may have come there by a rename of another row.
 */
function verdictOnRename(
  { long_url }: EditFields,
  record: KnownRecord | undefined,
  renamed: KnownRecord | undefined,
  before: string | undefined,
): Verdict {
  if (before === nothing) return missing;
  if (record && (before === undefined || placeOf(record) === before)) return again;
  if (!renamed) return doubtful;
  const isOurs = long_url === undefined ? placeOf(renamed) === before : notApplied({ long_url }, renamed).length === 0;
  return isOurs ? { kind: 'done', record: renamed, evidence: 'hash' } : doubtful;
}

const nothing = '-';

/** Where a hash leads, as the journal keeps it. */
function placeOf(record: KnownRecord | undefined): string {
  return record ? shortPrint(record.long_url ?? '') : nothing;
}

/** What a server says about a hash that is not there. */
export const missing: Verdict = { kind: 'failed', error: { code: 1306, message: errors[1306].message } };

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
