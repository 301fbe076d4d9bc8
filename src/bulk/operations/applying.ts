import { fittingHashes } from '../../client/batch-limits.ts';
import type { LinkKey } from '../../contract/link.ts';
import type { EditFields, ShortenItem } from '../../contract/operations.ts';
import type { KnownRecord } from '../../contract/records.ts';
import { withoutDefaults } from '../../link/defaults.ts';
import { notApplied } from '../../link/same.ts';
import { again, doubtful, type Verdict } from '../matching/row-verdict.ts';
import { byDomain, groupsOf } from './batches.ts';
import { editItemsOperation } from './editing.ts';
import { chooseMode } from './modes.ts';
import { type ChangeSettings, reading } from './named-links.ts';
import type { BulkOperation, RowToInspect } from './operation.ts';
import { deleteOperation } from './removal.ts';
import { shortenOperation } from './shortening.ts';

export type AppliedKind = 'shorten' | 'edit' | 'delete';

export interface AppliedRow extends LinkKey, Omit<EditFields, 'custom_hash'> {
  readonly operation: AppliedKind;
}

type Kinds = { readonly [K in AppliedKind]: BulkOperation<AppliedRow> };

/**
 * Creates, edits and deletes links in one run, which is resumed and undone as a whole. Every hash in doubt is read: links are created only
 * at free hashes, so a link found at one was created by this run.
 */
export function applyOperation(settings: ChangeSettings): BulkOperation<AppliedRow> {
  const kinds: Kinds = {
    shorten: through(recreateOperation(settings), ({ operation: _, long_url = '', ...item }) => ({
      ...item,
      custom_hash: item.hash,
      long_url,
    })),
    edit: through(editItemsOperation(settings), ({ operation: _, ...item }) => item),
    delete: deleteOperation(settings),
  };
  const of = ({ operation }: AppliedRow): BulkOperation<AppliedRow> => kinds[operation];
  return {
    kind: 'apply',
    kindOf: ({ operation }) => operation,
    doubt: 'inspect',
    ...byKind,
    request: (rows) => kinds[rows[0]?.operation ?? 'edit'].request(rows),
    call: async (rows, ...rest) => await kinds[rows[0]?.operation ?? 'edit'].call(rows, ...rest),
    inspect: async (rows, signal) => await inspectEach(rows, kinds, signal),
    read: reading(settings),
    requestedFields: ({ operation: _, hash: __, domain: ___, ...fields }) => fields,
    isDone: (row, record) => of(row).isDone?.(row, record) ?? false,
    statusOf: (row, done) => (done.unchanged ? 'unchanged' : of(row).statusOf(row, done)),
    notApplied: (row, record) => of(row).notApplied?.(row, record) ?? [],
  };
}

/** All rows of a call have one kind and one domain (4.1.7). They are read first, so their hashes must fit in a URL. */
const byKind = {
  group: ({ operation, domain = '' }: AppliedRow): string => `${operation} ${domain}`,
  fitting: fittingHashes,
};

/** Adapts an operation to rows that contain its rows. */
export function through<Row extends object, Inner extends object>(
  { call, request, inspect, isDone, notApplied, statusOf, kind, doubt }: BulkOperation<Inner>,
  innerOf: (row: Row) => Inner,
): BulkOperation<Row> {
  const seen = (row: RowToInspect<Row>): RowToInspect<Inner> => ({ ...row, payload: innerOf(row.payload) });
  return {
    kind,
    doubt,
    request: (rows) => request(rows.map(innerOf)),
    call: async (rows, signal, _json, watch) => await call(rows.map(innerOf), signal, undefined, watch),
    ...(inspect && { inspect: async (rows, signal) => await inspect(rows.map(seen), signal) }),
    ...(isDone && { isDone: (row, record) => isDone(innerOf(row), record) }),
    ...(notApplied && { notApplied: (row, record) => notApplied(innerOf(row), record) }),
    statusOf: (row, done) => statusOf(innerOf(row), done),
  };
}

/** Rows in doubt may differ in kind and domain. */
async function inspectEach(
  rows: readonly RowToInspect<AppliedRow>[],
  kinds: Kinds,
  signal: AbortSignal | undefined,
): Promise<readonly Verdict[]> {
  const found = new Map<RowToInspect<AppliedRow>, Verdict>();
  for (const group of groupsOf(rows, { limit: rows.length, group: ({ payload }) => byKind.group(payload) })) {
    const kind = group[0]?.payload.operation ?? 'edit';
    const verdicts = (await kinds[kind].inspect?.(group, signal)) ?? group.map(() => again);
    for (const [nth, row] of group.entries()) found.set(row, asOurs(verdicts[nth] ?? doubtful, row));
  }
  return rows.map((row) => found.get(row) ?? doubtful);
}

/** A link that an attempt of this run made counts as created, so that undo deletes it. */
function asOurs(verdict: Verdict, { payload, inDoubt }: RowToInspect<AppliedRow>): Verdict {
  if (verdict.kind !== 'done' || payload.operation !== 'shorten' || !inDoubt) return verdict;
  const { shared: _, ...done } = verdict;
  return done;
}

/** A deleted link or a link of another account, with its hash and fields. */
type RecreatedRow = ShortenItem & LinkKey;

/**
 * POST /urls for links that were deleted or are copied, on their domains. The hash is the idempotency key (4.3.4), so an equal link of
 * somebody else would be returned as new. It is therefore read first, unless the plan has just read it.
 */
export function recreateOperation(settings: ChangeSettings): BulkOperation<RecreatedRow> {
  const { client } = settings;
  const mode = chooseMode({ edition: client.edition, rows: 1, keyedRows: 1, dedupe: 'off', generateHashes: false });
  const on = (domain = settings.domain) => through(shortenOperation({ client, mode, domain }), sentItem);
  const onAny = on();
  return {
    ...onAny,
    ...byDomain,
    read: reading(settings),
    requestedFields: ({ hash: _, domain: __, custom_hash: ___, ...fields }) => fields,
    // Its hash was free.
    statusOf: (_, done) => (done.unchanged || done.shared ? 'existing' : 'created'),
    notApplied: valuesNotApplied,
    isDone: (row, record) => valuesNotApplied(row, record).length === 0,
    request: (rows) => on(rows[0]?.domain).request(rows),
    call: async (rows, ...rest) => await on(rows[0]?.domain).call(rows, ...rest),
    inspect: async (rows, signal) => (await on(rows[0]?.payload.domain).inspect?.(rows, signal)) ?? [],
  };
}

/** Servers may refuse a value of no effect, such as no last day. */
function sentItem({ hash: _, domain: __, ...item }: RecreatedRow): ShortenItem {
  return withoutDefaults(item);
}

/** Compares all values of the row, because the server may give a new link others than those of the API. */
function valuesNotApplied({ hash: _, domain: __, ...item }: RecreatedRow, record: KnownRecord) {
  return notApplied(item, record);
}
