import type { Command } from 'commander';
import { conflictPolicies } from '../bulk/operations/modes.ts';
import type { Runner } from '../cli/runner.ts';
import { addBatchFlags, addInputFlags } from '../flags/bulk-flags.ts';
import { addFieldFlags } from '../flags/field-flags.ts';
import { choice, once } from '../flags/values.ts';
import { describe } from '../help/description.ts';
import { urlColumns } from '../output/url-columns.ts';
import { addQrFlags } from './qr/qr-flags.ts';
import type { ShortenOptions } from './shorten/shorten-options.ts';

export function register(command: Command, run: Runner): void {
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
  // Imported only when the command runs: parsing and help need less.
  command.action(run<ShortenOptions>(async (...given) => (await import('./shorten/shortening.ts')).shorten(...given)));
  describe(command, {
    examples: [
      'linkctl shorten https://nodejs.org/en/learn',
      'linkctl shorten https://example.com/sale --hash sale --tag ad --expires +30d',
      'linkctl shorten -f links.csv --results done.csv --failed failed.csv',
      'linkctl shorten https://nodejs.org/en/learn --qr',
      'generate-urls | linkctl shorten - -o csv --fields long_url,short_url',
    ],
    fields: urlColumns,
    notes: [
      'In a pipe, the output is one short URL per line. Columns of a csv file: linkctl help csv. ' +
        'With -f, a value in a row overrides the flag.',
      "--on-conflict decides about rows whose custom hash belongs to a link with another destination. update overwrites the link's fields with " +
        'those in the row: tags are replaced, and empty cells change nothing. On a terminal, -f shows these links and asks first; a script ' +
        'is not asked. linkctl undo reverts the update. rename creates the link as hash-2, hash-3 and so on. update and rename need a custom hash ' +
        'in every row, or --generate-hashes.',
    ],
    globals: ['--fields', '--domain', '--yes', '--dry-run', '--max-affected', '--quiet', '--progress'],
  });
}
