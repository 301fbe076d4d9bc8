import type { Command } from 'commander';
import { deleteOperation } from '../bulk/operations/removal.ts';
import { changeLinks } from '../change/links.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/runner.ts';
import { openSession } from '../cli/session.ts';
import { addBatchFlags, addUndoFlags, type BulkOptions } from '../flags/bulk-flags.ts';
import { describe } from '../help/description.ts';
import type { Report } from '../output/report.ts';
import { hashChangePresentation, urlColumns } from '../output/url-columns.ts';
import { addSelectionFlags, requireSelection, type SelectionOptions } from '../select/selection-flags.ts';

interface DeleteOptions extends SelectionOptions, BulkOptions {
  readonly ignoreMissing?: boolean;
}

export function register(command: Command, run: Runner): void {
  addSelectionFlags(command);
  command.option('--ignore-missing', 'ignore hashes that do not exist');
  addBatchFlags(command);
  addUndoFlags(command);
  command.action(run(remove));
  describe(command, {
    examples: [
      'linkctl delete abc',
      'linkctl delete abc https://s.ex/def --ignore-missing --yes',
      'linkctl delete --hashes-from old.csv --dry-run',
      'linkctl list --by-tags old --fields short_url | linkctl rm --hashes-from - -y',
      "linkctl delete --by-tags 'promo&~evergreen' --max-affected 500 --yes",
    ],
    notes: [
      'Deleting asks for confirmation. Without a terminal, --yes is required; --by-tags, --search and --all also require --max-affected.',
    ],
    fields: urlColumns,
    globals: ['--domain', '--yes', '--dry-run', '--max-affected', '--no-input', '--quiet', '--progress'],
  });
}

async function remove(options: DeleteOptions, invocation: Invocation, operands: string[]): Promise<Report> {
  const selection = requireSelection(operands, options, 'delete');
  const session = await openSession(invocation);
  return await changeLinks(
    {
      selection,
      options,
      command: 'delete',
      question: { verb: 'Delete' },
      presentation: { ...hashChangePresentation('deleted', 'Deleted'), doing: 'deleting', ignoreMissing: options.ignoreMissing },
      verb: 'delete',
      operation: deleteOperation,
      oneCall: { done: 'Deleted', request: (query) => ({ operation: 'deleteUrls', input: { query } }) },
    },
    session,
  );
}
