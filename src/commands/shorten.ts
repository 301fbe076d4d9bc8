import type { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import { hashGiver } from '../bulk/operations/made-hashes.ts';
import { conflictPolicies } from '../bulk/operations/modes.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/runner.ts';
import { openSession } from '../cli/session.ts';
import type { ShortenItem } from '../contract/operations.ts';
import { addBatchFlags, addInputFlags, refuseRunFlags } from '../flags/bulk-flags.ts';
import { addFieldFlags, readFieldFlags } from '../flags/field-flags.ts';
import { choice, once } from '../flags/values.ts';
import { describe } from '../help/description.ts';
import { flagValue } from '../input/field-values.ts';
import { namesOf, type Report } from '../output/report.ts';
import { urlColumns } from '../output/url-columns.ts';
import { addQrFlags, picturesOf } from './qr/qr-flags.ts';
import { modeOf, type ShortenOptions, shortenPresentation, withSandboxHint } from './shorten/shorten-options.ts';
import { shortenTyped } from './shorten/typed-shortening.ts';

export function registerShorten(command: Command, run: Runner): void {
  command.argument('[long-url...]', 'URLs to shorten; - reads them from stdin');
  addFieldFlags(command, 'shorten');
  command
    .option(
      '--dedupe <scope>',
      'reuse existing links to the same URL: off, account or (edition A only) domain',
      choice(['off', 'account', 'domain']),
    )
    .option('--utm <list>', 'set UTM parameters: source=newsletter,medium=email,campaign=spring', once)
    .option('--generate-hashes', 'generate hashes locally, so that retries cannot create duplicates');
  command.option(
    '--on-conflict <action>',
    'if a hash has another destination: fail, skip, update or rename (default: fail)',
    choice(conflictPolicies),
  );
  addQrFlags(command);
  addInputFlags(command);
  command.option('--include-protected', 'also create links for rows that are protected or disabled at the source');
  addBatchFlags(command);
  command.action(run(shorten));
  describe(command, {
    examples: [
      'linkctl shorten https://nodejs.org/en/learn',
      'linkctl shorten https://example.com/sale --hash sale --tag ad --expires +30d',
      'linkctl shorten -f links.csv --results done.csv --failed failed.csv',
      'linkctl shorten https://nodejs.org/en/learn --qr',
      'generate-urls | linkctl shorten - -o csv --fields long_url,short_url',
    ],
    fields: namesOf(urlColumns),
    notes: [
      'In a pipe, the output is one short URL per line. Columns of a csv file: linkctl help csv. ' +
        'With -f, a value in a row overrides the flag.',
      "--on-conflict decides about rows whose custom hash belongs to a link with another destination. update overwrites the link's fields with " +
        'those in the row: tags are replaced, and empty cells change nothing. On a terminal, -f shows these links and asks first; a script ' +
        'is not asked. linkctl undo reverts the update. rename creates the link as hash-2, hash-3 and so on. update and rename need a custom hash ' +
        'in every row, or --generate-hashes.',
    ],
    globals: ['--fields', '--domain', '--dry-run', '--yes', '--quiet', '--progress'],
  });
}

async function shorten(given: ShortenOptions, invocation: Invocation, operands: string[]): Promise<Report> {
  const isStdin = operands.length === 1 && operands[0] === '-' && given.file === undefined;
  const options = isStdin ? { ...given, file: '-' } : given;
  const urls = isStdin ? [] : operands;
  if (options.printTemplate) return await (await import('../change/rows/file.ts')).printTemplate('shorten', options, invocation);
  if (options.file !== undefined) {
    if (urls.length > 0) throw new UsageError('specify only one of --file or <long-url>...');
    if (options.hash !== undefined) throw new UsageError('--hash applies to one URL: in a file, use the column custom_hash');
    return await (await import('./shorten/shortened-file.ts')).shortenFile(options, invocation);
  }
  if (urls.length === 0) throw new UsageError("missing required argument 'long-url'", missing);
  refuseRunFlags(options, '<long-url>...', '--file');
  if (options.onConflict !== undefined && options.hash === undefined) {
    throw new UsageError('--on-conflict requires --file or --hash');
  }
  if (options.hash !== undefined && urls.length > 1) throw new UsageError('--hash applies to one URL: give exactly one');
  const typed = urls.map((url) => flagValue('long_url', 'long-url', url, invocation.now));
  const longUrls = options.utm === undefined ? typed : (await import('../flags/rewrite-flags.ts')).withUtm(typed, options.utm);
  const session = await openSession(invocation);
  const values = await readFieldFlags(options, session);
  const items = longUrls.map((long_url): ShortenItem => ({ long_url, ...values }));
  const rows = items.length;
  const mode = await modeOf(options, session, { rows, keyedRows: values.custom_hash === undefined ? 0 : rows });
  if (invocation.global.dryRun) {
    const { planOfTyped } = await import('./shorten/planned-urls.ts');
    return planOfTyped(items, mode, options, session);
  }
  const picture = await picturesOf(options, session);
  const { onConflict } = options;
  if (onConflict === 'update') {
    const { makeOrEdit } = await import('../change/rows/taken-hashes.ts');
    return picture(await makeOrEdit({ items, mode, options, presentation: shortenPresentation }, session));
  }
  const giveHash = hashGiver(mode, invocation.system);
  const named = items.map((item) => giveHash(item));
  return withSandboxHint(picture(await shortenTyped(named, { mode, onConflict }, session)), session);
}

const missing = {
  details: ['usage: linkctl shorten <long-url>... | -f <file|->', 'example: linkctl shorten https://nodejs.org/en/learn'],
  hint: 'linkctl shorten --help',
};
