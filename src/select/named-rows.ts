import { type CliError, NotFoundError, PartialError } from '../base/errors.ts';
import { noShortUrl } from '../client/subject.ts';
import type { SoughtLink } from '../contract/link.ts';
import { grouped, quantity } from '../output/quantity.ts';
import type { Row, RowsReport } from '../output/report.ts';

/** Named links that match, and missing ones. */
export interface NamedPage<Found> {
  readonly links: readonly { readonly target: SoughtLink; readonly record: Found | undefined }[];
  /** The number of links read so far, including those that the filter left out. */
  readonly read: number;
}

interface NamedRows extends Required<Pick<RowsReport, 'failure' | 'outcome' | 'notes'>> {
  readonly rows: AsyncGenerator<Row[]>;
  /** Returns the number of links so far that exist and match. */
  found(): number;
}

interface NamedOptions<Found> {
  readonly isFiltered?: boolean | undefined;
  readonly ignoreMissing?: boolean | undefined;
  rowOf(record: Found): Row;
}

/** Makes a row for each named link that matches. A missing link becomes a failed row, or none with `--ignore-missing`. */
export function namedRows<Found>(
  pages: AsyncIterable<NamedPage<Found>>,
  named: number,
  { isFiltered, ignoreMissing = false, rowOf }: NamedOptions<Found>,
): NamedRows {
  const counts = { read: 0, found: 0, missing: 0 };
  const missing = new MissingLinks();
  async function* rows(): AsyncGenerator<Row[]> {
    for await (const { links, read } of pages) {
      counts.read = read;
      yield links.flatMap(({ target, record }) => {
        counts[record ? 'found' : 'missing'] += 1;
        if (record) return [rowOf(record)];
        return ignoreMissing ? [] : [missing.add(target)];
      });
    }
  }
  return {
    rows: rows(),
    failure: missing.failure,
    found: () => counts.found,
    notes: () => (isFiltered ? [matchNote(counts.found, counts.read - counts.missing)] : []),
    outcome: () => missing.outcome(named),
  };
}

/** With a filter, `matchNote` says it. */
export function emptyText(isFiltered: boolean): string | undefined {
  return isFiltered ? undefined : 'no URLs match';
}

export function matchNote(matched: number, read: number): string {
  return `${grouped(matched)} of ${quantity(read, 'link')} ${matchVerb(matched, read)}`;
}

/** `1 of 30 links matches`, `0 of 1 link matches`. */
export function matchVerb(...counts: readonly number[]): string {
  return counts.includes(1) ? 'matches' : 'match';
}

/** `1 of 3 links does not exist`. */
export function absenceText(count: number, named: number): string {
  return `${grouped(count)} of ${quantity(named, 'link')} ${count === 1 ? 'does' : 'do'} not exist`;
}

export function notFound(link: SoughtLink, reported = false): NotFoundError {
  const { message, hint } = noShortUrl(link);
  if (!link.isForeign) return new NotFoundError(message, { apiCode: 1306, hint, reported });
  return new NotFoundError(`${message}: no such domain on this account`, { apiCode: 1313, hint: 'linkctl domains', reported });
}

function missingRow({ hash, domain, isForeign }: SoughtLink): Row {
  const error = isForeign ? { code: 1313, message: 'Domain not found' } : { code: 1306, message: 'URL not found' };
  return { hash, ...(domain && { domain }), error: { ...error, details: '' } };
}

/** Links that do not exist. They are reported one by one, and fail the command. */
export class MissingLinks {
  readonly #failures = new WeakMap<Row, CliError>();
  /** One of them. */
  #absent: SoughtLink | undefined;
  count = 0;

  /** Returns the row of the link. */
  add(link: SoughtLink): Row {
    const row = missingRow(link);
    this.count += 1;
    this.#absent = link;
    this.#failures.set(row, notFound(link));
    return row;
  }

  readonly failure = (row: Row): CliError | undefined => this.#failures.get(row);

  /** The final error. `named` includes the links that exist. `isShown` says whether the rows are printed. */
  outcome(named: number, { isShown = true } = {}): CliError | undefined {
    if (!this.#absent) return undefined;
    if (named === 1) return notFound(this.#absent, isShown);
    const Kind = this.count < named ? PartialError : NotFoundError;
    return new Kind(absenceText(this.count, named));
  }
}
