import { CliError, UnavailableError } from '../base/errors.ts';
import type { TagRecord, UrlRecord } from '../contract/records.ts';
import { foldLabel, isAmbiguousLabel, isSameLabel, labelExpression } from '../contract/tag-label.ts';
import { CallError } from './call-error.ts';
import type { Client } from './client.ts';
import { type FilteredPage, filteredPages } from './filtered-pages.ts';
import type { ListSelection } from './pages.ts';
import { type ListedAccount, refuseIncomplete, wholeAccount } from './whole-listing.ts';

type Sender = Pick<Client, 'send'>;

const maximumRounds = 3;
const tagNotFound = 1309;

/** The tags of an account. */
export interface AccountTags {
  readonly labels: readonly string[];
  /** The label as the account spells it, which is the one to send; undefined for one that does not exist. */
  spelled(label: string): string | undefined;
}

/** GET /tags; `others` count as tags, too. */
export async function accountTags({ send }: Sender, others: readonly string[] = []): Promise<AccountTags> {
  const labels = [...(await send('listTags', {})).tags.map(({ label }) => label), ...others];
  const known = new Map(labels.map((label) => [foldLabel(label), label]));
  // Servers that compare accents as they are composed can have both spellings.
  const exact = new Set(labels);
  return { labels, spelled: (label) => (exact.has(label) ? label : known.get(foldLabel(label))) };
}

/** POST /tags for each label. It makes only what is not there, so it can be repeated (4.2). */
export async function addTags({ send }: Sender, labels: readonly string[] = []): Promise<void> {
  for (const label of labels) await send('addTag', { body: { label } });
}

/** After a deletion with an unknown outcome, "not found" proves that it was done. */
export async function deleteTag({ send }: Sender, label: string): Promise<void> {
  try {
    await send('deleteTag', { path: { label } });
  } catch (error) {
    if (!isOpen(error) || !isNoTag(error)) throw error;
  }
}

export function isNoTag(error: unknown): error is CallError {
  return error instanceof CallError && error.apiCode === tagNotFound;
}

/** After an unknown outcome, the list of tags shows the result. `mayBeDone`: an earlier process may have renamed the tag already. */
export async function renameTag(client: Sender, old: string, label: string, mayBeDone = false): Promise<readonly TagRecord[]> {
  let doubt: CallError | undefined;
  for (let round = 1; ; round += 1) {
    try {
      return (await client.send('renameTag', { path: { label: old }, body: { label } })).tags;
    } catch (error) {
      const isLate = (mayBeDone || doubt !== undefined) && isNoTag(error);
      if (!isOpen(error) && !isLate) throw doubt ?? error;
      const state = await stateOf(client, old, label).catch((unlisted: unknown) => {
        // Without the list the outcome stays unknown, so the first error counts. "Not found" may mean that the rename was done.
        throw doubt ?? (isLate ? unlisted : error);
      });
      if (state === 'renamed') return [{ label }];
      if (isLate && state === 'as before') throw doubt ?? contradiction(old);
      if (state === 'unclear' || round === maximumRounds) throw error;
      doubt = error;
    }
  }
}

/** The list may be out of date, so the tag may have been renamed or deleted. */
export function contradiction(old: string): CliError {
  return new CliError('unknown', `the server lists tag ${JSON.stringify(old)}, but does not find it`, {
    hint: 'check with linkctl tags, then run the same command again',
  });
}

/** The list of tags is worth reading only if the last attempt was not refused for another reason. */
function isOpen(error: unknown): error is CallError {
  if (!(error instanceof CallError) || error.outcome !== 'ambiguous') return false;
  return error.last.outcome === 'ambiguous' || error.last.apiCode === tagNotFound;
}

async function stateOf(client: Sender, old: string, label: string): Promise<'renamed' | 'as before' | 'unclear'> {
  const { labels } = await accountTags(client);
  const has = (wanted: string): boolean => labels.some((other) => isSameLabel(other, wanted));
  // Labels are compared without case (2.5), but a rename that only changes case shows in the exact text.
  const isAsBefore = isSameLabel(old, label) ? !labels.includes(label) : has(old);
  if (isAsBefore) return 'as before';
  return has(label) ? 'renamed' : 'unclear';
}

type Account = Pick<ListedAccount, 'client' | 'domains'>;

export interface LabelCount {
  readonly label: string;
  readonly links: number;
}

type Step = (read: number) => void;

/**
 * Counts all labels in one pass over the listings of all domains: not every label can be written as an expression, and the pass costs no
 * more calls than one listing. Labels that the account did not list come last.
 */
export async function countLabels(account: Account, labels: readonly string[], step: Step): Promise<LabelCount[]> {
  return await countIn(await wholeAccount(account), labels, account, step);
}

/** Counts only links that carry one of the labels. */
export async function countCarriers(account: Account, labels: readonly string[], step: Step): Promise<LabelCount[]> {
  const counts = await countIn(await carrierSelections(account, labels), labels, account, step);
  return counts.slice(0, labels.length);
}

async function countIn(
  selections: readonly ListSelection[],
  labels: readonly string[],
  { client }: Account,
  step: Step,
): Promise<LabelCount[]> {
  const counts = new Map(labels.map((label) => [foldLabel(label), { label, links: 0 }]));
  for await (const { rows, read } of filteredPages(client, selections, undefined, { warn: refuseIncomplete })) {
    for (const label of rows.flatMap(distinctLabels)) {
      const count = counts.get(foldLabel(label));
      if (count) count.links += 1;
      else counts.set(foldLabel(label), { label, links: 1 });
    }
    step(read);
  }
  return [...counts.values()];
}

export async function* carriers(account: Account, labels: readonly string[]): AsyncGenerator<FilteredPage> {
  const selections = await carrierSelections(account, labels);
  const filter = { matches: (record: UrlRecord) => labelsOf(record).some(isOneOf(labels)) };
  yield* filteredPages(account.client, selections, filter, { untilEmpty: true, warn: refuseIncomplete });
}

/** Ignores case (2.5). */
export function isOneOf(labels: readonly string[]): (label: string) => boolean {
  const folded = new Set(labels.map(foldLabel));
  return (label) => folded.has(foldLabel(label));
}

/**
 * Reads all links if an expression could select other ones: a link that is missed would lose its label without a record.
 */
async function carrierSelections(account: Account, labels: readonly string[]): Promise<readonly ListSelection[]> {
  const tags = labels.map(labelExpression).join('|');
  const isExact = labels.length <= maxLabels && tags.length <= maxExpressionLength && !labels.some(isAmbiguousLabel);
  return isExact ? [{ tags }] : await wholeAccount(account);
}

/** Servers limit expressions and URLs; each character can take up to twelve after encoding. */
const maxLabels = 20;
const maxExpressionLength = 400;

/** Without further spellings of the same label. */
function distinctLabels(record: UrlRecord): readonly string[] {
  const labels = labelsOf(record);
  const folded = labels.map(foldLabel);
  return labels.filter((_, nth) => folded.indexOf(folded[nth] ?? '') === nth);
}

function labelsOf({ tags }: Partial<Pick<UrlRecord, 'tags'>>): readonly string[] {
  if (Array.isArray(tags)) return tags;
  throw new UnavailableError('the server lists links without their tags; they cannot be counted');
}
