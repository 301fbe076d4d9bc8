import { quoted } from '../../base/quoted.ts';
import { type InputUse, namesLinks } from '../../contract/formats.ts';
import { folded } from '../fields/aliases.ts';
import type { ColumnRole, ColumnRules, NamedColumns } from '../fields/columns.ts';
import { ColumnMapper, type MappedColumn, type Mapping, rolesIn } from '../fields/mapping.ts';
import { columnsFlag, missingNotice, requiredTarget } from '../fields/members.ts';
import type { Notices } from '../notices.ts';
import type { ReadOptions } from '../row.ts';
import { delimiterWord, findDelimiter, isUrl } from './delimiter.ts';

export interface Header extends Mapping {
  readonly width: number;
  /** The first record is a row, and its cells have meanings by position. */
  readonly isRow: boolean;
}

/** Reports all problems of the first record; returns undefined if they prevent reading rows. */
export function readHeader(record: readonly string[], line: number, options: ReadOptions, notices: Notices): Header | undefined {
  const mapper = new ColumnMapper(options, notices);
  const { rules } = mapper;
  const refuse = (reason: string, index?: number): void =>
    notices.problem({ line, ...(index !== undefined && { column: index + 1 }), reason, isAboutColumns: true });
  // Only --columns makes a line that begins with a URL a header.
  if (options.use === 'shorten' && rules.named.size === 0 && isUrl(record[0] ?? '')) {
    return byPosition(record, line, mapper, notices);
  }
  const names = record.map((cell) => cell.trim());
  const isNamed = names.some((name) => rules.known.has(name.toLowerCase()) || rules.named.has(folded(name)));
  const fault = firstLineFault(names, isNamed, rules, options) ?? absentName(names, rules.named);
  if (fault !== undefined) {
    refuse(fault);
    return undefined;
  }
  const found = rolesIn(names, rules);
  const mapping = mapper.map(names, found, refuse);
  if (hasRequiredColumn(mapping.columns, options.use)) return { ...mapping, width: names.length, isRow: false };
  const reason = absentColumn(names, found.roles, options.use);
  if (reason !== undefined) refuse(reason);
  return undefined;
}

/** Undefined if an ambiguous column, which is refused already, may be the required one. */
function absentColumn(names: readonly string[], roles: readonly ColumnRole[], use: InputUse): string | undefined {
  const required = requiredTarget(use);
  if (roles.some((role) => role.kind === 'refused' && role.reason.includes(`${required}=`))) return undefined;
  const unknown = names.filter((_, index) => roles[index]?.kind === 'ignored');
  const isNone = roles.every(({ kind }) => kind === 'refused' || kind === 'ignored');
  const remedies = [...otherName(unknown, required), ...(isNone ? ['remove any lines above the column names'] : [])];
  return [missingNotice(use, 'column'), ...remedies].join('; ');
}

/** The required column may have a name of its own, for example in another language. */
function otherName(unknown: readonly string[], required: string): string[] {
  const names = unknown.filter((name) => name !== '' && name.length <= 80).slice(0, 10);
  if (names.length === 0) return [];
  return [`unknown columns: ${names.map(quoted).join(', ')}; if one is meant, add ${columnsFlag(required, names[0] ?? '')}`];
}

/** The columns include the one that every row needs. */
function hasRequiredColumn(columns: readonly MappedColumn[], use: InputUse): boolean {
  const targets = new Set(columns.map(({ setting }) => setting?.target));
  return targets.has(requiredTarget(use)) || (namesLinks(use) && targets.has('short_url'));
}

/** Without a header the columns are URL, hash and note. */
function byPosition(record: readonly string[], line: number, mapper: ColumnMapper, notices: Notices): Header | undefined {
  const targets = (['long_url', 'custom_hash', 'note'] as const).slice(0, record.length);
  if (record.length > targets.length) {
    notices.problem({ line, reason: `${record.length} columns without names, only URL, hash and note are known: add a header` });
    return undefined;
  }
  const used = targets.map((target, index) => `${index + 1} -> ${target}`).join(', ');
  notices.columns({ isForeign: true, used: [`${used} (by position: there is no header)`] });
  const columns = targets.map((target, index) => {
    const setting = { name: `column ${index + 1}`, target };
    return { index, setting, read: mapper.readerOf(setting, true) };
  });
  return { width: record.length, columns, hasOtherNames: true, isRow: true };
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
