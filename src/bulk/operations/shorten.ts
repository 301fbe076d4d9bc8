import { UsageError } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { SeenKeys } from '../../client/seen-keys.ts';
import { type Edition, editions, thisServer } from '../../contract/editions.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import { hasUnasked, notApplied } from '../../link/same.ts';
import { sameUrl } from '../../link/value.ts';
import type { Newness, NewnessSettings } from '../checked/newness.ts';
import { matchAnswer } from '../matching/matching.ts';
import { again, type BatchAnswer, type Done, type Verdict } from '../matching/row-verdict.ts';
import type { ConflictSettings } from './conflicts.ts';
import { asNamed } from './numbered-hash.ts';
import type { BulkOperation, Call, SoughtRow } from './operation.ts';

/** What keeps a shortening run from making a link twice (R 1.2). */
export type ModeName = 'keyed' | 'dedupe' | 'checked';

export interface Mode {
  readonly name: ModeName;
  /** Value of `disable_long_url_duplicates`; checked mode sends none. */
  readonly duplicates?: string | undefined;
  /** Rows without a custom hash are given one. */
  readonly generateHashes: boolean;
  /** Some rows have a custom hash of their own, which an equal link may have had before. */
  readonly hasOwnHashes?: boolean;
}

export type DedupeScope = 'off' | 'account' | 'domain';

export interface ModeRequest {
  readonly edition: Edition;
  readonly rows: number;
  /** Rows that have a custom hash of their own. */
  readonly keyedRows: number;
  readonly dedupe: DedupeScope;
  readonly generateHashes: boolean;
}

/** Picks the mode by what rows and flags offer. Throws `UsageError` for flags that exclude each other or lack in the edition. */
export function chooseMode({ edition, rows, keyedRows, dedupe, generateHashes }: ModeRequest): Mode {
  const { dedupe: values } = editions[edition];
  if (dedupe !== 'off' && generateHashes) {
    throw new UsageError('specify only one of --dedupe and --generate-hashes: custom hashes disable the search for duplicates');
  }
  if (dedupe === 'domain' && values.domain === undefined) {
    throw new UsageError(`--dedupe domain: ${thisServer(edition)} has one domain; use --dedupe account`);
  }
  // 4.3.4 makes a custom hash an idempotency key under any value: what was said, or the narrowest (R-X8).
  if (generateHashes || (rows > 0 && keyedRows === rows)) {
    const said = dedupe === 'off' ? undefined : values[dedupe];
    const duplicates = said ?? values.domain ?? values.account;
    return { name: 'keyed', duplicates, generateHashes, hasOwnHashes: keyedRows > 0 };
  }
  if (dedupe === 'off') return { name: 'checked', generateHashes: false };
  return { name: 'dedupe', duplicates: values[dedupe], generateHashes: false };
}

/** What the mode promises, for `-v`, the summary in JSON and help. */
export const guarantees: { readonly [M in ModeName]: string } = {
  keyed: 'safe to repeat: every row has its own hash, so no row can be made twice',
  dedupe: 'at most one new link per long URL; existing means not proven new',
  checked: 'each row is confirmed by reading the account back; rows that cannot be confirmed are unknown',
};

/** What is done with a row whose custom hash has a link that leads elsewhere (I6). */
export const conflictPolicies = ['fail', 'skip', 'update', 'rename'] as const;

export type ConflictPolicy = (typeof conflictPolicies)[number];

interface ShortenSettings {
  readonly client: Pick<Client, 'send'>;
  readonly mode: Mode;
  /** Edition A: the working domain, pinned on every call (R-X8). */
  readonly domain?: string | undefined;
  /** Reads which links are new, where duplicate control hands out old ones too (`D26`); true without it. */
  readonly tellsNew?: boolean | undefined;
  /** Bounds the calls that this takes. */
  readonly mayCall?: NewnessSettings['mayCall'];
  /** `fail` without it. */
  readonly onConflict?: Exclude<ConflictPolicy, 'update'> | undefined;
  readonly isAskedFor?: ConflictSettings['isAskedFor'];
}

/** POST /urls, with what is done about hashes that are taken. */
export function shortenOperation({ onConflict = 'fail', ...settings }: ShortenSettings): BulkOperation<ShortenItem> {
  const operation = plainShortening(settings);
  if (onConflict === 'fail') return operation;
  return {
    ...operation,
    call: async (...asked) => {
      const { resolvingConflicts } = await import('./conflicts.ts');
      return await resolvingConflicts(operation, onConflict, settings)(...asked);
    },
    // A link that was found was there.
    statusOf: (item, done) => (done.shared ? 'existing' : operation.statusOf(item, done)),
    notApplied: (item, record) => operation.notApplied?.(asNamed(item, record), record) ?? [],
  };
}

/** POST /urls. In doubt keyed and dedupe repeat; checked reads the listing. */
function plainShortening({
  client,
  mode,
  domain,
  tellsNew = true,
  mayCall,
}: Omit<ShortenSettings, 'onConflict' | 'isAskedFor'>): BulkOperation<ShortenItem> {
  const doubt = mode.name === 'checked' ? 'read_back' : 'repeat';
  const sharing = mode.name === 'dedupe';
  const given = new SeenKeys();
  let begun: Promise<Newness> | undefined;
  const tellNew = (): Promise<Newness> => {
    begun ??= import('../checked/newness.ts').then(({ createNewness }) => createNewness({ client, domain, mayCall }));
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
      const newness = sharing && tellsNew ? await tellNew() : undefined;
      await newness?.begin(signal);
      const answer = await client.send(operation, { ...input, bodyText }, { repeat: doubt === 'repeat', signal, ...watch });
      const found = matchAnswer(urls, answer.urls, { sharing });
      if (!sharing) return found;
      const shared = shareOut(items, urls, found, given);
      return newness ? await withNew(items, shared, newness, signal) : shared;
    },
    hashOf: ({ custom_hash }) => custom_hash,
    ...(sharing && { sharedBy: ({ long_url, custom_hash }) => (custom_hash ? undefined : long_url) }),
    statusOf: (item, done) =>
      (sharing ? isNew(item, done) : mode.generateHashes || !wasThere(item, done)) ? 'created' : 'existing',
    notApplied: (item, record) => notApplied(item, record),
    ...(mode.name === 'keyed' && { inspect: (rows, signal) => findByHash(rows, { client, domain }, signal) }),
    ...(sharing && { remember: (hashes) => hashes.forEach((hash) => void given.add(hash)) }),
  };
}

/** Rows with one long URL and no hash of their own are one link: the first of them is sent (R 1.2). */
function distinct(items: readonly ShortenItem[]): ShortenItem[] {
  const seen = new Set<string>();
  return items.filter(({ long_url, custom_hash }) => custom_hash || (!seen.has(long_url) && seen.add(long_url)));
}

function shareOut(
  items: readonly ShortenItem[],
  sent: readonly ShortenItem[],
  { verdicts, surplus }: BatchAnswer,
  given: SeenKeys,
): BatchAnswer {
  const ofItem = new Map(sent.map((item, position) => [item, verdicts[position]]));
  const ofUrl = new Map(sent.filter(({ custom_hash }) => !custom_hash).map((item) => [item.long_url, ofItem.get(item)]));
  const shared = items.map((item) => {
    const verdict = ofItem.has(item) ? ofItem.get(item) : ofUrl.get(item.long_url);
    if (verdict?.kind !== 'done' || !verdict.record) return verdict;
    return given.add(verdict.record.hash) ? verdict : { ...verdict, shared: true as const };
  });
  return { verdicts: shared, surplus };
}

/** Says of each link whether it was seen to be new; those that show that they are old need no reading. */
async function withNew(
  items: readonly ShortenItem[],
  { verdicts, surplus }: BatchAnswer,
  newness: Newness,
  signal: AbortSignal,
): Promise<BatchAnswer> {
  const perhapsNew = items.map((item, position) => {
    const verdict = verdicts[position];
    return verdict?.kind === 'done' && !wasThere(item, verdict) ? verdict.record?.hash : undefined;
  });
  const hashes = perhapsNew.filter((hash) => hash !== undefined);
  const fresh = hashes.length > 0 ? await newness.among(hashes, signal) : new Set<string>();
  const isFresh = (hash: string | undefined): boolean => hash !== undefined && fresh.has(hash);
  return {
    verdicts: verdicts.map((verdict, position) =>
      verdict?.kind === 'done' && isFresh(perhapsNew[position]) ? { ...verdict, fresh: true as const } : verdict,
    ),
    surplus,
  };
}

/** What nobody saw to be new is not called so: it may have been there for years (`D26`). */
function isNew(item: ShortenItem, done: Done): boolean {
  return done.fresh === true && !wasThere(item, done);
}

/**
 * Signs that a record is older than the request: it has been clicked, or it holds what the row did not ask for. Without a sign
 * nothing shows it, and the row counts as created.
 */
function wasThere(item: ShortenItem, { record, shared }: Done): boolean {
  if (shared) return true;
  if (!record) return false;
  return hasUnasked(item, record) || Number(record.total_clicks) > 0 || Boolean(record.last_visit);
}

/** D4: a hash that leads to the row's long URL, however a server writes that, is the row's. */
async function findByHash(
  rows: readonly SoughtRow<ShortenItem>[],
  { client, domain }: Pick<ShortenSettings, 'client' | 'domain'>,
  signal: AbortSignal,
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
