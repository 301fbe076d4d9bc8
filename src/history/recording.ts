import type { System } from '../base/system.ts';
import type { Edition } from '../contract/editions.ts';
import type { UrlRecord } from '../contract/records.ts';
import { withoutLocalPort } from '../contract/web-address.ts';
import { blockKinds, encodeBlock } from './blocks.ts';
import type { HistoryAccount } from './history-folder.ts';
import type { KnownLinks } from './known-links.ts';
import { nameOf } from './link-prints.ts';
import { changesFrom, type PendingChange } from './noted-changes.ts';
import { type AppliedChange, type Counters, PartWriter, type ReadingScope, type StoredLink, storedLink } from './parts.ts';
import { openToRecord, type ReadingWriter } from './reading-writer.ts';

/** Bytes of a part; deflate looks back at 32 KiB. */
const partBytes = 2 ** 17;

/** What a reading found. */
export interface RecordedReading {
  readonly links: number;
  readonly added: number;
  readonly counted: number;
  readonly gone: number;
}

/** What a reading is of. */
interface RecordingSettings {
  readonly scope: ReadingScope;
  readonly edition: Edition;
  /** Of links that were changed without naming their domain. */
  readonly usualDomain: string;
}

/** Begins a reading of the counters of an account. Throws a `LocalError` where its history is damaged or in use. */
export async function startRecording(account: HistoryAccount, settings: RecordingSettings, system: System): Promise<Recording> {
  const writer = await openToRecord(account, system);
  try {
    return new Recording(writer, settings, system);
  } catch (error) {
    writer.discard();
    throw error;
  }
}

/** A reading in the making. It is in the history when `finish` returns; `discard` leaves the history as it was. */
export class Recording {
  readonly #writer: ReadingWriter;
  readonly #settings: RecordingSettings;
  readonly #system: System;
  readonly #known: KnownLinks;
  readonly #from: number;
  readonly #changesEnd: number;
  /** Clicks before a reset of links that no reading has had yet, by name. */
  readonly #lost = new Map<string, Counters>();
  #part = new PartWriter();
  #counts = { links: 0, added: 0, counted: 0, gone: 0 };

  constructor(writer: ReadingWriter, settings: RecordingSettings, system: System) {
    this.#writer = writer;
    this.#settings = settings;
    this.#system = system;
    this.#known = writer.known();
    this.#from = system.now();
    const { changes, end } = changesFrom(this.#known.last?.changes ?? 0, writer.paths.changes);
    this.#changesEnd = end;
    for (const change of changes) this.#change(change);
  }

  /** Bytes of an unfinished reading that were cut off. */
  get cut(): number {
    return this.#writer.cut;
  }

  /** Links that were read so far. */
  get links(): number {
    return this.#counts.links;
  }

  /** Takes links as they are listed; one that comes twice counts once. */
  add(records: readonly UrlRecord[]): void {
    for (const record of records) this.#add(storedLink(record, this.#settings.edition), record);
    if (this.#part.length > partBytes) this.#flush();
  }

  /** Throws a `LocalError`, with the history as it was, where it cannot be written. */
  finish(): RecordedReading {
    const { scope } = this.#settings;
    if (!this.#isSelection) {
      const domain = typeof scope === 'object' && 'domain' in scope ? scope.domain : undefined;
      for (const link of this.#known.unseen(domain)) {
        this.#part.gone(link);
        this.#known.gone(link);
        this.#counts.gone += 1;
      }
    }
    this.#flush();
    const end = { from: this.#from, to: this.#system.now(), scope, links: this.#counts.links, changes: this.#changesEnd };
    this.#known.ended(end);
    this.#writer.commit(encodeBlock(blockKinds.end, Buffer.from(JSON.stringify(end))), this.#known);
    return this.#counts;
  }

  discard(): void {
    this.#writer.discard();
  }

  #add(link: StoredLink, record: UrlRecord): void {
    const known = this.#known.find(nameOf(link));
    if (known === -1) this.#addNew(link, countersOf(record) ?? none);
    else if (this.#known.see(known)) this.#addKnown(known, link, countersOf(record));
  }

  #addKnown(known: number, link: StoredLink, counters: Counters | undefined): void {
    this.#counts.links += 1;
    if (this.#isSelection) this.#part.read(known);
    if (!this.#known.hasText(known, link)) {
      this.#part.described(known, link);
      this.#known.described(known, link);
    }
    this.#count(known, counters);
  }

  #count(link: number, counters: Counters | undefined): void {
    const had = this.#had(link);
    // A counter that is left out says nothing.
    const { total, unique } = counters ?? had;
    if (total === had.total && unique === had.unique && this.#known.isThere(link)) return;
    this.#part.counted(link, total - had.total, unique - had.unique);
    this.#known.counted(link, total - had.total, unique - had.unique);
    this.#counts.counted += 1;
  }

  #addNew(link: StoredLink, counters: Counters): void {
    const isYounger = this.#known.covers(link.domain);
    const lost = isYounger ? this.#lost.get(nameOf(link)) : undefined;
    const added = { link, ...(lost ? none : counters), isYounger };
    const number = this.#known.count;
    this.#part.added(added);
    this.#known.added(added);
    this.#known.see(number);
    if (this.#isSelection) this.#part.read(number);
    this.#counts.added += 1;
    this.#counts.links += 1;
    if (lost === undefined) return;
    // In a part, changes come before new links.
    this.#flush();
    this.#apply({ kind: 'reset', link: number, grown: lost, isZeroed: true });
    this.#part.counted(number, counters.total, counters.unique);
    this.#known.counted(number, counters.total, counters.unique);
  }

  get #isSelection(): boolean {
    const { scope } = this.#settings;
    return scope !== 'account' && 'selection' in scope;
  }

  #had(link: number): Counters {
    return { total: this.#known.total(link), unique: this.#known.unique(link) };
  }

  #change({ kind, hash, domain = this.#settings.usualDomain, at, total = 0, unique = 0, newHash }: PendingChange): void {
    const place = withoutLocalPort(domain);
    const name = nameOf({ hash, domain: place });
    const link = this.#known.find(name);
    if (link === -1) {
      this.#lose(name, { total, unique }, newHash && nameOf({ hash: newHash, domain: place }));
      return;
    }
    const had = this.#had(link);
    const isZeroed = kind !== 'renamed' && !(kind === 'reset' && this.#wasReadAfter(at, total, had));
    const grown = { total: Math.max(0, total - had.total), unique: Math.max(0, unique - had.unique) };
    this.#apply({ kind, link, grown: isZeroed ? grown : none, isZeroed, newHash });
  }

  #apply(change: AppliedChange): void {
    this.#part.changed(change);
    this.#known.changed(change);
    if (this.#part.length > partBytes) this.#flush();
  }

  /** What was clicked before a reset of a link that no reading has had yet. */
  #lose(name: string, { total, unique }: Counters, newName: string | undefined): void {
    const before = this.#lost.get(name) ?? none;
    this.#lost.delete(name);
    const lost = newName === undefined ? { total: before.total + total, unique: before.unique + unique } : before;
    if (lost.total > 0) this.#lost.set(newName ?? name, lost);
  }

  /** Whether a link was reset while the last reading was made, which has read it after that. */
  #wasReadAfter(at: number, total: number, had: Counters): boolean {
    const { last } = this.#known;
    return last !== undefined && at >= last.from && at <= last.to && total > had.total;
  }

  #flush(): void {
    if (this.#part.isEmpty) return;
    this.#writer.write(encodeBlock(blockKinds.part, this.#part.bytes()));
    this.#part = new PartWriter();
  }
}

const none: Counters = { total: 0, unique: 0 };

/** Undefined where the server sends no counter, or something else. */
function countersOf({ total_clicks, unique_clicks }: UrlRecord): Counters | undefined {
  if (!isCounter(total_clicks)) return undefined;
  return { total: total_clicks, unique: isCounter(unique_clicks) ? unique_clicks : 0 };
}

function isCounter(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
