import { type LinkKey, linkText } from '../../contract/link.ts';
import type { KnownRecord } from '../matching/row-verdict.ts';
import { hashBefore } from '../operations/made-hashes.ts';
import type { RowOutcome } from './row-outcome.ts';

/** An outcome as it goes out: the record as served, with its short URL in full, or what was asked for with the error. */
export function outcomeRow(
  outcome: RowOutcome,
  shortUrls: { shortUrl(record: KnownRecord): string },
  fromFile = false,
): Record<string, unknown> {
  const { line, status, record, item, error } = outcome;
  if (record && !error) {
    const short_url_with_protocol = shortUrls.shortUrl(record);
    const renamed_from = renamedFrom(outcome);
    if (renamed_from !== undefined) return { line, status, ...record, short_url_with_protocol, renamed_from };
    // Written out, as two objects spread into one cost fifty times as much, for every row of a file.
    return fromFile ? { line, status, ...record, short_url_with_protocol } : { status, ...record, short_url_with_protocol };
  }
  const place = fromFile ? { line, status } : { status };
  const { domain, hash }: Partial<LinkKey> = item;
  const link = domain !== undefined && hash !== undefined && { short_url: linkText({ domain, hash }) };
  return { ...place, ...item, ...link, ...(record && { hash: record.hash }), error: error && { details: '', ...error } };
}

/** The hash that a row asked for, where a link that leads elsewhere has it and `--on-conflict` gave the row another. */
export function renamedFrom({ status, payload, record }: Pick<RowOutcome, 'status' | 'payload' | 'record'>): string | undefined {
  return status === 'created' || status === 'existing' ? hashBefore(payload, record?.hash) : undefined;
}

/** A sentence about the row would say that something was done. */
export function wasNotTouched({ status }: Readonly<Record<string, unknown>>): boolean {
  return status === 'not_sent' || status === 'unchanged' || status === 'skipped';
}
