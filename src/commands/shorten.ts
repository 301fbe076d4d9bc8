import type { Command } from 'commander';
import type { Context, Runner } from '../action.ts';
import { runFew } from '../bulk/few.ts';
import { chooseMode, type DedupeScope, type Mode } from '../bulk/modes.ts';
import { outcomeFailure, outcomeRow } from '../bulk/outcome-row.ts';
import { type RowOutcome, runEnd } from '../bulk/row-outcome.ts';
import { shortenFewOperation } from '../bulk/shorten.ts';
import { editions } from '../contract/editions.ts';
import type { ShortenItem } from '../contract/operations.ts';
import { UsageError } from '../errors.ts';
import { addBatchFlags, addInputFlags, type BulkOptions } from '../flags/bulk-flags.ts';
import { addFieldFlags, type FieldOptions, readFieldFlags } from '../flags/field-flags.ts';
import { choice } from '../flags/values.ts';
import { describe } from '../help/layout.ts';
import { flagValue } from '../input/values.ts';
import { dryRunReport } from '../output/dry-run.ts';
import type { Report, Row, RowsReport } from '../output/report.ts';
import { urlColumns } from '../output/url-columns.ts';
import type { Session } from '../session.ts';

interface ShortenOptions extends FieldOptions, BulkOptions {
  readonly dedupe?: DedupeScope;
  readonly generateHashes?: boolean;
}

export function registerShorten(command: Command, run: Runner): void {
  command.argument('[long-url...]', 'URLs to shorten');
  addFieldFlags(command, 'shorten');
  command
    .option(
      '--dedupe <scope>',
      'reuse links to the same URL: off, account or domain [edition A]',
      choice(['off', 'account', 'domain']),
    )
    .option('--generate-hashes', 'choose the hashes here, so that no retry can make a link twice');
  addInputFlags(command);
  addBatchFlags(command);
  command.action(run(shorten));
  describe(command, {
    examples: [
      'linkctl shorten https://nodejs.org/en/learn',
      'linkctl shorten https://example.com/sale --hash sale --tag promo --expires +30d',
      'linkctl shorten -f links.csv --results done.csv --failed failed.csv',
      'generate-urls | linkctl shorten -f - -o csv',
    ],
    fields: urlColumns.map(({ name }) => name),
    notes: [
      'In a pipe, each short URL stands on a line of its own and nothing else. Columns of a csv file: linkctl help csv. ' +
        "With -f, a row's own value beats the flag.",
    ],
    globals: ['--fields', '--domain', '--dry-run', '--yes', '--quiet', '--progress'],
  });
}

/** POST /urls for the URLs that were typed, or for every row of a file. */
async function shorten(options: ShortenOptions, context: Context, urls: string[]): Promise<Report> {
  if (options.file !== undefined || options.printTemplate) {
    if (urls.length > 0) throw new UsageError('specify only one of --file or <long-url>...');
    const { shortenFile } = await import('../run-report.ts');
    return await shortenFile(options, context);
  }
  if (urls.length === 0) throw new UsageError("missing required argument 'long-url'", missing);
  if (options.hash !== undefined && urls.length > 1) throw new UsageError('--hash names one URL: give exactly one');
  const { now } = context.system;
  const longUrls = urls.map((url) => flagValue('long_url', 'long-url', url, now()));
  const session = await context.session();
  const values = readFieldFlags(options, { edition: session.edition, now: now() });
  const items = longUrls.map((long_url): ShortenItem => ({ long_url, ...values }));
  const mode = modeOf(options, session, items);
  if (context.global.dryRun) return dryRunReport(planned(items, mode, session));
  return await shortenFew(items, mode, session, context);
}

const missing = {
  details: ['usage: linkctl shorten <long-url>... | -f <file|->', 'example: linkctl shorten https://nodejs.org/en/learn'],
  hint: 'linkctl shorten --help',
};

function modeOf(
  { dedupe, generateHashes = false }: ShortenOptions,
  { edition, defaults }: Session,
  items: readonly ShortenItem[],
): Mode {
  return chooseMode({
    edition,
    rows: items.length,
    keyedRows: items.filter(({ custom_hash }) => custom_hash !== undefined).length,
    dedupe: dedupe ?? defaults.dedupe ?? 'off',
    generateHashes,
  });
}

async function shortenFew(items: readonly ShortenItem[], mode: Mode, session: Session, context: Context): Promise<RowsReport> {
  const { outcomes, tally, stop } = await runFew(
    shortenFewOperation({ client: session.client, mode, domain: session.domain }),
    items,
    {
      system: context.system,
      batchSize: session.defaults.batch_size ?? editions[session.edition].groupBound,
      warn: (message) => void context.warn(message),
    },
  );
  const failures = new Map(outcomes.map((outcome) => [outcomeRow(outcome, session), outcome] as const));
  const failure = (row: Row) => outcomeFailure(failures.get(row) as RowOutcome<ShortenItem>, session.client.identity);
  const [only] = outcomes;
  const end = runEnd(tally, stop, { noun: 'URLs' });
  return {
    kind: 'rows',
    key: 'urls',
    rows: failures.keys(),
    columns: urlColumns,
    tableFields: ['short_url_with_protocol', 'long_url'],
    pipedFields: ['short_url_with_protocol'],
    sentence: (row, { tick, arrow }) => `${tick} ${row.short_url_with_protocol} ${arrow} ${row.long_url}`,
    failure,
    members: () => ({ summary: { rows: tally.rows, ...tally.counts } }),
    outcome: () => {
      if (end.kind !== 'error') return undefined;
      return (only && outcomes.length === 1 && outcomeFailure(only, session.client.identity, { told: true })) || end.error;
    },
  };
}

function* planned(items: readonly ShortenItem[], mode: Mode, { edition, domain, defaults }: Session) {
  const size = defaults.batch_size ?? editions[edition].groupBound;
  for (let start = 0; start < items.length; start += size) {
    yield {
      method: 'POST',
      path: '/urls',
      query: { disable_long_url_duplicates: mode.duplicates, domain },
      body: { urls: items.slice(start, start + size) },
    };
  }
}
