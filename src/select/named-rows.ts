import { type CliError, NotFoundError, PartialError } from '../base/errors.ts';
import { noShortUrl } from '../client/absence.ts';
import type { LinkKey } from '../contract/link.ts';
import { grouped, quantity } from '../output/quantity.ts';
import type { Row, RowsReport } from '../output/report.ts';
import { missingRow } from '../output/url-columns.ts';

/** A link that was named, and what was read of it if it exists. */
export interface NamedLink<Found> {
  readonly target: LinkKey;
  readonly record: Found | undefined;
}

interface NamedRows extends Required<Pick<RowsReport, 'failure' | 'outcome' | 'notes'>> {
  readonly rows: AsyncGenerator<[Row]>;
  /** Links that exist and match, of those read so far. */
  found(): number;
}

interface NamedOptions<Found> {
  readonly filter?: { matches(record: Found): boolean } | undefined;
  readonly ignoreMissing?: boolean | undefined;
  rowOf(record: Found): Row;
}

/** A row for each link that was named and matches; one that does not exist is a failed row (B43), or none with `--ignore-missing`. */
export function namedRows<Found>(
  links: AsyncIterable<NamedLink<Found>>,
  named: number,
  { filter, ignoreMissing = false, rowOf }: NamedOptions<Found>,
): NamedRows {
  let read = 0;
  let found = 0;
  let missing = 0;
  const failures = new WeakMap<Row, CliError>();
  async function* rows(): AsyncGenerator<[Row]> {
    for await (const { target, record } of links) {
      if (record) {
        read += 1;
        if (filter && !filter.matches(record)) continue;
        found += 1;
        yield [rowOf(record)];
      } else if (!ignoreMissing) {
        missing += 1;
        const row = missingRow(target);
        failures.set(row, notFound(target));
        yield [row];
      }
    }
  }
  return {
    rows: rows(),
    failure: (row) => failures.get(row),
    found: () => found,
    notes: () => (filter ? [`${matchNote(found, read)}.`] : []),
    outcome: () => missingFailure(missing, named),
  };
}

/** How many of how many links a filter left (F3). */
export function matchNote(matched: number, read: number): string {
  return `${grouped(matched)} of ${quantity(read, 'link')} ${matched === 1 ? 'matches' : 'match'}`;
}

/** The failure of a URL that was named and is not there. */
export function notFound(link: LinkKey): NotFoundError {
  const { message, hint } = noShortUrl(link);
  return new NotFoundError(message, { apiCode: 1306, hint });
}

/** How a reading ends that did not find all that was named, after people have read which (B43). */
export function missingFailure(missing: number, named: number): CliError | undefined {
  if (missing === 0) return undefined;
  if (named === 1) return new NotFoundError('no such short URL', { apiCode: 1306, reported: true });
  const Kind = missing < named ? PartialError : NotFoundError;
  return new Kind(`${missing} of ${named} links do not exist`);
}
