import { type BatchRules, batchesOf, byDomain, byHash } from '../bulk/batches.ts';
import type { Session } from '../cli/session.ts';
import { isJson } from '../contract/formats.ts';
import { type LinkKey, linkText } from '../contract/link.ts';
import { dryRunReport, type PlannedRequest, requestLine } from '../output/dry-run.ts';
import type { Column, Row, RowsReport } from '../output/report.ts';
import { sendingOf } from './checked-rows.ts';
import { refuseTooMany, showPlan } from './consent.ts';
import { fieldChanges, fieldChangeText } from './field-changes.ts';
import type { ListedChange } from './listed-change.ts';
import { startPlan } from './plan.ts';
import type { PlannedLink } from './planned-links.ts';

const columns: readonly Column[] = [
  { name: 'hash', essential: true },
  { name: 'short_url', essential: true },
  { name: 'long_url', title: 'LONG URL', shrinks: true, essential: true },
  { name: 'old_long_url', title: 'OLD LONG URL', shrinks: true },
  { name: 'change', shrinks: true },
];

/** `--dry-run` of a listed change: the plan for people, a row for each link that would be changed, or the requests (B60, W2). */
export async function dryRunOfPlan<Payload extends LinkKey>(
  change: ListedChange<Payload>,
  session: Session,
): Promise<RowsReport> {
  if (isJson(session.format())) return dryRunReport(requestsOf(change, session));
  const { global, streams } = session;
  const isForPeople = streams.terminal && session.format() === 'table';
  const settings = { verb: change.verb, session, of: undefined as number | undefined };
  const plan = startPlan(settings);
  async function* rows(): AsyncGenerator<Row[]> {
    for await (const { links, read } of change.pages()) {
      for (const link of links) plan.add(link);
      settings.of = read;
      yield isForPeople ? [] : links.flatMap(plannedRow);
    }
    refuseTooMany(plan.counts.planned, session);
    if (!global.quiet) await showPlan(plan, session);
    if (global.verbose) for await (const request of requestsOf(change, session)) await streams.message(requestLine(request));
  }
  return { kind: 'rows', key: 'changes', rows: rows(), columns, notes: () => ['dry run: nothing was sent'] };
}

function plannedRow({ target, record, outcome }: PlannedLink): Row[] {
  if (!record || outcome.kind === 'unchanged' || outcome.kind === 'missing' || outcome.kind === 'refused') return [];
  const { hash, short_url, long_url } = record;
  if (outcome.kind !== 'change') return [{ hash, short_url, long_url, old_long_url: long_url, change: outcome.kind }];
  const change = fieldChanges(outcome.fields, record).map(fieldChangeText).join('; ');
  return [{ hash: linkText(target), short_url, long_url: outcome.fields.long_url ?? long_url, old_long_url: long_url, change }];
}

/** The calls as a run makes them. */
async function* requestsOf<Payload extends LinkKey>(
  change: ListedChange<Payload>,
  session: Session,
): AsyncGenerator<PlannedRequest> {
  const limit = sendingOf(change.options, session).batchSize;
  const isEdit = change.kind === 'edit';
  const rules: BatchRules<Payload> = { limit, ...(isEdit ? byDomain : byHash) };
  let payloads: Payload[] = [];
  const request = (batch: readonly Payload[]): PlannedRequest => {
    const domain = batch[0]?.domain;
    if (!isEdit)
      return {
        method: 'DELETE',
        path: change.kind === 'reset' ? '/stats' : '/urls',
        query: { hashes: batch.map(({ hash }) => hash).join(','), domain },
        body: undefined,
      };
    return { method: 'PATCH', path: '/urls', query: { domain }, body: { urls: batch.map(({ domain: _, ...item }) => item) } };
  };
  for await (const { links } of change.pages()) {
    for (const { target, outcome } of links) {
      if (outcome.kind === 'change') payloads.push(change.payload(target, outcome.fields));
      if (outcome.kind === 'delete' || outcome.kind === 'reset') payloads.push(change.payload(target, {}));
    }
    const whole = payloads.length - (payloads.length % limit);
    for (const batch of batchesOf(payloads.slice(0, whole), rules)) yield request(batch);
    payloads = payloads.slice(whole);
  }
  for (const batch of batchesOf(payloads, rules)) yield request(batch);
}
