import { quoted } from '../../base/quoted.ts';
import { type InputUse, namesLinks } from '../../contract/formats.ts';
import { folded, rankOf } from '../fields/aliases.ts';
import { type ColumnSummary, shown } from '../fields/column-report.ts';
import { type ColumnRole, type ColumnRules, columnRoles, type Loss, type NamedColumns, ownRole } from '../fields/columns.ts';
import { knownMembers, missingNotice, requiredTarget, type Setting } from '../fields/members.ts';
import type { Notices } from '../notices.ts';
import type { ReadOptions } from '../row.ts';
import { delimiterWord, findDelimiter, isUrl } from './delimiter.ts';

export interface Header {
  readonly width: number;
  /** In the order in which a row is filled: of two short URLs the preferred one first. */
  readonly columns: readonly HeaderColumn[];
  /** Some columns are not those of linkctl, so cells are read in the formats of other services. */
  readonly isForeign: boolean;
  /** The first record is a row, and its cells have meanings by position. */
  readonly isRow: boolean;
}

export interface HeaderColumn {
  readonly index: number;
  /** Absent for columns that cannot be set or must be empty. */
  readonly setting?: Setting | undefined;
  readonly loss?: Loss | undefined;
}

/** Reports all problems of the first record; returns undefined if they prevent reading rows. */
export function readHeader(record: readonly string[], line: number, options: ReadOptions, notices: Notices): Header | undefined {
  const rules = rulesFor(options);
  const { named } = rules;
  // Only --columns makes a line that begins with a URL a header.
  if (options.use === 'shorten' && named.size === 0 && isUrl(record[0] ?? '')) return byPosition(record, line, notices);
  const names = record.map((cell) => cell.trim());
  const isNamed = names.some((name) => rules.known.has(name.toLowerCase()) || named.has(folded(name)));
  const fault = firstLineFault(names, isNamed, rules, options) ?? absentName(names, named);
  if (fault !== undefined) {
    notices.problem({ line, reason: fault, isAboutColumns: true });
    return undefined;
  }
  const { roles, isForeign } = rolesIn(names, rules);
  for (const [index, role] of roles.entries()) {
    if (role.kind === 'refused') notices.problem({ line, column: index + 1, reason: role.reason, isAboutColumns: true });
  }
  const columns = columnsIn(roles, rules);
  if (isForeign || needsSummary(columns, options.use)) notices.columns(columnSummary(roles, names, rules));
  if (hasRequiredColumn(columns, options.use)) return { width: names.length, columns, isForeign, isRow: false };
  const required = requiredTarget(options.use);
  // An ambiguous column may be the required one.
  if (!roles.some((role) => role.kind === 'refused' && role.reason.includes(`--columns '${required}=`))) {
    const isNone = roles.every(({ kind }) => kind === 'refused' || kind === 'ignored');
    const reason = [
      missingNotice(options.use, 'column'),
      ...otherName(
        names.filter((_, index) => roles[index]?.kind === 'ignored'),
        required,
      ),
      ...(isNone ? ['remove any lines above the column names'] : []),
    ];
    notices.problem({ line, reason: reason.join('; '), isAboutColumns: true });
  }
  return undefined;
}

/** The required column may have a name of its own, for example in another language. */
function otherName(unknown: readonly string[], required: string): string[] {
  const names = unknown.filter((name) => name !== '' && name.length <= 80).slice(0, 10);
  if (names.length === 0) return [];
  return [`unknown columns: ${names.map(quoted).join(', ')}; if one is meant, add --columns '${required}=${names[0]}'`];
}

export function rulesFor({ use, edition, strictColumns, format, columns: named = new Map() }: ReadOptions): ColumnRules {
  return {
    what: format === 'csv' ? 'column' : 'member',
    use,
    known: knownMembers(use, edition),
    isStrict: strictColumns === true,
    named,
  };
}

/** A file is foreign if not all of its columns are those of linkctl. */
export function rolesIn(names: readonly string[], rules: ColumnRules): { roles: readonly ColumnRole[]; isForeign: boolean } {
  const isForeign = rules.named.size > 0 || names.some((name) => name !== '' && !rules.known.has(name.toLowerCase()));
  return { roles: isForeign ? columnRoles(names, rules) : ownRoles(names, rules), isForeign };
}

/** In the order in which a row is filled. */
export function columnsIn(roles: readonly ColumnRole[], { named }: ColumnRules): HeaderColumn[] {
  const columns = roles.flatMap((role, index): HeaderColumn[] => {
    if (role.kind === 'set') return [{ index, setting: role.setting }];
    if (role.kind === 'lost') return [{ index, loss: role.loss }];
    return role.kind === 'empty' ? [{ index }] : [];
  });
  return columns.sort((one, other) => rankOfShortUrl(one.setting, named) - rankOfShortUrl(other.setting, named));
}

/** The columns include the one that every row needs. */
function hasRequiredColumn(columns: readonly HeaderColumn[], use: InputUse): boolean {
  const targets = new Set(columns.map(({ setting }) => setting?.target));
  return targets.has(requiredTarget(use)) || (namesLinks(use) && targets.has('short_url'));
}

/** A listing without hashes needs a summary, because the hashes are taken from its short URLs. */
export function needsSummary(columns: readonly HeaderColumn[], use: InputUse): boolean {
  const targets = new Set(columns.map(({ setting }) => setting?.target));
  return use === 'shorten' && targets.has('short_url') && !targets.has('hash') && !targets.has('custom_hash');
}

/** Without a header the columns are URL, hash and note. */
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

/** Explains how to fix a first line that is not a header. */
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

/** Files of linkctl have unambiguous columns. */
function ownRoles(names: readonly string[], rules: ColumnRules): ColumnRole[] {
  const own = names.map((name) => name.toLowerCase());
  return own.map((name, index): ColumnRole => {
    if (name === '') return { kind: 'refused', reason: 'column without a name' };
    if (own.indexOf(name) < index) return { kind: 'refused', reason: `duplicate column ${name}` };
    if (name === 'hash' && rules.use !== 'edit' && own.includes('custom_hash')) {
      return { kind: 'refused', reason: 'columns hash and custom_hash both set the hash: remove one of them' };
    }
    return ownRole(name, rules);
  });
}

/** A column of `--columns` takes precedence. */
function rankOfShortUrl(setting: Setting | undefined, named: NamedColumns): number {
  if (setting?.target !== 'short_url') return 0;
  return named.has(folded(setting.name)) ? -1 : rankOf(setting.name, 'short_url');
}

/** Describes the column mapping in words. */
export function columnSummary(
  roles: readonly ColumnRole[],
  names: readonly string[],
  { use, named }: ColumnRules,
): ColumnSummary {
  const settings = roles.flatMap((role) => (role.kind === 'set' && !role.setting.isContinued ? [role.setting] : []));
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
  const losses = roles.flatMap((role) => (role.kind === 'lost' ? [role.loss] : []));
  const namesOf = (kind: ColumnRole['kind']): string[] => names.filter((_, index) => roles[index]?.kind === kind);
  return {
    used,
    guards: losses.filter(({ guard }) => guard).map(({ name }) => name),
    lost: losses.filter(({ guard }) => !guard).map(({ name }) => name),
    unused: namesOf('unused'),
    ignored: namesOf('ignored'),
  };
}
