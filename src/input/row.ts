import { UsageError } from '../base/errors.ts';
import { quoted } from '../base/quoted.ts';
import { utcDay } from '../base/times.ts';
import { type Edition, thisServer } from '../contract/editions.ts';
import { type InputFormat, type InputUse, namesLinks } from '../contract/formats.ts';
import type { EditItem, ShortenItem } from '../contract/operations.ts';
import { type Parameter, withParameter } from '../link/rules/query-parameters.ts';
import type { DateFormat, Refused } from './dates.ts';
import type { DomainResolver } from './domain-resolver.ts';
import {
  cellValue,
  isField,
  isRefused,
  labels,
  longUrlFault,
  newLabels,
  refusalText,
  type Target,
  valueWarning,
  type WireValue,
} from './field-values.ts';
import type { Loss, NamedColumns } from './fields/columns.ts';
import { missingNotice, requiredTarget, type Setting } from './fields/members.ts';
import { hashOfShortUrl, lastPartUsed, rowLink } from './hashes/parse-hash.ts';
import type { Notices } from './notices.ts';
import { hasValue, isProtected } from './protection.ts';

/** The item of a request, by the use of the file. */
export interface ItemOf {
  shorten: ShortenItem;
  edit: EditItem & { readonly domain?: string; readonly old_long_url?: string };
  /** The wanted state of a link; `tags` contains all of its labels. */
  apply: EditItem & { readonly domain?: string };
}

export interface InputRow<Use extends InputUse = InputUse> {
  /** The first line of the row, from 1. */
  readonly line: number;
  /** The number of the row among several on its line; absent for the first. */
  readonly nth?: number;
  readonly item: ItemOf[Use];
  /** The custom hash comes from a listing, where hashes may differ only in case. */
  readonly listed: boolean;
  /** For `apply`: the names that mark the link as protected or disabled at the source. Then it is not created. */
  readonly protection?: string;
  /** Present if the row is left out: its link is protected or disabled at the source, or it changes nothing. */
  readonly skip?: { readonly status: 'skipped'; readonly reason: string } | { readonly status: 'unchanged' };
}

export interface ReadOptions<Use extends InputUse = InputUse> {
  readonly use: Use;
  readonly edition: Edition;
  /** Finds the domains of the links of an edit. */
  readonly resolver?: DomainResolver | undefined;
  readonly format: InputFormat;
  /** The format was set by a flag instead of the file name. */
  readonly isFormatGiven?: boolean | undefined;
  /** In milliseconds; decides which dates are past. */
  readonly now: number;
  /** One character. Default: a comma. */
  readonly delimiter?: string | undefined;
  /** Refuses unknown columns. */
  readonly strictColumns?: boolean | undefined;
  /** Creates links even if they are protected or disabled at the source. */
  readonly includeProtected?: boolean | undefined;
  /** Strips one leading `'` from every cell. */
  readonly formulaGuarded?: boolean | undefined;
  /** The columns of `--columns`, which take precedence. */
  readonly columns?: NamedColumns | undefined;
  /** Set for a file with a base, which is read as its base was: the file is another service's. */
  readonly isForeign?: boolean | undefined;
  readonly dateFormat?: DateFormat | undefined;
  readonly tagSeparator?: string | undefined;
  /** Keeps the tags of an edit as written, with or without signs. */
  readonly keepsSigns?: boolean | undefined;
  /** Flags set fields of an edit, so a row needs no values of its own. */
  readonly hasFlagValues?: boolean | undefined;
  /** Added to every long URL; parameters of the row take precedence. */
  readonly utm?: readonly Parameter[] | undefined;
}

/** Collects the values of one row at a time and reports its problems. */
export class RowDraft<Use extends InputUse = InputUse> {
  readonly #options: ReadOptions<Use>;
  readonly #notices: Notices;
  readonly #required: Target;
  readonly #today: string;
  #line = 0;
  #nth = 1;
  #item: Item = {};
  #refused = false;
  #listed = false;
  #shortUrl: ShortUrl | undefined;
  #utm: Parameter[] = [];
  #lost: string[] = [];
  #protection: string[] = [];
  #skip: InputRow['skip'];
  #columns: Columns = [];
  /** The prefix of the last short URL, because equal prefixes need no second notice. */
  #prefix: string | undefined;

  constructor(options: ReadOptions<Use>, notices: Notices) {
    this.#options = options;
    this.#notices = notices;
    this.#required = requiredTarget(options.use);
    this.#today = utcDay(options.now);
  }

  /** `nth`: the number of the row on its line. */
  begin(line: number, nth = 1): void {
    this.#line = line;
    this.#nth = nth;
    this.#item = {};
    this.#refused = false;
    this.#listed = false;
    this.#shortUrl = undefined;
    if (this.#utm.length > 0) this.#utm = [];
    if (this.#lost.length > 0) this.#lost = [];
    if (this.#protection.length > 0) this.#protection = [];
    this.#skip = undefined;
  }

  /** The columns of the row, including those without a value. */
  within(columns: Columns): void {
    this.#columns = columns;
  }

  /** Sets a value that is given as text. A note may consist of blanks. */
  setText(setting: Setting, read: CellReader, text: string, column?: number): void {
    if ((setting.target === 'note' ? text : text.trim()) === '') return;
    const value = read(text, this.#line, column);
    if (value === undefined) this.drop();
    else this.set(setting, value, column);
  }

  set({ name, target, foreign, isContinued }: Setting, given: WireValue | Refused, column?: number): void {
    const { use, keepsSigns } = this.#options;
    const isInstruction = target === 'tags' && use === 'edit' && !keepsSigns && Array.isArray(given);
    const value = isInstruction ? instructions(given) : given;
    if (isRefused(value)) this.refuse(refusalText(name, value), column);
    else if (foreign) {
      const changesNothing = JSON.stringify(value) === JSON.stringify(foreign.default);
      if (!changesNothing) this.refuse(`${name}: ${thisServer(this.#options.edition)} has no ${target}`, column);
    } else if (target === 'short_url' && use === 'shorten') {
      this.#shortUrl ??= { name, text: String(value), column };
    } else if (target.startsWith('utm_')) {
      this.#utm.push({ name: target, value: String(value) });
    } else if (this.#item[target] !== undefined && !isContinued) {
      const other = use === 'edit' ? 'new_hash' : 'hash';
      this.refuse(`${name}: both ${other} and custom_hash are given`, column);
    } else {
      const before = isContinued ? this.#item[target] : undefined;
      this.#item[target] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value;
      if (target === 'custom_hash' && use === 'shorten' && name !== 'custom_hash') this.#listed = true;
      // Most rows of a comparison say what is there already.
      const warning = use === 'apply' ? undefined : valueWarning(target, value, this.#today);
      if (warning) this.#warn(`${name}: ${warning}`, column);
    }
  }

  /** Records a value that cannot be carried over or that marks the link as protected or disabled. */
  lose({ name, guard, isPlace }: Loss, text: string): void {
    if (isPlace) {
      this.#place(text);
      return;
    }
    if (guard === undefined ? !hasValue(text) : !isProtected[guard](text, this.#options)) return;
    if (guard !== undefined && this.#options.use === 'apply') this.#protection.push(name);
    else if (guard !== undefined && !this.#options.includeProtected)
      this.#skip ??= { status: 'skipped', reason: `protected or disabled at the source: ${name}` };
    else this.#lost.push(name);
  }

  #place(text: string): void {
    const { host } = hashOfShortUrl(`${text}/hash`);
    // Some services write the number of a domain.
    if (host?.includes('.')) this.#notices.host(host, this.#line);
  }

  /** Leaves the row out because its problem has been reported elsewhere. */
  drop(): void {
    this.#refused = true;
  }

  /** Reports a problem and leaves the row out. */
  refuse(reason: string, column?: number): void {
    this.#refused = true;
    this.#notices.problem({ line: this.#line, column, reason: `${namedOnLine(this.#nth)}${reason}` });
  }

  /** Undefined if the row has a problem. */
  finish(): InputRow<Use> | undefined {
    const isNamed = namesLinks(this.#options.use);
    if (isNamed) this.#item.hash ??= this.#item.short_url;
    else if (this.#shortUrl) this.#takeHash(this.#shortUrl);
    if (this.#options.utm || this.#utm.length > 0) this.#setParameters();
    if (!this.#refused && this.#item[this.#required] === undefined) this.refuse(missingNotice(this.#options.use, 'value'));
    if (!this.#refused && isNamed) this.#nameUrl();
    if (this.#refused) return undefined;
    if (this.#skip === undefined) for (const name of this.#lost) this.#notices.lost(name);
    // The row has the required column, and each value was validated by its field.
    const known = { line: this.#line, item: this.#item as unknown as ItemOf[Use], listed: this.#listed };
    const row = this.#nth === 1 ? known : { ...known, nth: this.#nth };
    if (this.#protection.length > 0) return { ...row, protection: this.#protection.join(', ') };
    return this.#skip === undefined ? row : { ...row, skip: this.#skip };
  }

  /** Uses the hash of the short URL at the source unless the row has another one. */
  #takeHash({ name, text, column }: ShortUrl): void {
    const prefix = text.slice(0, text.lastIndexOf('/'));
    const hasOwn = this.#item.custom_hash !== undefined;
    if (hasOwn && prefix === this.#prefix) return;
    this.#prefix = prefix;
    const { host, hash, parts } = hashOfShortUrl(text);
    if (host !== undefined) this.#notices.host(host, this.#line);
    if (hasOwn) return;
    if (hash === '') this.refuse(`${name}: ${quoted(text)} has no hash`, column);
    else this.set({ name, target: 'custom_hash' }, cellValue('custom_hash', hash), column);
    if (parts > 1) this.#warn(`${name}: ${lastPartUsed(text, hash)}`, column);
  }

  #warn(reason: string, column?: number): void {
    this.#notices.warning({ line: this.#line, column, reason: `${namedOnLine(this.#nth)}${reason}` });
  }

  /** Parameters of the row take precedence over those of the flag. */
  #setParameters(): void {
    const { long_url } = this.#item;
    const given = [...(this.#options.utm ?? []).filter(({ name }) => !this.#utm.some((own) => own.name === name)), ...this.#utm];
    const [first] = given;
    if (first === undefined || this.#refused) return;
    if (typeof long_url !== 'string') {
      if (namesLinks(this.#options.use)) this.refuse(`${first.name}: the row has no long_url to set it in`);
      return;
    }
    const longUrl = given.reduce(withParameter, long_url);
    const fault = longUrlFault(longUrl);
    if (fault !== undefined) this.refuse(`long_url: with ${given.map(({ name }) => name).join(', ')} it ${fault}`);
    else this.#item.long_url = longUrl;
  }

  /** In a listing that is read back, some links have no values. A file that cannot change any link is a mistake. */
  #leave(): void {
    const canChange = this.#columns.some(({ setting }) => setting && isField(setting.target) && !setting.foreign);
    if (canChange) this.#skip = { status: 'unchanged' };
    else this.refuse('nothing to change');
  }

  /** Replaces the members that identify a URL by its hash and domain. */
  #nameUrl(): void {
    const { hash, short_url, domain, ...values } = this.#item;
    const { old_long_url: _, ...set } = values;
    const isEmpty = Object.keys(set).length === 0 && !this.#options.hasFlagValues;
    if (this.#options.use === 'edit' && isEmpty) this.#leave();
    try {
      const url = rowLink(String(hash), short_url, domain, renaming[this.#options.use]);
      this.#item = { ...(this.#options.resolver?.resolve(url, this.#line) ?? url), ...values };
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const column = this.#columns.find(({ setting }) => setting?.target === 'hash');
      this.refuse(`${column?.setting?.name ?? 'hash'}: ${error.message}`);
    }
  }
}

/** How a link gets a new hash. A file of links to compare never renames one: there, custom_hash names the link. */
const renaming = {
  shorten: undefined,
  edit: 'for a new hash, use custom_hash',
  apply: 'only linkctl edit -f renames, with the new hash in custom_hash',
} satisfies { readonly [Use in InputUse]: string | undefined };

/** Names a row among several on its line, for the beginning of a message. */
export function namedOnLine(nth = 1): string {
  return nth === 1 ? '' : `object ${nth} of the line: `;
}

/** Converts a text that is not empty. Returns undefined if its column is refused as a whole. `column` is that of a csv. */
export type CellReader = (text: string, line: number, column?: number) => WireValue | Refused | undefined;

/** Fills the draft from a record of `batch`. Returns `nothing` if the record is not a row, and `end` if nothing can be read after it. */
export type RecordReader<Record> = (record: Record, line: number, batch: readonly Record[]) => 'row' | 'nothing' | 'end';

type Item = { [T in Target]?: WireValue };

type Columns = readonly { readonly setting?: Setting | undefined }[];

/** The short URL of a new link at the source, and its cell. */
interface ShortUrl {
  readonly name: string;
  readonly text: string;
  readonly column: number | undefined;
}

/** A sign alone names no label. Labels that links have already come without a plus. */
function instructions(entries: readonly string[]): string[] | Refused {
  const attached = newLabels(entries.filter((entry) => entry.startsWith('+')).map((entry) => entry.slice(1)));
  const named = isRefused(attached) ? attached : labels(entries.map((entry) => entry.replace(/^[+-]/, '')));
  return isRefused(named) ? named : entries.map(instruction);
}

/** Labels without a sign come from listings and are attached (2.3). */
export function instruction(entry: string): string {
  return /^[+-]/.test(entry) ? entry : `+${entry}`;
}
