import { UsageError } from '../../base/errors.ts';
import { fingerprintOf } from '../../base/fingerprint.ts';
import { quoted } from '../../base/quoted.ts';
import { folders } from '../../base/system.ts';
import type { RunInput, RunRow } from '../../bulk/run-plan.ts';
import type { Session } from '../../cli/session.ts';
import { fields as allFields, type Field, type FieldName } from '../../contract/fields.ts';
import { type LinkKey, linkText } from '../../contract/link.ts';
import type { EditFields } from '../../contract/operations.ts';
import type { UrlRecord } from '../../contract/records.ts';
import { foldLabel } from '../../contract/tag-label.ts';
import type { BulkOptions } from '../../flags/bulk-flags.ts';
import { KeptRows } from '../../input/kept-rows.ts';
import { type ItemOf, instruction } from '../../input/row.ts';
import { notApplied } from '../../link/same.ts';
import { checkedRows } from './file.ts';

/** A link as a listing has it; `tags` are all of its labels. */
type BaseLink = ItemOf['apply'];

/** The listing that a file was made from: what differs from it is what its author changed. */
export interface BaseListing {
  readonly sha256: string;
  readonly name: string;
  /** Undefined for a link that the listing lacks. */
  of(link: LinkKey): BaseLink | undefined;
}

/** Links that are read together when one of them is asked for; most files have the order of their listing. */
const pageLength = 32;

/** Reads the listing of `--base`; it is kept on the disk, with 12 bytes a link in memory. */
export async function openBase(options: BulkOptions, session: Session): Promise<BaseListing | undefined> {
  const { base, file } = options;
  if (base === undefined) return undefined;
  if (base === '-' && file === '-') throw new UsageError('specify only one of --file - or --base -');
  const given = { ...options, file: base, inputFormat: undefined };
  const { input } = await checkedRows('apply', given, session, { isOnlyRead: true });
  const kept = new KeptRows<BaseLink>(folders(session.system).state, session.system);
  session.atEnd(async () => kept.close());
  const prints: number[] = [];
  let page: BaseLink[] = [];
  for await (const rows of input.open()) {
    for (const { item } of rows) {
      prints.push(printOf(linkText(item)));
      if (page.push(item) < pageLength) continue;
      kept.add(page);
      page = [];
    }
  }
  if (page.length > 0) kept.add(page);
  return { sha256: input.sha256, name: input.name, of: lookUp(prints, kept) };
}

function lookUp(prints: readonly number[], kept: KeptRows<BaseLink>): BaseListing['of'] {
  const order = Uint32Array.from(prints.keys()).sort((one, other) => (prints[one] ?? 0) - (prints[other] ?? 0));
  const printAt = (place: number): number => prints[order[place] ?? 0] ?? 0;
  let open: { readonly nth: number; readonly links: readonly BaseLink[] } | undefined;
  const linkAt = (row: number): BaseLink | undefined => {
    const nth = Math.floor(row / pageLength);
    if (open?.nth !== nth) open = { nth, links: kept.at(nth) };
    return open.links[row % pageLength];
  };
  return (link) => {
    const text = linkText(link);
    const print = printOf(text);
    let [from, to] = [0, order.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (printAt(middle) < print) from = middle + 1;
      else to = middle;
    }
    for (let place = from; place < order.length && printAt(place) === print; place += 1) {
      const found = linkAt(order[place] ?? 0);
      if (found && linkText(found) === text) return found;
    }
    return undefined;
  };
}

/** 52 bits, as a whole number. */
function printOf(text: string): number {
  const { low, high } = fingerprintOf(text);
  return (high >>> 12) * 2 ** 32 + low;
}

type Values = Readonly<Record<string, unknown>>;

/** The fields that a file has otherwise than its base. Tags are what is to be attached and detached; those of an edit may have signs. */
export function changedFields(
  { hash: _, domain: __, ...fields }: ItemOf['edit'] & LinkKey,
  base: BaseLink,
  mayHaveSigns = false,
): EditFields {
  const was: Values = { ...base };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
      if (Array.isArray(value)) {
        const hasSigns = mayHaveSigns && value.some((entry) => /^[+-]/.test(entry));
        const changes = hasSigns ? value.map(instruction) : tagChanges(value, base.tags ?? []);
        return changes.length > 0 ? [[name, changes]] : [];
      }
      if (name === 'custom_hash') return value === base.hash ? [] : [[name, value]];
      return value === (was[name] ?? defaultOf(name)) ? [] : [[name, value]];
    }),
  );
}

/** Labels without signs are all that the link shall have. */
function tagChanges(entries: readonly string[], base: readonly string[]): string[] {
  const [wanted, had] = [new Set(entries.map(foldLabel)), new Set(base.map(foldLabel))];
  return [
    ...entries.filter((label) => !had.has(foldLabel(label))).map((label) => `+${label}`),
    ...base.filter((label) => !wanted.has(foldLabel(label))).map((label) => `-${label}`),
  ];
}

/** An empty cell of a listing. */
function defaultOf(name: string): unknown {
  const field: Field | undefined = allFields[name as FieldName];
  return field?.default;
}

/** The fields to change that have neither the value of the base nor that of the file: somebody else has changed them. */
export function changedSinceBase(asked: EditFields, base: BaseLink, record: UrlRecord): string[] {
  const open = notApplied(asked, record, 'instructions').map(({ field }) => field);
  const was = valuesOf(asked, base);
  const isOther = new Set(notApplied(was, record).map(({ field }) => field));
  return open.filter((field) => isOther.has(field));
}

/** What the base has for the fields that are set. What is attached and detached does not depend on other labels. */
function valuesOf(asked: EditFields, base: BaseLink): EditFields {
  const was: Values = { ...base };
  const names = Object.keys(asked).filter((name) => name !== 'tags' && name !== 'custom_hash');
  return Object.fromEntries(names.map((name) => [name, was[name] ?? defaultOf(name)]));
}

type EditRow = ItemOf['edit'] & LinkKey;

/**
 * The rows of an edit with only the fields that differ from the base, and with what the base has for them, to be compared before a batch
 * is sent. Rows without a change are left out. Throws a UsageError for links that the base lacks.
 */
export async function sinceBase(
  input: RunInput<ItemOf['edit']>,
  base: BaseListing,
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
      if (was && rowSince(row, was).skip) skipped += 1;
    }
  }
  if (missing > 0) {
    const more = missing > unknown.length ? [`... and ${missing - unknown.length} more`] : [];
    throw new UsageError(
      `${input.name}: ${missing} ${missing === 1 ? 'link is' : 'links are'} not in ${base.name}, nothing was sent`,
      {
        details: [...unknown, ...more],
      },
    );
  }
  async function* open(): AsyncGenerator<RunRow<EditRow>[]> {
    for await (const rows of edited.open()) yield rows.map((row) => rowSince(row, base.of(row.item) ?? row.item));
  }
  // What the base says is as old as the base: each link is read again.
  return { ...edited, open, skipped, readAt: Number.NEGATIVE_INFINITY };
}

function rowSince(row: RunRow<EditRow>, base: BaseLink): RunRow<EditRow> {
  const { hash, domain } = row.item;
  const fields = changedFields(row.item, base, true);
  const item: EditRow = { hash, ...(domain !== undefined && { domain }), ...fields };
  if (Object.keys(fields).length === 0) return { line: row.line, item, skip: { status: 'unchanged' } };
  return { line: row.line, item, before: { hash, ...valuesOf(fields, base) } as UrlRecord };
}
