import type { Edition } from '../../contract/editions.ts';
import { fieldNames, fields } from '../../contract/fields.ts';
import type { UrlRecord } from '../../contract/records.ts';
import type { Target } from '../../input/field-values.ts';
import type { ItemOf } from '../../input/row.ts';
import { canonical } from '../../link/value.ts';

type FileLink = ItemOf['apply'];

/** The cells of a csv that are empty: they clear what the link has, or they are not compared, and counted. */
export class EmptyCells {
  readonly #names: readonly Clearable[];
  readonly #clears: boolean;
  readonly #counts = new Map<Clearable, number>();
  #isSaid = false;

  constructor(targets: ReadonlySet<Target>, edition: Edition, clears: boolean) {
    this.#names = clearable.filter((name) => targets.has(name) && fieldNames('edit', edition).includes(name));
    this.#clears = clears;
  }

  /** A new reading begins. */
  begin(): void {
    this.#counts.clear();
  }

  /** The link with what its empty cells say. */
  filled(item: FileLink, record: UrlRecord | undefined): FileLink {
    const values = new Map<string, unknown>(Object.entries(item));
    const empty = this.#names.filter((name) => !values.has(name));
    if (empty.length === 0) return item;
    if (this.#clears) return { ...item, ...Object.fromEntries(empty.map((name) => [name, fields[name].default])) };
    for (const name of empty) if (record && hasValue(name, record)) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    return item;
  }

  /** The same the first time: a dry run may read everything again. */
  newNotes(): string[] {
    if (this.#isSaid) return [];
    this.#isSaid = true;
    return this.notes();
  }

  /** `not compared: 3 empty cells of note (--clear-empty clears them)`. */
  notes(): string[] {
    if (this.#counts.size === 0) return [];
    const counts = [...this.#counts].map(([name, count]) => `${count} empty ${count === 1 ? 'cell' : 'cells'} of ${name}`);
    return [`not compared: ${counts.join(', ')} (--clear-empty clears them)`];
  }
}

/** The fields that an empty cell can clear. */
const clearable = ['note', 'tags', 'expiration_date', 'max_clicks'] as const;

type Clearable = (typeof clearable)[number];

function hasValue(name: Clearable, record: UrlRecord): boolean {
  return canonical(name, record[name]) !== canonical(name, undefined);
}
