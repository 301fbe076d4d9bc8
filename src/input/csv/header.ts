import { quoted } from '../../base/quoted.ts';
import { folded, rankOf } from '../fields/aliases.ts';
import { type ColumnSenses, shown } from '../fields/column-report.ts';
import { type ColumnRules, type Loss, type NamedColumns, type Sense, sensesOf } from '../fields/columns.ts';
import { knownMembers, missingNotice, requiredTarget, type Setting } from '../fields/members.ts';
import { type InputUse, namesLinks } from '../format.ts';
import type { Notices } from '../notices.ts';
import type { ReadOptions } from '../row.ts';
import { delimiterWord, findDelimiter, isUrl } from './delimiter.ts';

/** What the columns of a file are. */
export interface Header {
  readonly width: number;
  /** Those that count, in the order in which a row is filled: of two short URLs the better one first. */
  readonly columns: readonly HeaderColumn[];
  /** Columns are not only those of ours: cells are read as other services write them. */
  readonly isForeign: boolean;
  /** The first record was a row: its cells have their meaning by position. */
  readonly isRow: boolean;
}

export interface HeaderColumn {
  readonly index: number;
  /** Absent where it cannot be set, or where there must be no value. */
  readonly setting?: Setting | undefined;
  readonly loss?: Loss | undefined;
}

/** Reads the first record. Reports everything that is wrong with it; undefined where no row can be read then. */
export function readHeader(record: readonly string[], line: number, options: ReadOptions, notices: Notices): Header | undefined {
  const rules = rulesFor(options);
  const { named } = rules;
  const names = record.map((cell) => cell.trim());
  const isNamed = names.some((name) => rules.known.has(name.toLowerCase()) || named.has(folded(name)));
  if (options.use === 'shorten' && !isNamed && isUrl(record[0] ?? '')) return byPosition(record, line, notices);
  const fault = firstLineFault(names, isNamed, rules, options) ?? absentName(names, named);
  if (fault !== undefined) {
    notices.problem({ line, reason: fault, isAboutColumns: true });
    return undefined;
  }
  const { senses, isForeign } = sensesIn(names, rules);
  for (const [index, sense] of senses.entries()) {
    if (sense.kind === 'refused') notices.problem({ line, column: index + 1, reason: sense.reason, isAboutColumns: true });
  }
  const columns = columnsIn(senses, rules);
  if (isForeign || isSaid(columns, options.use)) notices.columns(sensesFound(senses, names, rules));
  if (namesRow(columns, options.use)) return { width: names.length, columns, isForeign, isRow: false };
  const required = requiredTarget(options.use);
  // Of a column with two readings one may be the required one.
  if (!senses.some((sense) => sense.kind === 'refused' && sense.reason.includes(`--columns '${required}=`))) {
    const isNone = senses.every(({ kind }) => kind === 'refused' || kind === 'ignored');
    const reason = `${missingNotice(options.use, 'column')}${isNone ? '; lines above the column names have to be removed' : ''}`;
    notices.problem({ line, reason, isAboutColumns: true });
  }
  return undefined;
}

/** The names that a file for this use may have. */
export function rulesFor({ use, edition, strictColumns, format, columns: named = new Map() }: ReadOptions): ColumnRules {
  return {
    what: format === 'csv' ? 'column' : 'member',
    use,
    known: knownMembers(use, edition),
    isStrict: strictColumns === true,
    named,
  };
}

/** What columns of these names are taken for; foreign, where not all of them are ours. */
export function sensesIn(names: readonly string[], rules: ColumnRules): { senses: readonly Sense[]; isForeign: boolean } {
  const isForeign = rules.named.size > 0 || names.some((name) => name !== '' && !rules.known.has(name.toLowerCase()));
  return { senses: isForeign ? sensesOf(names, rules) : ownSenses(names, rules), isForeign };
}

/** The columns that count, in the order in which a row is filled. */
export function columnsIn(senses: readonly Sense[], { named }: ColumnRules): HeaderColumn[] {
  const columns = senses.flatMap((sense, index): HeaderColumn[] => {
    if (sense.kind === 'set') return [{ index, setting: sense.setting }];
    if (sense.kind === 'lost') return [{ index, loss: sense.loss }];
    return sense.kind === 'empty' ? [{ index }] : [];
  });
  return columns.sort((one, other) => rankOfShortUrl(one.setting, named) - rankOfShortUrl(other.setting, named));
}

/** Whether rows of these columns can name a link, or what is to be made of it. */
export function namesRow(columns: readonly HeaderColumn[], use: InputUse): boolean {
  const targets = new Set(columns.map(({ setting }) => setting?.target));
  return targets.has(requiredTarget(use)) || (namesLinks(use) && targets.has('short_url'));
}

/** Whether it is to be said of names of ours what its columns were taken for: hashes come from its short URLs. */
export function isSaid(columns: readonly HeaderColumn[], use: InputUse): boolean {
  const targets = new Set(columns.map(({ setting }) => setting?.target));
  return use === 'shorten' && targets.has('short_url') && !targets.has('hash') && !targets.has('custom_hash');
}

/** Without a header the columns are a URL, a hash and a note. */
function byPosition(record: readonly string[], line: number, notices: Notices): Header | undefined {
  const targets = (['long_url', 'custom_hash', 'note'] as const).slice(0, record.length);
  if (record.length > targets.length) {
    notices.problem({ line, reason: `${record.length} columns without names, only URL, hash and note are known: add a header` });
    return undefined;
  }
  const used = targets.map((target, index) => `${index + 1} -> ${target}`).join(', ');
  notices.columns({ used: [`${used} (by position: there is no header)`], guards: [], lost: [], unused: [], ignored: [] });
  const columns = targets.map((target, index) => ({ index, setting: { name: `column ${index + 1}`, target } }));
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
  return own.map((name, index): Sense => {
    const member = known.get(name);
    if (name === '') return { kind: 'refused', reason: 'column without a name' };
    if (own.indexOf(name) < index) return { kind: 'refused', reason: `duplicate column ${name}` };
    if (name === 'hash' && use !== 'edit' && own.includes('custom_hash')) {
      return { kind: 'refused', reason: 'columns hash and custom_hash both set the hash: remove one of them' };
    }
    if (!member?.target) return { kind: 'unused' };
    return use === 'shorten' && member.foreign ? { kind: 'lost', loss: { name } } : { kind: 'set', setting: member };
  });
}

/** One that `--columns` names is the first of several. */
function rankOfShortUrl(setting: Setting | undefined, named: NamedColumns): number {
  if (setting?.target !== 'short_url') return 0;
  return named.has(folded(setting.name)) ? -1 : rankOf(setting.name, 'short_url');
}

/** What each column was taken for, in words. */
export function sensesFound(senses: readonly Sense[], names: readonly string[], { use, named }: ColumnRules): ColumnSenses {
  const settings = senses.flatMap((sense) => (sense.kind === 'set' && !sense.setting.isContinued ? [sense.setting] : []));
  const hash = use === 'shorten' ? settings.find(({ target }) => target === 'custom_hash') : undefined;
  const shortUrls = settings
    .filter(({ target }) => target === 'short_url')
    .toSorted((one, other) => rankOfShortUrl(one, named) - rankOfShortUrl(other, named));
  const givers = [...(hash ? [hash] : []), ...shortUrls];
  const used = settings.map((setting) => {
    if (setting.target !== 'short_url') return `${shown(setting.name)} -> ${setting.target}`;
    const better = givers[givers.indexOf(setting) - 1];
    const taken = use === 'shorten' ? 'custom_hash' : setting.target;
    return `${shown(setting.name)} -> ${taken}${better ? ` where ${shown(better.name)} is empty` : ''}`;
  });
  const losses = senses.flatMap((sense) => (sense.kind === 'lost' ? [sense.loss] : []));
  const namesOf = (kind: Sense['kind']): string[] => names.filter((_, index) => senses[index]?.kind === kind);
  return {
    used,
    guards: losses.filter(({ guard }) => guard).map(({ name }) => name),
    lost: losses.filter(({ guard }) => !guard).map(({ name }) => name),
    unused: namesOf('unused'),
    ignored: namesOf('ignored'),
  };
}
