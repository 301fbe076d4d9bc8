import { utcDay } from '../base/days.ts';
import { UsageError } from '../base/errors.ts';
import { quoted } from '../base/quoted.ts';
import { type Edition, thisServer } from '../contract/editions.ts';
import type { EditItem, ShortenItem } from '../contract/operations.ts';
import { type Parameter, withParameter } from '../link/rules/query-parameters.ts';
import type { DateFormat } from './dates.ts';
import type { Placement } from './domain-resolver.ts';
import { cellValue, isRefused, longUrlFault, type Refused, type Target, valueWarning, type WireValue } from './field-values.ts';
import type { Loss, NamedColumns } from './fields/columns.ts';
import { missingNotice, requiredTarget, type Setting } from './fields/members.ts';
import { type InputFormat, type InputUse, namesLinks } from './format.ts';
import { hashOfShortUrl } from './hashes/parse-hash.ts';
import { rowLink } from './hashes/row-link.ts';
import type { Notices } from './notices.ts';
import { isGuarded, isSomething } from './protection.ts';

/** The item that is sent for a row, by the use of the file. */
export interface ItemOf {
  shorten: ShortenItem;
  edit: EditItem & { readonly domain?: string };
  /** A link as a file has it; `tags` are all of its labels. */
  apply: EditItem & { readonly domain?: string };
}

export interface InputRow<Use extends InputUse = InputUse> {
  /** The line of the file on which the row begins, from 1. */
  readonly line: number;
  readonly item: ItemOf[Use];
  /** Its custom hash comes from a listing, of ours or of another service, where hashes may differ only in case. */
  readonly listed: boolean;
  /** Why it is left out: the link is protected or off at the source. */
  readonly skip?: { readonly status: 'skipped'; readonly reason: string };
}

export interface ReadOptions<Use extends InputUse = InputUse> {
  readonly use: Use;
  readonly edition: Edition;
  /** Finds the domains of the URLs that an edit names. */
  readonly placement?: Placement | undefined;
  readonly format: InputFormat;
  /** It was said, and not taken from the name of the file. */
  readonly isFormatGiven?: boolean | undefined;
  /** Milliseconds; decides whether a date is in the past. */
  readonly now: number;
  /** One character; a comma without it. */
  readonly delimiter?: string | undefined;
  /** Unknown columns are refused. */
  readonly strictColumns?: boolean | undefined;
  /** Links that are protected or off at the source are made all the same. */
  readonly includeProtected?: boolean | undefined;
  /** Takes one `'` off every cell that begins with one. */
  readonly formulaGuarded?: boolean | undefined;
  /** Columns that are named by hand, which beat the table. */
  readonly columns?: NamedColumns | undefined;
  readonly dateFormat?: DateFormat | undefined;
  readonly tagSeparator?: string | undefined;
  /** An edit's tags stay as they are written, with their signs or without. */
  readonly keepsSigns?: boolean | undefined;
  /** For every long URL of the rows; those of a row beat them. */
  readonly utm?: readonly Parameter[] | undefined;
}

/** Gathers the values of one row after the other and says what is wrong with them. */
export class RowDraft<Use extends InputUse = InputUse> {
  readonly #options: ReadOptions<Use>;
  readonly #notices: Notices;
  readonly #required: Target;
  readonly #today: string;
  #line = 0;
  #item: Item = {};
  #refused = false;
  #listed = false;
  #shortUrl: ShortUrl | undefined;
  #utm: Parameter[] = [];
  #lost: string[] = [];
  #skip: string | undefined;
  /** Beginning of the last short URL: those of a file are alike, and its host is noted. */
  #place: string | undefined;
  /** The hash is that of a listing of ours, whose short URLs say nothing new. */
  #isListedHash = false;

  constructor(options: ReadOptions<Use>, notices: Notices) {
    this.#options = options;
    this.#notices = notices;
    this.#required = requiredTarget(options.use);
    this.#today = utcDay(options.now);
  }

  begin(line: number): void {
    this.#line = line;
    this.#item = {};
    this.#refused = false;
    this.#listed = false;
    this.#shortUrl = undefined;
    if (this.#utm.length > 0) this.#utm = [];
    if (this.#lost.length > 0) this.#lost = [];
    this.#skip = undefined;
    this.#isListedHash = false;
  }

  set({ name, target, foreign, isContinued }: Setting, value: WireValue | Refused, column?: number): void {
    if (isRefused(value)) this.refuse(`${name}: ${value.refused}`, column);
    else if (foreign) {
      const changesNothing = JSON.stringify(value) === JSON.stringify(foreign.default);
      if (!changesNothing) this.refuse(`${name}: ${thisServer(this.#options.edition)} has no ${target}`, column);
    } else if (target === 'short_url' && this.#options.use === 'shorten') {
      this.#shortUrl ??= { name, text: String(value), column };
    } else if (target.startsWith('utm_')) {
      this.#utm.push({ name: target, value: String(value) });
    } else if (this.#item[target] !== undefined && !isContinued) {
      this.refuse(`${name}: both hash and custom_hash are given`, column);
    } else {
      const isInstruction =
        target === 'tags' && this.#options.use === 'edit' && !this.#options.keepsSigns && Array.isArray(value);
      const entries = isInstruction ? value.map(instruction) : value;
      const before = isContinued ? this.#item[target] : undefined;
      this.#item[target] = Array.isArray(before) && Array.isArray(entries) ? [...before, ...entries] : entries;
      if (target === 'custom_hash' && name !== 'custom_hash') this.#listed = true;
      if (name === 'hash') this.#isListedHash = true;
      const warning = valueWarning(target, value, this.#today);
      if (warning) this.#warn(`${name}: ${warning}`, column);
    }
  }

  /** Takes note of a value that cannot be set, and may say that the link is protected or off. */
  lose({ name, guard }: Loss, text: string): void {
    if (guard === undefined ? !isSomething(text) : !isGuarded(guard, text, this.#options)) return;
    if (guard !== undefined && !this.#options.includeProtected) this.#skip ??= name;
    else this.#lost.push(name);
  }

  /** Leaves the row out, where what is wrong with it is reported otherwise. */
  drop(): void {
    this.#refused = true;
  }

  /** Reports a problem; the row is left out. */
  refuse(reason: string, column?: number): void {
    this.#refused = true;
    this.#notices.problem({ line: this.#line, column, reason });
  }

  /** The row, if nothing is wrong with it. */
  finish(): InputRow<Use> | undefined {
    const isNamed = namesLinks(this.#options.use);
    if (isNamed) this.#item.hash ??= this.#item.short_url;
    else if (this.#shortUrl) this.#takeHash(this.#shortUrl);
    if (this.#options.utm || this.#utm.length > 0) this.#setParameters();
    if (!this.#refused && this.#item[this.#required] === undefined) this.refuse(missingNotice(this.#options.use, 'value'));
    if (!this.#refused && isNamed) this.#nameUrl();
    if (this.#refused) return undefined;
    if (this.#skip === undefined) for (const name of this.#lost) this.#notices.lost(name);
    // It has the column that the use requires, and each value was checked by its field.
    const row = { line: this.#line, item: this.#item as unknown as ItemOf[Use], listed: this.#listed };
    return this.#skip === undefined
      ? row
      : { ...row, skip: { status: 'skipped', reason: `protected or disabled at the source: ${this.#skip}` } };
  }

  /** The hash of a new link is that of its short URL elsewhere, unless the row gives one. */
  #takeHash({ name, text, column }: ShortUrl): void {
    const place = text.slice(0, text.lastIndexOf('/'));
    const hasOwn = this.#item.custom_hash !== undefined;
    if (hasOwn && (place === this.#place || this.#isListedHash)) return;
    this.#place = place;
    const { host, hash, parts } = hashOfShortUrl(text);
    if (host !== undefined) this.#notices.host(host, this.#line);
    if (hasOwn) return;
    if (hash === '') this.refuse(`${name}: ${quoted(text)} has no hash`, column);
    else this.set({ name, target: 'custom_hash' }, cellValue('custom_hash', hash), column);
    if (parts > 1) this.#warn(`${name}: of ${quoted(text)} the last part is the hash: ${hash}`, column);
  }

  #warn(reason: string, column?: number): void {
    this.#notices.warning({ line: this.#line, column, reason });
  }

  /** The parameters go into the long URL of the row; its own beat those of the flag. */
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

  /** Replaces the members that name a URL by its hash and domain. */
  #nameUrl(): void {
    const { hash, short_url, domain, ...values } = this.#item;
    if (this.#options.use === 'edit' && Object.keys(values).length === 0) this.refuse('nothing to change');
    try {
      const url = rowLink(String(hash), short_url, domain);
      this.#item = { ...(this.#options.placement?.place(url, this.#line) ?? url), ...values };
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.refuse(`hash: ${error.message}`);
    }
  }
}

/**
 * Fills the draft from a record; `batch` are the records among which it is. Returns `nothing` if the record is no row, `end` if
 * nothing after it can be read either.
 */
export type RecordReader<Record> = (record: Record, line: number, batch: readonly Record[]) => 'row' | 'nothing' | 'end';

type Item = { [T in Target]?: WireValue };

/** Where a new link had its short URL, and in which cell. */
interface ShortUrl {
  readonly name: string;
  readonly text: string;
  readonly column: number | undefined;
}

/** `+label` attaches, `-label` detaches (2.3); a label of a listing has no sign and attaches what is there already. */
export function instruction(entry: string): string {
  return /^[+-]/.test(entry) ? entry : `+${entry}`;
}
