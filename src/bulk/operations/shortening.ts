import { SeenKeys } from '../../base/seen-keys.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import { notApplied } from '../../link/same.ts';
import { sameUrl } from '../../link/value.ts';
import type { Newness } from '../checked/newness.ts';
import { matchAnswer } from '../matching/matching.ts';
import { again, type Done, looksPreexisting, type Verdict } from '../matching/row-verdict.ts';
import type { ConflictSettings } from './conflicts.ts';
import { withNumberedHash } from './made-hashes.ts';
import type { ConflictPolicy, Mode } from './modes.ts';
import type { BulkOperation, Call, RowToInspect } from './operation.ts';

interface ShortenSettings extends ConflictSettings {
  readonly mode: Mode;
  readonly detectsNew?: boolean | undefined;
  readonly onConflict?: Exclude<ConflictPolicy, 'update'> | undefined;
}

/** POST /urls. Handles taken hashes as `onConflict` says. */
export function shortenOperation({ onConflict = 'fail', ...settings }: ShortenSettings): BulkOperation<ShortenItem> {
  const operation = plainShortening(settings);
  if (onConflict === 'fail') return operation;
  return {
    ...operation,
    call: async (...asked) => {
      const { resolvingConflicts } = await import('./conflicts.ts');
      return await resolvingConflicts(operation, onConflict, settings)(...asked);
    },
    // A link that was found by its hash existed before.
    statusOf: (item, done) => (done.shared ? 'existing' : operation.statusOf(item, done)),
    notApplied: (item, record) => operation.notApplied?.(withNumberedHash(item, record), record) ?? [],
  };
}

/** POST /urls. After an unknown outcome, keyed and dedupe mode repeat the call; checked mode reads the listing. */
function plainShortening({ client, mode, domain, detectsNew = true, mayCall }: ShortenSettings): BulkOperation<ShortenItem> {
  const isChecked = mode.name === 'checked';
  const doubt = isChecked ? 'read_back' : 'repeat';
  const sharing = mode.name === 'dedupe';
  /** In dedupe mode, a link is new only if it is proven new. Otherwise it may be years old. */
  const isNew = (item: ShortenItem, done: Done): boolean => {
    // Without duplicate control, the server makes a new link (4.3.2).
    if (isChecked) return !done.shared;
    const isOld = looksPreexisting(item, done);
    return sharing ? done.fresh === true && !isOld : mode.generateHashes || !isOld;
  };
  const given = new SeenKeys();
  let newest: readonly string[] | undefined;
  let begun: Promise<Newness> | undefined;
  const loadNewness = (): Promise<Newness> => {
    begun ??= import('../checked/newness.ts').then(({ createNewness }) => createNewness({ client, domain, mayCall, newest }));
    return begun;
  };
  const query = { domain, disable_long_url_duplicates: mode.duplicates };
  const request = (items: readonly ShortenItem[]): Call<'shortenUrls'> => {
    return { operation: 'shortenUrls', input: { query, body: { urls: sharing ? distinct(items) : [...items] } } };
  };
  return {
    kind: 'shorten',
    doubt,
    request,
    call: async (items, signal, json, watch) => {
      const { operation, input } = request(items);
      const { urls } = input.body;
      const bodyText = json === undefined || sharing ? undefined : `{"urls":${json}}`;
      const options = { repeat: doubt === 'repeat', signal, ...watch };
      const send = async (): Promise<readonly unknown[]> => (await client.send(operation, { ...input, bodyText }, options)).urls;
      if (!sharing) return matchAnswer(urls, await send());
      const { sendSharedBatch } = await import('./shared-links.ts');
      const newness = detectsNew ? await loadNewness() : undefined;
      return await sendSharedBatch(items, urls, { send, given, newness, signal });
    },
    ...(sharing && { sharedBy: ({ long_url, custom_hash }) => (custom_hash ? [] : [long_url]) }),
    statusOf: (item, done) => (isNew(item, done) ? 'created' : 'existing'),
    ...(isChecked && { mayBeOlder: looksPreexisting }),
    notApplied: (item, record) => notApplied(item, record),
    ...(mode.name === 'keyed' && { inspect: (rows, signal) => findByHash(rows, { client, domain }, signal) }),
    ...(sharing && {
      remember: (hashes) => hashes.forEach((hash) => void given.add(hash)),
      listed: (hashes) => {
        newest = hashes;
      },
    }),
  };
}

/** Rows with the same long URL and no custom hash share a link, so only the first of them is sent. */
function distinct(items: readonly ShortenItem[]): ShortenItem[] {
  const seen = new Set<string>();
  return items.filter(({ long_url, custom_hash }) => custom_hash || (!seen.has(long_url) && seen.add(long_url)));
}

/** A link with the hash and the long URL of a row belongs to the row, however the server spells the URL. */
async function findByHash(
  rows: readonly RowToInspect<ShortenItem>[],
  { client, domain }: Pick<ShortenSettings, 'client' | 'domain'>,
  signal: AbortSignal | undefined,
): Promise<Verdict[]> {
  const { urlsByHash } = await import('../../client/named-urls.ts');
  const hashes = rows.map(({ payload }) => payload.custom_hash ?? '');
  const found = await urlsByHash(hashes, { client, domain, batchSize: hashes.length, signal });
  return rows.map(({ payload }): Verdict => {
    const record = found.get(payload.custom_hash ?? '');
    const isOurs = record && sameUrl(record.long_url, payload.long_url);
    return isOurs ? { kind: 'done', record, evidence: 'hash', shared: true } : again;
  });
}
