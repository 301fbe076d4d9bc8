import type { UrlRecord } from '../../src/contract/records.ts';
import type { Clicks } from '../../src/history/clicks.ts';
import type { HistoryAccount } from '../../src/history/history-database.ts';
import { changeNotes, type NotedChange } from '../../src/history/noted-changes.ts';
import { wholeAccount } from '../../src/history/readings.ts';
import { recordedClicks } from '../../src/history/recorded-clicks.ts';
import { type RecordedReading, startRecording } from '../../src/history/recording.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { createTestSystem } from '../support/test-system.ts';

const day = 86_400_000;
const tags = ['promo', 'print', 'spring', 'shop'];

/** A link and what the oracle knows of it. */
interface SimulatedLink {
  hash: string;
  longUrl: string;
  tags: string[];
  total: number;
  isAlive: boolean;
  /** What the last reading saw; undefined before the first. */
  read: number | undefined;
  /** Clicks since the last reading of everything that a reading can know of: none that were gone with a reset before it. */
  pending: number;
  /** Of these, clicks that this tool has noted with a change. */
  noted: number;
}

export interface SimulatedReading {
  readonly at: number;
  /** Clicks since the reading before, by the hash that the link has then. */
  readonly clicks: ReadonlyMap<SimulatedLink, number>;
}

export interface SimulationOptions {
  readonly links: number;
  readonly seed: number;
  /** The folder of the history. */
  readonly folder: string;
  /** Links that are clicked in half a day, of all. */
  readonly clicked?: number;
}

/**
 * An account whose every click is known, with its history. Links are made, clicked, edited, and reset, deleted and renamed, by this tool
 * and by others; some hashes are used again.
 */
export class SimulatedAccount {
  readonly account: HistoryAccount = { server: 'https://api.example/api/3', username: 'ann' };
  readonly links: SimulatedLink[] = [];
  readonly readings: SimulatedReading[] = [];
  readonly random: () => number;
  readonly #options: SimulationOptions;
  readonly #byHash = new Map<string, SimulatedLink>();
  now = Date.UTC(2025, 0, 1, 2);
  #row = 0;
  /** What is noted before the next reading. */
  #noted: { at: number; change: NotedChange }[] = [];
  #made = 0;

  constructor(options: SimulationOptions) {
    this.#options = options;
    this.random = seededRandom(options.seed);
    for (let nth = 0; nth < options.links; nth += 1) this.make();
    // Most links have been clicked before the first reading, some very often.
    for (const link of this.links) link.total = Math.floor(3000 * this.random() ** 4);
  }

  system() {
    return createTestSystem({ env: { HOME: this.#options.folder }, now: () => this.now });
  }

  make(hash = `h${this.#made.toString(36)}`): void {
    const nth = this.#made++;
    const longUrl = `https://shop${nth % 7}.example/catalogue/item/${Math.floor(this.random() * 1e9)}?utm_source=letter&n=${nth}`;
    const known = this.#byHash.get(hash);
    const link = { hash, longUrl, tags: tags.filter(() => this.random() < 0.3), total: 0, isAlive: true, pending: 0, noted: 0 };
    // A deleted link whose hash is used again is one link to the history.
    if (known) Object.assign(known, link, { noted: known.noted });
    else {
      const made = { ...link, read: undefined };
      this.links.push(made);
      this.#byHash.set(hash, made);
    }
  }

  /** The clicks of half a day, those of links that are often clicked more than of others. */
  click(): void {
    const { clicked = 0.045 } = this.#options;
    for (let left = Math.round(this.links.length * clicked); left > 0; left -= 1) {
      const link = this.links[Math.floor(this.links.length * this.random() ** 1.5)];
      const count = 1 + Math.floor(5 * this.random() ** 6 * 20 * this.random());
      if (link?.isAlive) this.clickLink(link, count);
    }
  }

  clickLink(link: SimulatedLink, count: number): void {
    link.total += count;
    link.pending += count;
  }

  /** A link that is there, and was read with at least so many clicks. */
  pick(least = -1): SimulatedLink | undefined {
    for (let tries = 0; tries < 200; tries += 1) {
      const link = this.links[Math.floor(this.random() * this.links.length)];
      if (link?.isAlive && (link.read ?? -1) >= least) return link;
    }
    return undefined;
  }

  /** By this tool, which knows the counters before or does not. */
  change(kind: 'reset' | 'deleted' | 'renamed', link: SimulatedLink, isKnown = true): void {
    const newHash = kind === 'renamed' ? `r${(this.#made++).toString(36)}` : undefined;
    this.note({ kind, hash: link.hash, ...(isKnown && { total: link.total, unique: 0 }), newHash });
    if (kind === 'renamed') {
      this.#byHash.delete(link.hash);
      link.hash = newHash ?? '';
      this.#byHash.set(link.hash, link);
      return;
    }
    // What was clicked since the last reading is gone with the counter.
    if (isKnown) link.noted += link.pending;
    link.pending = 0;
    link.total = 0;
    link.isAlive = kind !== 'deleted';
  }

  note(change: Omit<NotedChange, 'row' | 'domain'>): void {
    const noted = { ...change, row: this.#row++, domain: 's.example' };
    this.#noted.push({ at: this.now, change: noted });
  }

  /** By somebody else: the next reading sees the counter fall, or the link gone. */
  foreign(kind: 'reset' | 'deleted', link: SimulatedLink): void {
    link.pending = 0;
    link.total = 0;
    link.isAlive = kind === 'reset';
  }

  edit(link: SimulatedLink): void {
    link.longUrl = `https://other.example/${Math.floor(this.random() * 1e9)}`;
  }

  async record(): Promise<RecordedReading> {
    const notes = changeNotes(this.account, this.system());
    for (const { at, change } of this.#noted.splice(0)) await notes.add({ at, run: 'simulated', changes: [change] });
    await notes.close();
    const recording = await startRecording(
      this.account,
      { scope: wholeAccount, edition: 'a', defaultDomain: 's.example' },
      this.system(),
    );
    for (const page of this.pages()) recording.add(page);
    const clicks = new Map<SimulatedLink, number>();
    for (const link of this.links) {
      // Of a link that was made and deleted between two readings, only noted clicks are known.
      const isKnown = link.isAlive || link.read !== undefined || link.noted > 0;
      if (isKnown && link.pending + link.noted > 0) clicks.set(link, link.pending + link.noted);
      Object.assign(link, { pending: 0, noted: 0 });
      link.read = link.isAlive ? link.total : link.read;
    }
    this.readings.push({ at: this.now, clicks });
    return recording.finish();
  }

  *pages(): Generator<UrlRecord[]> {
    let page: UrlRecord[] = [];
    for (let nth = this.links.length - 1; nth >= 0; nth -= 1) {
      const link = this.links[nth];
      if (!link?.isAlive) continue;
      page.push(recordOf(link));
      if (page.length < 1000) continue;
      yield page;
      page = [];
    }
    yield page;
  }

  /** The truth of the time between two readings, and between another one and the first of them. */
  truth(before: number, first: number, last: number): Map<string, [clicks: number, before: number]> {
    const sums = new Map<string, [number, number]>();
    for (let nth = before + 1; nth <= last; nth += 1) {
      for (const [link, clicks] of this.readings[nth]?.clicks ?? []) {
        const sum = sums.get(link.hash) ?? [0, 0];
        sum[nth > first ? 0 : 1] += clicks;
        sums.set(link.hash, sum);
      }
    }
    return sums;
  }

  clicks(since: number, until: number): Promise<Clicks> {
    return recordedClicks({ span: { since, until, now: until }, scope: wholeAccount }, this.account, this.system());
  }

  /** One day: clicks, and now and then something else. */
  live(): void {
    this.now += day / 2;
    this.click();
    const often = Math.max(1, Math.round(this.links.length / 2000));
    for (let left = often; left > 0; left -= 1) this.#happen();
    this.now += day / 2;
    this.click();
  }

  #happen(): void {
    this.make();
    // A link that no reading has had yet.
    const young = this.links.at(-1);
    if (young && this.random() < 0.5) {
      this.clickLink(young, 10);
      if (this.random() < 0.5) this.change('renamed', young);
      this.change('reset', young, this.random() < 0.8);
      if (this.random() < 0.3) this.change('renamed', young);
      this.clickLink(young, 2);
      if (this.random() < 0.3) this.change('deleted', young, this.random() < 0.8);
    }
    const edited = this.pick();
    if (edited) this.edit(edited);
    const link = this.pick();
    if (link && this.random() < 0.3) this.change('reset', link, this.random() < 0.8);
    const renamed = this.pick();
    if (renamed && this.random() < 0.3) this.change('renamed', renamed);
    const deleted = this.pick();
    if (deleted && this.random() < 0.3) {
      this.change('deleted', deleted, this.random() < 0.8);
      if (this.random() < 0.6) this.make(deleted.hash);
    }
    // A reset by somebody else can be seen where the counter falls: so of links that have many clicks.
    const foreign = this.pick(1000);
    if (foreign && this.random() < 0.2) this.foreign('reset', foreign);
    const gone = this.pick(1000);
    if (gone && this.random() < 0.2) {
      this.foreign('deleted', gone);
      if (this.random() < 0.5) this.make(gone.hash);
    }
  }
}

function recordOf({ hash, longUrl, tags, total }: SimulatedLink): UrlRecord {
  return {
    hash,
    long_url: longUrl,
    short_url: `s.example/${hash}`,
    total_clicks: total,
    unique_clicks: Math.ceil(total / 2),
    note: '',
    email_stats: false,
    expiration_date: null,
    tags,
    links: { qr_small: '', qr_big: '' },
  };
}
