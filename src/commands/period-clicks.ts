import { NotFoundError } from '../base/errors.ts';
import { shellWord } from '../base/shell-word.ts';
import type { Session } from '../cli/session.ts';
import { withoutLocalPort } from '../contract/web-address.ts';
import type { Clicks, DayClicks, Span } from '../history/clicks.ts';
import type { DailyClicks } from '../history/daily-clicks.ts';
import { nameOf } from '../history/link-prints.ts';
import { type ReadingScope, storedLink } from '../history/parts.ts';
import { recordedClicks } from '../history/recorded-clicks.ts';
import { dailyClicks } from './daily-clicks.ts';
import { selectedRecords, type TypedSelection } from './selected-records.ts';

const everything: TypedSelection = { operands: [], options: {} };

/**
 * The clicks of the selected links, of the whole account without a selection, for whatever shows them: from the readings of the history, and
 * where these do not go back so far, from the days that the server sends (H4). Throws a `NotFoundError` (exit 5) where nothing is old enough.
 */
export async function periodClicks(span: Span, session: Session, selection = everything): Promise<Clicks> {
  const scope = scopeOf(selection, session);
  const { identity } = session.client;
  const names = typeof scope === 'object' && 'selection' in scope ? await namesOf(selection, session) : undefined;
  let recorded: Clicks;
  try {
    recorded = recordedClicks({ span, scope, names }, identity, session.system);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    const clicks = (await dailyClicks(span, session, selection))?.clicks();
    if (clicks === undefined) throw error;
    return clicks;
  }
  return { ...recorded, days: await withoutGaps(recorded.days, () => dailyClicks(span, session, selection)) };
}

/** Days without readings, as far as the server knows them. What is recorded is shown also where the server does not answer. */
async function withoutGaps(
  days: readonly DayClicks[],
  readDaily: () => Promise<DailyClicks | undefined>,
): Promise<readonly DayClicks[]> {
  if (days.every(({ clicks }) => clicks !== undefined)) return days;
  const daily = await readDaily().catch(() => undefined);
  return days.map(({ date, clicks }) => ({ date, clicks: clicks ?? daily?.onDay(date) }));
}

/** The names of the selected links; of those that were named also where they are gone. */
async function namesOf(selection: TypedSelection, session: Session): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for await (const { records, missing } of await selectedRecords(selection, session)) {
    for (const record of records) names.add(nameOf(storedLink(record, session.edition)));
    for (const { hash, domain = await usualDomain(session) } of missing) {
      names.add(nameOf({ hash, domain: withoutLocalPort(domain) }));
    }
  }
  return names;
}

/** The domain of links that name none; edition B needs none. */
export async function usualDomain({ edition, domains }: Session): Promise<string> {
  return edition === 'b' ? '' : ((await domains()).defaultDomain ?? '');
}

/** What a reading of these links covers. */
export function scopeOf(
  { operands, options: { hashesFrom, byTags, search, filter, allDomains } }: TypedSelection,
  { domain, domainNamed }: Pick<Session, 'domain' | 'domainNamed'>,
): ReadingScope {
  const named = domainNamed && domain !== undefined ? withoutLocalPort(domain) : undefined;
  const words = [
    ...operands.map(shellWord),
    ...flagWords('--hashes-from', hashesFrom),
    ...flagWords('--by-tags', byTags),
    ...flagWords('--search', search),
    ...(filter ?? []).flatMap((text) => flagWords('--filter', text)),
  ];
  if (words.length === 0) return named === undefined ? 'account' : { domain: named };
  if (allDomains) words.push('--all-domains');
  return { selection: [...words, ...flagWords('--domain', named)].join(' ') };
}

function flagWords(flag: string, value: string | undefined): string[] {
  return value === undefined ? [] : [flag, shellWord(value)];
}
