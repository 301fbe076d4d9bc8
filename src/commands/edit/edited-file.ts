import { UsageError } from '../../base/errors.ts';
import { type EditedRow, editItemsOperation } from '../../bulk/operations/editing.ts';
import { unlessForeign } from '../../change/decide/apply.ts';
import { outcomeOf } from '../../change/decide/outcome.ts';
import { refuseTooMany } from '../../change/limits.ts';
import { changeNamed } from '../../change/links.ts';
import { openBase, rowsFromOld, rowsSince } from '../../change/rows/base.ts';
import { EmptyCells } from '../../change/rows/empty-cells.ts';
import { checkedRows } from '../../change/rows/file.ts';
import type { Invocation } from '../../cli/invocation.ts';
import { openSession } from '../../cli/session.ts';
import { fieldNames } from '../../contract/fields.ts';
import type { BulkOptions } from '../../flags/bulk-flags.ts';
import { type FieldOptions, readFieldFlags } from '../../flags/field-flags.ts';
import { runFlags } from '../../flags/run-flags.ts';
import type { ItemOf } from '../../input/row.ts';
import type { RowsReport } from '../../output/report.ts';
import { refuseSelection, type SelectionOptions } from '../../select/selection-flags.ts';

export interface EditOptions extends FieldOptions, SelectionOptions, BulkOptions {}

/** The question and the report are the same for links from a file and for others. */
export type ShownEdit = Pick<Parameters<typeof changeNamed>[0], 'question' | 'presentation'>;

/** Each item has its own fields (4.3.7); flags fill those that a row leaves out. */
export async function editFile(
  options: EditOptions,
  invocation: Invocation,
  operands: readonly string[],
  shown: ShownEdit,
): Promise<RowsReport> {
  refuseSelection(operands, options, '--file');
  if (options.newHash !== undefined)
    throw new UsageError('--new-hash applies to one link: in a file, use the column custom_hash');
  const session = await openSession(invocation);
  const values = await readFieldFlags(options, session);
  const base = await openBase(options, session);
  const hasFlagValues = Object.keys(values).length > 0;
  if (base && hasFlagValues) throw new UsageError('--base takes all values from the file: remove the other flags');
  const { input, withOld, domains, reading, targets } = await checkedRows('edit', options, session, { hasFlagValues, base });
  if (base && withOld > 0) throw new UsageError(`${input.name} has old_long_url: use it without --base, or remove it`);
  const empty = new EmptyCells(targets, session.edition, false);
  const rows = base ? await rowsSince(input, base, empty) : withOld > 0 ? rowsFromOld(input) : input;
  for (const line of empty.notes('to clear them: never for a date; in jsonl, "" or []')) await session.note(line);
  if (base) refuseTooMany(rows.rows - rows.skipped, session);
  return await changeNamed(
    {
      what: `edit -f ${options.file}`,
      input: rows,
      domains,
      payload: (item: ItemOf['edit']) => ({ ...values, ...reading.dated(item) }),
      decide({ hash: _, domain: __, old_long_url: ___, ...asked }: EditedRow, now, before) {
        const outcome = outcomeOf(asked, now);
        return before && now ? unlessForeign(outcome, { asked, before, now }, base && ' the base') : outcome;
      },
      verb: 'change',
      ...shown,
      operation: editItemsOperation,
      options,
      // With another base the same file makes other changes, so it is part of the run's identity.
      flags: runFlags(values, options, { ...reading, flags: { ...reading.flags, base: base?.sha256 } }),
      columns: ['hash', ...fieldNames('edit', session.edition), ...(withOld > 0 ? ['old_long_url'] : [])],
    },
    session,
  );
}
