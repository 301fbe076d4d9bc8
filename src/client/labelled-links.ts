import { UnavailableError } from '../base/errors.ts';
import type { UrlRecord } from '../contract/records.ts';
import { foldLabel, isAmbiguousLabel, labelExpression } from '../contract/tag-label.ts';
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
  const counts = new Map(labels.map((label) => [foldLabel(label), { label, links: 0 }]));
  const selections = await wholeAccount(account);
  for await (const records of readTagged(account, selections, step)) {
    for (const label of records.flatMap(({ tags }) => tags)) {
      const count = counts.get(foldLabel(label));
      if (count) count.links += 1;
      else counts.set(foldLabel(label), { label, links: 1 });
    }
  }
  return [...counts.values()];
}

/**
 * The links of all domains that carry one of the labels, some at a time. Where an expression may select others, everything is read:
 * a link that is overlooked would lose its label without a record of it.
 */
export async function* linksWithLabels(account: Account, labels: readonly string[], step: Step): AsyncGenerator<UrlRecord[]> {
  const wanted = new Set(labels.map(foldLabel));
  const tags = labels.map(labelExpression).join('|');
  const isExact = labels.length <= mostLabels && tags.length <= longest && !labels.some(isAmbiguousLabel);
  const selections = isExact ? [{ tags }] : await wholeAccount(account);
  for await (const records of readTagged(account, selections, step)) {
    yield records.filter(({ tags }) => tags.some((label) => wanted.has(foldLabel(label))));
  }
}

/** Servers bound what an expression and an address hold: in labels, and in characters, of which each can become twelve. */
const mostLabels = 20;
const longest = 400;

async function* readTagged(
  { client }: Account,
  selections: Parameters<typeof joinedPages>[1],
  step: Step,
): AsyncGenerator<readonly UrlRecord[]> {
  let read = 0;
  for await (const { rows } of joinedPages(client, selections, { all: true }, { warn: cannotRead })) {
    if (rows.some(({ tags }) => !Array.isArray(tags))) cannotRead();
    yield rows;
    read += rows.length;
    step(read);
  }
}

function cannotRead(): never {
  throw new UnavailableError('the server repeats links or lists them without their tags; they cannot be counted');
}
