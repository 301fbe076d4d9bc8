import { DuplicateCandidateSearch } from '../base/duplicate-candidates.ts';
import type { LinkKey } from '../contract/link.ts';
import { parseUrl } from '../contract/web-address.ts';
import type { Refusal } from './addresses.ts';
import type { Question } from './probe.ts';
import { hostOf, type NotAsked, notAsked } from './redirect-chain.ts';

/** A link as a check knows it. */
export interface CheckedLink extends LinkKey {
  /** In full, as people paste it. */
  readonly short_url: string;
  /** Absent for a link that was named and does not exist. */
  readonly long_url?: string | undefined;
}

/** Links that can be read as often as needed; they lie on the disk. */
export interface LinkList {
  readonly count: number;
  at(index: number): CheckedLink;
  all(): Iterable<CheckedLink>;
}

/** How links become questions. */
export interface Asking {
  readonly refusal: Refusal;
  /** Ask the short URLs, and not where they lead. */
  readonly shortUrls: boolean;
}

/**
 * The distinct destinations of links, host by host: each is known by its first link, and costs 12 bytes a link and a little a host,
 * however many there are.
 */
export class Destinations {
  readonly #links: LinkList;
  readonly #asking: Asking;
  /** By link: the first with the same destination, and the next one; 0 where there is none, as the first link is nobody's next. */
  readonly #firsts: Uint32Array;
  readonly #nexts: Uint32Array;
  /** By destination: the next of the same host. */
  readonly #queue: Uint32Array;
  readonly #hosts = new Map<string, { head: number; tail: number }>();
  /** That are not asked, with the reason. */
  readonly #refused: Refused[] = [];
  /** Distinct destinations, those that are not asked included. */
  readonly count: number;
  readonly hostCount: number;
  #left = 0;

  /** `isKnown`: the verdict on the destination of a link is known already. */
  constructor(links: LinkList, asking: Asking, isKnown: (link: number) => boolean) {
    this.#links = links;
    this.#asking = asking;
    this.#firsts = new Uint32Array(links.count);
    this.#nexts = new Uint32Array(links.count);
    this.#queue = new Uint32Array(links.count);
    this.count = this.#group();
    for (const [link, first] of this.#firsts.entries()) if (link === first && !isKnown(link)) this.#add(link);
    this.hostCount = this.#hosts.size;
  }

  /** The destination of a link: the first link that has it. */
  of(link: number): number {
    return this.#firsts[link] ?? link;
  }

  /** All links of a destination. */
  linksOf(destination: number): number[] {
    const links: number[] = [];
    for (let link = destination; links.length === 0 || link !== 0; link = this.#nexts[link] ?? 0) links.push(link);
    return links;
  }

  /** How many are still to be taken. */
  get left(): number {
    return this.#left;
  }

  hosts(): IterableIterator<string> {
    return this.#hosts.keys();
  }

  /** The next destination of a host, or nothing when all were taken. */
  take(host: string): number | undefined {
    const queue = this.#hosts.get(host);
    if (!queue) return undefined;
    const { head } = queue;
    this.#left -= 1;
    queue.head = this.#queue[head] ?? 0;
    if (head === queue.tail) this.#hosts.delete(host);
    return head;
  }

  /** Those that are not asked. */
  refused(): readonly Refused[] {
    return this.#refused;
  }

  questionOf(destination: number): Question {
    const link = this.#links.at(destination);
    const url = parseUrl(this.#textOf(link));
    if (!url) throw new Error(`a destination that is no URL is not asked: ${destination}`);
    url.hash = '';
    return { url, target: this.#asking.shortUrls ? link.long_url : undefined };
  }

  #textOf({ short_url, long_url = '' }: CheckedLink): string {
    return this.#asking.shortUrls ? short_url : long_url;
  }

  /** Joins links whose destinations are the same on the wire. What may be the same by its print is compared in full. */
  #group(): number {
    const search = new DuplicateCandidateSearch();
    for (const link of this.#links.all()) search.add(this.#keyOf(link));
    const candidates = search.candidates();
    const first = new Int32Array(candidates.count).fill(-1);
    const last = new Uint32Array(candidates.count);
    let count = 0;
    let index = -1;
    for (const link of this.#links.all()) {
      index += 1;
      this.#firsts[index] = index;
      const key = this.#keyOf(link);
      const candidate = candidates.indexOf(key);
      const known = candidate === -1 ? -1 : (first[candidate] ?? -1);
      if (known === -1) {
        count += 1;
        if (candidate === -1) continue;
        first[candidate] = index;
      } else if (this.#keyOf(this.#links.at(known)) === key) {
        this.#firsts[index] = known;
        this.#nexts[last[candidate] ?? 0] = index;
      } else {
        count += 1;
        continue;
      }
      last[candidate] = index;
    }
    return count;
  }

  /** What is sent for it: a fragment is not. */
  #keyOf(link: CheckedLink): string {
    if (link.long_url === undefined) return `\n${link.domain}/${link.hash}`;
    const text = this.#textOf(link);
    return parseUrl(text)?.href.replace(/#.*$/s, '') ?? text;
  }

  #add(destination: number): void {
    const link = this.#links.at(destination);
    const url = link.long_url === undefined ? undefined : parseUrl(this.#textOf(link));
    const refused = url
      ? notAsked(url, this.#asking.refusal)
      : { reason: link.long_url === undefined ? 'no such link' : 'no valid URL' };
    if (refused || !url) {
      this.#refused.push({ destination, reason: '', ...refused });
      return;
    }
    this.#left += 1;
    const host = hostOf(url);
    const queue = this.#hosts.get(host);
    if (queue) this.#queue[queue.tail] = destination;
    this.#hosts.set(host, { head: queue?.head ?? destination, tail: destination });
  }
}

export interface Refused extends NotAsked {
  readonly destination: number;
}
