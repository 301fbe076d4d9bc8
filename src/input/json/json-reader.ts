import { jsonErrorPosition } from '../../base/errors.ts';
import { type Field, fields } from '../../contract/fields.ts';
import { type CellReader, cellReader } from '../csv/cells.ts';
import { columnsIn, type HeaderColumn, isSaid, rulesFor, sensesFound, sensesIn } from '../csv/header.ts';
import { isField, jsonValue } from '../field-values.ts';
import { containers, folded, guardOf, meaningOf } from '../fields/aliases.ts';
import type { ColumnRules, Sense } from '../fields/columns.ts';
import type { Setting } from '../fields/members.ts';
import { type InputUse, namesLinks } from '../format.ts';
import type { Notices } from '../notices.ts';
import type { ReadOptions, RecordReader, RowDraft } from '../row.ts';

/**
 * Reads a JSON object from each text. With the names of the API alone, values have its types; the members of other services are found by
 * their names and read as the cells of a csv are.
 */
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

/** Tells a row from an object that holds a list of them: it has a text that names a link, or where one leads. */
export function rowTest(options: ReadOptions): (object: object) => boolean {
  const { known, named } = rulesFor(options);
  const targets = namesLinks(options.use) ? ['hash', 'custom_hash', 'short_url'] : ['long_url'];
  const isTarget = (name: string): boolean => {
    const target = named.get(folded(name))?.target ?? known.get(name)?.target ?? meaningOf(name);
    return target !== undefined && targets.includes(target);
  };
  return (object) => Object.entries(flat(object)).some(([name, value]) => typeof value === 'string' && isTarget(name));
}

function parsed(text: string, draft: RowDraft): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
    draft.refuse('expected a JSON object on each line');
  } catch (error) {
    // The message itself quotes the text, which may be a secret.
    const position = jsonErrorPosition(error);
    draft.refuse('not valid JSON', position === undefined ? undefined : position + 1);
  }
  return undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Members = Readonly<Record<string, unknown>>;

/** The members of an object, and those of objects in it that only group them: `meta.title`. */
function flat(record: object): Members {
  const groups = Object.entries(record).filter(([name, value]) => containers.has(name.toLowerCase()) && isObject(value));
  if (groups.length === 0) return record as Members;
  const members: Record<string, unknown> = Object.assign(Object.create(null), record);
  for (const [name, group] of groups) {
    delete members[name];
    for (const [inner, value] of Object.entries(group)) members[`${name}.${inner}`] = value;
  }
  return members;
}

/** How objects with the same members are read. */
interface Form {
  readonly isForeign: boolean;
  readonly members: readonly (HeaderColumn & { readonly read: CellReader | undefined })[];
  readonly isRefused: boolean;
}

/** A file has few forms, but who writes it may have had others in mind. */
const mostForms = 1000;

function membersReader(draft: RowDraft, options: ReadOptions, notices: Notices): (record: object, line: number) => void {
  const rules = rulesFor(options);
  const forms = new Map<string, Form>();
  const refusals = new Set<string>();
  const formOf = (names: readonly string[], line: number): Form => {
    const key = names.join('\n');
    let form = forms.get(key);
    if (!form) {
      if (forms.size === mostForms) forms.clear();
      form = newForm(names, rules, options, {
        ...notices,
        problem: (notice) => {
          if (refusals.has(notice.reason) || refusals.size === mostForms) return;
          refusals.add(notice.reason);
          notices.problem({ ...notice, line });
        },
      });
      forms.set(key, form);
    }
    return form;
  };
  return (record, line) => {
    const members = flat(record);
    const names = Object.keys(members);
    const { isForeign, members: read, isRefused } = formOf(names, line);
    if (isRefused) return draft.drop();
    for (const member of read) {
      const value = members[names[member.index] ?? ''];
      if (isForeign) setForeign(member, value, line, draft);
      else setOwn(member, value, options.use, draft);
    }
  };
}

function newForm(names: readonly string[], rules: ColumnRules, options: ReadOptions, notices: Notices): Form {
  const { senses, isForeign } = sensesOfMembers(names, rules);
  for (const sense of senses)
    if (sense.kind === 'refused') notices.problem({ line: 0, reason: sense.reason, isAboutColumns: true });
  const columns = columnsIn(senses, rules);
  if (isForeign || isSaid(columns, options.use)) notices.columns(sensesFound(senses, names, rules));
  const members = columns.map((column) => ({
    ...column,
    read: column.setting && cellReader(column.setting, { isForeign, index: column.index }, options, notices),
  }));
  return { isForeign, members, isRefused: senses.some(({ kind }) => kind === 'refused') };
}

/** A record of a listing may carry whatever its server adds to it. */
function sensesOfMembers(names: readonly string[], rules: ColumnRules): { senses: readonly Sense[]; isForeign: boolean } {
  const { known, named, use } = rules;
  const isListed = names.includes('short_url') && names.includes('hash');
  if (named.size > 0 || !(isListed || names.every((name) => known.has(name)))) return sensesIn(names, rules);
  const senses = names.map((name): Sense => {
    const member = known.get(name);
    const guard = use === 'shorten' && !member ? guardOf(name) : undefined;
    if (guard) return { kind: 'lost', loss: { name, guard } };
    if (!member?.target) return { kind: 'unused' };
    return use === 'shorten' && member.foreign ? { kind: 'lost', loss: { name } } : { kind: 'set', setting: member };
  });
  return { senses, isForeign: false };
}

function setOwn({ setting, loss }: HeaderColumn, value: unknown, use: InputUse, draft: RowDraft): void {
  if (loss) draft.lose(loss, textOf(value));
  else if (!setting) return;
  else if (value !== null) draft.set(setting, jsonValue(setting.target, value));
  else setEmpty(setting, use, draft);
}

/** Null is a link's value where a file says what it has; elsewhere only a date can be null, and any other field is left out. */
function setEmpty(member: Setting, use: InputUse, draft: RowDraft): void {
  const { target } = member;
  if (!isField(target) || (use !== 'apply' && target !== 'expiration_date')) return;
  const empty: Field['default'] = fields[target].default;
  if (empty !== undefined) draft.set(member, typeof empty === 'object' && empty !== null ? [...empty] : empty);
}

function setForeign(
  { setting, loss, read }: HeaderColumn & { readonly read: CellReader | undefined },
  value: unknown,
  line: number,
  draft: RowDraft,
): void {
  if (value === null || value === undefined) return;
  if (loss) draft.lose(loss, textOf(value));
  if (!setting || !read) return;
  if (setting.target === 'tags' && Array.isArray(value)) {
    const labels = value.map(labelOf).filter((label) => label !== '');
    if (labels.length > 0) draft.set(setting, jsonValue('tags', labels));
    return;
  }
  // Where there may be several, the first is the one.
  const one: unknown = Array.isArray(value) ? value[0] : value;
  if (one === undefined || one === null) return;
  if (typeof one === 'object') {
    draft.refuse(`${setting.name}: must be a text`);
    return;
  }
  const text = String(one);
  if ((setting.target === 'note' ? text : text.trim()) === '') return;
  const cell = read(text, line);
  if (cell === undefined) draft.drop();
  else draft.set(setting, cell);
}

/** Some services have objects for labels. */
function labelOf(entry: unknown): unknown {
  if (typeof entry === 'string') return entry.trim();
  if (typeof entry !== 'object' || entry === null) return entry;
  const members = new Map<string, unknown>(Object.entries(entry));
  return members.get('name') ?? members.get('label') ?? members.get('title') ?? entry;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value).trim();
}
