import type { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import { batchesOf, fileBatches } from '../bulk/batches.ts';
import { runInline, typedDoubt } from '../bulk/inline.ts';
import { chooseMode, type DedupeScope, type Mode } from '../bulk/modes.ts';
import { hashGiver } from '../bulk/operations/generated-hash.ts';
import { shortenOperation } from '../bulk/operations/shorten.ts';
import { outcomeFailure, outcomeRow, wasNotSent } from '../bulk/results/outcome-row.ts';
import { type RowOutcome, runEnd } from '../bulk/results/row-outcome.ts';
import { dryRun, type PlannedChange } from '../changes/dry-run.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/run.ts';
import { openSession, type Session } from '../cli/session.ts';
import { batchSizeOf } from '../client/batch-limits.ts';
import { editions } from '../contract/editions.ts';
import { fieldNames } from '../contract/fields.ts';
import { isJson } from '../contract/formats.ts';
import type { ShortenItem } from '../contract/operations.ts';
import { addBatchFlags, addInputFlags, type BulkOptions, refuseRunFlags } from '../flags/bulk-flags.ts';
import { addFieldFlags, type FieldOptions, fieldWarnings, readFieldFlags, runFlags } from '../flags/field-flags.ts';
import { choice } from '../flags/values.ts';
import { describe } from '../help/layout.ts';
import { flagValue } from '../input/values.ts';
import type { PlannedRequest } from '../output/dry-run.ts';
import type { Report, Row, RowsReport } from '../output/report.ts';
import { readableUrl, urlColumns } from '../output/url-columns.ts';
import { addQrFlags, type QrOptions, qrPictures } from './qr-pictures.ts';

interface ShortenOptions extends FieldOptions, BulkOptions, QrOptions {
  readonly dedupe?: DedupeScope;
  readonly generateHashes?: boolean;
}

export function registerShorten(command: Command, run: Runner): void {
  command.argument('[long-url...]', 'URLs to shorten');
  addFieldFlags(command, 'shorten');
  command
    .option(
      '--dedupe <scope>',
      'reuse existing links to the same URL: off, account or domain [edition A]',
      choice(['off', 'account', 'domain']),
    )
    .option('--generate-hashes', 'generate hashes locally, so that retries cannot create duplicates');
  addQrFlags(command);
  addInputFlags(command);
  addBatchFlags(command);
  command.action(run(shorten));
  describe(command, {
    examples: [
      'linkctl shorten https://nodejs.org/en/learn',
      'linkctl shorten https://example.com/sale --hash sale --tag ad --expires +30d',
      'linkctl shorten -f links.csv --results done.csv --failed failed.csv',
      'linkctl shorten https://nodejs.org/en/learn --qr',
      'generate-urls | linkctl shorten -f - -o csv --fields long_url,short_url',
    ],
    fields: urlColumns.map(({ name }) => name),
    notes: [
      'In a pipe, the output is one short URL per line. Columns of a csv file: linkctl help csv. ' +
        'With -f, a value in a row overrides the flag.',
    ],
    globals: ['--fields', '--domain', '--dry-run', '--yes', '--quiet', '--progress'],
  });
}

/** POST /urls for the URLs that were typed, or for every row of a file. */
async function shorten(options: ShortenOptions, invocation: Invocation, urls: string[]): Promise<Report> {
  if (options.printTemplate) return await printTemplate(options, invocation);
  if (options.file !== undefined) {
    if (urls.length > 0) throw new UsageError('specify only one of --file or <long-url>...');
    if (options.hash !== undefined) throw new UsageError('--hash applies to one URL: in a file, use the column custom_hash');
    return await shortenFile(options, invocation);
  }
  if (urls.length === 0) throw new UsageError("missing required argument 'long-url'", missing);
  refuseRunFlags(options, '<long-url>...', '--file');
  if (options.hash !== undefined && urls.length > 1) throw new UsageError('--hash applies to one URL: give exactly one');
  const { now } = invocation.system;
  const longUrls = urls.map((url) => flagValue('long_url', 'long-url', url, now()));
  const session = await openSession(invocation);
  const values = readFieldFlags(options, { edition: session.edition, now: now() });
  for (const warning of fieldWarnings(values, now())) await invocation.warn(warning);
  const items = longUrls.map((long_url): ShortenItem => ({ long_url, ...values }));
  const mode = await modeOf(options, session, items.length, values.custom_hash === undefined ? 0 : items.length);
  if (invocation.global.dryRun) return plan(() => batchesOf(items, { limit: batchSizeOf(session) }), mode, session);
  const picture = qrPictures(options, session);
  const giveHash = hashGiver(mode, invocation.system);
  const keyed = items.map((item) => giveHash(item));
  return picture(await shortenInline(keyed, mode, session));
}

/** CLI.md 3.7: in a pipe the short URL of each success and nothing else. */
const shortenPresentation = {
  key: 'urls',
  columns: urlColumns,
  tableFields: ['short_url_with_protocol', 'long_url'],
  pipedFields: ['short_url_with_protocol'],
  sentence: (row, { tick, arrow }) => `${tick} ${readableUrl(String(row.short_url_with_protocol))} ${arrow} ${row.long_url}`,
} satisfies Partial<RowsReport>;

const missing = {
  details: ['usage: linkctl shorten <long-url>... | -f <file|->', 'example: linkctl shorten https://nodejs.org/en/learn'],
  hint: 'linkctl shorten --help',
};

/** Every row of a file, checked as a whole, then in batches that are journalled. */
async function shortenFile(options: ShortenOptions, invocation: Invocation): Promise<RowsReport> {
  const { checkedRows, sendingOf } = await import('../changes/checked-rows.ts');
  const { runReport } = await import('../changes/run-report.ts');
  const session = await openSession(invocation);
  const { edition } = session;
  const values = readFieldFlags(options, { edition, now: invocation.system.now() });
  for (const warning of fieldWarnings(values, invocation.system.now())) await invocation.warn(warning);
  const sending = sendingOf(options, session);
  const { input, withHash } = await checkedRows('shorten', options, session);
  const mode = await modeOf(options, session, input.rows, withHash);
  const isPlain = Object.keys(values).length === 0;
  const payload = (item: object): ShortenItem => (isPlain ? (item as ShortenItem) : { ...values, ...(item as ShortenItem) });
  if (invocation.global.dryRun) return plan(() => fileBatches(input, payload, { limit: sending.batchSize }), mode, session);
  const picture = qrPictures(options, session);
  const flags = runFlags(values, options);
  const report = await runReport(
    {
      ...sending,
      operation: (settings) => shortenOperation({ ...settings, mode }),
      mode,
      pinsDomain: editions[edition].severalDomains,
      input,
      payload,
      recall: flags.recall,
      options: { ...flags.options, mode: mode.name },
      columns: fieldNames('shorten', edition),
    },
    { ...shortenPresentation, doing: 'shortening' },
    session,
  );
  return picture(report);
}

async function printTemplate({ inputFormat }: ShortenOptions, invocation: Invocation): Promise<Report> {
  const { inputTemplate } = await import('../input/template.ts');
  const { edition } = await openSession(invocation);
  return { kind: 'text', text: inputTemplate('shorten', edition, inputFormat ?? 'csv') };
}

async function modeOf(
  { dedupe, generateHashes = false }: ShortenOptions,
  { edition, defaults, warn }: Session,
  rows: number,
  keyedRows: number,
): Promise<Mode> {
  // 4.3.3, 4.3.4: it looks for the hash alone then.
  if (dedupe !== undefined && dedupe !== 'off' && keyedRows > 0) {
    await warn('--dedupe does not apply to rows with a custom hash: each of them gets a new link');
  }
  return chooseMode({
    edition,
    rows,
    keyedRows,
    dedupe: dedupe ?? defaults.dedupe ?? 'off',
    generateHashes,
  });
}

async function shortenInline(items: readonly ShortenItem[], mode: Mode, session: Session): Promise<RowsReport> {
  const { client, domain } = session;
  const { system } = session;
  const warn = (message: string): void => void session.warn(message);
  const operation = shortenOperation({ client, mode, domain, tellsNew: tellsStatus(session) });
  const { outcomes, tally, stop } = await runInline(operation, items, {
    system,
    batchSize: batchSizeOf(session),
    signal: session.deadline.signal,
    readBack: typedDoubt({ client, domain, system, warn }),
    warn,
  });
  const failures = new Map(outcomes.map((outcome) => [outcomeRow(outcome, session), outcome] as const));
  const failure = (row: Row) => outcomeFailure(failures.get(row) as RowOutcome<ShortenItem>, session.client.identity);
  const [only] = outcomes;
  const end = runEnd(tally, stop, { noun: 'URLs' });
  return {
    ...shortenPresentation,
    kind: 'rows',
    rows: failures.keys(),
    failure,
    unreached: (row) => wasNotSent(row) || (outcomes.length === 1 && row.status === 'unknown'),
    members: () => ({ summary: { rows: tally.rows, ...tally.counts } }),
    outcome: () => {
      if (end.kind !== 'error') return undefined;
      // What is in doubt is told once, with all that is known about it.
      if (only?.status === 'unknown') return end.error;
      return (
        (only?.status === 'failed' &&
          outcomes.length === 1 &&
          outcomeFailure(only, session.client.identity, { reported: true })) ||
        end.error
      );
    },
  };
}

/** B60: the links as they would be made. */
function plan(
  batches: () => Iterable<readonly ShortenItem[]> | AsyncIterable<readonly ShortenItem[]>,
  mode: Mode,
  session: Session,
): RowsReport {
  async function* requests(): AsyncGenerator<PlannedRequest> {
    for await (const urls of batches()) yield plannedBatch(urls, mode, session);
  }
  async function* changes(): AsyncGenerator<PlannedChange[]> {
    for await (const items of batches()) yield items.map((item) => ({ row: { ...item }, state: 'planned' }));
  }
  const names = ['long_url', ...fieldNames('shorten', session.edition).filter((name) => name !== 'long_url')];
  const columns = names.map((name) => ({
    name,
    ...urlColumns.find((column) => column.name === name),
    essential: name === 'long_url',
  }));
  return dryRun({ requests: requests(), changes: changes(), noun: 'URL', done: 'shortened', columns }, session);
}

/** Only JSON says of a URL that was typed whether it is new: for the other formats nothing is asked. */
function tellsStatus({ format }: Invocation): boolean {
  return isJson(format());
}

function plannedBatch(urls: readonly ShortenItem[], { duplicates }: Mode, { domain }: Session): PlannedRequest {
  return { method: 'POST', path: '/urls', query: { disable_long_url_duplicates: duplicates, domain }, body: { urls } };
}
