import type { RunInput } from '../../bulk/run-plan.ts';
import type { Session } from '../../cli/session.ts';
import type { LinkDomains } from '../../contract/link.ts';
import type { BulkOptions } from '../../flags/bulk-flags.ts';
import { type CheckedInput, checkInput, readRows } from '../../input/check-input.ts';
import { type DomainResolver, readWithDomains, refuseForeign } from '../../input/domain-resolver.ts';
import type { Target } from '../../input/field-values.ts';
import { formatOf, type InputUse } from '../../input/format.ts';
import type { KeptRows } from '../../input/kept-rows.ts';
import type { InputRow, ItemOf } from '../../input/row.ts';
import { utmParameters } from '../../link/rules/utm.ts';
import { refuseTooMany } from '../limits.ts';
import { keptRows } from './read-links.ts';
import { datedRows, foreignHosts, type RowReading, readingOf, settingsOf } from './reading.ts';

/** An input that was checked as a whole and may be sent. */
export interface CheckedRows<Use extends InputUse> {
  readonly input: RunInput<ItemOf[Use]> & { readonly skipped: number };
  /** Rows that give a custom hash. */
  readonly withHash: number;
  /** Where the rows of an edit are. */
  readonly domains: LinkDomains;
  readonly reading: RowReading<ItemOf[Use]>;
  /** What the columns of a csv set. */
  readonly targets: ReadonlySet<Target>;
}

/** What a command reads of a file besides what every command does. */
export interface ReadMore<Use extends InputUse> {
  /** UTM parameters for every long URL, as typed. */
  readonly utm?: string | undefined;
  /** Gets the first rows without a problem, where they are to be shown. */
  readonly first?: InputRow<Use>[] | undefined;
  /** Nothing will be sent; without it, in a dry run. */
  readonly isOnlyRead?: boolean;
}

/** Opens and checks a file of rows; warnings are printed. Throws a UsageError with all that is wrong. */
export async function checkedRows<Use extends InputUse>(
  use: Use,
  options: BulkOptions,
  session: Session,
  { utm, first, isOnlyRead = session.global.dryRun === true }: ReadMore<Use> = {},
): Promise<CheckedRows<Use>> {
  const { file = '', columns, dateFormat, tagSeparator, encoding, inputFormat: given } = options;
  const source = await session.openInput(file, use === 'shorten' ? 'URLs' : 'rows', encoding);
  const settings = {
    ...settingsOf(use, options, session),
    format: await formatOf(source, { use, operand: file, given }),
    ...(utm !== undefined && { utm: utmParameters(utm) }),
    // An empty account is listed as a file without rows.
    allowEmpty: use === 'apply',
    keepsSigns: options.base !== undefined,
  };
  let kept: KeptRows<InputRow<Use>> | undefined;
  const check = async (resolver: DomainResolver): Promise<CheckedInput> => {
    // What only reads keeps nothing on the disk: it reads the input again.
    kept = isOnlyRead ? undefined : keptRows<InputRow<Use>>(session);
    return await checkInput(source, { ...settings, resolver, first }, kept);
  };
  const { found: checked, resolver } = await readWithDomains(check, session, 'listed change', source.name);
  const { rows, skipped, withHash, sha256, warnings } = checked;
  if (use === 'apply') await refuseForeign(resolver.hosts, session, source.name);
  // Of a file that is compared, most rows change nothing.
  if (use !== 'apply' && options.base === undefined) refuseTooMany(rows - skipped, session);
  if (checked.columns !== undefined) await (checked.hasLosses ? session.warn : session.note)(checked.columns);
  await session.warn(...warnings, ...(await foreignHosts(checked, source.name, session)));
  const flags = { columns, date_format: dateFormat, tag_separator: tagSeparator, encoding, utm };
  const reading = readingOf<ItemOf[Use]>(flags, checked, session);
  const read = () => kept?.read() ?? readRows(source, { ...settings, resolver });
  // What is compared has days, not words that count from one.
  const open = use === 'apply' && checked.countsFromToday ? () => datedRows(read(), reading) : read;
  const takesSkipped = options.includeProtected;
  const input = { name: source.name, sha256, rows, skipped, takesSkipped, open, change: source.change, copyTo: source.copyTo };
  return { input, withHash, domains: resolver.domains(), reading, targets: checked.targets };
}
