import { CliError } from '../../base/errors.ts';
import { shellWord } from '../../base/quoted.ts';
import { itemError } from '../../client/api-messages.ts';
import type { Identity } from '../../client/subject.ts';
import { type LinkKey, linkText } from '../../contract/link.ts';
import type { RunPlan } from '../run-plan.ts';
import { errorText, type RowOutcome } from './row-outcome.ts';

/** A typed link gets the command that changes it; for rows, a file does. */
function existing(hash: string, isTyped: boolean): string {
  if (isTyped) return `to change the existing link, give the same flags to: linkctl edit -- ${shellWord(hash)}`;
  return 'these rows already have links: to change existing links, use linkctl edit -f with their hashes';
}

interface ItemText extends Partial<LinkKey> {
  readonly custom_hash?: string;
  readonly long_url?: string;
  readonly expiration_date?: string;
}

interface FailedRow {
  /** The file, whose line the error names. */
  readonly input?: string | undefined;
  /** The run of this file. */
  readonly plan?: Pick<RunPlan, 'mode' | 'options' | 'failed'>;
  /** The error was already printed. */
  readonly reported?: boolean;
}

/** Returns undefined if the row did not fail. */
export function outcomeFailure(
  { index, line, status, item, record, error }: RowOutcome,
  identity: Identity,
  { input, plan, reported }: FailedRow = {},
): CliError | undefined {
  if (status !== 'failed' && status !== 'unknown') return undefined;
  const { code = 0, message = '', details = '' } = error ?? {};
  const { custom_hash, hash: own, domain, long_url, expiration_date }: ItemText = item;
  const hash = own && linkText({ domain, hash: own });
  const location = input === undefined ? '' : line === undefined ? `${input}: row ${index + 1}: ` : `${input}:${line}: `;
  if (code === 0) {
    const kind = status === 'unknown' ? 'unknown' : 'rejected';
    const why = errorText({ message, details });
    const subject = hash ?? custom_hash ?? long_url;
    // An unknown row is repeated by the same command, not edited.
    const isExisting = status === 'failed' && record && hash === undefined;
    const hint = isExisting ? existing(record.hash, input === undefined) : undefined;
    return new CliError(kind, location + (subject === undefined ? why : `${subject}: ${why}`), { hint, reported: reported });
  }
  // An edit has both hashes: 1306 is about the current one, other codes about the new one.
  const isNew = code !== 1306 && custom_hash !== undefined;
  const meant = isNew ? { hash: custom_hash, domain } : { hash: hash ?? custom_hash };
  const failure = itemError(
    { code, message, details },
    { identity, method: 'POST', path: '/urls', ...meant, longUrl: long_url, date: expiration_date },
  );
  const { kind, apiCode, details: lines } = failure;
  const isTaken = code === 1215 && input !== undefined && hash === undefined;
  const hint = isTaken && plan ? [...resolution(plan), failure.hint].join('; or ') : failure.hint;
  return new CliError(kind, `${location}${failure.message}`, { apiCode, details: lines, hint, reported: reported });
}

/** Resolves the conflicts of all rows at once. Only rows that have hashes of their own can be sent again without making second links. */
function resolution({ mode, options, failed }: Pick<RunPlan, 'mode' | 'options' | 'failed'>): string[] {
  if (options.onConflict !== undefined) return [];
  const isRepeatable = mode?.name === 'keyed' && !mode.generateHashes;
  const rows = failed === undefined ? 'a file of only the failed rows' : shellWord(failed);
  return [`${isRepeatable ? 'add --again and' : `run ${rows} with`} --on-conflict skip, update or rename`];
}
