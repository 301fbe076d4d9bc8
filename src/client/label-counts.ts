import { UnavailableError } from '../base/errors.ts';
import { foldLabel } from '../contract/tag-label.ts';
import { joinedPages, type ListedAccount, wholeAccount } from './whole-listing.ts';

/** A tag, and how many links of all domains carry it. */
export interface LabelCount {
  readonly label: string;
  readonly links: number;
}

/**
 * Counts the links of each label in one pass over the listings of all domains (W4): an expression cannot name every label, and the pass
 * costs no more calls than a listing. Labels that links have and the account did not list come last. `step` gets the links read so far.
 */
export async function countLabels(
  account: Pick<ListedAccount, 'client' | 'domains'>,
  labels: readonly string[],
  step: (read: number) => void,
): Promise<LabelCount[]> {
  const counts = new Map(labels.map((label) => [foldLabel(label), { label, links: 0 }]));
  const selections = await wholeAccount(account);
  let read = 0;
  for await (const { rows } of joinedPages(account.client, selections, { all: true }, { warn: cannotCount })) {
    for (const label of rows.flatMap(({ tags }) => tags ?? cannotCount())) {
      const count = counts.get(foldLabel(label));
      if (count) count.links += 1;
      else counts.set(foldLabel(label), { label, links: 1 });
    }
    read += rows.length;
    step(read);
  }
  return [...counts.values()];
}

function cannotCount(): never {
  throw new UnavailableError('the server repeats links or lists them without their tags; they cannot be counted');
}
