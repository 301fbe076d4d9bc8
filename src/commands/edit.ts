import type { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import { shellWord } from '../base/quoted.ts';
import { editSameOperation } from '../bulk/operations/editing.ts';
import { changeLinks } from '../change/links.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/runner.ts';
import { openSession } from '../cli/session.ts';
import { fieldNames } from '../contract/fields.ts';
import { enumerated } from '../contract/link.ts';
import { addBaseFlag, addBatchFlags, addInputFlags, addUndoFlags } from '../flags/bulk-flags.ts';
import { addFieldFlags, flagOf, readFieldFlags } from '../flags/field-flags.ts';
import { runFlags } from '../flags/run-flags.ts';
import { describe } from '../help/description.ts';
import type { Report } from '../output/report.ts';
import { hashChangePresentation, urlColumns } from '../output/url-columns.ts';
import { addSelectionFlags, requireSelection } from '../select/selection-flags.ts';
import type { EditOptions, ShownEdit } from './edit/edited-file.ts';

export function register(command: Command, run: Runner): void {
  addSelectionFlags(command);
  addFieldFlags(command, 'edit');
  addInputFlags(command);
  addBaseFlag(command);
  addBatchFlags(command);
  addUndoFlags(command);
  command.action(run(edit));
  describe(command, {
    examples: [
      'linkctl edit abc --url https://example.com/new',
      'linkctl edit abc --new-hash sale --note "spring sale"',
      'linkctl edit abc def --add-tag promo --remove-tag draft --expires +30d',
      'linkctl edit -f edits.csv --results done.csv',
      'linkctl edit -f edited.csv --base listed.csv',
      "linkctl edit --by-tags 'promo' --expires 2031-01-31",
    ],
    fields: urlColumns,
    notes: [
      'Fields without a flag stay unchanged. To clear the note: --note "". To remove the expiration date: --expires never. With -f, hash selects ' +
        'the link, custom_hash is its new hash, and tags contains +label and -label.',
      'The output of list -o csv is a valid input file. With --base <listing>, only cells that differ from the listing are sent. Links that ' +
        'someone else has changed since the listing are left unchanged and reported. So are links that no longer lead to the old_long_url ' +
        'of their row.',
      'On a terminal, -f and --hashes-from show the changes and ask for confirmation; --yes skips the question. --by-tags, --search, --all and ' +
        '--filter list the links first, show the plan, and change exactly those. With --no-undo --by-tags the server selects the links; only ' +
        '--note, --expires, --email-stats and --max-clicks can then be set.',
      'Without a terminal, --by-tags, --search and --all require --yes and --max-affected.',
    ],
    globals: ['--domain', '--yes', '--dry-run', '--max-affected', '--quiet', '--progress'],
  });
}

const shown: ShownEdit = {
  question: { verb: 'Edit', isOptional: true },
  presentation: { ...hashChangePresentation('urls', 'Changed'), doing: 'editing' },
};

const needed = { instead: ' | -f <file|->', besides: ' --url https://example.com/new' };

/** PATCH /urls in all four forms: one hash, several hashes, a file of items, and a tag expression. */
async function edit(options: EditOptions, invocation: Invocation, operands: string[]): Promise<Report> {
  if (options.printTemplate) return await (await import('../change/rows/file.ts')).printTemplate('edit', options, invocation);
  if (options.file !== undefined)
    return await (await import('./edit/edited-file.ts')).editFile(options, invocation, operands, shown);
  const selection = requireSelection(operands, options, 'edit', needed);
  const session = await openSession(invocation);
  const values = await readFieldFlags(options, session);
  const all = fieldNames('edit', session.edition);
  const names = all.filter((name) => values[name] !== undefined);
  if (names.length === 0) {
    const flags = enumerated([...all.map(flagOf), '--remove-tag'], 'or');
    const [hash = '', url = ''] = operands;
    const hint = /^https?:\/\//i.test(url) ? `linkctl edit ${shellWord(hash)} --url ${shellWord(url)}` : 'linkctl edit --help';
    throw new UsageError(`nothing to change: give at least one of ${flags}`, { hint });
  }
  if (values.custom_hash !== undefined && operands.length !== 1) {
    throw new UsageError('--new-hash applies to one link: give exactly one hash');
  }
  return await changeLinks(
    {
      selection,
      options,
      command: 'edit',
      files: '--file or --hashes-from',
      ...shown,
      fields: values,
      flags: runFlags(values, options),
      verb: 'change',
      operation: (settings) => editSameOperation(settings, values),
      oneCall: names.every((name) => fieldNames('edit-by-tags', session.edition).includes(name))
        ? {
            done: 'Changed',
            request: (query) => ({ operation: 'editSelectedUrls', input: { query, body: { urls: [values] } } }),
          }
        : undefined,
    },
    session,
  );
}
