import { fsyncSync, ftruncateSync, rmSync, writeSync } from 'node:fs';
import type { System } from '../base/system.ts';
import type { Edition } from '../contract/editions.ts';
import type { UrlRecord } from '../contract/records.ts';
import { withoutLocalPort } from '../contract/web-address.ts';
import { acquireClaim, type Claim } from '../files/claim-lock.ts';
import { fileError } from '../files/file-error.ts';
import { makePrivateFolder, syncFoldersUpFrom } from '../files/folders.ts';
import { blockKinds, encodeBlock } from './blocks.ts';
import {
  accountBlock,
  foldReadings,
  type HistoryAccount,
  type HistoryPaths,
  historyPaths,
  openOrMakeReadings,
  type ReadingsFile,
} from './history-folder.ts';
import { KnownLinks, nameOf } from './known-links.ts';
import { changesFrom, type PendingChange } from './noted-changes.ts';
import { type AppliedChange, type Counters, PartWriter, type ReadingScope, type StoredLink, storedLink } from './parts.ts';

/** Bytes of a part; deflate looks back at 32 KiB. */
const partBytes = 2 ** 17;

/** What a reading found. */
export interface RecordedReading {
  readonly links: number;
  readonly added: number;
  readonly counted: number;
  readonly gone: number;
}

/**
 * Begins a reading of the counters of an account: takes the lock of its history and reads what it has. Throws a `LocalError` where another
 * recorder does not end within 10 seconds, and for a damaged history.
 */
export async function startRecording(
  account: HistoryAccount,
  { scope, usualDomain }: Pick<Opened, 'scope' | 'usualDomain'>,
  system: System,
): Promise<Recording> {
  const paths = historyPaths(account, system);
  makePrivateFolder(paths.folder);
  const claim = await acquireClaim({ folder: paths.lock, guards: `the history of ${account.username}` }, system);
  try {
    const readings = openOrMakeReadings(account, system);
    return new Recording({ account, scope, usualDomain, paths, readings, claim }, system);
  } catch (error) {
    claim.release();
    throw error;
  }
}

interface Opened {
  /** Of links that were changed without naming their domain. */
  readonly usualDomain: string;
  readonly account: HistoryAccount;
  readonly scope: ReadingScope;
  readonly paths: HistoryPaths;
  readonly readings: ReadingsFile;
  readonly claim: Claim;
}

/** A reading in the making. It is in the history when `finish` returns; `discard` leaves the history as it was. */
export class Recording {
  readonly #opened: Opened;
  readonly #system: System;
  readonly #known = new KnownLinks();
  readonly #from: number;
  readonly #changesEnd: number;
  #part = new PartWriter();
  #position: number;
  #counts = { links: 0, added: 0, counted: 0, gone: 0 };

  constructor(opened: Opened, system: System) {
    this.#opened = opened;
    this.#system = system;
    const { readings, paths, account } = opened;
    foldReadings(readings, this.#known);
    this.#position = readings.end;
    this.#from = system.now();
    this.#work(() => ftruncateSync(readings.file, readings.end));
    if (readings.end === 0) this.#write(accountBlock(account));
    const { changes, end } = changesFrom(this.#known.last?.changes ?? 0, paths.changes);
    this.#changesEnd = end;
    for (const change of changes) this.#change(change);
  }

  /** Bytes of an unfinished reading that were cut off. */
  get cut(): number {
    return this.#opened.readings.torn;
  }

  /** Links that were read so far. */
  get links(): number {
    return this.#counts.links;
  }

  /** Takes links as they are listed; one that comes twice counts once. */
  add(records: readonly UrlRecord[], edition: Edition): void {
    for (const record of records) this.#add(storedLink(record, edition), record);
    if (this.#part.length > partBytes) this.#flush();
  }

  /** Throws a `LocalError`, with the history as it was, where it cannot be written. */
  finish(): RecordedReading {
    const { readings, scope, paths } = this.#opened;
    if (scope === 'account' || 'domain' in scope) {
      const domain = scope === 'account' ? undefined : scope.domain;
      for (const link of this.#known.unseen(domain)) {
        this.#part.gone(link);
        this.#counts.gone += 1;
      }
    }
    this.#flush();
    const end = { from: this.#from, to: this.#system.now(), scope, links: this.#counts.links, changes: this.#changesEnd };
    this.#work(() => fsyncSync(readings.file));
    this.#write(encodeBlock(blockKinds.end, Buffer.from(JSON.stringify(end))));
    this.#work(() => {
      fsyncSync(readings.file);
      if (readings.end === 0) syncFoldersUpFrom(paths.folder, this.#system);
    });
    this.#close();
    return this.#counts;
  }

  /** Nothing of it is left; harmless after `finish`. */
  discard(): void {
    if (this.#isClosed) return;
    const { readings, paths } = this.#opened;
    try {
      ftruncateSync(readings.file, readings.end);
      if (readings.end === 0) rmSync(paths.readings, { force: true });
    } finally {
      this.#close();
    }
  }

  #isClosed = false;

  #close(): void {
    this.#isClosed = true;
    this.#opened.readings.close();
    this.#opened.claim.release();
  }

  #add(link: StoredLink, { total_clicks, unique_clicks }: UrlRecord): void {
    const { scope } = this.#opened;
    const counters = { total: counter(total_clicks), unique: counter(unique_clicks) };
    const isSelection = scope !== 'account' && 'selection' in scope;
    const known = this.#known.find(nameOf(link));
    if (known === -1) {
      const added = { link, ...counters, isYounger: !isSelection && this.#known.covers(link.domain) };
      this.#part.added(added);
      this.#known.added(added);
      this.#known.see(this.#known.count - 1);
      if (isSelection) this.#part.read(this.#known.count - 1);
      this.#counts.added += 1;
      this.#counts.links += 1;
      return;
    }
    if (!this.#known.see(known)) return;
    this.#counts.links += 1;
    if (isSelection) this.#part.read(known);
    if (!this.#known.hasText(known, link)) {
      this.#part.described(known, link);
      this.#known.described(known, link);
    }
    const grown = { total: counters.total - this.#known.total(known), unique: counters.unique - this.#known.unique(known) };
    if (grown.total === 0 && grown.unique === 0 && this.#known.isThere(known)) return;
    this.#part.counted(known, grown);
    this.#known.counted(known, grown);
    this.#counts.counted += 1;
  }

  #change({ kind, hash, domain, at, total, unique, newHash }: PendingChange): void {
    const { usualDomain } = this.#opened;
    const link = this.#known.find(nameOf({ hash, domain: withoutLocalPort(domain ?? usualDomain) }));
    if (link === -1) return;
    const had = { total: this.#known.total(link), unique: this.#known.unique(link) };
    const isZeroed = kind !== 'renamed' && !(kind === 'reset' && this.#wasReadAfter(at, total, had));
    const grown = isZeroed ? { total: grownTo(total, had.total), unique: grownTo(unique, had.unique) } : { total: 0, unique: 0 };
    const change: AppliedChange = { kind, link, grown, isZeroed, newHash };
    this.#part.changed(change);
    this.#known.changed(change);
    if (this.#part.length > partBytes) this.#flush();
  }

  /** Whether a link was reset while the last reading was made, which has read it after that. */
  #wasReadAfter(at: number, total: number | undefined, had: Counters): boolean {
    const { last } = this.#known;
    return last !== undefined && at >= last.from && at <= last.to && total !== undefined && total > had.total;
  }

  #flush(): void {
    if (this.#part.isEmpty) return;
    this.#write(encodeBlock(blockKinds.part, this.#part.bytes()));
    this.#part = new PartWriter();
  }

  #write(bytes: Buffer): void {
    this.#work(() => {
      for (let done = 0; done < bytes.length; ) {
        const count = writeSync(this.#opened.readings.file, bytes, done, bytes.length - done, this.#position);
        if (count === 0) throw new Error('the disk is full');
        done += count;
        this.#position += count;
      }
    });
  }

  #work(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.discard();
      throw fileError('write', this.#opened.paths.readings, error);
    }
  }
}

/** What a server sends may be anything. */
function counter(value: unknown): number {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0;
}

function grownTo(now: number | undefined, before: number): number {
  return now === undefined ? 0 : Math.max(0, now - before);
}
