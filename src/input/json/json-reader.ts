import { jsonFaultAt } from '../../base/errors.ts';
import { quoted } from '../../base/quoted.ts';
import { type Field, fields } from '../../contract/fields.ts';
import { type InputUse, namesLinks } from '../../contract/formats.ts';
import { isObject } from '../../contract/records.ts';
import type { Refused } from '../dates.ts';
import { isField, jsonValue, type Target } from '../field-values.ts';
import { flat, folded, meaningOf } from '../fields/aliases.ts';
import { type ColumnRole, type ColumnRules, ownRole, unknownRole, unsettableRole } from '../fields/columns.ts';
import { ColumnMapper, type Mapping, type Roles, rolesIn, rulesFor } from '../fields/mapping.ts';
import { areResults, type Setting, targetMeant } from '../fields/members.ts';
import type { Notices } from '../notices.ts';
import { textOf } from '../protection.ts';
import type { CellReader, ReadOptions, RecordReader, RowDraft } from '../row.ts';
import { repeatedMember } from './repeated-members.ts';

/**
 * Reads a JSON object from each text. If all names are those of the API, values must have its types; members of other services are mapped
 * by name and read like csv cells.
 */
export function jsonReader(draft: RowDraft, options: ReadOptions, notices: Notices) {
  // The names of `--columns` that no object had so far.
  const absent = new Map(rulesFor(options).named);
  const fill = membersReader(draft, options, notices, (names) => {
    for (const name of names) absent.delete(folded(name));
  });
  let last = 0;
  let nth = 0;
  const read: RecordReader<string> = (text, line) => {
    if (text.trim() === '') return 'nothing';
    nth = line === last ? nth + 1 : 1;
    last = line;
    draft.begin(line, nth);
    const record = objectIn(text, draft);
    if (record) fill(record, text, line);
    return 'row';
  };
  const end = (): void => {
    const [name] = absent.values();
    if (!name || last === 0) return;
    notices.problem({ line: last, reason: `--columns: no object has a member ${quoted(name.header)}`, isAboutColumns: true });
  };
  return { read, end };
}

/** Distinguishes a row from an object that contains a list of rows: a row identifies a link or has a destination as text. */
export function rowTest(options: ReadOptions): (object: object) => boolean {
  const { known, named } = rulesFor(options);
  const targets = namesLinks(options.use) ? ['hash', 'custom_hash', 'short_url'] : ['long_url'];
  const isTarget = (name: string): boolean => {
    const target = named.get(folded(name))?.target ?? known.get(name)?.target ?? meaningOf(name);
    return target !== undefined && targets.includes(target);
  };
  return (object) => Object.entries(flat(object)).some(([name, value]) => typeof value === 'string' && isTarget(name));
}

function objectIn(text: string, draft: RowDraft): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
    draft.refuse('expected a JSON object on each line');
  } catch {
    // The error message is omitted because it quotes the text, which may be a secret.
    draft.refuse('not valid JSON', jsonFaultAt(text) + 1);
  }
  return undefined;
}

/** Objects with the same members share a form; undefined if a member is refused. */
type Form = Mapping | undefined;

/** Files normally have few forms, but this bounds the memory for any file. */
const maxForms = 1000;

/** `onForm` receives the names of each form. */
function membersReader(
  draft: RowDraft,
  options: ReadOptions,
  notices: Notices,
  onForm: (names: readonly string[]) => void,
): (record: object, text: string, line: number) => void {
  const mapper = new ColumnMapper(options, notices);
  const forms = new Map<string, Form>();
  const refusals = new Set<string>();
  /** In an edit, what is null in some object is like an empty cell of a csv. */
  const emptied = new Set<Target>();
  const refuse = (reason: string, line: number): void => {
    if (refusals.has(reason) || refusals.size === maxForms) return;
    refusals.add(reason);
    notices.problem({ line, reason, isAboutColumns: true });
  };
  const formOf = (names: readonly string[], line: number): Form => {
    const key = names.join('\n');
    if (!forms.has(key)) {
      if (forms.size === maxForms) forms.clear();
      onForm(names);
      const roles = memberRoles(names, mapper.rules);
      const mapping = mapper.map(names, roles, (reason) => refuse(reason, line));
      forms.set(key, roles.roles.some(({ kind }) => kind === 'refused') ? undefined : mapping);
    }
    return forms.get(key);
  };
  return (record, text, line) => {
    const repeated = repeatedMember(text, record);
    if (repeated !== undefined) {
      refuse(`duplicate column ${repeated}`, line);
      return draft.drop();
    }
    const members = flat(record);
    const names = Object.keys(members);
    const form = formOf(names, line);
    if (!form) return draft.drop();
    draft.within(form.columns);
    for (const column of form.columns) {
      const value = members[names[column.index] ?? ''];
      if (column.loss) draft.lose(column.loss, textOf(value));
      if (!column.setting) continue;
      const { target } = column.setting;
      if (value === null && options.use === 'edit' && !emptied.has(target)) notices.header(emptied.add(target));
      if (form.hasOtherNames) setForeign(column.setting, column.read, value, draft);
      else setOwn(column.setting, value, options.use, draft);
    }
  };
}

/** Records of a listing may contain additional members of the server. */
function memberRoles(names: readonly string[], rules: ColumnRules): Roles {
  const { known, named } = rules;
  const has = (name: string): boolean => names.includes(name);
  const isListed = has('short_url') && has('hash') && !areResults(has);
  if (named.size > 0 || !(isListed || names.every((name) => known.has(name)))) return rolesIn(names, rules);
  const roles = names.map((name) => (known.has(name) ? ownRole(name, rules) : additionalRole(name, rules)));
  return { roles, hasOtherNames: false, isForeign: false };
}

/** Never sets a field, whatever its name means in files of others: the server may mean something else. */
function additionalRole(name: string, rules: ColumnRules): ColumnRole {
  if (targetMeant(name, rules) === 'unsettable') return unsettableRole(name, rules);
  return rules.isStrict ? unknownRole(name, rules) : { kind: 'ignored' };
}

/** `""` clears a field, as null does in a file of links. Elsewhere only a date can be null, and other fields are left out. */
function setOwn(setting: Setting, value: unknown, use: InputUse, draft: RowDraft): void {
  const { target } = setting;
  const empty: Field['default'] = isField(target) ? fields[target].default : undefined;
  const isCleared = value === '' || (value === null && (use === 'apply' || target === 'expiration_date'));
  if (isCleared && empty !== undefined) draft.set(setting, typeof empty === 'object' && empty !== null ? [...empty] : empty);
  // As in a csv, an empty text names nothing.
  else if (value !== null && (value !== '' || isField(target))) draft.set(setting, jsonValue(target, value));
}

function setForeign(setting: Setting, read: CellReader, value: unknown, draft: RowDraft): void {
  if (setting.target === 'tags' && Array.isArray(value)) {
    const labels = value.map(labelOf).filter((label) => label !== '');
    if (labels.length > 0) draft.set(setting, jsonValue('tags', labels));
    return;
  }
  const [one, ...others] = Array.isArray(value) ? value.filter((entry) => entry !== null) : [value];
  if (others.length > 0) draft.lose({ name: `further values of ${setting.name}` }, textOf(others));
  const text = foreignText(setting.target, one);
  if (typeof text === 'string') draft.setText(setting, read, text);
  else draft.set(setting, text);
}

/** Some services write false for a value that is not set. A number beyond the safe integers may differ from the one in the file. */
function foreignText(target: Target, value: unknown): string | Refused {
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean' && !(isField(target) && fields[target].kind === 'boolean')) {
    return value ? { refused: 'must be a string' } : '';
  }
  if (typeof value === 'object') return { refused: 'must be a string' };
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    return { refused: 'must be a string: a number of so many digits is not exact' };
  }
  return String(value);
}

/** Some services use objects as labels. */
function labelOf(entry: unknown): unknown {
  if (typeof entry === 'string') return entry.trim();
  if (typeof entry !== 'object' || entry === null) return entry;
  const members = new Map<string, unknown>(Object.entries(entry));
  return members.get('name') ?? members.get('label') ?? members.get('title') ?? entry;
}
