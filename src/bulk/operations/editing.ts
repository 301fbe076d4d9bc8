import { foldedHash, type LinkKey, linkText } from '../../contract/link.ts';
import type { EditFields, EditItem } from '../../contract/operations.ts';
import type { KnownRecord } from '../../contract/records.ts';
import { fieldsSince, fieldsThatDiffer, fieldsToChange, notApplied } from '../../link/same.ts';
import { Matching } from '../matching/answer-items.ts';
import { type BatchAnswer, changedSince, hasDestination, noDestination, type Verdict } from '../matching/row-verdict.ts';
import { byDomain, byHash } from './batches.ts';
import { addressOf, type ChangeSettings, inspection, missing, reading } from './named-links.ts';
import { type BulkOperation, type Call, type RowToInspect, sendCall } from './operation.ts';

/** `old_long_url` is not sent: it is where the link must still lead. */
export type EditedRow = EditItem & LinkKey & { readonly old_long_url?: string };

/** PATCH /urls with a hash in each item, so fields can differ by row (4.3.7, style 3). */
export function editItemsOperation(settings: ChangeSettings): BulkOperation<EditedRow> {
  const request = (rows: readonly EditedRow[]): Call<'editUrls'> => {
    const urls = rows.map(({ domain, old_long_url, ...item }) => item);
    return { operation: 'editUrls', input: { query: addressOf(rows, settings).query, body: { urls } } };
  };
  return editing<EditedRow>(settings, ({ hash: _, domain: __, old_long_url: ___, ...fields }) => fields, {
    ...byDomain,
    sharedBy: ({ hash, custom_hash = hash, domain = settings.domain }) =>
      [...new Set([hash, custom_hash])].map((name) => linkText({ hash: name, domain })),
    request,
    call: async (rows, signal, _json, watch) => {
      const answer = await sendCall(settings.client, request(rows), { signal, ...watch });
      return matchEdits(rows, answer.urls);
    },
  });
}

/** PATCH /urls?hashes=, or /urls/[hash] for a single row: the same fields for all rows (styles 2 and 1). */
export function editSameOperation(settings: ChangeSettings, fields: EditFields): BulkOperation<LinkKey> {
  const request = (rows: readonly LinkKey[]): Call<'editUrl' | 'editSelectedUrls'> => {
    const { only, query, queryOfAll } = addressOf(rows, settings);
    const body: { urls: [EditFields] } = { urls: [only === fields.custom_hash ? withoutRename(fields) : fields] };
    return only !== undefined
      ? { operation: 'editUrl', input: { path: { hash: only }, query, body } }
      : { operation: 'editSelectedUrls', input: { query: queryOfAll, body } };
  };
  return editing<LinkKey>(settings, () => fields, {
    ...byHash,
    request,
    call: async (rows, signal, _json, watch) => {
      const { urls } = await sendCall(settings.client, request(rows), { signal, ...watch });
      return matchEdits(
        rows.map(({ hash }) => ({ hash, custom_hash: fields.custom_hash })),
        urls ?? [],
      );
    },
  });
}

type Sending<Row extends LinkKey> = Pick<BulkOperation<Row>, 'call' | 'request' | 'group' | 'fitting' | 'sharedBy'>;

/** Edits are idempotent. Only a rename must be inspected before it is repeated. */
function editing<Row extends LinkKey>(
  settings: ChangeSettings,
  fields: (row: Row) => EditFields,
  sending: Sending<Row>,
): BulkOperation<Row> {
  const nameOf = (row: Row): string => fields(row).custom_hash ?? row.hash;
  const isRename = (row: Row): boolean => nameOf(row) !== row.hash;
  /** Links that an attempt without an answer has renamed, but perhaps not changed otherwise: the rest is sent to their new hash. */
  const renamed = new Set<string>();
  const keyOf = (row: Row): string => `${linkText(row)} ${nameOf(row)}`;
  const asNamed = (row: Row): Row => (renamed.has(keyOf(row)) ? { ...row, hash: nameOf(row), custom_hash: undefined } : row);
  const read = reading<Row>(settings);
  return {
    ...sending,
    kind: 'edit',
    doubt: 'inspect',
    call: async (rows, signal, json, watch) =>
      await sending.call(renamed.size > 0 ? rows.map(asNamed) : rows, signal, json, watch),
    read: async (rows, signal) => await read(renamed.size > 0 ? rows.map(asNamed) : rows, signal),
    needsPriorDestination: isRename,
    requestedFields: fields,
    isDone: (row, record) => fieldsToChange(fields(row), record).length === 0,
    inspect: inspection(
      settings,
      (row, links) => {
        const { payload } = row;
        const asked = fields(payload);
        const record = links.get(payload.hash);
        if (!row.inDoubt || !isRename(payload)) return verdictOf(asked, record, row);
        const verdict = verdictOnRename(asked, record, links.get(nameOf(payload)), row);
        if (verdict !== 'renamed') return verdict;
        renamed.add(keyOf(payload));
        return verdictOf(withoutRename(asked), { ...links.get(nameOf(payload)), hash: payload.hash }, row);
      },
      (row) => [row.hash, nameOf(row)],
    ),
    statusOf: (_, { unchanged }) => (unchanged ? 'unchanged' : 'changed'),
    notApplied: (row, record) => notApplied(fields(row), record, 'instructions'),
  };
}

/**
 * A link in doubt with all requested values was changed by this run. If it has some of them, the edit is sent again, unless someone else
 * has changed the rest. If it has none, all changes since the listing were made by someone else.
 */
function verdictOf(
  fields: EditFields,
  record: KnownRecord | undefined,
  { inDoubt, listed }: Pick<RowToInspect<LinkKey>, 'inDoubt' | 'listed'>,
): Verdict {
  if (!record) return missing;
  if (inDoubt && fieldsThatDiffer(fields, record).length === 0) return { kind: 'done', record };
  const differing = new Set(notApplied(fields, record, 'instructions').map(({ field }) => field));
  const since = listed ? fieldsSince(listed, record) : [];
  const isPartlyDone = since.some((field) => field in fields && !differing.has(field));
  const foreign = isPartlyDone ? since.filter((field) => field !== 'tags' && differing.has(field)) : since;
  return foreign.length > 0 ? changedSince(foreign) : { kind: 'again', record };
}

function withoutRename({ custom_hash: _, ...fields }: EditFields): EditFields {
  return fields;
}

/**
 * A link at the new hash is ours only with the expected destination. `renamed` if it lacks other requested values. A link at the old hash
 * that leads elsewhere may belong to another row. Without a link at the old hash, no attempt can be applied any more.
 */
function verdictOnRename(
  asked: EditFields,
  record: KnownRecord | undefined,
  renamed: KnownRecord | undefined,
  row: RowToInspect<LinkKey>,
): Verdict | 'renamed' {
  const { long_url } = asked;
  const { priorDestination } = row;
  if (priorDestination === noDestination) return missing;
  if (record && (priorDestination === undefined || hasDestination(priorDestination, record)))
    return verdictOf(asked, record, row);
  if (!renamed) return record ? changedSince(['long_url']) : missing;
  const isOurs =
    long_url === undefined ? hasDestination(priorDestination, renamed) : notApplied({ long_url }, renamed).length === 0;
  if (!isOurs) return changedSince(['long_url']);
  const isDone = notApplied(withoutRename(asked), renamed, 'instructions').length === 0;
  return isDone ? { kind: 'done', record: renamed, evidence: 'hash' } : 'renamed';
}

type EditedUrl = Pick<EditItem, 'hash' | 'custom_hash'>;

/** Matches items to rows by hash: the new one for records, the old one for refusals. */
export function matchEdits(sent: readonly EditedUrl[], answer: readonly unknown[]): BatchAnswer {
  const work = new Matching(sent, answer);
  const newHash = ({ hash, custom_hash }: EditedUrl): string => custom_hash ?? hash;
  work.takeByHash(newHash, undefined, true);
  work.takeByHash(({ hash }) => hash);
  work.takeByHash(newHash, foldedHash);
  const [row, ...rows] = work.freeRows();
  const [index, ...items] = [...work.freeItems('refused'), ...work.freeItems('record')];
  if (row === undefined || index === undefined || rows.length + items.length > 0) return work.answer();
  const item = work.items[index];
  // A single item without a hash is a refusal of the single row that is left.
  if (item?.kind === 'refused' && item.hashes.length === 0 && work.items.length === sent.length) work.assign(row, index, 'hash');
  return work.answer();
}
