import type { InputUse } from '../../contract/formats.ts';
import type { Notices } from '../notices.ts';
import type { CellReader, ReadOptions } from '../row.ts';
import { folded, rankOf } from './aliases.ts';
import { cellReader } from './cells.ts';
import { type ColumnSummary, shown } from './column-report.ts';
import { type ColumnRole, type ColumnRules, columnRoles, type Loss, type NamedColumns, ownRole } from './columns.ts';
import { areOurs, knownMembers, type Setting } from './members.ts';

/** How the columns of a csv, or the members of a JSON object, are read. */
export interface Mapping {
  /** In the order in which a row is filled: of two short URLs the preferred one first. */
  readonly columns: readonly MappedColumn[];
  /** Some names are not those of linkctl, so JSON values may have other types. */
  readonly hasOtherNames: boolean;
}

/** Without a setting it cannot be set. Without a loss either it has no name and must be empty. */
export type MappedColumn = { readonly index: number } & (
  | { readonly setting: Setting; readonly read: CellReader; readonly loss?: undefined }
  | { readonly setting?: undefined; readonly loss?: Loss }
);

export interface Roles {
  readonly roles: readonly ColumnRole[];
  readonly hasOtherNames: boolean;
  /** The file is another service's. */
  readonly isForeign: boolean;
}

export function rulesFor({
  use,
  edition,
  strictColumns,
  format,
  columns: named = new Map(),
  isForeign,
}: ReadOptions): ColumnRules {
  return {
    what: format === 'csv' ? 'column' : 'member',
    use,
    known: knownMembers(use, edition),
    isStrict: strictColumns === true,
    named,
    isForeign,
  };
}

export function rolesIn(names: readonly string[], rules: ColumnRules): Roles {
  const hasOtherNames = rules.named.size > 0 || names.some((name) => name !== '' && !rules.known.has(name.toLowerCase()));
  const roles = hasOtherNames ? columnRoles(names, rules) : ownRoles(names, rules);
  return { roles, hasOtherNames, isForeign: rules.isForeign ?? isForeign(names, roles, rules) };
}

/**
 * A file is another service's if it names one of the fields that it sets as others do, and not its links as linkctl does. Columns that are
 * not used decide nothing: a user may have added them to a listing.
 */
function isForeign(names: readonly string[], roles: readonly ColumnRole[], rules: ColumnRules): boolean {
  return !areOurs(names) && roles.some((role) => role.kind === 'set' && !isOwnColumn(role.setting, rules));
}

/** The column has the name that linkctl has for its field. */
function isOwnColumn({ name, target }: Setting, { known }: ColumnRules): boolean {
  return known.get(name.toLowerCase())?.target === target;
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

/** Maps the names of a file, and reports the mapping if it needs to be shown. */
export class ColumnMapper {
  readonly rules: ColumnRules;
  readonly #options: ReadOptions;
  readonly #notices: Notices;
  /** One for each name, because some problems are reported once for all values. */
  readonly #readers = new Map<string, CellReader>();

  constructor(options: ReadOptions, notices: Notices) {
    this.rules = rulesFor(options);
    this.#options = options;
    this.#notices = notices;
  }

  /** `refuse` receives the reasons to refuse a column as a whole. */
  map(
    names: readonly string[],
    { roles, hasOtherNames, isForeign }: Roles,
    refuse: (reason: string, index: number) => void,
  ): Mapping {
    const { named, use } = this.rules;
    const columns = roles.flatMap((role, index): MappedColumn[] => {
      if (role.kind === 'refused') refuse(role.reason, index);
      if (role.kind === 'set') return [{ index, setting: role.setting, read: this.readerOf(role.setting, isForeign) }];
      if ('loss' in role) return [{ index, loss: role.loss }];
      return role.kind === 'empty' ? [{ index }] : [];
    });
    if (hasOtherNames || roles.some(({ kind }) => kind === 'ignored') || needsSummary(columns, use))
      this.#notices.columns({ ...columnSummary(roles, names, this.rules), isForeign });
    columns.sort((one, other) => rankOfShortUrl(one.setting, named) - rankOfShortUrl(other.setting, named));
    return { columns, hasOtherNames };
  }

  /** A column with a name of another service has its formats, whoever wrote the file. */
  readerOf(setting: Setting, isForeign: boolean): CellReader {
    const key = `${setting.target} ${isForeign} ${setting.name}`;
    const hasForms = isForeign || !isOwnColumn(setting, this.rules);
    const reader = this.#readers.get(key) ?? cellReader(setting, hasForms, this.#options, this.#notices);
    this.#readers.set(key, reader);
    return reader;
  }
}

/** A listing without hashes needs a summary, because the hashes are taken from its short URLs. */
function needsSummary(columns: readonly MappedColumn[], use: InputUse): boolean {
  const targets = new Set(columns.map(({ setting }) => setting?.target));
  return use === 'shorten' && targets.has('short_url') && !targets.has('hash') && !targets.has('custom_hash');
}

/** A column of `--columns` takes precedence. */
function rankOfShortUrl(setting: Setting | undefined, named: NamedColumns): number {
  if (setting?.target !== 'short_url') return 0;
  return named.has(folded(setting.name)) ? -1 : rankOf(setting.name, 'short_url');
}

/** Describes the column mapping in words. */
function columnSummary(
  roles: readonly ColumnRole[],
  names: readonly string[],
  { use, named }: ColumnRules,
): Omit<ColumnSummary, 'isForeign'> {
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
