import { UsageError } from '../../base/errors.ts';
import { SeenKeys } from '../../base/seen-keys.ts';
import type { ConflictPolicy, Mode } from '../../bulk/operations/modes.ts';
import { isNumbered } from '../../bulk/operations/numbered-hash.ts';
import type { RunInput } from '../../bulk/run-plan.ts';
import { canAsk } from '../../cli/prompt.ts';
import type { Session } from '../../cli/session.ts';
import { urlsByHash } from '../../client/named-urls.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { sameUrl } from '../../link/value.ts';
import { grouped } from '../../output/quantity.ts';
import { consentToPlan } from '../consent.ts';
import { asInFile } from '../decide/apply.ts';
import type { PlannedLink } from '../plan/outcome.ts';
import { startPlan } from '../plan/plan.ts';
import { planLines } from '../plan/text.ts';
import { linksReadFor, type ReadableRows } from './read-links.ts';

/** Rows of links to be made; some name the hash of a link that exists. */
interface HashRows {
  readonly input: Pick<RunInput<ShortenItem>, 'rows' | 'open'>;
  payload(item: ShortenItem): ShortenItem;
  readonly batchSize: number;
}

/**
 * Reads the hashes of all rows, shows which links would be edited and asks, as before an edit. Nothing is asked of links that are made,
 * nor where nobody can answer.
 */
export async function consentToUpdates(
  { input, payload, batchSize }: HashRows,
  session: Session,
): Promise<ReadableRows<ShortenItem>> {
  if (session.global.yes || !canAsk(session)) return input;
  const plan = startPlan({ verb: 'change', session });
  const read = async (items: readonly ShortenItem[]) => {
    const links = await linksNamed(items, session);
    for (const link of conflictsOf(items.map(payload), links, true)) plan.add(link);
    return links;
  };
  const rows = await linksReadFor(input, batchSize, read, session);
  if (plan.planned > 0) await consentToPlan(plan, { verb: 'Edit' }, session);
  return rows;
}

/** Hashes that are taken, for `--dry-run`. */
export interface ForeseenConflicts {
  /** Reads the hashes of rows. */
  read(items: readonly ShortenItem[]): Promise<void>;
  /** About all that were read. */
  notes(): string[];
}

export function foreseeConflicts(policy: Exclude<ConflictPolicy, 'fail'>, session: Session): ForeseenConflicts {
  const plan = startPlan({ verb: 'change', session });
  const isUpdate = policy === 'update';
  return {
    async read(items) {
      for (const link of conflictsOf(items, await linksNamed(items, session), isUpdate)) plan.add(link);
    },
    notes() {
      const { planned } = plan;
      if (planned === 0) return ['no custom hash leads elsewhere'];
      const [one, many] = isUpdate
        ? ['has a link with other values', 'have links with other values']
        : ['leads elsewhere', 'lead elsewhere'];
      const subject = planned === 1 ? `1 custom hash ${one}` : `${grouped(planned)} custom hashes ${many}`;
      return [`${subject}: ${ways[policy]}`, ...(isUpdate ? planLines(plan) : [])];
    },
  };
}

const ways = {
  skip: 'would be skipped',
  rename: 'would get a number',
  update: 'the existing link would be edited',
} as const;

/** The links that have the hashes of rows; undefined for a row without one. */
export async function linksNamed(
  items: readonly ShortenItem[],
  { client, domain }: Session,
): Promise<readonly (UrlRecord | null | undefined)[]> {
  const hashes = items.flatMap(({ custom_hash }) => custom_hash ?? []);
  const links = hashes.length === 0 ? undefined : await urlsByHash(hashes, { client, domain, batchSize: hashes.length });
  return items.map(({ custom_hash }) => (custom_hash === undefined ? undefined : (links?.get(custom_hash) ?? null)));
}

/** The rows whose hash leads elsewhere, as edits of its link; those of links that lead there and lack something, too, where they are edited. */
function conflictsOf(
  items: readonly ShortenItem[],
  links: readonly (UrlRecord | null | undefined)[],
  isUpdate: boolean,
): PlannedLink[] {
  return items.flatMap(({ custom_hash: hash = '', ...fields }, nth) => {
    const record = links[nth];
    if (!record || (!isUpdate && sameUrl(record.long_url, fields.long_url))) return [];
    const target = { hash };
    const outcome = asInFile.onBoth({ hash, ...fields }, record, target);
    return outcome.kind === 'change' ? [{ target, record, outcome }] : [];
  });
}

/** Throws a UsageError for rows without a custom hash where only that makes a policy safe to repeat (4.3.4). */
export function requireHashes(policy: ConflictPolicy | undefined, mode: Pick<Mode, 'name'>): void {
  if ((policy !== 'rename' && policy !== 'update') || mode.name === 'keyed') return;
  throw new UsageError(`--on-conflict ${policy}: every row needs a custom hash`, {
    hint: 'add --generate-hashes for the other rows',
  });
}

/** Collects the numbered hashes that rows ask for, so that no other row is renamed to one of them. */
export async function askedHashes({ open }: Pick<RunInput<ShortenItem>, 'open'>): Promise<(hash: string) => boolean> {
  const seen = new SeenKeys();
  for await (const rows of open()) {
    for (const { item } of rows) if (item.custom_hash !== undefined && isNumbered(item.custom_hash)) seen.add(item.custom_hash);
  }
  return (hash) => seen.has(hash);
}
