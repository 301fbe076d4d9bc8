import type { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import { batchesOf, fileBatches } from '../bulk/batches.ts';
import { runInline, typedDoubt } from '../bulk/inline.ts';
import { hashGiver } from '../bulk/operations/generated-hash.ts';
import { chooseMode, type DedupeScope, type Mode, type ModeRequest, shortenOperation } from '../bulk/operations/shorten.ts';
import { dryRun, type PlannedChange } from '../changes/dry-run.ts';
import { inlineReport } from '../changes/inline-report.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/run.ts';
import { openSession, type Session } from '../cli/session.ts';
import { batchSizeOf } from '../client/batch-limits.ts';
import { fieldNames } from '../contract/fields.ts';
import { isJson } from '../contract/formats.ts';
import type { ShortenItem } from '../contract/operations.ts';
import { addBatchFlags, addInputFlags, type BulkOptions, refuseRunFlags } from '../flags/bulk-flags.ts';
import { addFieldFlags, type FieldOptions, readFieldFlags, runFlags } from '../flags/field-flags.ts';
import { choice } from '../flags/values.ts';
import { describe } from '../help/description.ts';
import { flagValue } from '../input/values.ts';
import type { PlannedRequest } from '../output/dry-run.ts';
import { namesOf, type Report, type RowsReport } from '../output/report.ts';
import { readableUrl, urlColumns } from '../output/url-columns.ts';
import { printTemplate } from './print-template.ts';
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
    fields: namesOf(urlColumns),
    notes: [
      'In a pipe, the output is one short URL per line. Columns of a csv file: linkctl help csv. ' +
        'With -f, a value in a row overrides the flag.',
    ],
    globals: ['--fields', '--domain', '--dry-run', '--yes', '--quiet', '--progress'],
  });
}

/** POST /urls for the URLs that were typed, or for every row of a file. */
async function shorten(options: ShortenOptions, invocation: Invocation, urls: string[]): Promise<Report> {
  if (options.printTemplate) return await printTemplate('shorten', options, invocation);
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
  const values = await readFieldFlags(options, session);
  const items = longUrls.map((long_url): ShortenItem => ({ long_url, ...values }));
  const rows = items.length;
  const mode = await modeOf(options, session, { rows, keyedRows: values.custom_hash === undefined ? 0 : rows });
  if (invocation.global.dryRun) return plan(() => batchesOf(items, { limit: batchSizeOf(session) }), mode, session);
  const picture = qrPictures(options, session);
  const giveHash = hashGiver(mode, invocation.system);
  return picture(
    await shortenInline(
      items.map((item) => giveHash(item)),
      mode,
      session,
    ),
  );
}

/** CLI 3.7: in a pipe the short URL of each success and nothing else. */
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
  const values = await readFieldFlags(options, session);
  const sending = sendingOf(options, session);
  const { input, withHash } = await checkedRows('shorten', options, session);
  const mode = await modeOf(options, session, { rows: input.rows, keyedRows: withHash });
  const isPlain = Object.keys(values).length === 0;
  const payload = (item: ShortenItem): ShortenItem => (isPlain ? item : { ...values, ...item });
  if (invocation.global.dryRun) return plan(() => fileBatches(input, payload, { limit: sending.batchSize }), mode, session);
  const picture = qrPictures(options, session);
  const flags = runFlags(values, options);
  const report = await runReport(
    {
      ...sending,
      operation: (settings) => shortenOperation({ ...settings, mode }),
      mode,
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

async function modeOf(
  { dedupe, generateHashes = false }: ShortenOptions,
  { edition, defaults, warn }: Session,
  counts: Pick<ModeRequest, 'rows' | 'keyedRows'>,
): Promise<Mode> {
  // 4.3.3, 4.3.4: it looks for the hash alone then.
  if (dedupe !== undefined && dedupe !== 'off' && counts.keyedRows > 0) {
    await warn('--dedupe does not apply to rows with a custom hash: each of them gets a new link');
  }
  return chooseMode({ edition, ...counts, dedupe: dedupe ?? defaults.dedupe ?? 'off', generateHashes });
}

async function shortenInline(items: readonly ShortenItem[], mode: Mode, session: Session): Promise<RowsReport> {
  const { client, domain, system, warn, deadline, format } = session;
  const done = await runInline(
    // Only JSON says of a URL that was typed whether it is new: for the other formats nothing is asked.
    shortenOperation({ client, mode, domain, tellsNew: isJson(format()) }),
    items,
    {
      system,
      batchSize: batchSizeOf(session),
      signal: deadline.signal,
      readBack: typedDoubt({ client, domain, system, warn }),
      warn,
    },
  );
  return inlineReport(done, { presentation: shortenPresentation }, session);
}

/** B60: the links as they would be made. */
function plan(
  batches: () => Iterable<readonly ShortenItem[]> | AsyncIterable<readonly ShortenItem[]>,
  mode: Mode,
  session: Session,
): RowsReport {
  async function* requests(): AsyncGenerator<PlannedRequest> {
    const query = { disable_long_url_duplicates: mode.duplicates, domain: session.domain };
    for await (const urls of batches()) yield { method: 'POST', path: '/urls', query, body: { urls } };
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
