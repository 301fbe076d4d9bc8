import { UsageError } from '../../base/errors.ts';
import { integerPrint } from '../../base/fingerprint.ts';
import { quoted } from '../../base/quoted.ts';
import type { RunInput, RunRow } from '../../bulk/run-plan.ts';
import type { Session } from '../../cli/session.ts';
import { type LinkKey, linkText } from '../../contract/link.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { isSameDomain } from '../../contract/web-address.ts';
import { keptList } from '../../files/kept-rows.ts';
import type { BulkOptions } from '../../flags/bulk-flags.ts';
import { formatByName } from '../../input/format.ts';
import type { ItemOf } from '../../input/row.ts';
import { type BaseListing, baseValues, changedFields, type FileLink } from '../decide/apply.ts';
import type { EmptyCells } from './empty-cells.ts';
import { checkedRows } from './file.ts';
import { keptRows } from './read-links.ts';

/** Reads the listing of `--base` and stores it on disk, with 12 bytes per link in memory. */
export async function openBase(options: BulkOptions, session: Session): Promise<BaseListing | undefined> {
  const { base, file } = options;
  if (base === undefined) return undefined;
  if (base === '-' && file === '-') throw new UsageError('specify only one of --file - or --base -');
  // The name of a pipe does not tell the format: then the base has the format of the file.
  const inputFormat = formatByName(base) === 'lines' ? (options.inputFormat ?? formatByName(file ?? '')) : undefined;
  // How the file is written says nothing of the base: that is a listing of linkctl, which needs no such flag.
  const written = {
    encoding: undefined,
    delimiter: undefined,
    columns: undefined,
    tagSeparator: undefined,
    strictColumns: undefined,
  };
  const given = { ...options, ...written, file: base, ...(inputFormat !== 'lines' && { inputFormat }) };
  const { input, reading, isForeign } = await checkedRows('apply', given, session, { isOnlyRead: true });
  const kept = keptList(keptRows<FileLink>(session, true));
  const prints: number[] = [];
  for await (const rows of input.open()) {
    for (const { item } of rows) {
      prints.push(integerPrint(item.hash));
      kept.add(reading.dated(item));
    }
  }
  return { sha256: input.sha256, name: input.name, isForeign, of: lookupIn(prints, kept.list()) };
}

function lookupIn(prints: readonly number[], links: { at(index: number): FileLink }): BaseListing['of'] {
  const order = Uint32Array.from(prints.keys()).sort((one, other) => (prints[one] ?? 0) - (prints[other] ?? 0));
  const printAt = (position: number): number => prints[order[position] ?? 0] ?? 0;
  return ({ hash, domain }) => {
    const print = integerPrint(hash);
    let [from, to] = [0, order.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (printAt(middle) < print) from = middle + 1;
      else to = middle;
    }
    for (let position = from; position < order.length && printAt(position) === print; position += 1) {
      const found = links.at(order[position] ?? 0);
      // On an account of several domains, both have one.
      const isOther = found.domain !== undefined && domain !== undefined && !isSameDomain(found.domain, domain);
      if (found.hash === hash && !isOther) return found;
    }
    return undefined;
  };
}

type EditRow = ItemOf['edit'] & LinkKey;

/** Adds the base's values to the rows, to compare them before sending, and counts empty cells. Throws a UsageError if the base lacks a link. */
export async function rowsSince(
  input: RunInput<ItemOf['edit']>,
  base: BaseListing,
  empty: EmptyCells,
): Promise<RunInput<ItemOf['edit']> & { skipped: number }> {
  const edited = input as RunInput<EditRow>;
  const unknown: string[] = [];
  let skipped = 0;
  let missing = 0;
  for await (const rows of edited.open()) {
    for (const row of rows) {
      const was = base.of(row.item);
      if (!was) missing += 1;
      if (!was && unknown.length < 20)
        unknown.push(`${input.name}:${row.line}: ${quoted(linkText(row.item))} is not in ${base.name}`);
      empty.filled(row.item, was);
      if (was && rowSince(row, was).skip) skipped += 1;
    }
  }
  if (missing > 0) {
    const more = missing > unknown.length ? [`... and ${missing - unknown.length} more`] : [];
    throw new UsageError(
      `${input.name}: ${missing} ${missing === 1 ? 'link is' : 'links are'} not in ${base.name}, nothing was sent`,
      { details: [...unknown, ...more] },
    );
  }
  async function* open(): AsyncGenerator<RunRow<EditRow>[]> {
    for await (const rows of edited.open()) yield rows.map((row) => rowSince(row, base.of(row.item) ?? row.item));
  }
  // The base may be old, so each link is read again.
  return { ...edited, open, skipped, readAt: Number.NEGATIVE_INFINITY };
}

/** Adds the destinations that the file says the links had, to compare them before sending. */
export function rowsFromOld(input: RunInput<ItemOf['edit']> & { readonly skipped: number }): typeof input {
  const fromOld = (row: RunRow<ItemOf['edit']>): typeof row => {
    const { hash = '', old_long_url: long_url } = row.item;
    return long_url === undefined ? row : { ...row, before: { hash, long_url } as UrlRecord };
  };
  async function* open(): AsyncGenerator<RunRow<ItemOf['edit']>[]> {
    for await (const rows of input.open()) yield rows.map(fromOld);
  }
  return { ...input, open, readAt: Number.NEGATIVE_INFINITY };
}

function rowSince(row: RunRow<EditRow>, base: FileLink): RunRow<EditRow> {
  const { hash, domain } = row.item;
  const fields = changedFields(row.item, base, true);
  const item: EditRow = { hash, ...(domain !== undefined && { domain }), ...fields };
  if (Object.keys(fields).length === 0) return { line: row.line, item, skip: { status: 'unchanged' } };
  return { line: row.line, item, before: { hash, ...baseValues(fields, base) } as UrlRecord };
}
