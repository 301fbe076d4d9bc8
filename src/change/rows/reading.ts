import { relativeDay, utcDay } from '../../base/days.ts';
import type { Session } from '../../cli/session.ts';
import { hostName, withoutLocalPort } from '../../contract/web-address.ts';
import type { BulkOptions } from '../../flags/bulk-flags.ts';
import type { CheckedInput } from '../../input/check-input.ts';
import { delimiterOf, type InputUse, separatorOf } from '../../input/format.ts';
import { readNamedColumns } from '../../input/named-columns.ts';
import type { ReadOptions } from '../../input/row.ts';

/** How rows were read, as far as what is sent depends on it. */
export interface RowReading<Item> {
  /** The flags, for the journal of a run. */
  readonly flags: Readonly<Record<string, unknown>>;
  /** The day from which dates of rows count; a run that is resumed has that of its beginning. */
  readonly from?: { day: string };
  /** The row with the days that its dates name. Before that, `+30d` is in it as it was typed. */
  dated(item: Item): Item;
}

/** How a file is read, by the flags. Throws a UsageError. */
export function settingsOf<Use extends InputUse>(
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

export function readingOf<Item extends { readonly expiration_date?: string | null }>(
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

/** The same rows with the days that their dates name. */
export async function* datedRows<Row extends { readonly item: Item }, Item>(
  batches: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>,
  { dated }: RowReading<Item>,
): AsyncGenerator<Row[]> {
  for await (const rows of batches) yield rows.map((row) => ({ ...row, item: dated(row.item) }));
}

/** The hosts whose short URLs lead elsewhere than the links that are made from them. The server is asked once, on edition A. */
export async function foreignHosts({ hosts }: CheckedInput, file: string, session: Session): Promise<string[]> {
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
