import { NotFoundError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import type { Clicks, Period } from './clicks.ts';
import { type CountedLink, CountedLinks } from './counted-links.ts';
import { clicksPerDay } from './days.ts';
import { foldReadings, type HistoryAccount, openReadings, type ReadingsFile, readingEnds } from './history-folder.ts';
import { nameOf } from './link-prints.ts';
import type { ReadingScope } from './parts.ts';
import { type UsedReadings, usedReadings } from './used-readings.ts';

/** What clicks are wanted of. */
export interface WantedClicks {
  readonly span: Period;
  readonly scope: ReadingScope;
  /** Domain and hash of the wanted links, as `nameOf` has them; all without it. */
  readonly names?: ReadonlySet<string> | undefined;
}

/** What the readings of an account say of a time. Throws a `NotFoundError` where none is old enough, and a `LocalError` for damage. */
export function recordedClicks({ span, scope, names }: WantedClicks, account: HistoryAccount, system: System): Clicks {
  const readings = openReadings(account, system);
  if (readings === undefined) {
    throw new NotFoundError('no reading of this account was recorded', { hint: 'linkctl stats --record' });
  }
  try {
    const used = usedReadings(readingEnds(readings), span, scope);
    const { links, perReading } = countLinks(readings, used, wantedNames(scope, names));
    return {
      asked: span,
      counted: { since: used.first.from, until: used.last.from },
      before: used.before?.from,
      total: {
        clicks: links.reduce((sum, { clicks }) => sum + clicks, 0),
        before: used.before && links.reduce((sum, { before }) => sum + before, 0),
      },
      links: links
        .filter(isShown)
        .sort(byClicks)
        .map((link) => linkClicks(link, used)),
      days: clicksPerDay(used, perReading),
      source: 'readings',
    };
  } finally {
    readings.close();
  }
}

type IsWanted = (link: CountedLink) => boolean;

function wantedNames(scope: ReadingScope, names: ReadonlySet<string> | undefined): IsWanted | undefined {
  if (names) return ({ text }) => names.has(nameOf(text));
  return scope !== 'account' && 'domain' in scope ? ({ text }) => text.domain === scope.domain : undefined;
}

/** Names are those that links have in the end: which are wanted is only known then, and days are added up in a second pass. */
function countLinks(
  readings: ReadingsFile,
  used: UsedReadings,
  isWanted: IsWanted | undefined,
): Pick<CountedLinks, 'links' | 'perReading'> {
  const all = new CountedLinks(used);
  foldReadings(readings, all, used.last.nth + 1);
  if (isWanted === undefined) return all;
  const wanted = Uint8Array.from(all.links, (link) => Number(isWanted(link)));
  const some = new CountedLinks(used, (link) => wanted[link] === 1);
  foldReadings(readings, some, used.last.nth + 1);
  return { links: some.links.filter((_, link) => wanted[link] === 1), perReading: some.perReading };
}

function isShown({ clicks, before, events }: CountedLink): boolean {
  return clicks > 0 || before > 0 || events.length > 0;
}

function byClicks(one: CountedLink, other: CountedLink): number {
  return other.clicks - one.clicks || other.before - one.before;
}

function linkClicks(
  { text: link, clicks, before, uniqueClicks, events }: CountedLink,
  used: UsedReadings,
): Clicks['links'][number] {
  return { link, clicks, before: used.before && before, unique: uniqueClicks, events };
}
