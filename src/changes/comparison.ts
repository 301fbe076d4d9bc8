import { UnavailableError } from '../base/errors.ts';
import type { AppliedKind, AppliedRow } from '../bulk/operations/apply.ts';
import { rowBatches } from '../bulk/operations/cut-input.ts';
import type { RunInput } from '../bulk/run-plan.ts';
import type { Session } from '../cli/session.ts';
import { SeenKeys } from '../client/seen-keys.ts';
import { type LinkKey, linkText, recordDomain } from '../contract/link.ts';
import type { EditFields } from '../contract/operations.ts';
import type { UrlRecord } from '../contract/records.ts';
import { tagInstructions } from '../contract/tag-label.ts';
import { withoutLocalPort } from '../contract/web-address.ts';
import type { ItemOf } from '../input/row.ts';
import { fieldsThatDiffer } from '../link/same.ts';
import { type BaseListing, changedFields, changedSinceBase } from './base-listing.ts';
import type { EmptyCells } from './empty-cells.ts';
import { plannedLinks } from './plan-report.ts';
import type { PlannedOutcome } from './planned-links.ts';
import type { SelectedLink, SelectedPage } from './selected-links.ts';

/** A link as a file has it; `tags` are all of its labels. */
export type FileLink = ItemOf['apply'];

/** A link that a file has, the account, or both. */
export interface ComparedLink extends SelectedLink {
  /** Undefined for a link that only the account has. */
  readonly item: FileLink | undefined;
}

/** What is compared. */
export interface Comparison {
  readonly file: Pick<RunInput<FileLink>, 'open'>;
  /** The links among which are those that the file lacks. */
  besides(): AsyncIterable<SelectedPage>;
  readonly batchSize: number;
  readonly empty: EmptyCells;
}

/**
 * First the links of the file as the account has them now, in the order of the file, then those that only the account has. Every
 * link comes once.
 */
export async function* comparedPages(
  { file, besides, batchSize, empty }: Comparison,
  { client }: Pick<Session, 'client'>,
): AsyncGenerator<SelectedPage<ComparedLink>> {
  const named = new NamedLinks();
  const missing = new NamedLinks();
  let read = 0;
  empty.begin();
  for await (const rows of rowBatches(file, batchSize)) {
    const items = rows.map(({ item }) => item);
    for await (const found of plannedLinks([items], fileOutcome, { client, batchSize })) {
      const links = found.map(({ target: { hash, domain }, record }, nth) => {
        const item = items[nth];
        return { target: { hash, domain }, record, item: item && empty.filled(item, record) };
      });
      for (const { target, record } of links) named.add(target, record);
      for (const { target, record } of links) if (!record) missing.add(target, undefined);
      read += links.length;
      yield { links, read };
    }
  }
  for await (const { links } of besides()) {
    for (const { target, record } of links) if (record && missing.has(target, record)) throw inconsistent(target);
    const others = links.filter(({ target, record }) => record !== undefined && named.add(target, record));
    read += others.length;
    yield { links: others.map((link) => ({ ...link, item: undefined })), read };
  }
}

/** What is listed and yet was not found is neither missing nor there: nothing can be said about it, and nothing is sent. */
function inconsistent(link: LinkKey): UnavailableError {
  return new UnavailableError(`the server lists ${linkText(link)}, but did not find it by its hash`, {
    hint: 'it may have been created meanwhile: run the same command again',
  });
}

/**
 * Links that were seen, by every name that a server may give them: a listing of the default domain may not say which that is, and some
 * servers write a hash in another case than it was asked for, or with blanks around it. Who takes a link of the file for another one would delete it.
 */
class NamedLinks {
  readonly #seen = new SeenKeys();

  /** Whether the link is new. */
  add(link: LinkKey, record: UrlRecord | undefined): boolean {
    const isKnown = namesOf(link, record).map((name) => !this.#seen.add(name));
    return !isKnown.includes(true);
  }

  has(link: LinkKey, record: UrlRecord): boolean {
    return namesOf(link, record).some((name) => this.#seen.has(name));
  }
}

function namesOf({ hash, domain }: LinkKey, record: UrlRecord | undefined): string[] {
  const domains = [domain, record && recordDomain(record)].map((name) => name && withoutLocalPort(name));
  const hashes = [hash, record?.hash ?? hash].map((one) => one.trim());
  return [...new Set(domains.flatMap((name) => hashes.map((one) => linkText({ hash: one, domain: name }))))];
}

/**
 * What makes a link as its file has it: fields that the file leaves out are not compared. Neither is the spelling, as a server that
 * writes long URLs its own way would never be as the file says.
 */
export function fileOutcome({ hash: _, domain: __, ...fields }: FileLink, record: UrlRecord | undefined): PlannedOutcome {
  if (!record) return { kind: 'create', fields: withoutDefaults(fields) };
  const { tags } = fields;
  const asked: EditFields = { ...fields, ...(tags && { tags: tagInstructions(tags, record.tags) }) };
  const changed = fieldsThatDiffer(asked, record);
  if (changed.length === 0) return { kind: 'unchanged' };
  return { kind: 'change', fields: Object.fromEntries(changed.map((field) => [field, asked[field]])) };
}

/**
 * The same where the file was made from a listing: what the file has as the listing is left as it is, and so is a link that somebody else
 * has changed since.
 */
export function outcomeSince(
  { item, record, target }: ComparedLink,
  base: BaseListing | undefined,
  besides: (record: UrlRecord) => PlannedOutcome,
): PlannedOutcome {
  const was = base?.of(target);
  if (!item) return record ? besidesSince(record, besides(record), base && { was }) : { kind: 'missing' };
  const outcome = fileOutcome(item, record);
  if (!base) return outcome;
  if (!was) {
    const isOther = record !== undefined && outcome.kind === 'change';
    return isOther ? { kind: 'refused', reason: `exists, and is not in ${base.name}`, fields: outcome.fields } : outcome;
  }
  const fields = changedFields(item, was);
  const names = Object.keys(fields);
  if (!record) {
    const reason = `deleted since ${base.name}`;
    return names.length === 0 ? { kind: 'left', reason: `${reason}, left alone` } : { kind: 'refused', reason, fields };
  }
  const changed = fieldsThatDiffer(fields, record);
  if (changed.length === 0) return { kind: 'unchanged' };
  const since = changedSinceBase(fields, was, record);
  if (since.length > 0) return { kind: 'refused', reason: `changed since ${base.name}: ${since.join(', ')}`, fields };
  return { kind: 'change', fields: Object.fromEntries(changed.map((field) => [field, fields[field]])) };
}

/** A link that only the account has is new there, or was taken out of the file. */
function besidesSince(
  record: UrlRecord,
  outcome: PlannedOutcome,
  base: { readonly was: FileLink | undefined } | undefined,
): PlannedOutcome {
  if (!base || outcome.kind !== 'delete') return outcome;
  if (!base.was) return { kind: 'left', reason: 'created since the base, left alone' };
  const isOther = fileOutcome(base.was, record).kind === 'change';
  return isOther ? { kind: 'refused', reason: 'changed since the base' } : outcome;
}

function withoutDefaults(fields: EditFields): EditFields {
  const isEmpty = (value: unknown): boolean =>
    value === undefined || value === null || value === '' || value === 0 || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

const kinds: { readonly [K in PlannedOutcome['kind']]?: AppliedKind } = { create: 'shorten', delete: 'delete' };

/** The row of a run that does what is planned. */
export function appliedRow({ hash, domain }: LinkKey, fields: EditFields, kind: PlannedOutcome['kind']): AppliedRow {
  const { custom_hash: _, ...asked } = fields;
  return { operation: kinds[kind] ?? 'edit', hash, domain, ...asked };
}
