import { type Fingerprint, fingerprintOf } from '../base/fingerprint.ts';
import { linkText } from '../contract/link.ts';
import { withoutLocalPort } from '../contract/web-address.ts';
import type { AppliedChange, Counters, HistoryFold, NewLink, ReadingEnd, StoredLink } from './parts.ts';

/** Links on a page of memory. */
const pageSize = 2 ** 14;

/** 32 bytes for each link, page by page: nothing is copied when they become more. */
interface LinkPage {
  readonly total: Float64Array;
  readonly unique: Float64Array;
  readonly nameLow: Uint32Array;
  readonly nameHigh: Uint32Array;
  /** Of what else is shown of a link. */
  readonly text: Uint32Array;
  /** Which domain. */
  readonly domain: Uint16Array;
  /** 1: it is there. */
  readonly there: Uint8Array;
  /** 1: this reading has read it. */
  readonly seen: Uint8Array;
}

/** What the last readings had of every link, as numbers: enough to see what has changed. */
export class KnownLinks implements HistoryFold {
  readonly #pages: LinkPage[] = [];
  readonly #domains: string[] = [];
  #slots = new Uint32Array(1024);
  count = 0;
  last: ReadingEnd | undefined;
  /** Scopes of earlier readings, as texts. */
  readonly #covered = new Set<string>();

  /** Whether an earlier reading had all links of a domain. */
  covers(domain: string): boolean {
    return this.#covered.has('account') || this.#covered.has(`domain ${domain}`);
  }

  /** The number of the link of this name, or -1. */
  find(name: string): number {
    const print = fingerprintOf(name);
    const mask = this.#slots.length - 1;
    for (let slot = print.low & mask; ; slot = (slot + 1) & mask) {
      const taken = this.#slots[slot] ?? 0;
      if (taken === 0) return -1;
      if (this.#isNamed(taken - 1, print)) return taken - 1;
    }
  }

  total(link: number): number {
    return this.#page(link).total[link % pageSize] ?? 0;
  }

  unique(link: number): number {
    return this.#page(link).unique[link % pageSize] ?? 0;
  }

  isThere(link: number): boolean {
    return this.#page(link).there[link % pageSize] === 1;
  }

  hasText(link: number, text: StoredLink): boolean {
    return this.#page(link).text[link % pageSize] === textPrint(text);
  }

  /** Notes that this reading has the link; false where it had it before. */
  see(link: number): boolean {
    const { seen } = this.#page(link);
    if (seen[link % pageSize] === 1) return false;
    seen[link % pageSize] = 1;
    return true;
  }

  /** The links that are there, on one domain or on any, and that this reading has not read. */
  *unseen(domain: string | undefined): Generator<number> {
    const wanted = domain === undefined ? undefined : this.#domains.indexOf(domain);
    for (let link = 0; link < this.count; link += 1) {
      const { there, seen, domain: domains } = this.#page(link);
      const nth = link % pageSize;
      if (there[nth] === 1 && seen[nth] === 0 && (wanted === undefined || domains[nth] === wanted)) yield link;
    }
  }

  added({ link, total, unique }: NewLink): void {
    const number = this.count;
    this.count += 1;
    if (number % pageSize === 0) this.#pages.push(newPage());
    const page = this.#page(number);
    page.domain[number % pageSize] = this.#domainNumber(link.domain);
    page.there[number % pageSize] = 1;
    this.#set(number, { total, unique });
    this.#rename(number, nameOf(link));
    page.text[number % pageSize] = textPrint(link);
  }

  described(link: number, text: StoredLink): void {
    this.#page(link).text[link % pageSize] = textPrint(text);
  }

  counted(link: number, grown: Counters): void {
    this.#set(link, { total: this.total(link) + grown.total, unique: this.unique(link) + grown.unique });
    this.#page(link).there[link % pageSize] = 1;
  }

  changed({ kind, link, grown, isZeroed, newHash }: AppliedChange): void {
    if (isZeroed) this.#set(link, { total: 0, unique: 0 });
    else this.counted(link, grown);
    if (kind === 'deleted') this.gone(link);
    if (newHash === undefined) return;
    const name = nameOf({ domain: this.domain(link), hash: newHash });
    const other = this.find(name);
    if (other !== -1 && other !== link) this.#lose(other);
    this.#rename(link, name);
  }

  domain(link: number): string {
    return this.#domains[this.#page(link).domain[link % pageSize] ?? 0] ?? '';
  }

  read(): void {}

  gone(link: number): void {
    this.#page(link).there[link % pageSize] = 0;
  }

  ended(reading: ReadingEnd): void {
    this.last = reading;
    const { scope } = reading;
    if (scope === 'account') this.#covered.add(scope);
    else if ('domain' in scope) this.#covered.add(`domain ${scope.domain}`);
  }

  #page(link: number): LinkPage {
    const page = this.#pages[Math.floor(link / pageSize)];
    if (page === undefined) throw new RangeError(`no link has the number ${link}`);
    return page;
  }

  #set(link: number, { total, unique }: Counters): void {
    const page = this.#page(link);
    page.total[link % pageSize] = total;
    page.unique[link % pageSize] = unique;
  }

  #isNamed(link: number, { low, high }: Fingerprint): boolean {
    const page = this.#page(link);
    return page.nameLow[link % pageSize] === low && page.nameHigh[link % pageSize] === high;
  }

  /** The slot of its old name stays, and leads nowhere: names are compared. */
  #rename(link: number, name: string): void {
    const { low, high } = fingerprintOf(name);
    const page = this.#page(link);
    page.nameLow[link % pageSize] = low;
    page.nameHigh[link % pageSize] = high;
    this.#place(link, low);
  }

  /** Another link has its name. */
  #lose(link: number): void {
    this.gone(link);
    const page = this.#page(link);
    page.nameLow[link % pageSize] = 0;
    page.nameHigh[link % pageSize] = 0;
  }

  #taken = 0;

  #place(link: number, low: number): void {
    if ((this.#taken + 1) * 4 > this.#slots.length * 3) this.#enlarge();
    const mask = this.#slots.length - 1;
    let slot = low & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = link + 1;
    this.#taken += 1;
  }

  #enlarge(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    this.#taken = 0;
    for (let link = 0; link < this.count; link += 1) {
      const low = this.#page(link).nameLow[link % pageSize] ?? 0;
      if (low !== 0) this.#place(link, low);
    }
  }

  #domainNumber(domain: string): number {
    const known = this.#domains.indexOf(domain);
    return known === -1 ? this.#domains.push(domain) - 1 : known;
  }
}

/** What a link is known by from reading to reading. */
export function nameOf({ domain, hash }: Pick<StoredLink, 'domain' | 'hash'>): string {
  return linkText({ domain: domain || undefined, hash });
}

function textPrint({ short_url, long_url, tags }: StoredLink): number {
  return fingerprintOf([withoutLocalPortOf(short_url), long_url, ...tags].join('\n')).low;
}

/** The sandbox has another port in every command. */
function withoutLocalPortOf(short_url: string): string {
  const slash = short_url.indexOf('/');
  return slash < 0 ? short_url : withoutLocalPort(short_url.slice(0, slash)) + short_url.slice(slash);
}

function newPage(): LinkPage {
  return {
    total: new Float64Array(pageSize),
    unique: new Float64Array(pageSize),
    nameLow: new Uint32Array(pageSize),
    nameHigh: new Uint32Array(pageSize),
    text: new Uint32Array(pageSize),
    domain: new Uint16Array(pageSize),
    there: new Uint8Array(pageSize),
    seen: new Uint8Array(pageSize),
  };
}
