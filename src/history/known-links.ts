import { type Fingerprint, fingerprintOf } from '../base/fingerprint.ts';
import { columnBytes, type LinkPage, newPage, pageBits, pageSize } from './link-page.ts';
import { nameOf, textPrint } from './link-prints.ts';
import type { AppliedChange, Counters, HistoryFold, NewLink, ReadingEnd, StoredLink } from './parts.ts';

/** What is kept of all links beside the columns. */
export interface KnownHead {
  /** Of this file's form; another one is not read. */
  readonly form: 1;
  readonly count: number;
  readonly domains: readonly string[];
  readonly covered: readonly string[];
  readonly last: ReadingEnd | undefined;
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

  /** What `head` and `columns` have said. Undefined for another form. */
  static of({ form, count, domains, covered, last }: KnownHead, columns: Buffer): KnownLinks | undefined {
    if (form !== 1) return undefined;
    const known = new KnownLinks();
    let offset = 0;
    while (known.#pages.length * pageSize < count) {
      const page = newPage();
      for (const column of columnBytes(page, count - known.#pages.length * pageSize)) {
        offset += columns.copy(column, 0, offset, offset + column.length);
      }
      known.#pages.push(page);
    }
    if (offset !== columns.length) return undefined;
    known.count = count;
    known.last = last;
    known.#domains.push(...domains);
    for (const scope of covered) known.#covered.add(scope);
    known.#placeAll(2 ** Math.ceil(Math.log2(count * 1.5 + 1024)));
    return known;
  }

  head(): KnownHead {
    return { form: 1, count: this.count, domains: this.#domains, covered: [...this.#covered], last: this.last };
  }

  /** The numbers of all links, page by page. */
  columns(): Uint8Array[] {
    return this.#pages.flatMap((page, nth) => columnBytes(page, this.count - nth * pageSize));
  }

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
    return this.#page(link).total[link & (pageSize - 1)] ?? 0;
  }

  unique(link: number): number {
    return this.#page(link).unique[link & (pageSize - 1)] ?? 0;
  }

  isThere(link: number): boolean {
    return this.#page(link).there[link & (pageSize - 1)] === 1;
  }

  hasText(link: number, text: StoredLink): boolean {
    return this.#page(link).text[link & (pageSize - 1)] === textPrint(text);
  }

  /** Notes that this reading has the link; false where it had it before. */
  see(link: number): boolean {
    const { seen } = this.#page(link);
    if (seen[link & (pageSize - 1)] === 1) return false;
    seen[link & (pageSize - 1)] = 1;
    return true;
  }

  /** The links that are there, on one domain or on any, and that this reading has not read. */
  *unseen(domain: string | undefined): Generator<number> {
    const wanted = domain === undefined ? undefined : this.#domains.indexOf(domain);
    for (let link = 0; link < this.count; link += 1) {
      const { there, seen, domain: domains } = this.#page(link);
      const nth = link & (pageSize - 1);
      if (there[nth] === 1 && seen[nth] === 0 && (wanted === undefined || domains[nth] === wanted)) yield link;
    }
  }

  added({ link, total, unique }: NewLink): void {
    const number = this.count;
    this.count += 1;
    if (number % pageSize === 0) this.#pages.push(newPage());
    const page = this.#page(number);
    page.domain[number & (pageSize - 1)] = this.#domainNumber(link.domain);
    page.there[number & (pageSize - 1)] = 1;
    this.#set(number, { total, unique });
    this.#rename(number, nameOf(link));
    page.text[number & (pageSize - 1)] = textPrint(link);
  }

  described(link: number, text: StoredLink): void {
    this.#page(link).text[link & (pageSize - 1)] = textPrint(text);
  }

  counted(link: number, total: number, unique: number): void {
    const page = this.#page(link);
    const nth = link & (pageSize - 1);
    page.total[nth] = (page.total[nth] ?? 0) + total;
    page.unique[nth] = (page.unique[nth] ?? 0) + unique;
    page.there[nth] = 1;
  }

  changed({ kind, link, grown, isZeroed, newHash }: AppliedChange): void {
    if (isZeroed) this.#set(link, { total: 0, unique: 0 });
    else this.counted(link, grown.total, grown.unique);
    if (kind === 'deleted') this.gone(link);
    if (newHash === undefined) return;
    const name = nameOf({ domain: this.domain(link), hash: newHash });
    const other = this.find(name);
    if (other !== -1 && other !== link) this.#lose(other);
    this.#rename(link, name);
  }

  domain(link: number): string {
    return this.#domains[this.#page(link).domain[link & (pageSize - 1)] ?? 0] ?? '';
  }

  read(): void {}

  gone(link: number): void {
    this.#page(link).there[link & (pageSize - 1)] = 0;
  }

  ended(reading: ReadingEnd): void {
    this.last = reading;
    const { scope } = reading;
    if (scope === 'account') this.#covered.add(scope);
    else if ('domain' in scope) this.#covered.add(`domain ${scope.domain}`);
  }

  #page(link: number): LinkPage {
    const page = this.#pages[link >>> pageBits];
    if (page === undefined) throw new RangeError(`no link has the number ${link}`);
    return page;
  }

  #set(link: number, { total, unique }: Counters): void {
    const page = this.#page(link);
    page.total[link & (pageSize - 1)] = total;
    page.unique[link & (pageSize - 1)] = unique;
  }

  #isNamed(link: number, { low, high }: Fingerprint): boolean {
    const page = this.#page(link);
    return page.nameLow[link & (pageSize - 1)] === low && page.nameHigh[link & (pageSize - 1)] === high;
  }

  /** The slot of its old name stays, and leads nowhere: names are compared. */
  #rename(link: number, name: string): void {
    const { low, high } = fingerprintOf(name);
    const page = this.#page(link);
    page.nameLow[link & (pageSize - 1)] = low;
    page.nameHigh[link & (pageSize - 1)] = high;
    this.#place(link, low);
  }

  /** Another link has its name. */
  #lose(link: number): void {
    this.gone(link);
    const page = this.#page(link);
    page.nameLow[link & (pageSize - 1)] = 0;
    page.nameHigh[link & (pageSize - 1)] = 0;
  }

  #taken = 0;

  #place(link: number, low: number): void {
    if ((this.#taken + 1) * 4 > this.#slots.length * 3) this.#placeAll(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    let slot = low & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = link + 1;
    this.#taken += 1;
  }

  #placeAll(slots: number): void {
    this.#slots = new Uint32Array(slots);
    this.#taken = 0;
    for (let link = 0; link < this.count; link += 1) {
      const low = this.#page(link).nameLow[link & (pageSize - 1)] ?? 0;
      if (low !== 0) this.#place(link, low);
    }
  }

  #domainNumber(domain: string): number {
    const known = this.#domains.indexOf(domain);
    return known === -1 ? this.#domains.push(domain) - 1 : known;
  }
}
