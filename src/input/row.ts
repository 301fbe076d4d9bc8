import { UsageError } from '../base/errors.ts';
import { type Edition, thisServer } from '../contract/editions.ts';
import { type Field, fields } from '../contract/fields.ts';
import type { LinkKey } from '../contract/link.ts';
import type { EditItem, ShortenItem } from '../contract/operations.ts';
import { requiredTarget, type Setting } from './fields/members.ts';
import type { InputFormat, InputUse } from './format.ts';
import { hostName, parseHash } from './hashes/hashes.ts';
import type { Placement } from './placement.ts';
import { isRefused, quoted, type Refused, type Target, utcDay, valueWarning, type WireValue } from './values.ts';

/** What a row becomes, by what the file is read for. */
export interface ItemOf {
  shorten: ShortenItem;
  edit: EditItem & { readonly domain?: string };
}

export interface InputRow<Use extends InputUse = InputUse> {
  /** The line of the file on which the row begins, from 1. */
  readonly line: number;
  readonly item: ItemOf[Use];
  /** Its custom hash comes from a listing's `hash`, so it stands there beside hashes that differ only in case. */
  readonly listed: boolean;
}

export interface ReadOptions<Use extends InputUse = InputUse> {
  readonly use: Use;
  readonly edition: Edition;
  /** Where the URLs are that an edit names. */
  readonly placement?: Placement | undefined;
  readonly format: InputFormat;
  /** Milliseconds: what is today when a date is in the past. */
  readonly now: number;
  /** One character; a comma without it. */
  readonly delimiter?: string | undefined;
  readonly ignoreUnknownColumns?: boolean | undefined;
  /** Takes one `'` off every cell that begins with one (B21, R-47). */
  readonly formulaGuarded?: boolean | undefined;
}

/** Something to say about a place in the file; `column` is the number of the cell, from 1. */
export interface Notice {
  readonly line: number;
  readonly column?: number | undefined;
  readonly reason: string;
}

/** Where a reader tells what is wrong. It goes on after a problem where it can, without the row. */
export interface Notices {
  problem(notice: Notice): void;
  warning(notice: Notice): void;
}

/** Gathers the values of one row after the other and says what is wrong with them. */
export interface RowDraft<Use extends InputUse> {
  begin(line: number): void;
  set(setting: Setting, value: WireValue | Refused, column?: number): void;
  /** Takes a reason that spoils the row. */
  refuse(reason: string, column?: number): void;
  /** The row, if nothing is wrong with it. */
  finish(): InputRow<Use> | undefined;
}

export function rowDraft<Use extends InputUse>(
  { use, edition, placement, now }: ReadOptions<Use>,
  notices: Notices,
): RowDraft<Use> {
  const required = requiredTarget(use);
  const today = utcDay(now);
  let line = 0;
  let item: { [T in Target]?: WireValue } = {};
  let refused = false;
  let listed = false;

  const refuse = (reason: string, column?: number): void => {
    refused = true;
    notices.problem({ line, column, reason });
  };
  return {
    refuse,
    begin(start) {
      line = start;
      item = {};
      refused = false;
      listed = false;
    },
    set({ name, target, foreign }, value, column) {
      if (isRefused(value)) return refuse(`${name}: ${value.refused}`, column);
      if (foreign) {
        if (!isDefault(fields[target as keyof typeof fields], value)) {
          refuse(`${name}: ${thisServer(edition)} has no ${name}`, column);
        }
        return;
      }
      if (item[target] !== undefined) return refuse(`${name}: the hash is given as hash and as custom_hash`, column);
      item[target] = use === 'edit' && target === 'tags' ? (value as string[]).map(instruction) : value;
      listed ||= name === 'hash' && target === 'custom_hash';
      const warning = valueWarning(target, value, today);
      if (warning) notices.warning({ line, column, reason: `${name}: ${warning}` });
    },
    finish() {
      if (use === 'edit') item.hash ??= item.short_url;
      if (!refused && item[required] === undefined) refuse(`${required}: is missing`);
      if (!refused && use === 'edit') {
        const { hash, short_url, domain, ...values } = item;
        if (Object.keys(values).length === 0) refuse('nothing to change');
        try {
          const url = editedUrl(String(hash), short_url, domain);
          item = { ...(placement ? placement.place(url, line) : url), ...values };
        } catch (error) {
          if (!(error instanceof UsageError)) throw error;
          refuse(`hash: ${error.message}`);
        }
      }
      return refused ? undefined : { line, item: item as unknown as ItemOf[Use], listed };
    },
  };
}

/** Which URL a row of an edit means: `short_url` or `domain` tells it from its namesakes on other domains (F5). */
function editedUrl(text: string, shortUrl: WireValue | undefined, domain: WireValue | undefined): LinkKey {
  const named = parseHash(text);
  const listed = typeof shortUrl === 'string' ? listedUrl(shortUrl) : undefined;
  if (listed && listed.hash !== named.hash) {
    throw new UsageError(`${quoted(text)} is not the one of ${quoted(shortUrl as string)}: a new hash goes into custom_hash`);
  }
  const own = domain === undefined ? undefined : hostName(String(domain));
  if (own === '') throw new UsageError(`${quoted(String(domain))} is not a domain name`);
  let place = named.domain;
  for (const other of [listed?.domain, own]) {
    if (other !== undefined && other !== (place ?? other)) {
      throw new UsageError(`${quoted(text)} is said to be on ${place} and on ${other}`);
    }
    place ??= other;
  }
  return { hash: named.hash, domain: place };
}

/** Servers may have short URLs of other forms: those tell nothing. */
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

function isDefault(field: Field, value: WireValue): boolean {
  return JSON.stringify(value) === JSON.stringify(field.default);
}
