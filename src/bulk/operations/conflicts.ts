import { CallError } from '../../client/call-error.ts';
import { urlsByHash } from '../../client/named-urls.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { sameUrl } from '../../link/value.ts';
import type { NewnessSettings } from '../checked/newness.ts';
import { again, type BatchAnswer, type Verdict } from '../matching/row-verdict.ts';
import { numberedHashes } from './made-hashes.ts';
import type { BulkOperation } from './operation.ts';

export interface ConflictSettings extends NewnessSettings {
  /** Rows are not renamed to a hash that another row of the input requests. */
  readonly isRequested?: ((hash: string) => boolean) | undefined;
}

/** The hash is taken or not allowed. Only reading its link shows which. */
const taken = 1215;

/**
 * Makes the same call, but skips or renames rows whose hash belongs to a link with another destination. The link is always read: one with
 * the destination of the row belongs to the row, and a hash without a link stays refused.
 */
export function resolvingConflicts(
  operation: BulkOperation<ShortenItem>,
  policy: 'skip' | 'rename',
  { client, domain, mayCall = () => true, isRequested = () => false }: ConflictSettings,
): BulkOperation<ShortenItem>['call'] {
  return async (items, signal, json, watch) => {
    const answer = await operation.call(items, signal, json, watch).catch((error: unknown) => refusalOfOne(items, error));
    const surplus = [...answer.surplus];
    const read: Read = async (hashes) => {
      if (!mayCall()) return undefined;
      return await urlsByHash(hashes, { client, domain, batchSize: hashes.length, signal }).catch(notNow);
    };
    const make: Make = async (named) => {
      if (!mayCall()) return named.map(() => again);
      const made = await operation.call(named, signal, undefined, watch).catch((error: unknown) => notMade(named, error));
      surplus.push(...made.surplus);
      return made.verdicts;
    };
    const resolved = await replaced(items, answer.verdicts, isTaken, (some) => verdictsOfTaken(some, read));
    if (policy === 'skip') return { verdicts: resolved, surplus };
    const verdicts = await replaced(items, resolved, isSkipped, (some) => rename(some, { read, make, isRequested }));
    return { verdicts, surplus };
  };
}

type Verdicts = BatchAnswer['verdicts'];

/** Returns undefined if the links cannot be read now. */
type Read = (hashes: readonly string[]) => Promise<ReadonlyMap<string, UrlRecord> | undefined>;

type Make = (named: readonly ShortenItem[]) => Promise<Verdicts>;

/** Some servers refuse the whole call instead of its only row. */
function refusalOfOne(items: readonly ShortenItem[], error: unknown): BatchAnswer {
  const { last } = error instanceof CallError ? error : {};
  if (items.length !== 1 || last?.outcome !== 'rejected' || last.apiCode !== taken) throw error;
  return { verdicts: [refusal(last.serverMessage ?? last.message)], surplus: [] };
}

function notNow(error: unknown): undefined {
  if (!(error instanceof CallError)) throw error;
}

/** After an unknown outcome the rows get no verdict, so the run resolves the doubt. Otherwise they are sent again. */
function notMade(named: readonly ShortenItem[], error: unknown): BatchAnswer {
  if (!(error instanceof CallError)) throw error;
  return { verdicts: named.map(() => (error.outcome === 'ambiguous' ? undefined : again)), surplus: [] };
}

function refusal(message: string): Verdict {
  return { kind: 'failed', error: { code: taken, message } };
}

function isTaken(verdict: Verdict | undefined): boolean {
  return verdict?.kind === 'failed' && verdict.error.code === taken;
}

function isSkipped(verdict: Verdict | undefined): boolean {
  return verdict?.kind === 'done' && verdict.skipped === true;
}

async function replaced(
  items: readonly ShortenItem[],
  verdicts: Verdicts,
  isMeant: (verdict: Verdict | undefined) => boolean,
  resolve: (items: readonly ShortenItem[]) => Promise<Verdicts>,
): Promise<Verdicts> {
  const some = items.filter((_, nth) => isMeant(verdicts[nth]));
  if (some.length === 0) return verdicts;
  const next = (await resolve(some)).values();
  return items.map((_, nth) => (isMeant(verdicts[nth]) ? next.next().value : verdicts[nth]));
}

async function verdictsOfTaken(items: readonly ShortenItem[], read: Read): Promise<readonly Verdict[]> {
  const links = await read(items.map(({ custom_hash = '' }) => custom_hash));
  // No links were created for these rows, so they are sent again.
  if (!links) return items.map(() => again);
  return items.map(({ custom_hash = '', long_url }): Verdict => {
    const record = links.get(custom_hash);
    if (!record) return refusal('no link of the account has this hash, and it is not available');
    const found = { kind: 'done', record, evidence: 'hash' } as const;
    return sameUrl(record.long_url, long_url) ? { ...found, shared: true } : { ...found, skipped: true };
  });
}

/** Uses the first free numbered hash. A link with the row's destination was made by an earlier attempt or run and is the row's. */
async function rename(
  items: readonly ShortenItem[],
  { read, make, isRequested }: { readonly read: Read; readonly make: Make; isRequested(hash: string): boolean },
): Promise<Verdicts> {
  const names = items.map(({ custom_hash = '' }) => numberedHashes(custom_hash).filter((hash) => !isRequested(hash)));
  const links = await read(names.flat());
  if (!links) return items.map(() => again);
  const given = new Set<string>();
  const choices = items.map((item, nth) => choose(item, names[nth] ?? [], links, given));
  const named = choices.flatMap((choice) => ('item' in choice ? choice.item : []));
  const next = (named.length > 0 ? await make(named) : []).values();
  return choices.map((choice) => ('item' in choice ? orAgain(next.next().value) : choice.verdict));
}

/** The item to send, or the verdict if nothing has to be sent. */
type Choice = { readonly item: ShortenItem } | { readonly verdict: Verdict };

function choose(item: ShortenItem, names: readonly string[], links: ReadonlyMap<string, UrlRecord>, given: Set<string>): Choice {
  for (const name of names) {
    const record = links.get(name);
    if (record && sameUrl(record.long_url, item.long_url)) {
      return { verdict: { kind: 'done', record, evidence: 'hash', shared: true, renamed: true } };
    }
    if (record || given.has(name)) continue;
    given.add(name);
    return { item: { ...item, custom_hash: name } };
  }
  return { verdict: refusal('the hash is taken, and so are its numbered forms (-2 to -9)') };
}

/** If the new hash was taken meanwhile, the row is sent again and gets the next one. */
function orAgain(verdict: Verdict | undefined): Verdict | undefined {
  if (isTaken(verdict)) return again;
  return verdict?.kind === 'done' ? { ...verdict, renamed: true } : verdict;
}
