import { quoted } from '../../base/quoted.ts';

/** What the columns of one header, or the members of one object, were taken for; undefined counts where nothing was found out. */
export interface ColumnSenses {
  /** `Destination -> long_url`. */
  readonly used: readonly string[];
  /** Names of columns that say which links are protected or off. */
  readonly guards: readonly string[];
  /** Names of columns with what a link cannot have here. */
  readonly lost: readonly string[];
  readonly unused: readonly string[];
  /** Names that nobody knows. */
  readonly ignored: readonly string[];
}

const kinds = ['used', 'guards', 'lost', 'unused', 'ignored'] as const;

/** Names that are kept of each list: a file of objects may have any number. */
const most = 200;

/** Gathers what the columns of a file were taken for, and how many rows had what cannot be carried over. */
export class FoundColumns {
  readonly #lists = new Map<keyof ColumnSenses, Set<string>>();
  readonly #counts = new Map<string, number>();
  #isShown = false;

  readonly add = (senses: ColumnSenses): void => {
    this.#isShown = true;
    for (const kind of kinds) {
      const names = this.#lists.get(kind) ?? new Set();
      for (const name of senses[kind]) if (names.size < most) names.add(name);
      this.#lists.set(kind, names);
    }
  };

  /** A row had a value that cannot be carried over. */
  readonly lose = (name: string): void => {
    if (this.#counts.size < most || this.#counts.has(name)) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  };

  /** Whether something of the file is left out that it might have been made for. */
  get hasLosses(): boolean {
    return this.#counts.size > 0 || (this.#lists.get('ignored')?.size ?? 0) > 0;
  }

  /** `columns: Destination -> long_url; not carried over: geo (3 rows); not used: Clicks`; undefined where all is as named. */
  text(): string | undefined {
    const [used = [], guards = [], lost = [], unused = [], ignored = []] = kinds.map((kind) => [
      ...(this.#lists.get(kind) ?? []),
    ]);
    const counts = [...this.#counts].map(([name, count]) => `${shown(name)} (${count} ${count === 1 ? 'row' : 'rows'})`);
    if (!this.#isShown && counts.length === 0) return undefined;
    const isNothing = (name: string): boolean => !this.#counts.has(name);
    const parts: [lead: string, entries: readonly string[]][] = [
      ['', used],
      ['protection: ', guards.filter(isNothing).map(shown)],
      ['not carried over: ', counts],
      ['not used: ', [...unused, ...lost.filter(isNothing)].map(shown)],
      ['unknown: ', ignored.map(shown)],
    ];
    const texts = parts.flatMap(([lead, entries]) => (entries.length > 0 ? [lead + entries.join(', ')] : []));
    return `columns: ${texts.join('; ')}`;
  }
}

/** A name as messages have it. */
export function shown(name = ''): string {
  return /^[\p{L}\p{N}_.()/ -]{1,40}$/u.test(name) ? name : quoted(name);
}
