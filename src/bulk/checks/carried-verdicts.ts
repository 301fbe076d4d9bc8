import { Destinations, type LinkList } from '../../check/destinations.ts';
import type { Journal } from '../journal/journal.ts';
import { isSettled } from '../journal/journal-state.ts';
import { rangesOf } from '../journal/ranges.ts';
import type { UnfinishedRun } from '../run-plan.ts';
import type { CheckPlan } from './check-plan.ts';
import { RecordedVerdicts } from './recorded-verdicts.ts';

/** The check that continues, by the links of now. */
type Carrying = Pick<CheckPlan, 'settings' | 'shortUrls'> & {
  readonly links: LinkList;
  readLinks(path: string): Promise<LinkList>;
};

/** Lines that are written at once. */
const together = 200;

/**
 * Writes what an unfinished check found into the journal that continues it with the links of now: by destination, because a link may lead
 * elsewhere since, or be gone. So nothing that is known is asked again, and nothing old is reported of a link that was changed.
 */
export async function carryVerdicts(
  { record, path, state }: UnfinishedRun,
  { links, settings, shortUrls, readLinks }: Carrying,
  journal: Journal,
): Promise<void> {
  const earlier = await readLinks(record.input);
  const destinations = new Destinations(joined(links, earlier), { refusal: settings.refusal, shortUrls }, () => true);
  const verdicts = new RecordedVerdicts(path, state, 0);
  const isCarried = new Uint8Array(links.count);
  let written: Promise<void>[] = [];
  try {
    for (let row = 0; row < earlier.count; row += 1) {
      const destination = destinations.of(links.count + row);
      if (!isSettled(state.stateOf(row)) || destination >= links.count || isCarried[destination]) continue;
      // The verdict on a short URL was made by where it was to lead.
      if (shortUrls && links.at(destination).long_url !== earlier.at(row).long_url) continue;
      const verdict = await verdicts.read(row);
      if (!verdict) continue;
      isCarried[destination] = 1;
      const known = destinations.linksOf(destination).filter((link) => link < links.count);
      written.push(journal.write({ type: 'checked', rows: rangesOf(known.map((index) => ({ index }))), verdict }));
      if (written.length < together) continue;
      await Promise.all(written);
      written = [];
    }
    await Promise.all(written);
  } finally {
    await verdicts.close();
  }
}

/** The links of two lists, one after the other. */
function joined(first: LinkList, second: LinkList): LinkList {
  return {
    count: first.count + second.count,
    at: (index) => (index < first.count ? first.at(index) : second.at(index - first.count)),
    *all() {
      yield* first.all();
      yield* second.all();
    },
  };
}
