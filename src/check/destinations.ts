import { DuplicateCandidateSearch } from '../base/duplicate-candidates.ts';
import type { SoughtLink } from '../contract/link.ts';
import { lacksKey } from '../contract/records.ts';
import { parseUrl } from '../contract/web-address.ts';
import type { Refusal } from './addresses.ts';
import type { ProbeTarget } from './probe.ts';
import { type NotProbed, refusalOf } from './redirect-chain.ts';

export interface CheckedLink extends SoughtLink {
  /** With the protocol. */
  readonly short_url: string;
  /** Absent for a link that does not exist; empty if the server does not show it. */
  readonly long_url?: string | undefined;
  /** Of a short URL that is to be requested: the link has `max_clicks`. */
  readonly isLimited?: true;
}

/** Stored on disk and readable repeatedly. */
export interface LinkList {
  readonly count: number;
  at(index: number): CheckedLink;
  all(): Iterable<CheckedLink>;
}

interface DestinationOptions {
  readonly refusal: Refusal;
  /** Probe the short URLs instead of their destinations. */
  readonly shortUrls: boolean;
}

/** The distinct destinations of links, grouped by host. Each is identified by the index of its first link and needs 12 bytes per link. */
export class Destinations {
  readonly #links: LinkList;
  readonly #options: DestinationOptions;
  /** By link: the first link with the same destination, and the next one. 0 ends the list, since link 0 never follows another. */
  readonly #firsts: Uint32Array;
  readonly #nexts: Uint32Array;
  /** By destination: the next one on the same host. */
  readonly #queue: Uint32Array;
  readonly #hosts = new Map<string, { head: number; tail: number }>();
  /** Destinations without a verdict that cannot be requested. */
  readonly refused: Refused[] = [];
  readonly hostCount: number;
  /** Destinations that can be requested. */
  count = 0;
  #left = 0;

  /** `isKnown`: the destination of the link has a verdict already. */
  constructor(links: LinkList, options: DestinationOptions, isKnown: (link: number) => boolean) {
    this.#links = links;
    this.#options = options;
    this.#firsts = new Uint32Array(links.count);
    this.#nexts = new Uint32Array(links.count);
    this.#queue = new Uint32Array(links.count);
    this.#group(isKnown);
    this.hostCount = this.#hosts.size;
  }

  /** A destination is identified by its first link. */
  of(link: number): number {
    return this.#firsts[link] ?? link;
  }

  linksOf(destination: number): number[] {
    const links: number[] = [];
    for (let link = destination; links.length === 0 || link !== 0; link = this.#nexts[link] ?? 0) links.push(link);
    return links;
  }

  /** Destinations that were not taken yet. */
  get left(): number {
    return this.#left;
  }

  hosts(): IterableIterator<string> {
    return this.#hosts.keys();
  }

  /** Returns undefined when all destinations of the host were taken. */
  take(host: string): number | undefined {
    const queue = this.#hosts.get(host);
    if (!queue) return undefined;
    const { head } = queue;
    this.#left -= 1;
    queue.head = this.#queue[head] ?? 0;
    if (head === queue.tail) this.#hosts.delete(host);
    return head;
  }

  targetOf(destination: number): ProbeTarget {
    const link = this.#links.at(destination);
    const url = parseUrl(this.#textOf(link));
    if (!url) throw new Error(`not a valid URL: destination ${destination}`);
    url.hash = '';
    return { url, target: this.#options.shortUrls ? link.long_url : undefined, isLimited: link.isLimited };
  }

  #textOf({ short_url, long_url = '' }: CheckedLink): string {
    return this.#options.shortUrls ? short_url : long_url;
  }

  /** Groups links whose destinations are equal on the wire. Candidates with equal fingerprints are compared in full. */
  #group(isKnown: (link: number) => boolean): void {
    const search = new DuplicateCandidateSearch();
    for (const link of this.#links.all()) search.add(this.#keyOf(link));
    const candidates = search.candidates();
    const first = new Int32Array(candidates.count).fill(-1);
    const last = new Uint32Array(candidates.count);
    let index = -1;
    for (const link of this.#links.all()) {
      index += 1;
      this.#firsts[index] = index;
      const key = this.#keyOf(link);
      const candidate = candidates.indexOf(key);
      const known = candidate === -1 ? -1 : (first[candidate] ?? -1);
      if (known === -1) {
        this.#add(index, link, isKnown(index));
        if (candidate === -1) continue;
        first[candidate] = index;
      } else if (this.#keyOf(this.#links.at(known)) === key) {
        this.#firsts[index] = known;
        this.#nexts[last[candidate] ?? 0] = index;
      } else {
        this.#add(index, link, isKnown(index));
        continue;
      }
      last[candidate] = index;
    }
  }

  /** Omits the fragment, which is not sent. */
  #keyOf(link: CheckedLink): string {
    if (link.long_url === undefined) return `\n${link.domain}/${link.hash}`;
    const text = this.#textOf(link);
    return parseUrl(text)?.href.replace(/#.*$/s, '') ?? text;
  }

  #add(destination: number, link: CheckedLink, isKnown: boolean): void {
    const fault = unknownDestination(link);
    const url = fault === undefined ? parseUrl(this.#textOf(link)) : undefined;
    const refused = url ? refusalOf(url, this.#options.refusal) : { reason: fault ?? 'not a valid URL' };
    if (refused || !url) {
      if (!isKnown) this.refused.push({ destination, reason: '', ...refused });
      return;
    }
    this.count += 1;
    if (isKnown) return;
    this.#left += 1;
    const { host } = url;
    const queue = this.#hosts.get(host);
    if (queue) this.#queue[queue.tail] = destination;
    this.#hosts.set(host, { head: queue?.head ?? destination, tail: destination });
  }
}

function unknownDestination({ long_url }: CheckedLink): string | undefined {
  if (long_url === undefined) return 'no such link';
  if (long_url === '') return 'the server does not show the destination';
  return lacksKey(long_url) ? 'the destination contains the API key' : undefined;
}

export interface Refused extends NotProbed {
  readonly destination: number;
}
