import type { Session } from '../../cli/session.ts';
import { recordDomain } from '../../contract/link.ts';
import type { UrlRecord } from '../../contract/records.ts';
import type { Period } from '../../history/clicks.ts';
import { dailyClicksIn, readDailyClicks } from '../../history/server-days.ts';
import { storedLink } from '../../history/stored-link.ts';
import type { recordPages } from '../../select/record-pages.ts';

type DailyClicks = ReturnType<typeof dailyClicksIn>;

/** Maximum number of GET /stats calls, one per link, if listings contain no days. */
export const maxCalls = 100;

/**
 * Reads the daily counters of the selected links from their records, or from GET /stats of each link that was clicked. Undefined if the
 * server sends no days.
 */
export async function dailyClicks(
  span: Period,
  pages: ReturnType<typeof recordPages>,
  session: Session,
): Promise<DailyClicks | 'too many links' | undefined> {
  const daily = dailyClicksIn(span);
  const clicked: UrlRecord[] = [];
  let inRecords = false;
  let first: UrlRecord | undefined;
  for await (const { records } of pages) {
    first ??= records[0];
    for (const record of records) {
      const days = 'daily_clicks' in record ? readDailyClicks(record.daily_clicks) : undefined;
      inRecords ||= days !== undefined;
      if (days) daily.add(storedLink(record, session.edition), days, record.total_clicks);
      else if (record.total_clicks > 0) clicked.push(record);
    }
    if (inRecords && clicked.length > 0) return undefined;
    if (clicked.length > maxCalls) return 'too many links';
  }
  if (inRecords) return daily;
  // If no link was clicked, one call still shows whether the server sends days.
  if (clicked.length === 0 && first) clicked.push(first);
  if (clicked.length === 0) return undefined;
  for (const record of clicked) if (!(await addStats(record, daily, session))) return undefined;
  return daily;
}

async function addStats(record: UrlRecord, daily: DailyClicks, { client, edition }: Session): Promise<boolean> {
  const { hash, total_clicks } = record;
  const domain = edition === 'a' ? recordDomain(record) : undefined;
  const { stats } = await client.send('getStats', { path: { hash }, query: { domain } });
  const found = stats.find((one) => one.hash === hash);
  const days = found && readDailyClicks(found.daily_clicks);
  if (days) daily.add(storedLink(record, edition), days, Math.min(total_clicks, found.total_clicks));
  return days !== undefined;
}
