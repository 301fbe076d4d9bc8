import { urlPages } from '../client/pages.ts';
import { type Context, checkTagExpression } from '../context.ts';
import type { UrlRecord } from '../contract/records.ts';
import { dryRunReport, type PlannedRequest } from '../output/dry-run.ts';
import { quantity } from '../output/quantity.ts';
import type { Report, RowsReport } from '../output/report.ts';
import type { Session } from '../session.ts';
import { consentToSelected, type Question, refuseTooMany, requireAnswer, shownUrls } from './consent.ts';

/** A change of everything that a tag expression selects, in one call that answers with no URLs (4.3.8, 4.3.10). */
export interface TagChange {
  readonly expression: string;
  readonly asks: Question;
  readonly look: Pick<RowsReport, 'key' | 'columns' | 'tableFields' | 'pipedFields'>;
  /** What was done: `Deleted`. */
  readonly done: string;
  readonly request: PlannedRequest;
  send(): Promise<unknown>;
}

/**
 * Counts what the expression selects, asks, and makes the call. Nothing matched: nothing is sent, exit 0 (B43). The working domain
 * has no say here, and one that was named is refused.
 */
export async function changeByTags(change: TagChange, session: Session, context: Context): Promise<Report> {
  const { expression, asks, done, look } = change;
  await requireAnswer(context, 'by tags');
  await checkTagExpression(expression, session, context);
  const { count, first } = await preview(expression, session, context);
  if (context.global.dryRun) {
    refuseTooMany(count, context);
    await context.note(`${quantity(count, 'URL')} matched ${expression}`);
    return dryRunReport([change.request]);
  }
  const record = { tags: expression, summary: { matched: count } };
  if (count === 0) return { ...look, kind: 'rows', rows: [], members: () => record, notes: () => [`0 matched ${expression}`] };
  refuseTooMany(count, context);
  const urls = first.map((found) => ({ target: found, record: found }));
  await consentToSelected(asks, count, urls, session, context);
  await change.send();
  const sentence = `${done} ${quantity(count, 'URL')} that ${expression} selects`;
  return { kind: 'done', sentence, record, notes: () => (context.streams.terminal ? [] : [sentence]) };
}

interface Preview {
  readonly count: number;
  readonly first: readonly UrlRecord[];
}

/** How many there are, in one call; from a server that does not say, by reading them all. */
async function preview(expression: string, { client }: Session, { warn }: Context): Promise<Preview> {
  const query = { tags: expression, limit: shownUrls };
  const { urls, page } = await client.send('listUrls', { query });
  const first = urls.slice(0, shownUrls);
  const total = page?.total_count;
  if (total !== undefined && Number.isSafeInteger(total) && total >= urls.length) return { count: total, first };
  let count = 0;
  const pages = urlPages(client, { tags: expression }, { all: true }, { warn: (text) => void warn(text) });
  for await (const { rows } of pages) count += rows.length;
  return { count, first };
}
