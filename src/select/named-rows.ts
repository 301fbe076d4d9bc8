import { type CliError, NotFoundError, PartialError } from '../base/errors.ts';
import { noShortUrl } from '../client/subject.ts';
import type { LinkKey } from '../contract/link.ts';
import { grouped, quantity } from '../output/quantity.ts';
import type { Row, RowsReport } from '../output/report.ts';
import { missingRow } from '../output/url-columns.ts';

export interface NamedLink<Found> {
  readonly target: LinkKey;
  readonly record: Found | undefined;
}

interface NamedRows extends Required<Pick<RowsReport, 'failure' | 'outcome' | 'notes'>> {
  readonly rows: AsyncGenerator<[Row]>;
  /** Returns the number of links so far that exist and match. */
  found(): number;
}

interface NamedOptions<Found> {
  readonly filter?: { matches(record: Found): boolean } | undefined;
  readonly ignoreMissing?: boolean | undefined;
  rowOf(record: Found): Row;
}

/** Makes a row for each named link that matches. A missing link becomes a failed row, or none with `--ignore-missing`. */
export function namedRows<Found>(
  links: AsyncIterable<NamedLink<Found>>,
  named: number,
  { filter, ignoreMissing = false, rowOf }: NamedOptions<Found>,
): NamedRows {
  let read = 0;
  let found = 0;
  const missing = new MissingLinks();
  async function* rows(): AsyncGenerator<[Row]> {
    for await (const { target, record } of links) {
      if (record) {
        read += 1;
        if (filter && !filter.matches(record)) continue;
        found += 1;
        yield [rowOf(record)];
      } else if (!ignoreMissing) yield [missing.add(target)];
    }
  }
  return {
    rows: rows(),
    failure: missing.failure,
    found: () => found,
    notes: () => (filter ? [matchNote(found, read)] : []),
    outcome: () => missing.outcome(named),
  };
}

/** With a filter, `matchNote` says it. */
export function emptyText(isFiltered: boolean): string | undefined {
  return isFiltered ? undefined : 'no URLs match';
}

export function matchNote(matched: number, read: number): string {
  return `${grouped(matched)} of ${quantity(read, 'link')} ${matched === 1 ? 'matches' : 'match'}`;
}

export function notFound(link: LinkKey, reported = false): NotFoundError {
  const { message, hint } = noShortUrl(link);
  return new NotFoundError(message, { apiCode: 1306, hint, reported });
}

/** Links that do not exist. They are reported one by one, and fail the command. */
export class MissingLinks {
  readonly #failures = new WeakMap<Row, CliError>();
  /** One of them. */
  #absent: LinkKey | undefined;
  count = 0;

  /** Returns the row of the link. */
  add(link: LinkKey): Row {
    const row = missingRow(link);
    this.count += 1;
    this.#absent = link;
    this.#failures.set(row, notFound(link));
    return row;
  }

  readonly failure = (row: Row): CliError | undefined => this.#failures.get(row);

  /** The final error. `named` includes the links that exist. */
  outcome(named: number): CliError | undefined {
    if (!this.#absent) return undefined;
    if (named === 1) return notFound(this.#absent, true);
    const Kind = this.count < named ? PartialError : NotFoundError;
    return new Kind(`${this.count} of ${named} links do not exist`);
  }
}
