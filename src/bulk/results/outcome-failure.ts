import { CliError } from '../../base/errors.ts';
import { flagText, shellWord } from '../../base/quoted.ts';
import { itemError } from '../../client/api-messages.ts';
import { type Identity, onDomain } from '../../client/subject.ts';
import { errorTraits } from '../../contract/errors.ts';
import { type LinkKey, linkText } from '../../contract/link.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import type { KnownRecord } from '../../contract/records.ts';
import { notApplied, type UnappliedField } from '../../link/same.ts';
import { tagInstructions } from '../../link/tag-instructions.ts';
import type { RunPlan } from '../run-plan.ts';
import { errorText, type RowOutcome } from './row-outcome.ts';

type ItemText = Partial<LinkKey & ShortenItem>;

const remedyOfRows = 'these rows already have links: to change existing links, use linkctl edit -f with their hashes';

interface FoundLink {
  readonly record: KnownRecord;
  readonly existed: true | undefined;
}

/** Names the command that gives the existing link the values of the typed one. */
function remedyOfTyped(item: ItemText, { record, existed }: FoundLink, domain: string | undefined): string {
  const flags = notApplied(item, record).flatMap((field) => editFlags(field, existed));
  const target = `${record.hash.startsWith('-') ? '-- ' : ''}${shellWord(record.hash)}`;
  return `to change the existing link: linkctl edit${onDomain(domain)} ${[...flags, target].join(' ')}`;
}

function editFlags({ field, asked, got }: UnappliedField, existed: FoundLink['existed']): string[] {
  if (field === 'email_stats') return [asked === true ? '--email-stats' : '--no-email-stats'];
  if (field !== 'tags') return [flagText(valueFlags[field] ?? '', String(asked ?? 'never'))];
  // The server made the labels of a new link of the requested ones: without them it would have none.
  const others = existed ? (got as string[]) : [];
  const instructions = tagInstructions(asked as string[], others);
  return instructions.map((each) => flagText(each.startsWith('+') ? '--add-tag' : '--remove-tag', each.slice(1)));
}

const valueFlags: Readonly<Record<string, string>> = {
  custom_hash: '--new-hash',
  long_url: '--url',
  note: '--note',
  expiration_date: '--expires',
  max_clicks: '--max-clicks',
};

type PlanOfRows = Pick<RunPlan, 'mode' | 'options' | 'failed' | 'again'>;

interface FailedRow {
  /** The file, whose line the error names. */
  readonly input?: string | undefined;
  /** The run of this file. */
  readonly plan?: PlanOfRows;
  /** The error was already printed. */
  readonly reported?: boolean;
}

/** Returns undefined if the row did not fail. */
export function outcomeFailure(
  { index, line, status, item, record, existed, error }: RowOutcome,
  identity: Identity,
  { input, plan, reported }: FailedRow = {},
): CliError | undefined {
  if (status !== 'failed' && status !== 'unknown') return undefined;
  const { code = 0, message = '', details = '' } = error ?? {};
  const { custom_hash, hash: own, domain, long_url, expiration_date }: ItemText = item;
  const hash = own && linkText({ domain, hash: own });
  // A message about values names no link, and without a file no line does.
  const named = hash !== undefined && errorTraits(code).about === 'values' ? `${hash}: ` : '';
  const row = line === undefined ? `${input}: row ${index + 1}: ` : `${input}:${line}: `;
  const location = input === undefined ? named : row;
  if (code === 0) {
    const kind = status === 'unknown' ? 'unknown' : 'rejected';
    const why = errorText({ message, details });
    const subject = hash ?? custom_hash ?? long_url;
    // An unknown row is repeated by the same command, not edited.
    const isExisting = status === 'failed' && record && hash === undefined;
    const typed = isExisting && input === undefined && remedyOfTyped(item, { record, existed }, identity.domain?.name);
    const hint = isExisting ? typed || remedyOfRows : record ? undefined : overwriting(plan);
    return new CliError(kind, location + (subject === undefined ? why : `${subject}: ${why}`), { hint, reported: reported });
  }
  // An edit has both hashes: 1306 is about the current one, other codes about the new one.
  const isNew = code !== 1306 && custom_hash !== undefined;
  const meant = isNew ? { hash: custom_hash, domain } : { hash: hash ?? custom_hash };
  const failure = itemError(
    { code, message, details },
    { identity, method: 'POST', path: '/urls', ...meant, longUrl: long_url, date: expiration_date ?? undefined },
  );
  const { kind, apiCode, details: lines } = failure;
  const isTaken = code === 1215 && input !== undefined && hash === undefined;
  const hint = isTaken && plan ? [...resolution(plan), failure.hint].join('; or ') : failure.hint;
  return new CliError(kind, `${location}${failure.message}`, { apiCode, details: lines, hint, reported: reported });
}

/** A row without a record was left unchanged because its link has changed since the base. The failed rows have no base. */
function overwriting({ options, failed }: PlanOfRows = { options: {} }): string | undefined {
  if (options.base === undefined || failed === undefined) return undefined;
  return `${shellWord(failed)} without --base overwrites these changes: check the links first`;
}

/** Resolves the conflicts of all rows at once. Only rows that have hashes of their own can be sent again without making second links. */
function resolution({ mode, options, failed, again }: PlanOfRows): string[] {
  if (options.onConflict !== undefined) return [];
  const isRepeatable = mode?.name === 'keyed' && !mode.generateHashes;
  const rows = failed === undefined ? 'a file of only the failed rows' : shellWord(failed);
  const added = again ? 'add' : 'add --again and';
  return [`${isRepeatable ? added : `run ${rows} with`} --on-conflict skip, update or rename`];
}
