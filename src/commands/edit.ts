import type { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import { fileBatches } from '../bulk/batches.ts';
import { type EditedRow, editItemsOperation, editSameOperation } from '../bulk/operations/edit.ts';
import { type BaseListing, changedSinceBase, openBase, sinceBase } from '../changes/base-listing.ts';
import { checkedRows, keepsUndo, sendingOf } from '../changes/checked-rows.ts';
import { refuseTooMany } from '../changes/consent.ts';
import { namedRequests } from '../changes/dry-run.ts';
import { changeLinks } from '../changes/link-change.ts';
import { plannedLinks, planReport } from '../changes/plan-report.ts';
import { outcomeOf, type PlannedOutcome } from '../changes/planned-links.ts';
import { consentToRows } from '../changes/planned-rows.ts';
import { runReport } from '../changes/run-report.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/run.ts';
import { openSession } from '../cli/session.ts';
import { fieldNames } from '../contract/fields.ts';
import { enumerated } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import { addBaseFlag, addBatchFlags, addInputFlags, addUndoFlags, type BulkOptions } from '../flags/bulk-flags.ts';
import { addFieldFlags, type FieldOptions, flagOf, readFieldFlags, runFlags } from '../flags/field-flags.ts';
import { addSelectionFlags, refuseSelection, requireLinkSelection, type SelectionOptions } from '../flags/selection-flags.ts';
import { describe } from '../help/description.ts';
import { namesOf, type Report, type RowsReport } from '../output/report.ts';
import { hashChangePresentation, namesDomains, urlColumns } from '../output/url-columns.ts';

interface EditOptions extends FieldOptions, SelectionOptions, BulkOptions {}

export function registerEdit(command: Command, run: Runner): void {
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
    fields: namesOf(urlColumns),
    notes: [
      'Without a flag, a field stays unchanged. --note "" clears the note. To remove the expiration date, use --expires never. With -f, ' +
        'hash selects the link, custom_hash is its new hash, and tags contains +label and -label. You can edit the output of ' +
        'list -o csv and use it as input: with --base <listing>, only cells that differ from the listing are sent, and a link that somebody ' +
        'else changed meanwhile is left alone. On a terminal, -f and --hashes-from show the changes and ask for confirmation; --yes skips the question. --by-tags, --search, --all and --filter list the links first, show the plan, and change exactly those. --no-undo with --by-tags leaves the selection to the server, which can only set --note, --expires, --email-stats and --max-clicks so.',
    ],
    globals: ['--domain', '--yes', '--dry-run', '--max-affected', '--quiet', '--progress'],
  });
}

/** PATCH /urls in all four ways: one hash, the same for many, a file of items, and what a tag expression selects. */
async function edit(options: EditOptions, invocation: Invocation, operands: string[]): Promise<Report> {
  if (options.printTemplate) return await (await import('./print-template.ts')).printTemplate('edit', options, invocation);
  if (options.file !== undefined) return await editFile(options, invocation, operands);
  const selection = requireLinkSelection(operands, options, 'edit');
  const session = await openSession(invocation);
  const values = await readFieldFlags(options, session);
  const all = fieldNames('edit', session.edition);
  const names = all.filter((name) => values[name] !== undefined);
  if (names.length === 0) {
    const flags = enumerated([...all.map(flagOf), '--remove-tag'], 'or', all.length + 1);
    throw new UsageError(`nothing to change: give at least one of ${flags}`, { hint: 'linkctl edit --help' });
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
      isOneCall: names.every((name) => fieldNames('edit-by-tags', session.edition).includes(name)),
      asks,
      presentation: editPresentation,
      done: 'Changed',
      fields: values,
      flags: runFlags(values, options),
      request: { method: 'PATCH', path: '/urls' },
      verb: 'change',
      operation: (settings) => editSameOperation(settings, values),
      sendSelected: (query) => session.client.send('editSelectedUrls', { query, body: { urls: [values] } }),
    },
    session,
  );
}

const asks = { verb: 'Edit', isOptional: true };

const editPresentation = { ...hashChangePresentation('urls', 'Changed'), doing: 'editing' };

/** Items of a file, each with fields of its own (4.3.7); the flags fill what a row leaves out. */
async function editFile(options: EditOptions, invocation: Invocation, operands: readonly string[]): Promise<RowsReport> {
  refuseSelection(operands, options, '--file');
  if (options.newHash !== undefined)
    throw new UsageError('--new-hash applies to one link: in a file, use the column custom_hash');
  const session = await openSession(invocation);
  const { edition } = session;
  const values = await readFieldFlags(options, session);
  const sending = sendingOf(options, session);
  const base = await openBase(options, session);
  if (base && Object.keys(values).length > 0)
    throw new UsageError('--base takes all values from the file: remove the other flags');
  const checked = await checkedRows('edit', options, session);
  const { domains, reading } = checked;
  const input = base ? await sinceBase(checked.input, base) : checked.input;
  if (base) refuseTooMany(input.rows - input.skipped, session);
  const outcome = (item: EditedRow, record?: UrlRecord) => rowOutcome(item, record, base);
  const payload = (item: EditedRow): EditedRow => ({ ...values, ...reading.dated(item) });
  if (session.global.dryRun) {
    const batches = fileBatches(input, payload, { limit: sending.batchSize });
    const links = plannedLinks(batches, outcome, { client: session.client, batchSize: sending.batchSize });
    const requests = namedRequests({ input, payload, operation: editItemsOperation, options, outcomeOf: outcome }, session);
    return planReport({ links, requests, verb: 'change', domains }, session);
  }
  const asked = {
    input,
    asks,
    verb: 'change',
    outcomeOf: (item: EditedRow, record?: UrlRecord) => outcome(payload(item), record),
    batchSize: sending.batchSize,
  } as const;
  const undo = await keepsUndo(options, session);
  const rows = await consentToRows(asked, session);
  return await runReport(
    {
      ...sending,
      operation: editItemsOperation,
      undo,
      what: `edit -f ${options.file}`,
      input: { ...input, ...rows, ...(base && { readAt: input.readAt }) },
      payload,
      ...withBase(runFlags(values, options, reading), base),
      columns: ['hash', ...fieldNames('edit', edition)],
    },
    { ...namesDomains(editPresentation, domains), domains },
    session,
  );
}

/** Another base makes another change of the same file. */
function withBase<Flags extends { readonly options: object }>(flags: Flags, base: BaseListing | undefined): Flags {
  return base ? { ...flags, options: { ...flags.options, base: base.sha256 } } : flags;
}

function rowOutcome(item: EditedRow, record: UrlRecord | undefined, base: BaseListing | undefined): PlannedOutcome {
  const { hash: _, domain: __, ...fields } = item;
  const was = record && base?.of(item);
  const since = was ? changedSinceBase(fields, was, record) : [];
  return since.length > 0
    ? { kind: 'refused', reason: `changed since the base: ${since.join(', ')}`, fields }
    : outcomeOf(fields, record);
}
