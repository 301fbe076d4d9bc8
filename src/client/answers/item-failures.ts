import { type CliError, sharedFailure } from '../../base/errors.ts';
import { isObject, readItemError } from '../../contract/records.ts';
import { itemError } from '../api-messages.ts';
import type { Subject } from '../subject.ts';

/** The failure of an answer that succeeded as a whole (4.3.1). Undefined if all items succeeded. */
export function itemsFailure(answer: object, subject: Subject): CliError | undefined {
  const items: unknown[] = 'urls' in answer && Array.isArray(answer.urls) ? answer.urls : [];
  const failures = items.flatMap((item) => failureOf(item, subject) ?? []);
  return items.length === 1 ? failures[0] : sharedFailure(failures, items.length, 'items failed');
}

function failureOf(item: unknown, subject: Subject): CliError | undefined {
  const error = isObject(item) ? readItemError(item.error) : undefined;
  if (!isObject(item) || !error || error.code === 0) return undefined;
  const [hash, longUrl] = [item.custom_hash ?? item.hash, item.long_url].map((text) =>
    typeof text === 'string' ? text : undefined,
  );
  return itemError(error, { ...subject, hash, longUrl });
}
