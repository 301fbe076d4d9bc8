import { utcDay } from '../base/days.ts';
import { UsageError } from '../base/errors.ts';
import { quoted } from '../base/quoted.ts';
import { type Edition, thisServer } from '../contract/editions.ts';
import type { LinkKey } from '../contract/link.ts';
import type { EditItem, ShortenItem } from '../contract/operations.ts';
import { hostName } from '../contract/web-address.ts';
import { requiredTarget, type Setting } from './fields/members.ts';
import type { InputFormat, InputUse } from './format.ts';
import { parseHash } from './hashes/hashes.ts';
import type { Placement } from './placement.ts';
import { isRefused, type Refused, type Target, valueWarning, type WireValue } from './values.ts';

/** The item that is sent for a row, by the use of the file. */
export interface ItemOf {
  shorten: ShortenItem;
  edit: EditItem & { readonly domain?: string };
}

export interface InputRow<Use extends InputUse = InputUse> {
  /** The line of the file on which the row begins, from 1. */
  readonly line: number;
  readonly item: ItemOf[Use];
  /** Its custom hash comes from a listing's `hash`, where hashes may differ only in case. */
  readonly listed: boolean;
}

export interface ReadOptions<Use extends InputUse = InputUse> {
  readonly use: Use;
  readonly edition: Edition;
  /** Finds the domains of the URLs that an edit names. */
  readonly placement?: Placement | undefined;
  readonly format: InputFormat;
  /** Milliseconds; decides whether a date is in the past. */
  readonly now: number;
  /** One character; a comma without it. */
  readonly delimiter?: string | undefined;
  readonly ignoreUnknownColumns?: boolean | undefined;
  /** Takes one `'` off every cell that begins with one (B21, R-47). */
  readonly formulaGuarded?: boolean | undefined;
}

/** A message about a place in the file; `column` is the number of the cell, from 1. */
export interface Notice {
  readonly line: number;
  readonly column?: number | undefined;
  readonly reason: string;
}

/** Where a reader reports what is wrong. After a problem it continues where it can, without the row. */
export interface Notices {
  problem(notice: Notice): void;
  warning(notice: Notice): void;
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
  }

  set({ name, target, foreign }: Setting, value: WireValue | Refused, column?: number): void {
    if (isRefused(value)) this.refuse(`${name}: ${value.refused}`, column);
    else if (foreign) {
      const changesNothing = JSON.stringify(value) === JSON.stringify(foreign.default);
      if (!changesNothing) this.refuse(`${name}: ${thisServer(this.#options.edition)} has no ${name}`, column);
    } else if (this.#item[target] !== undefined) {
      this.refuse(`${name}: both hash and custom_hash are given`, column);
    } else {
      const isInstruction = target === 'tags' && this.#options.use === 'edit' && Array.isArray(value);
      this.#item[target] = isInstruction ? value.map(instruction) : value;
      if (name === 'hash' && target === 'custom_hash') this.#listed = true;
      const warning = valueWarning(target, value, this.#today);
      if (warning) this.#notices.warning({ line: this.#line, column, reason: `${name}: ${warning}` });
    }
  }

  /** Reports a problem; the row is left out. */
  refuse(reason: string, column?: number): void {
    this.#refused = true;
    this.#notices.problem({ line: this.#line, column, reason });
  }

  /** The row, if nothing is wrong with it. */
  finish(): InputRow<Use> | undefined {
    const isEdit = this.#options.use === 'edit';
    if (isEdit) this.#item.hash ??= this.#item.short_url;
    if (!this.#refused && this.#item[this.#required] === undefined) this.refuse(`${this.#required} is missing`);
    if (!this.#refused && isEdit) this.#nameUrl();
    if (this.#refused) return undefined;
    // It has the column that the use requires, and each value was checked by its field.
    return { line: this.#line, item: this.#item as unknown as ItemOf[Use], listed: this.#listed };
  }

  /** Replaces the members that name the URL of an edit by its hash and domain. */
  #nameUrl(): void {
    const { hash, short_url, domain, ...values } = this.#item;
    if (Object.keys(values).length === 0) this.refuse('nothing to change');
    try {
      const url = editedUrl(String(hash), short_url, domain);
      this.#item = { ...(this.#options.placement?.place(url, this.#line) ?? url), ...values };
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      this.refuse(`hash: ${error.message}`);
    }
  }
}

/** Fills the draft from a record. Returns `nothing` if the record is no row, `end` if nothing after it can be read either. */
export type RecordReader<Record> = (record: Record, line: number) => 'row' | 'nothing' | 'end';

type Item = { [T in Target]?: WireValue };

/** Which URL a row of an edit means: `short_url` or `domain` distinguishes it from namesakes on other domains (F5). */
function editedUrl(text: string, shortUrl: WireValue | undefined, domain: WireValue | undefined): LinkKey {
  const named = parseHash(text);
  const listed = typeof shortUrl === 'string' ? listedUrl(shortUrl) : undefined;
  if (listed && listed.hash !== named.hash) {
    throw new UsageError(`${quoted(text)} does not match ${quoted(String(shortUrl))}: for a new hash, use custom_hash`);
  }
  const own = domain === undefined ? undefined : hostName(String(domain));
  if (own === '') throw new UsageError(`${quoted(String(domain))} is not a domain name`);
  let place = named.domain;
  for (const other of [listed?.domain, own]) {
    if (other !== undefined && other !== (place ?? other)) {
      throw new UsageError(`${quoted(text)} has two domains, ${place} and ${other}`);
    }
    place ??= other;
  }
  return { hash: named.hash, domain: place };
}

/** Undefined for a short URL of another form, which some servers have. */
function listedUrl(shortUrl: string): LinkKey | undefined {
  try {
    return parseHash(shortUrl);
  } catch {
    return undefined;
  }
}

/** `+label` attaches, `-label` detaches (2.3); a label of a listing has no sign and attaches what is there already (B21). */
function instruction(entry: string): string {
  return /^[+-]/.test(entry) ? entry : `+${entry}`;
}
