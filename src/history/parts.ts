import type { Edition } from '../contract/editions.ts';
import { recordDomain } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import { withoutLocalPort } from '../contract/web-address.ts';
import type { ReadLink } from './clicks.ts';
import { ByteReader, ByteWriter } from './varints.ts';

/** A link as the history keeps it. */
export type StoredLink = ReadLink & {
  /** In ASCII, without a local port; empty on edition B. */
  readonly domain: string;
};

/** A link as the history keeps it. Edition B has one domain, whatever it is called. */
export function storedLink(record: UrlRecord, edition: Edition): StoredLink {
  const { hash, short_url, long_url, tags } = record;
  const domain = edition === 'b' ? '' : withoutLocalPort(recordDomain(record) ?? '');
  // Servers may leave out any of them, or send null.
  return { domain, hash, short_url: short_url || hash, long_url: long_url ?? '', tags: tags ?? [] };
}

export interface Counters {
  readonly total: number;
  readonly unique: number;
}

export type ChangeKind = 'reset' | 'deleted' | 'renamed';

const changeKinds: readonly ChangeKind[] = ['reset', 'deleted', 'renamed'];

/** What this tool did to a link, and what that means for its counters. */
export interface AppliedChange {
  readonly kind: ChangeKind;
  readonly link: number;
  /** By how much they had grown since the last reading; 0 where that is not known. */
  readonly grown: Counters;
  /** They are 0 from then on. */
  readonly isZeroed: boolean;
  /** Of a renamed link. */
  readonly newHash?: string | undefined;
}

/** What was read the first time. */
export interface NewLink extends Counters {
  readonly link: StoredLink;
  /** An earlier reading of all links of its domain did not have it: its clicks are all from after that one. */
  readonly isYounger: boolean;
}

/** Follows the readings of a history, one event after the other, in their order. Links have the numbers in which they were first read. */
export interface HistoryFold {
  changed(change: AppliedChange): void;
  added(link: NewLink): void;
  described(link: number, text: StoredLink): void;
  /** What the counters have grown by. 0 for both: a link that was gone is back. There are millions of them: numbers make no garbage. */
  counted(link: number, total: number, unique: number): void;
  /** Only in readings of a selection: it was read. */
  read(link: number): void;
  gone(link: number): void;
  ended(reading: ReadingEnd): void;
}

/** What a reading covers: everything, the listing of one domain, or what these words select. */
export type ReadingScope = { readonly domain: string } | { readonly selection: string } | 'account';

/** The last block of a reading. */
export interface ReadingEnd {
  /** When the first and the last page were asked for and read, in milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  readonly scope: ReadingScope;
  /** Links that were read. */
  readonly links: number;
  /** Bytes of the file of changes that were taken in. */
  readonly changes: number;
}

/** A part of a reading in the making: sections of like things, which compress well. */
export class PartWriter {
  readonly #changes = new Section();
  readonly #added = new Section();
  readonly #described = new Section();
  readonly #counted = new Section();
  readonly #read = new Section();
  readonly #gone = new Section();

  changed({ kind, link, grown, isZeroed, newHash = '' }: AppliedChange): void {
    const bytes = this.#changes.next(link);
    bytes.number(changeKinds.indexOf(kind) * 2 + Number(isZeroed));
    writeCounters(bytes, grown);
    if (kind === 'renamed') bytes.text(newHash);
  }

  added({ link, isYounger, ...counters }: NewLink): void {
    const bytes = this.#added.next(0);
    bytes.number(Number(isYounger));
    writeCounters(bytes, counters);
    writeLink(bytes, link);
  }

  described(link: number, text: StoredLink): void {
    writeLink(this.#described.next(link), text);
  }

  counted(link: number, total: number, unique: number): void {
    const bytes = this.#counted.next(link);
    bytes.difference(total);
    bytes.difference(unique);
  }

  read(link: number): void {
    this.#read.next(link);
  }

  gone(link: number): void {
    this.#gone.next(link);
  }

  get length(): number {
    return this.#sections.reduce((sum, { length }) => sum + length, 0);
  }

  get isEmpty(): boolean {
    return this.length === 0;
  }

  bytes(): Buffer {
    const whole = new ByteWriter();
    for (const section of this.#sections) section.writeTo(whole);
    return whole.bytes();
  }

  get #sections(): Section[] {
    return [this.#changes, this.#added, this.#described, this.#counted, this.#read, this.#gone];
  }
}

/** Calls the fold for everything that a part holds. Throws a RangeError for what is no part. */
export function readPart(content: Buffer, fold: HistoryFold): void {
  const bytes = new ByteReader(content);
  forEach(bytes, (link) => {
    const code = bytes.number();
    const kind = changeKinds[Math.floor(code / 2)];
    if (kind === undefined) throw new RangeError('a change of no kind');
    const grown = readCounters(bytes);
    const newHash = kind === 'renamed' ? bytes.text() : undefined;
    fold.changed({ kind, link, grown, isZeroed: code % 2 === 1, newHash });
  });
  forEach(bytes, () => {
    const isYounger = bytes.number() === 1;
    const counters = readCounters(bytes);
    fold.added({ ...counters, isYounger, link: readLink(bytes) });
  });
  forEach(bytes, (link) => fold.described(link, readLink(bytes)));
  forEach(bytes, (link) => fold.counted(link, bytes.difference(), bytes.difference()));
  forEach(bytes, (link) => fold.read(link));
  forEach(bytes, (link) => fold.gone(link));
}

/** Things of one kind, each behind the number of its link, as the difference from the one before. */
class Section {
  readonly #bytes = new ByteWriter();
  #count = 0;
  #last = 0;

  get length(): number {
    return this.#bytes.length;
  }

  next(link: number): ByteWriter {
    this.#bytes.difference(link - this.#last);
    this.#last = link;
    this.#count += 1;
    return this.#bytes;
  }

  writeTo(whole: ByteWriter): void {
    whole.number(this.#count);
    whole.append(this.#bytes);
  }
}

function forEach(bytes: ByteReader, read: (link: number) => void): void {
  let link = 0;
  for (let left = bytes.number(); left > 0; left -= 1) {
    link += bytes.difference();
    read(link);
  }
}

function writeCounters(bytes: ByteWriter, { total, unique }: Counters): void {
  bytes.difference(total);
  bytes.difference(unique);
}

function readCounters(bytes: ByteReader): Counters {
  const total = bytes.difference();
  return { total, unique: bytes.difference() };
}

/** The short URL only where it is not what domain and hash make. */
function writeLink(bytes: ByteWriter, { domain, hash, short_url, long_url, tags }: StoredLink): void {
  bytes.text(domain);
  bytes.text(hash);
  bytes.text(short_url === `${domain}/${hash}` ? '' : short_url);
  bytes.text(long_url);
  bytes.number(tags.length);
  for (const tag of tags) bytes.text(tag);
}

function readLink(bytes: ByteReader): StoredLink {
  const domain = bytes.text();
  const hash = bytes.text();
  const short_url = bytes.text() || `${domain}/${hash}`;
  const long_url = bytes.text();
  const tags: string[] = [];
  for (let left = bytes.number(); left > 0; left -= 1) tags.push(bytes.text());
  return { domain, hash, short_url, long_url, tags };
}
