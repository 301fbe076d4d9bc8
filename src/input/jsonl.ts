import { jsonErrorPosition } from '../base/errors.ts';
import { type Field, fields } from '../contract/fields.ts';
import { ignoredNotice, knownMembers, nameProblem, type Setting } from './fields/members.ts';
import type { InputUse } from './format.ts';
import type { Notices } from './notices.ts';
import type { ReadOptions, RecordReader, RowDraft } from './row.ts';
import { isField, jsonValue } from './values.ts';

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
    const isListed = Object.hasOwn(record, 'short_url') && Object.hasOwn(record, 'hash');
    for (const [name, value] of Object.entries(record)) {
      const member = known.get(name);
      if (!member && !isListed) judge(name, line);
      // A listing has both, and its short URL is for people.
      if (!member?.target || (name === 'short_url' && use === 'shorten' && isListed)) continue;
      if (value !== null) draft.set(member, jsonValue(member.target, value));
      else setEmpty(member, use, draft);
    }
  };
}

/** Null is a link's value where a file says what it has (P1); elsewhere only a date can be null, and any other field is left out. */
function setEmpty(member: Setting, use: InputUse, draft: RowDraft): void {
  const { target } = member;
  if (!isField(target) || (use !== 'apply' && target !== 'expiration_date')) return;
  const empty: Field['default'] = fields[target].default;
  if (empty !== undefined) draft.set(member, typeof empty === 'object' && empty !== null ? [...empty] : empty);
}
