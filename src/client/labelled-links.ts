import { UnavailableError } from '../base/errors.ts';
import type { UrlRecord } from '../contract/records.ts';
import { foldLabel, isAmbiguousLabel, labelExpression } from '../contract/tag-label.ts';
import { type FilteredPage, filteredPages } from './filtered-pages.ts';
import type { ListSelection } from './pages.ts';
import { joinedPages, type ListedAccount, wholeAccount } from './whole-listing.ts';

type Account = Pick<ListedAccount, 'client' | 'domains'>;

/** A tag, and how many links of all domains carry it. */
export interface LabelCount {
  readonly label: string;
  readonly links: number;
}

/** Gets the links read so far. */
type Step = (read: number) => void;

/**
 * Counts the links of each label in one pass over the listings of all domains (W4): an expression cannot name every label, and the pass
 * costs no more calls than a listing. Labels that links have and the account did not list come last.
 */
export async function countLabels(account: Account, labels: readonly string[], step: Step): Promise<LabelCount[]> {
  return await countIn(await wholeAccount(account), labels, account, step);
}

/** The same of the links that carry one of the labels, without any others. */
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
  let read = 0;
  for await (const { rows } of joinedPages(client, selections, { all: true }, { warn: refuseListing })) {
    for (const label of rows.flatMap(labelsOf)) {
      const count = counts.get(foldLabel(label));
      if (count) count.links += 1;
      else counts.set(foldLabel(label), { label, links: 1 });
    }
    read += rows.length;
    step(read);
  }
  return [...counts.values()];
}

/** The links of all domains that carry one of the labels, with how far the listing was read. */
export async function* carriers(account: Account, labels: readonly string[]): AsyncGenerator<FilteredPage> {
  const selections = await carrierSelections(account, labels);
  const filter = { matches: (record: UrlRecord) => labelsOf(record).some(isOneOf(labels)) };
  yield* filteredPages(account.client, selections, filter, { untilEmpty: true, warn: refuseListing });
}

/** Whether a label is one of these, without regard to case (2.5). */
export function isOneOf(labels: readonly string[]): (label: string) => boolean {
  const folded = new Set(labels.map(foldLabel));
  return (label) => folded.has(foldLabel(label));
}

/**
 * Listings that hold all links with one of the labels. Where an expression may select others, everything is read: a link that is
 * overlooked would lose its label without a record of it.
 */
async function carrierSelections(account: Account, labels: readonly string[]): Promise<readonly ListSelection[]> {
  const tags = labels.map(labelExpression).join('|');
  const isExact = labels.length <= mostLabels && tags.length <= longest && !labels.some(isAmbiguousLabel);
  return isExact ? [{ tags }] : await wholeAccount(account);
}

/** Servers bound what an expression and an address hold: in labels, and in characters, of which each can become twelve. */
const mostLabels = 20;
const longest = 400;

function labelsOf({ tags }: Partial<Pick<UrlRecord, 'tags'>>): readonly string[] {
  return Array.isArray(tags) ? tags : refuseListing();
}

function refuseListing(): never {
  throw new UnavailableError('the server repeats links or lists them without their tags; they cannot be counted');
}
