import { UnavailableError } from '../base/errors.ts';
import type { UrlRecord } from '../contract/records.ts';
import { foldLabel, isAmbiguousLabel, labelExpression } from '../contract/tag-label.ts';
import { type FilteredPage, filteredPages } from './filtered-pages.ts';
import type { ListSelection } from './pages.ts';
import { type ListedAccount, wholeAccount } from './whole-listing.ts';

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
  for await (const { rows, read } of filteredPages(client, selections, undefined, { warn: refuseListing })) {
    for (const label of rows.flatMap(labelsOf)) {
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
  yield* filteredPages(account.client, selections, filter, { untilEmpty: true, warn: refuseListing });
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

function labelsOf({ tags }: Partial<Pick<UrlRecord, 'tags'>>): readonly string[] {
  return Array.isArray(tags) ? tags : refuseListing();
}

function refuseListing(): never {
  throw new UnavailableError('the server repeats links or lists them without their tags; they cannot be counted');
}
