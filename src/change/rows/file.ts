import { relativeDay, utcDay } from '../../base/times.ts';
import type { RunInput } from '../../bulk/run-plan.ts';
import type { Invocation } from '../../cli/invocation.ts';
import { openSession, type Session } from '../../cli/session.ts';
import { type InputUse, isJson } from '../../contract/formats.ts';
import type { LinkDomains } from '../../contract/link.ts';
import { isSameDomain } from '../../contract/web-address.ts';
import type { KeptRows } from '../../files/kept-rows.ts';
import type { BulkOptions } from '../../flags/bulk-flags.ts';
import { type CheckedInput, checkInput, readRows } from '../../input/check-input.ts';
import { type DomainResolver, readWithDomains, refuseForeign } from '../../input/domain-resolver.ts';
import type { Target } from '../../input/field-values.ts';
import { delimiterOf, formatOf, readNamedColumns, separatorOf } from '../../input/format.ts';
import type { InputRow, ItemOf, ReadOptions } from '../../input/row.ts';
import { utmParameters } from '../../link/rules/utm.ts';
import type { TextReport } from '../../output/report.ts';
import { refuseTooMany } from '../limits.ts';
import { keptRows } from './read-links.ts';

/** A completely checked input. */
interface CheckedRows<Use extends InputUse> {
  readonly input: Omit<RunInput<ItemOf[Use]>, 'open'> & {
    readonly skipped: number;
    open(): AsyncIterable<readonly InputRow<Use>[]> | Iterable<readonly InputRow<Use>[]>;
  };
  readonly withHash: number;
  readonly withOld: number;
  /** The domains of the rows of an edit. */
  readonly domains: LinkDomains;
  readonly reading: RowReading<ItemOf[Use]>;
  /** The fields that the columns of a csv set. */
  readonly targets: ReadonlySet<Target>;
  readonly isForeign: boolean;
}

interface ReadMore<Use extends InputUse> {
  /** UTM parameters for every long URL, as typed. */
  readonly utm?: string | undefined;
  readonly hasFlagValues?: boolean;
  /** Receives the first valid rows, to show them. */
  readonly first?: InputRow<Use>[] | undefined;
  /** Nothing will be sent; true by default in a dry run. */
  readonly isOnlyRead?: boolean;
  /** The listing that the file was made from: both are read by the same rules, so that equal cells are equal. */
  readonly base?: { readonly isForeign: boolean } | undefined;
}

/** Opens and checks a file of rows, and prints warnings. Throws a UsageError with all problems. */
export async function checkedRows<Use extends InputUse>(
  use: Use,
  options: BulkOptions,
  session: Session,
  { utm, hasFlagValues, first, isOnlyRead = session.global.dryRun === true, base }: ReadMore<Use> = {},
): Promise<CheckedRows<Use>> {
  const { file = '', columns, dateFormat, tagSeparator, encoding, inputFormat: given } = options;
  const source = await session.openInput(file, use === 'shorten' ? 'URLs' : 'rows', encoding);
  const settings = {
    ...settingsOf(use, options, session),
    format: await formatOf(source, { use, operand: file, given }),
    ...(utm !== undefined && { utm: utmParameters(utm) }),
    // The listing of an empty account has no rows.
    allowEmpty: use === 'apply',
    keepsSigns: options.base !== undefined,
    hasFlagValues,
    isForeign: base?.isForeign,
    listsAll: session.global.dryRun || isJson(session.format()),
  };
  let kept: KeptRows<InputRow<Use>> | undefined;
  const check = async (resolver: DomainResolver): Promise<CheckedInput> => {
    // A command that only reads stores nothing on disk: it reads the input again.
    kept = isOnlyRead ? undefined : keptRows<InputRow<Use>>(session);
    return await checkInput(source, { ...settings, resolver, first }, kept);
  };
  const { found: checked, resolver } = await readWithDomains(check, session, 'listed change', source.name);
  const { rows, skipped, withHash, withOld, sha256, warnings } = checked;
  if (use === 'apply') await refuseForeign(resolver.hosts, session, source.name);
  // Most rows of a compared file change nothing.
  if (use !== 'apply' && options.base === undefined) refuseTooMany(rows - skipped, session);
  if (checked.columns !== undefined) await (checked.hasLosses ? session.warn : session.note)(checked.columns);
  await session.warn(...warnings, ...(await foreignHosts(checked, source.name, session)));
  const flags = { columns, date_format: dateFormat, tag_separator: tagSeparator, encoding, utm };
  const reading = readingOf<ItemOf[Use]>(flags, checked, session);
  const open = () => kept?.read() ?? readRows(source, { ...settings, resolver });
  const sendsSkipped = options.includeProtected;
  const input = {
    name: source.name,
    sha256,
    rows,
    skipped,
    sendsSkipped,
    open,
    size: source.size?.(),
    // Rows that all have hashes of their own get no second links.
    sha256OfFirst: withHash < rows ? source.sha256OfFirst : undefined,
    changeError: source.changeError,
    copyTo: source.copyTo,
  };
  return {
    input,
    withHash,
    withOld,
    domains: resolver.domains(),
    reading,
    targets: checked.targets,
    isForeign: checked.isForeign,
  };
}

/** The part of the reading that requests depend on. */
interface RowReading<Item> {
  /** For the journal of a run. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** Relative dates, as typed, and the day that they count from. A resumed run uses the day on which it began. */
  readonly from?: { readonly dates: ReadonlySet<string>; day: string };
  /** Replaces relative dates such as `+30d` by days. */
  dated(item: Item): Item;
}

/** Throws a UsageError for an invalid flag. */
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
  { relativeDates: dates }: CheckedInput,
  { now }: Session,
): RowReading<Item> {
  if (dates.size === 0) return { flags, dated: (item) => item };
  const from = { dates, day: utcDay(now) };
  return {
    flags,
    from,
    dated(item) {
      const day = item.expiration_date ? relativeDay(item.expiration_date, Date.parse(from.day)) : undefined;
      return day === undefined ? item : { ...item, expiration_date: day };
    },
  };
}

/** Returns a warning for each host of short URLs that is not the domain of the new links. Sends at most one request. */
async function foreignHosts({ hosts }: CheckedInput, file: string, session: Session): Promise<string[]> {
  if (session.edition !== 'a' || hosts.size === 0) return [];
  const { names, defaultDomain } = await session.domains();
  const working = session.domain ?? defaultDomain;
  // Without a list of domains, the account has only one.
  if (names.length === 0) return [];
  return [...hosts].flatMap(([host, line]) => {
    if (working !== undefined && isSameDomain(host, working)) return [];
    const made = working === undefined ? '' : `: the links are made on ${working}`;
    const isOwn = names.some((name) => isSameDomain(name, host));
    return [`${file}:${line}: ${host} is ${isOwn ? 'another' : 'not a'} domain of the account${made}`];
  });
}

/** Opens the session only for its edition. */
export async function printTemplate(
  use: InputUse,
  { inputFormat = 'csv' }: BulkOptions,
  invocation: Invocation,
): Promise<TextReport> {
  const { inputTemplate } = await import('../../input/template.ts');
  const { edition } = await openSession(invocation);
  return { kind: 'text', text: inputTemplate(use, edition, inputFormat) };
}
