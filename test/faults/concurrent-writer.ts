import type { Answer, Item, Serving } from './shared-database.ts';

/** What all writers know together. */
export interface Ledger {
  /** To whose link a contested hash was given. */
  readonly winners: Map<string, string[]>;
  /** Answers that did not come: what they asked for may have been done. */
  doubts: number;
  acknowledged: number;
  overLimit: number;
}

type State = { readonly longUrl: string; readonly note: string; readonly isDoubtful: boolean } | 'gone' | 'doubtful';

/** Long URLs of which there may be one link each. */
export const sharedUrls = Array.from({ length: 200 }, (_, index) => `https://shared.example/${index}`);

/** Makes, edits, renames and deletes links of its own through whichever process, and remembers what was acknowledged. */
export class Writer {
  readonly links = new Map<string, State>();
  readonly #name: string;
  readonly #random: () => number;
  readonly #processes: readonly Serving[];
  readonly #ledger: Ledger;
  #count = 0;

  constructor(name: string, random: () => number, processes: readonly Serving[], ledger: Ledger) {
    this.#name = name;
    this.#random = random;
    this.#processes = processes;
    this.#ledger = ledger;
  }

  async step(): Promise<void> {
    const chance = this.#random();
    const known = this.#present();
    if (chance < 0.35 || known.length < 20) await this.#create();
    else if (chance < 0.45) await this.#contest();
    else if (chance < 0.55) await this.#shareUrl();
    else if (chance < 0.75) await this.#edit(this.#some(known, 20));
    else if (chance < 0.85) await this.#rename(this.#some(known, 1)[0] as string);
    else await this.#delete(this.#some(known, 30));
  }

  async #call(method: string, path: string, body?: object): Promise<Answer | undefined> {
    const process = this.#processes[Math.floor(this.#random() * this.#processes.length)];
    const answer = await process?.call(method, path, body);
    if (!answer) this.#ledger.doubts += 1;
    return answer;
  }

  #newHash(): string {
    this.#count += 1;
    return `${this.#name}-${this.#count}`;
  }

  #present(): string[] {
    return [...this.links].flatMap(([hash, state]) => (typeof state === 'object' && !state.isDoubtful ? [hash] : []));
  }

  #some(hashes: readonly string[], most: number): string[] {
    const start = Math.floor(this.#random() * hashes.length);
    return hashes.slice(start, start + 1 + Math.floor(this.#random() * most));
  }

  async #create(): Promise<void> {
    const items = Array.from({ length: 1 + Math.floor(this.#random() * 50) }, () => {
      const custom_hash = this.#newHash();
      return { custom_hash, long_url: `https://own.example/${custom_hash}`, note: 'new', tags: [`t${this.#count % 50}`] };
    });
    const answer = await this.#call('POST', '/urls', { urls: items });
    for (const [index, { custom_hash, long_url }] of items.entries()) {
      const code = answer?.urls[index]?.error?.code;
      if (!answer) this.links.set(custom_hash, 'doubtful');
      else if (code === 0) this.links.set(custom_hash, { longUrl: long_url, note: 'new', isDoubtful: false });
      else if (code === 1220) this.#ledger.overLimit += 1;
      else throw new Error(`a new hash of ${this.#name} answered ${code}`);
      if (code === 0) this.#ledger.acknowledged += 1;
    }
    const known = this.#present();
    if (answer?.urls.some(({ error }) => error?.code === 1220) && known.length > 0) await this.#delete(this.#some(known, 60));
  }

  /** A hash that the others want, too, and a generated one. */
  async #contest(): Promise<void> {
    const custom_hash = `contest-${Math.floor(Date.now() / 2000)}`;
    const long_url = `https://contest.example/${this.#newHash()}`;
    const answer = await this.#call('POST', '/urls', { urls: [{ custom_hash, long_url }, { long_url }] });
    if (answer?.urls[0]?.error?.code !== 0) return;
    const winners = this.#ledger.winners.get(custom_hash) ?? [];
    this.#ledger.winners.set(custom_hash, [...winners, long_url]);
  }

  async #shareUrl(): Promise<void> {
    const long_url = sharedUrls[Math.floor(this.#random() * sharedUrls.length)];
    await this.#call('POST', '/urls?disable_long_url_duplicates=1', { urls: [{ long_url }, { long_url }] });
  }

  async #edit(hashes: readonly string[]): Promise<void> {
    const note = `edit ${this.#newHash()}`;
    const answer = await this.#call('PATCH', '/urls', { urls: hashes.map((hash) => ({ hash, note, tags: ['+edited'] })) });
    for (const [index, hash] of hashes.entries()) this.#settle(hash, answer?.urls[index], answer, { note });
  }

  async #rename(hash: string): Promise<void> {
    const custom_hash = this.#newHash();
    const before = this.links.get(hash);
    const answer = await this.#call('PATCH', `/urls/${hash}`, { urls: [{ custom_hash }] });
    if (!answer) {
      this.links.set(hash, 'doubtful');
      this.links.set(custom_hash, 'doubtful');
      return;
    }
    if (answer.urls[0]?.error?.code !== 0) throw new Error(`${hash} could not be renamed: ${answer.urls[0]?.error?.code}`);
    this.links.set(hash, 'gone');
    if (before) this.links.set(custom_hash, before);
    this.#ledger.acknowledged += 1;
  }

  async #delete(hashes: readonly string[]): Promise<void> {
    const answer = await this.#call('DELETE', `/urls?hashes=${hashes.join()}`);
    if (answer && answer.error.code !== 0) throw new Error(`${hashes.join()} could not be deleted: ${answer.error.code}`);
    for (const hash of hashes) this.links.set(hash, answer ? 'gone' : 'doubtful');
    if (answer) this.#ledger.acknowledged += hashes.length;
  }

  #settle(hash: string, item: Item | undefined, answer: Answer | undefined, { note }: { note: string }): void {
    const state = this.links.get(hash);
    if (typeof state !== 'object') return;
    if (answer && item?.error?.code !== 0) throw new Error(`${hash} could not be edited: ${item?.error?.code}`);
    // An edit without an answer leaves one of two notes; the link itself stays.
    this.links.set(hash, answer ? { ...state, note } : { ...state, isDoubtful: true });
    if (answer) this.#ledger.acknowledged += 1;
  }
}
