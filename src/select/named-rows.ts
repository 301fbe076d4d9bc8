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
  let missing = 0;
  let absent: LinkKey | undefined;
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
        absent = target;
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
    notes: () => (filter ? [matchNote(found, read)] : []),
    outcome: () => missingFailure(missing, named, absent),
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

/** The final error after missing links, of which `absent` is one, were reported one by one. */
export function missingFailure(missing: number, named: number, absent: LinkKey | undefined): CliError | undefined {
  if (!absent) return undefined;
  if (named === 1) return notFound(absent, true);
  const Kind = missing < named ? PartialError : NotFoundError;
  return new Kind(`${missing} of ${named} links do not exist`);
}
