import { CliError, LocalError, sharedFailure, UsageError } from '../base/errors.ts';
import { recordTagRun, type TagRun } from '../bulk/tag-run.ts';
import { confirm } from '../cli/prompt.ts';
import { type Session, whereabouts } from '../cli/session.ts';
import { accountTags } from '../client/tag-changes.ts';
import { countUrls } from '../client/whole-listing.ts';
import { foldLabel, hasOperators, labelExpression } from '../contract/tag-label.ts';
import { quantity } from '../output/quantity.ts';
import { batchesOf, type Column, type Row, type RowsReport } from '../output/report.ts';
import { askFor } from './consent.ts';
import { refuseTooMany, requireAnswer } from './limits.ts';
import { shownLinks } from './plan/text.ts';
import { environmentOf } from './report.ts';

/**
 * Shows what will go and how many links lose it, and asks; from 100 links on their number is typed. Links are what `--max-affected`
 * counts here, too.
 */
export async function consentToTags(labels: readonly string[], session: Session): Promise<void> {
  await requireAnswer(session, 'named');
  const { yes, maxAffected } = session.global;
  if (yes && maxAffected === undefined) return;
  const { spelled } = await accountTags(session.client);
  const found = labels.filter((label) => spelled(label) !== undefined);
  for (const label of labels) {
    if (!yes && !found.includes(label)) await session.streams.message(`  ${JSON.stringify(label)} (not found)`);
  }
  if (found.length === 0) return await confirm(`Delete ${namedTags(labels)} of ${whereabouts(session)}?`, session);
  const links = await countTagged(found, session, 'leave out --no-undo');
  if (yes) return;
  const carried =
    links === 0 ? 'used by no link' : `used by ${links === undefined ? 'an unknown number of links' : quantity(links, 'link')}`;
  const question = `Delete ${namedTags(found)}, ${carried}, of ${whereabouts(session)}?`;
  await askFor(question, links ?? 0, session);
}

export function namedTags(labels: readonly string[]): string {
  const shown = labels.slice(0, 5).map((label) => JSON.stringify(label));
  const rest = labels.length > shown.length ? ` and ${labels.length - shown.length} more` : '';
  return labels.length === 1 ? `tag ${shown[0]}` : `${labels.length} tags: ${shown.join(', ')}${rest}`;
}

/** Counts the links with one of the tags. Throws where they are more than `--max-affected` allows, or cannot be counted for it. */
export async function countTagged(labels: readonly string[], session: Session, hint?: string): Promise<number | undefined> {
  const links = await linksWith(labels, session);
  if (session.global.maxAffected !== undefined && links === undefined) {
    throw new UsageError('--max-affected: the links of these tags cannot be counted', { hint });
  }
  refuseTooMany(links ?? 0, session);
  return links;
}

/** The number of links with one of the tags; unknown where a server misreads a label with operators. */
async function linksWith(labels: readonly string[], { client }: Session): Promise<number | undefined> {
  const wanted = new Set(labels.map(foldLabel));
  const hasOne = ({ tags }: { readonly tags?: readonly string[] }): boolean =>
    tags?.some((label) => wanted.has(foldLabel(label))) ?? true;
  try {
    const { count, first } = await countUrls(client, { tags: labels.map(labelExpression).join('|') }, { shown: shownLinks });
    return first.every(hasOne) && (count > 0 || !labels.some(hasOperators)) ? count : undefined;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

export interface LabelChange {
  /** The JSON member that holds the rows. */
  readonly key: string;
  /** The status of a tag in messages and the summary: `added`. */
  readonly done: 'added' | 'deleted' | 'merged' | 'restored';
  readonly sentence: string;
  readonly ignoreMissing?: boolean;
  /** Links that were changed for it. */
  readonly links?: () => number;
}

/** Does one thing to every label, in order. What the server refuses of one does not stop the others; anything else does. */
export function changeEach(labels: readonly string[], work: (label: string) => Promise<Row>, change: LabelChange): RowsReport {
  const { key, done, sentence, ignoreMissing = false, links } = change;
  const failures = new Map<Row, CliError>();
  let changed = 0;
  let missing = 0;
  async function* rows(): AsyncGenerator<[Row]> {
    for (const label of labels) {
      try {
        const row = await work(label);
        changed += 1;
        yield [row];
      } catch (error) {
        if (!isRefusal(error)) throw error;
        const isMissing = error.kind === 'not_found';
        if (isMissing) missing += 1;
        if (isMissing && ignoreMissing) continue;
        const row = { label, error: { code: error.apiCode ?? 0, message: error.message, details: '' } };
        failures.set(row, error);
        yield [row];
      }
    }
  }
  return {
    ...labelRows(key, rows()),
    sentence: (row, { tick }) => `${tick} ${sentence} "${row.label}"`,
    failure: (row) => failures.get(row),
    members: () => ({
      summary: { rows: labels.length, [done]: changed, failed: failures.size, missing, ...(links && { links: links() }) },
    }),
    outcome: () => sharedFailure([...failures.values()], labels.length, `tags were not ${done}`),
    abandoned: () =>
      new LocalError(`output pipe closed after ${changed} of ${labels.length} tags were ${done}`, {
        hint: 'run the same command again to finish',
      }),
  };
}

/** Makes the changes of a report as one run without rows. What was done before a failure keeps its record. */
export async function recordedTags(
  report: RowsReport,
  run: TagRun,
  session: Session,
  prepare: () => Promise<void> = async () => undefined,
): Promise<RowsReport> {
  const rows: Row[] = [];
  let failure: unknown;
  const act = async (): Promise<void> => {
    await prepare();
    for await (const some of batchesOf(report)) rows.push(...some);
  };
  const isBegun = (): boolean => rows.length > 0;
  await recordTagRun(run, environmentOf(session), act, isBegun).catch((error: unknown) => {
    if (!isBegun()) throw error;
    failure = error;
  });
  async function* collected(): AsyncGenerator<Row[]> {
    yield rows;
    if (failure) throw failure;
  }
  return { ...report, rows: collected() };
}

/** An answer about the label, and not about the account, the quota or the connection. */
function isRefusal(error: unknown): error is CliError {
  return error instanceof CliError && ['not_found', 'rejected', 'failed', 'partial'].includes(error.kind);
}

/** Tags as rows, under the JSON member `key`. */
export function labelRows(key: string, rows: RowsReport['rows'], columns: readonly Column[] = [{ name: 'label' }]): RowsReport {
  return { kind: 'rows', key, rows, columns };
}
