import { type Context, refuseDomain } from '../action.ts';
import type { UrlRecord } from '../contract/records.ts';
import { dryRunReport, type PlannedRequest } from '../output/dry-run.ts';
import type { DoneReport, RowsReport } from '../output/report.ts';
import type { Session } from '../session.ts';
import { consentToSelected, refuseTooMany } from './consent.ts';

/** A change of everything that a tag expression selects, in one call that answers with no URLs (4.3.8, 4.3.10). */
export interface TagChange {
  readonly expression: string;
  /** As it begins a question: `Delete`. */
  readonly verb: string;
  /** What was done: `Deleted`. */
  readonly done: string;
  readonly request: PlannedRequest;
  /** Tells what is about to be lost, of the first URLs, whether it is asked for or not. */
  announce?(first: readonly UrlRecord[]): Promise<void>;
  send(): Promise<unknown>;
}

/**
 * Counts what the expression selects, asks, and makes the call. Nothing matched: nothing is sent, exit 0 (B43). The working domain
 * has no say here, and one that was named is refused.
 */
export async function changeByTags(change: TagChange, session: Session, context: Context): Promise<DoneReport | RowsReport> {
  const { expression, verb, done } = change;
  await refuseDomain(session, context);
  if (context.global.dryRun) return dryRunReport([change.request]);
  const { urls, page } = await session.client.send('listUrls', { query: { tags: expression, limit: 5 } });
  const count = page?.total_count ?? urls.length;
  const summary = { matched: count };
  if (count === 0) {
    return {
      kind: 'done',
      sentence: `0 matched ${expression}`,
      record: { tags: expression, summary },
      notes: () => ['0 matched'],
    };
  }
  refuseTooMany(count, context);
  await change.announce?.(urls);
  await consentToSelected(verb, { count, first: urls }, session, context);
  await change.send();
  const sentence = `${done} ${count} ${count === 1 ? 'URL' : 'URLs'} that ${expression} selects`;
  const notes = (): string[] => (context.streams.terminal ? [] : [sentence]);
  return { kind: 'done', sentence, record: { tags: expression, summary }, notes };
}
