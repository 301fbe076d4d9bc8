import { quoted } from '../../base/quoted.ts';
import { folded, rankOf } from '../fields/aliases.ts';
import { type ColumnRules, type NamedColumns, type Sense, sensesOf } from '../fields/columns.ts';
import { ignoredNotice, knownMembers, missingNotice, requiredTarget, type Setting } from '../fields/members.ts';
import { type InputUse, namesLinks } from '../format.ts';
import type { Notices } from '../notices.ts';
import type { ReadOptions } from '../row.ts';
import type { Target } from '../values.ts';
import { delimiterWord, findDelimiter, isUrl } from './delimiter.ts';

/** What the columns of a file are. */
export interface Header {
  readonly width: number;
  /** Those that count, in the order in which a row is filled: of two short URLs the better one first. */
  readonly columns: readonly HeaderColumn[];
  /** Columns are not only those of ours: cells are read as other services write them (I5). */
  readonly isForeign: boolean;
  /** The first record was a row: its cells have their meaning by position. */
  readonly isRow: boolean;
}

export interface HeaderColumn {
  readonly index: number;
  /** Absent where only the host of a short URL counts, or where there must be no value. */
  readonly setting?: Setting;
  readonly isEmpty: boolean;
}

/** Reads the first record. Reports everything that is wrong with it; undefined where no row can be read then. */
export function readHeader(record: readonly string[], line: number, options: ReadOptions, notices: Notices): Header | undefined {
  const { use, edition, ignoreUnknownColumns, columns: named = new Map() } = options;
  const rules = { use, known: knownMembers(use, edition), ignoreUnknown: ignoreUnknownColumns === true, named };
  const names = record.map((cell) => cell.trim());
  const isNamed = names.some((name) => rules.known.has(name.toLowerCase()) || named.has(folded(name)));
  if (use === 'shorten' && !isNamed && isUrl(record[0] ?? '')) return byPosition(record, line, notices);
  const fault = firstLineFault(names, isNamed, rules, options) ?? absentName(names, named);
  if (fault !== undefined) {
    notices.problem({ line, reason: fault, isAboutColumns: true });
    return undefined;
  }
  const isForeign = named.size > 0 || names.some((name) => name !== '' && !rules.known.has(name.toLowerCase()));
  const senses = isForeign ? sensesOf(names, rules) : ownSenses(names, rules);
  return reported(senses, { names, isForeign, line, use, named }, notices);
}

/** I1: without a header the columns are a URL, a hash and a note. */
function byPosition(record: readonly string[], line: number, notices: Notices): Header | undefined {
  const targets = (['long_url', 'custom_hash', 'note'] as const).slice(0, record.length);
  if (record.length > targets.length) {
    notices.problem({ line, reason: `${record.length} columns without names, only URL, hash and note are known: add a header` });
    return undefined;
  }
  notices.columns(
    `columns: ${targets.map((target, index) => `${index + 1} -> ${target}`).join(', ')} (by position: there is no header)`,
  );
  const columns = targets.map((target, index) => ({ index, setting: { name: `column ${index + 1}`, target }, isEmpty: false }));
  return { width: record.length, columns, isForeign: true, isRow: true };
}

/** What to do about a first line that is no header as it is. */
function firstLineFault(
  names: readonly string[],
  isNamed: boolean,
  { use, known }: ColumnRules,
  { delimiter }: ReadOptions,
): string | undefined {
  if (isNamed) return undefined;
  if (names.some((name) => /^[a-z][a-z\d+.-]*:\/\//i.test(name))) {
    const remedy = names.length === 1 && use === 'shorten' ? 'use --input-format lines' : 'add a line of column names above it';
    return `the first line is a URL, not column names: ${remedy}`;
  }
  if (delimiter === undefined || names.length > 1) return undefined;
  const other = findDelimiter(names[0] ?? '', (name) => known.has(name.toLowerCase()));
  if (other === undefined || other === delimiter || !names[0]?.includes(other)) return undefined;
  return `the delimiter looks like "${other === '\t' ? 'tab' : other}", use --delimiter ${delimiterWord(other)}`;
}

function absentName(names: readonly string[], named: NamedColumns): string | undefined {
  const folds = new Set(names.map(folded));
  const absent = [...named].find(([fold]) => !folds.has(fold));
  return absent && `--columns: there is no column ${quoted(absent[1].header)}; there are ${names.map(quoted).join(', ')}`;
}

/** The columns of a file of ours, where nothing has to be found out. */
function ownSenses(names: readonly string[], { known, use }: ColumnRules): Sense[] {
  const own = names.map((name) => name.toLowerCase());
  const givesHash = namesLinks(use) || !(own.includes('hash') || own.includes('custom_hash'));
  return own.map((name, index): Sense => {
    const member = known.get(name);
    if (name === '') return { kind: 'refused', reason: 'column without a name' };
    if (own.indexOf(name) < index) return { kind: 'refused', reason: `duplicate column ${name}` };
    if (name === 'hash' && use !== 'edit' && own.includes('custom_hash')) {
      return { kind: 'refused', reason: 'columns hash and custom_hash both set the hash: remove one of them' };
    }
    if (!member?.target || (name === 'short_url' && !givesHash)) return { kind: 'unused' };
    return { kind: 'set', setting: member };
  });
}

interface Read {
  readonly names: readonly string[];
  readonly isForeign: boolean;
  readonly line: number;
  readonly use: InputUse;
  readonly named: NamedColumns;
}

/** The columns, after saying what each was taken for and what is wrong with them. */
function reported(senses: readonly Sense[], { names, isForeign, line, use, named }: Read, notices: Notices): Header | undefined {
  const ignored = names.filter((_, index) => senses[index]?.kind === 'ignored');
  if (ignored.length > 0) notices.warning({ line, reason: ignoredNotice('column', ignored) });
  for (const [index, sense] of senses.entries()) {
    if (sense.kind === 'refused') notices.problem({ line, column: index + 1, reason: sense.reason, isAboutColumns: true });
  }
  const columns = senses.flatMap((sense, index): HeaderColumn[] => {
    if (sense.kind === 'set') return [{ index, setting: sense.setting, isEmpty: false }];
    return sense.kind === 'place' || sense.kind === 'empty' ? [{ index, isEmpty: sense.kind === 'empty' }] : [];
  });
  const targets = new Set<Target | undefined>(columns.map(({ setting }) => setting?.target));
  const takesHash = use === 'shorten' && targets.has('short_url');
  if (isForeign || takesHash) notices.columns(columnsText(senses, { names, use, named }));
  const required = requiredTarget(use);
  if (targets.has(required) || (namesLinks(use) && targets.has('short_url'))) {
    columns.sort((one, other) => rankOfShortUrl(one, named) - rankOfShortUrl(other, named));
    return { width: names.length, columns, isForeign, isRow: false };
  }
  // Of a column with two readings one may be the required one.
  if (!senses.some((sense) => sense.kind === 'refused' && sense.reason.includes(`--columns '${required}=`))) {
    const isNone = senses.every(({ kind }) => kind === 'refused' || kind === 'ignored');
    const reason = `${missingNotice(use, 'column')}${isNone ? '; lines above the column names have to be removed' : ''}`;
    notices.problem({ line, reason, isAboutColumns: true });
  }
  return undefined;
}

/** One that `--columns` names is the first of several (I3). */
function rankOfShortUrl({ setting }: Pick<HeaderColumn, 'setting'>, named: NamedColumns): number {
  if (setting?.target !== 'short_url') return 0;
  return named.has(folded(setting.name)) ? -1 : rankOf(setting.name, 'short_url');
}

/** I2: `columns: Destination -> long_url, Slashtag -> custom_hash; not used: Clicks`. */
function columnsText(senses: readonly Sense[], { names, use, named }: Pick<Read, 'names' | 'use' | 'named'>): string {
  const shortUrls = senses
    .flatMap((sense) => (sense.kind === 'set' && sense.setting.target === 'short_url' ? [sense] : []))
    .toSorted((one, other) => rankOfShortUrl(one, named) - rankOfShortUrl(other, named))
    .map(({ setting }) => setting.name);
  const used = senses.flatMap((sense, index) => {
    if (sense.kind !== 'set' || sense.setting.isContinued) return [];
    const { target } = sense.setting;
    if (target !== 'short_url') return [`${shown(names[index])} -> ${target}`];
    const isFirst = sense.setting.name === shortUrls[0];
    const taken = use === 'shorten' ? 'custom_hash' : target;
    return [`${shown(names[index])} -> ${taken}${isFirst ? '' : ` where ${shown(shortUrls[0])} is empty`}`];
  });
  const unused = names.filter((_, index) => ['unused', 'place'].includes(senses[index]?.kind ?? '')).map((name) => shown(name));
  const parts = [...(used.length > 0 ? [used.join(', ')] : []), ...(unused.length > 0 ? [`not used: ${unused.join(', ')}`] : [])];
  return `columns: ${parts.join('; ')}`;
}

function shown(name = ''): string {
  return /^[\p{L}\p{N}_.()/ -]{1,40}$/u.test(name) ? name : quoted(name);
}
