import type { Edition } from '../../contract/editions.ts';
import { fieldNames, fields } from '../../contract/fields.ts';
import type { Target } from '../../input/field-values.ts';
import { isDefault, type LinkValues } from '../../link/value.ts';
import type { FileLink } from '../decide/apply.ts';

/** Empty csv cells clear their fields with `--clear-empty`. Otherwise they are counted and not compared. */
export class EmptyCells {
  readonly #names: readonly Clearable[];
  readonly #clears: boolean;
  readonly #counts = new Map<Clearable, number>();

  constructor(targets: ReadonlySet<Target>, edition: Edition, clears: boolean) {
    this.#names = clearable.filter((name) => targets.has(name) && fieldNames('edit', edition).includes(name));
    this.#clears = clears;
  }

  /** Returns the link with the values of its empty cells. `now` are the values that it is compared with. */
  filled<Item extends Partial<FileLink>>(item: Item, now: LinkValues | undefined): Item {
    const values = new Map<string, unknown>(Object.entries(item));
    const empty = this.#names.filter((name) => !values.has(name));
    if (empty.length === 0) return item;
    if (this.#clears) return { ...item, ...Object.fromEntries(empty.map((name) => [name, fields[name].default])) };
    for (const name of empty) if (now && !isDefault(name, now[name])) this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    return item;
  }

  /** `not compared: 3 empty cells of note (--clear-empty clears them)`. */
  notes(remedy = '--clear-empty clears them'): string[] {
    if (this.#counts.size === 0) return [];
    const counts = [...this.#counts].map(([name, count]) => `${count} empty ${count === 1 ? 'cell' : 'cells'} of ${name}`);
    return [`not compared: ${counts.join(', ')} (${remedy})`];
  }
}

const clearable = ['note', 'tags', 'expiration_date', 'max_clicks'] as const;

type Clearable = (typeof clearable)[number];
