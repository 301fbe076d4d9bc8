import type { LinkEvent } from './clicks.ts';
import type { AppliedChange, HistoryFold, NewLink, ReadingEnd, StoredLink } from './parts.ts';
import type { UsedReadings } from './used-readings.ts';

/** A link while the readings are followed. */
export interface CountedLink {
  text: StoredLink;
  total: number;
  unique: number;
  clicks: number;
  before: number;
  uniqueClicks: number;
  events: LinkEvent[];
  /** A reading of a selection began the time without it: it is counted from where it is read first. */
  isUnread: boolean;
}

/** Adds up what counters grew by, in the time and in the time before it. */
export class CountedLinks implements HistoryFold {
  readonly links: CountedLink[] = [];
  /** By reading: clicks since the one before it. */
  readonly perReading: number[] = [0];
  readonly #used: Pick<UsedReadings, 'first' | 'before'>;
  readonly #isWanted: (link: number) => boolean;
  #read = new Set<number>();
  /** A reading of a selection began the time: what it did not have may be older. */
  #beganInPart = false;

  /** `isWanted`: which links count in `perReading`. */
  constructor(used: Pick<UsedReadings, 'first' | 'before'>, isWanted: (link: number) => boolean = () => true) {
    this.#used = used;
    this.#isWanted = isWanted;
  }

  added({ link, total, unique, isYounger }: NewLink): void {
    const added: CountedLink = {
      text: link,
      total: 0,
      unique: 0,
      clicks: 0,
      before: 0,
      uniqueClicks: 0,
      events: [],
      isUnread: false,
    };
    this.links.push(added);
    if (isYounger) this.#event(added, 'new');
    if (isYounger && !this.#beganInPart) {
      this.counted(this.links.length - 1, total, unique);
    } else Object.assign(added, { total, unique });
  }

  described(link: number, text: StoredLink): void {
    this.#link(link).text = text;
  }

  counted(number: number, grownTotal: number, grownUnique: number): void {
    const link = this.#link(number);
    const total = link.total + grownTotal;
    const unique = link.unique + grownUnique;
    if (grownTotal < 0) this.#event(link, 'fell');
    // A counter that fell began at zero.
    this.#count(number, grownTotal < 0 ? total : grownTotal, grownUnique < 0 ? unique : grownUnique);
    link.total = total;
    link.unique = unique;
  }

  changed({ kind, link: number, grown, isZeroed, newHash }: AppliedChange): void {
    const link = this.#link(number);
    this.#count(number, grown.total, grown.unique);
    this.#event(link, kind);
    if (isZeroed) Object.assign(link, { total: 0, unique: 0 });
    if (newHash !== undefined) link.text = renamed(link.text, newHash);
  }

  read(link: number): void {
    this.#read.add(link);
    this.#link(link).isUnread = false;
  }

  gone(link: number): void {
    this.#event(this.#link(link), 'gone');
  }

  ended({ scope }: ReadingEnd): void {
    const nth = this.perReading.length - 1;
    const isBoundary = nth === this.#used.first.nth || nth === this.#used.before?.nth;
    if (isBoundary) this.#beganInPart = scope !== 'account' && 'selection' in scope;
    if (isBoundary && this.#beganInPart) {
      for (const [number, link] of this.links.entries()) link.isUnread = !this.#read.has(number);
    }
    this.#read = new Set();
    this.perReading.push(0);
  }

  #count(number: number, total: number, unique: number): void {
    const link = this.#link(number);
    const nth = this.perReading.length - 1;
    const { first, before } = this.#used;
    if (link.isUnread) {
      link.isUnread = false;
      return;
    }
    if (this.#isWanted(number)) this.perReading[nth] = (this.perReading[nth] ?? 0) + total;
    if (nth > first.nth) {
      link.clicks += total;
      link.uniqueClicks += unique;
    } else if (before !== undefined && nth > before.nth) link.before += total;
  }

  #event(link: CountedLink, event: LinkEvent): void {
    if (this.perReading.length - 1 > this.#used.first.nth && !link.events.includes(event)) link.events.push(event);
  }

  #link(number: number): CountedLink {
    const link = this.links[number];
    if (link === undefined) throw new RangeError(`no link has the number ${number}`);
    return link;
  }
}

/** Its next reading says more. */
function renamed(text: StoredLink, hash: string): StoredLink {
  const lead = text.short_url.endsWith(text.hash) ? text.short_url.slice(0, -text.hash.length) : '';
  return { ...text, hash, short_url: lead + hash };
}
