import { quoted } from '../../base/quoted.ts';

/** Describes the columns of one header or the members of one object. */
export interface ColumnSummary {
  /** The file is another service's. */
  readonly isForeign: boolean;
  /** Entries such as `Destination -> long_url`. */
  readonly used: readonly string[];
  /** Names of columns that mark protected or disabled links. */
  readonly guards?: readonly string[];
  /** Names of columns whose values cannot be carried over. */
  readonly lost?: readonly string[];
  readonly unused?: readonly string[];
  /** Unknown names. */
  readonly ignored?: readonly string[];
}

const kinds = ['used', 'guards', 'lost', 'unused', 'ignored'] as const;

/** Per list, because a file of JSON objects may have any number of names. */
const maxNames = 200;

/** Collects the column mapping of a file, and the number of rows with values that cannot be carried over. */
export class ColumnReport {
  readonly #lists = new Map<(typeof kinds)[number], Set<string>>();
  readonly #counts = new Map<string, number>();
  #isShown = false;
  isForeign = false;

  readonly add = (summary: ColumnSummary): void => {
    this.#isShown = true;
    if (summary.isForeign) this.isForeign = true;
    for (const kind of kinds) {
      const names = this.#lists.get(kind) ?? new Set();
      for (const name of summary[kind] ?? []) if (names.size < maxNames) names.add(name);
      this.#lists.set(kind, names);
    }
  };

  /** Counts a row with a value that cannot be carried over. */
  readonly lose = (name: string): void => {
    if (this.#counts.size < maxNames || this.#counts.has(name)) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  };

  /** Some content of the file is left out. */
  get hasLosses(): boolean {
    return this.#counts.size > 0 || (this.#lists.get('ignored')?.size ?? 0) > 0;
  }

  /**
   * Returns `columns: Destination -> long_url; not carried over: geo (3 rows); not used: Clicks`; undefined if all columns have our names.
   */
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

/** Quotes unusual names. */
export function shown(name = ''): string {
  return /^[\p{L}\p{N}_.()/ -]{1,40}$/u.test(name) ? name : quoted(name);
}
