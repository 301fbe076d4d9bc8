import { relativeDay, utcDay } from '../../base/days.ts';
import type { RunInput } from '../../bulk/run-plan.ts';
import type { Invocation } from '../../cli/invocation.ts';
import { openSession, type Session } from '../../cli/session.ts';
import type { InputUse } from '../../contract/formats.ts';
import type { LinkDomains } from '../../contract/link.ts';
import { hostName, withoutLocalPort } from '../../contract/web-address.ts';
import type { BulkOptions } from '../../flags/bulk-flags.ts';
import { type CheckedInput, checkInput, readRows } from '../../input/check-input.ts';
import { type DomainResolver, readWithDomains, refuseForeign } from '../../input/domain-resolver.ts';
import type { Target } from '../../input/field-values.ts';
import { delimiterOf, formatOf, readNamedColumns, separatorOf } from '../../input/format.ts';
import type { KeptRows } from '../../input/kept-rows.ts';
import type { InputRow, ItemOf, ReadOptions } from '../../input/row.ts';
import { utmParameters } from '../../link/rules/utm.ts';
import type { TextReport } from '../../output/report.ts';
import { refuseTooMany } from '../limits.ts';
import { keptRows } from './read-links.ts';

/** An input that was checked as a whole and may be sent. */
interface CheckedRows<Use extends InputUse> {
  readonly input: RunInput<ItemOf[Use]> & { readonly skipped: number };
  readonly withHash: number;
  /** The domains of the rows of an edit. */
  readonly domains: LinkDomains;
  readonly reading: RowReading<ItemOf[Use]>;
  /** The fields that the columns of a csv set. */
  readonly targets: ReadonlySet<Target>;
}

interface ReadMore<Use extends InputUse> {
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
    // A command that only reads keeps nothing on the disk: it reads the input again.
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
  const open = () => kept?.read() ?? readRows(source, { ...settings, resolver });
  const takesSkipped = options.includeProtected;
  const input = { name: source.name, sha256, rows, skipped, takesSkipped, open, change: source.change, copyTo: source.copyTo };
  return { input, withHash, domains: resolver.domains(), reading, targets: checked.targets };
}

/** The part of the reading on which the requests depend. */
interface RowReading<Item> {
  /** The flags, for the journal of a run. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** The day from which dates of rows count; a run that is resumed has that of its beginning. */
  readonly from?: { day: string };
  /** The row with the days that its dates name. Before that, `+30d` is in it as it was typed. */
  dated(item: Item): Item;
}

/** Throws a UsageError. */
function settingsOf<Use extends InputUse>(
  use: Use,
  options: BulkOptions,
  { edition, now }: Session,
): Omit<ReadOptions<Use>, 'format'> {
  const { inputFormat: format, delimiter, columns, dateFormat, tagSeparator } = options;
  return {
    use,
    edition,
    isFormatGiven: format !== undefined,
    now,
    delimiter: delimiter === undefined ? undefined : delimiterOf(delimiter),
    columns: columns === undefined ? undefined : readNamedColumns(columns, use, edition),
    dateFormat,
    tagSeparator: tagSeparator === undefined ? undefined : separatorOf(tagSeparator),
    strictColumns: options.strictColumns,
    includeProtected: options.includeProtected,
    formulaGuarded: options.stripFormulaGuard,
  };
}

function readingOf<Item extends { readonly expiration_date?: string | null }>(
  flags: Readonly<Record<string, unknown>>,
  { countsFromToday }: CheckedInput,
  { now }: Session,
): RowReading<Item> {
  if (!countsFromToday) return { flags, dated: (item) => item };
  const from = { day: utcDay(now) };
  return {
    flags,
    from,
    dated(item) {
      const day = item.expiration_date ? relativeDay(item.expiration_date, Date.parse(from.day)) : undefined;
      return day === undefined ? item : { ...item, expiration_date: day };
    },
  };
}

/** The hosts whose short URLs lead elsewhere than the links that are made from them. The server is asked once, on edition A. */
async function foreignHosts({ hosts }: CheckedInput, file: string, session: Session): Promise<string[]> {
  if (session.edition !== 'a' || hosts.size === 0) return [];
  const { names, defaultDomain } = await session.domains();
  const own = names.map((name) => withoutLocalPort(hostName(name)));
  const working = session.domain ?? defaultDomain;
  // Without a list there is one domain, whatever it is called.
  if (own.length === 0) return [];
  return [...hosts].flatMap(([host, line]) => {
    if (working !== undefined && withoutLocalPort(host) === withoutLocalPort(hostName(working))) return [];
    const made = working === undefined ? '' : `: the links are made on ${working}`;
    const isOwn = own.includes(withoutLocalPort(host));
    return [`${file}:${line}: ${host} is ${isOwn ? 'another' : 'not a'} domain of the account${made}`];
  });
}

/** Reads the session for its edition. */
export async function printTemplate(
  use: InputUse,
  { inputFormat = 'csv' }: BulkOptions,
  invocation: Invocation,
): Promise<TextReport> {
  const { inputTemplate } = await import('../../input/template.ts');
  const { edition } = await openSession(invocation);
  return { kind: 'text', text: inputTemplate(use, edition, inputFormat) };
}
