import { UsageError } from '../../base/errors.ts';
import { SeenKeys } from '../../base/seen-keys.ts';
import { isNumbered } from '../../bulk/operations/made-hashes.ts';
import type { ConflictPolicy, Mode } from '../../bulk/operations/modes.ts';
import { updatingOperation } from '../../bulk/operations/update.ts';
import type { RunInput, RunRow } from '../../bulk/run-plan.ts';
import { canAsk } from '../../cli/prompt.ts';
import type { Session } from '../../cli/session.ts';
import { urlsByHash } from '../../client/named-urls.ts';
import { fieldNames } from '../../contract/fields.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import type { UrlRecord } from '../../contract/records.ts';
import type { BulkOptions } from '../../flags/bulk-flags.ts';
import { notApplied, unappliedText } from '../../link/same.ts';
import { sameUrl } from '../../link/value.ts';
import { grouped, quantity } from '../../output/quantity.ts';
import type { RowsReport } from '../../output/report.ts';
import type { RunPresentation } from '../change.ts';
import { consentToPlan } from '../consent.ts';
import { asInFile } from '../decide/apply.ts';
import type { PlannedLink, PlannedOutcome } from '../decide/outcome.ts';
import { ChangePlan } from '../plan/plan.ts';
import { leftLines, planLines } from '../plan/text.ts';
import { markShown, sendingOf } from '../run-settings.ts';
import { typedReport } from '../typed-report.ts';
import { typedInput } from './named.ts';
import { type ReadableRows, withLinksRead } from './read-links.ts';

/** Rows of links to create; some name the hash of an existing link. */
interface HashRows {
  readonly input: Pick<RunInput<ShortenItem>, 'rows' | 'open'>;
  payload(item: ShortenItem): ShortenItem;
  readonly batchSize: number;
}

/** Asks before existing links are edited, if someone can answer. Asks nothing about new links. */
export async function consentToUpdates(
  { input, payload, batchSize }: HashRows,
  session: Session,
): Promise<ReadableRows<ShortenItem>> {
  if (session.global.yes || !canAsk(session)) return input;
  const plan = new ChangePlan('change', session);
  const read = async (all: readonly RunRow<ShortenItem>[]) => {
    const items = all.map(({ item }) => item);
    const links = await linksNamed(items, session);
    plan.add(conflictsOf(items.map(payload), links, true));
    return links;
  };
  const rows = await withLinksRead(input, batchSize, read, session);
  if (plan.planned > 0) await consentToPlan(plan, { verb: 'Edit' }, session);
  return rows;
}

/** Finds taken hashes for `--dry-run`. */
export interface ForeseenConflicts {
  read(items: readonly ShortenItem[]): Promise<void>;
  /** Says how many of the rows would be shortened, how many have their link already, and how many would fail. */
  countText(rows: number): string;
  notes(): string[];
}

export function foreseeConflicts(policy: Exclude<ConflictPolicy, 'fail'>, session: Session): ForeseenConflicts {
  const plan = new ChangePlan('change', session);
  const isUpdate = policy === 'update';
  let existing = 0;
  return {
    async read(items) {
      const links = await linksNamed(items, session);
      const conflicts = conflictsOf(items, links, isUpdate);
      plan.add(conflicts);
      existing += links.filter(Boolean).length - conflicts.length;
    },
    countText(rows) {
      const failing = plan.countOf('refused');
      const created = rows - existing - failing - (policy === 'rename' ? 0 : plan.planned);
      const others = [
        ...(existing > 0 ? [`${grouped(existing)} existing`] : []),
        ...(failing > 0 ? [`${grouped(failing)} would fail`] : []),
      ];
      return [`${quantity(created, 'URL')} would be shortened`, ...others].join(', ');
    },
    notes() {
      const { planned } = plan;
      if (planned === 0) return ['no custom hash has another destination', ...leftLines(plan)];
      const [one, many] = isUpdate
        ? ['has a link with other values', 'have links with other values']
        : ['has another destination', 'have another destination'];
      const subject = planned === 1 ? `1 custom hash ${one}` : `${grouped(planned)} custom hashes ${many}`;
      return [`${subject}: ${policyTexts[policy]}`, ...(isUpdate ? planLines : leftLines)(plan)];
    },
  };
}

const policyTexts = {
  skip: 'would be skipped',
  rename: 'would get a number',
  update: 'the existing link would be edited',
} as const;

/** Returns the links with the hashes of rows: null for a free hash, undefined for a row without one. */
export async function linksNamed(
  items: readonly ShortenItem[],
  { client, domain }: Session,
): Promise<readonly (UrlRecord | null | undefined)[]> {
  const hashes = items.flatMap(({ custom_hash }) => custom_hash ?? []);
  const links = hashes.length === 0 ? undefined : await urlsByHash(hashes, { client, domain, batchSize: hashes.length });
  return items.map(({ custom_hash }) => (custom_hash === undefined ? undefined : (links?.get(custom_hash) ?? null)));
}

/**
 * Decides about rows whose hash is taken. With `isUpdate`, links with other values are edited. Otherwise links with another destination are
 * conflicts, and a row fails whose link has the destination but not the other values. Returns nothing for a link that is as requested.
 */
function conflictsOf(
  items: readonly ShortenItem[],
  links: readonly (UrlRecord | null | undefined)[],
  isUpdate: boolean,
): PlannedLink[] {
  return items.flatMap((item, nth) => {
    const record = links[nth];
    if (!record) return [];
    const { custom_hash: hash = '', ...fields } = item;
    const target = { hash };
    const isOurs = !isUpdate && sameUrl(record.long_url, fields.long_url);
    const outcome = isOurs ? ifUnapplied(item, record) : asInFile.onBoth({ hash, ...fields }, record, target);
    return outcome.kind === 'unchanged' ? [] : [{ target, record, outcome }];
  });
}

/** As a run decides about the link of a row that it did not make. */
function ifUnapplied(item: ShortenItem, record: UrlRecord): PlannedOutcome {
  const differences = notApplied(item, record);
  return differences.length === 0 ? { kind: 'unchanged' } : { kind: 'refused', reason: unappliedText(differences) };
}

/** Throws a UsageError if rows lack a custom hash and only hashes make the policy safe to repeat (4.3.4). */
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

/** A link to create, or to edit if its hash is taken. */
interface TypedUpdate {
  /** The title of the run. */
  readonly what: string;
  /** A single item, because only one link can have the hash. */
  readonly items: readonly ShortenItem[];
  readonly mode: Mode;
  readonly options: BulkOptions;
  readonly presentation: Omit<RunPresentation, 'doing'>;
}

/** Starts a run, because only a run can be undone and the hash is read anyway. Like `edit <hash>`, it does not ask. */
export async function makeOrEdit(
  { what, items, mode, options, presentation }: TypedUpdate,
  session: Session,
): Promise<RowsReport> {
  const { edition, note } = session;
  const { only, ...report } = await typedReport(
    {
      ...sendingOf(options, session),
      // The link may have been edited since an equal command.
      again: true,
      operation: updatingOperation,
      mode,
      undo: true,
      what,
      input: typedInput(items, what),
      payload: (item: ShortenItem) => item,
      options: { onConflict: 'update' },
      columns: fieldNames('shorten', edition),
    },
    { ...presentation, markShown },
    session,
  );
  const isMoved = only !== undefined && !sameUrl(only.before?.long_url ?? '', items[0]?.long_url);
  if (only?.status === 'changed') await note(isMoved ? `changed: the destination was ${only.before?.long_url}` : 'changed');
  return report;
}
