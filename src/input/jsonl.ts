import { jsonErrorPosition } from '../base/errors.ts';
import { hashNotice, ignoredNotice, knownMembers, nameProblem } from './fields/members.ts';
import type { Notices, ReadOptions, RecordReader, RowDraft } from './row.ts';
import { jsonValue, type Target } from './values.ts';

/** Reads one JSON object from each line, with the API's names and types; blank lines are skipped. */
export function jsonReader(draft: RowDraft, options: ReadOptions, notices: Notices): RecordReader<string> {
  const fill = membersReader(draft, options, notices);
  return (text, line) => {
    if (text.trim() === '') return 'nothing';
    draft.begin(line);
    const record = parsed(text, draft);
    if (record) fill(record, line);
    return 'row';
  };
}

function parsed(line: string, draft: RowDraft): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    draft.refuse('expected a JSON object on each line');
  } catch (error) {
    // The message itself quotes the text, which may be a secret.
    const position = jsonErrorPosition(error);
    draft.refuse('not valid JSON', position === undefined ? undefined : position + 1);
  }
  return undefined;
}

/** A record of a listing may carry whatever its server adds (FIELD-NOTES 4); everybody else's members must be known. */
function membersReader(
  draft: RowDraft,
  { use, edition, ignoreUnknownColumns }: ReadOptions,
  notices: Notices,
): (record: object, line: number) => void {
  const known = knownMembers(use, edition);
  const rules = { use, known, ignoreUnknown: ignoreUnknownColumns === true };
  /** Why each unknown name is refused: rows are alike, and what is ignored is named once (I4). */
  const refusals = new Map<string, string | undefined>();
  let isHashReported = false;
  const judge = (name: string, line: number): void => {
    if (refusals.size === 1000) refusals.clear();
    if (!refusals.has(name)) {
      const reason = nameProblem('member', name, rules);
      refusals.set(name, reason);
      if (reason === undefined) notices.warning({ line, reason: ignoredNotice('member', [name]) });
    }
    const reason = refusals.get(name);
    if (reason !== undefined) draft.refuse(reason);
  };
  return (record, line) => {
    const hasShortUrl = Object.hasOwn(record, 'short_url');
    const isListed = hasShortUrl && Object.hasOwn(record, 'hash');
    for (const [name, value] of Object.entries(record)) {
      const member = known.get(name);
      if (!member && !isListed) judge(name, line);
      if (!member?.target) continue;
      if (value !== null) draft.set(member, jsonValue(member.target, value));
      else if (clearable.has(member.target)) draft.set(member, null);
    }
    if (!hasShortUrl || isListed || isHashReported) return;
    const reason = hashNotice(use, Object.keys(record));
    isHashReported = reason !== undefined;
    if (reason !== undefined) notices.warning({ line, reason });
  };
}

/** Elsewhere null says that there is no value. */
const clearable: ReadonlySet<Target> = new Set(['expiration_date']);
