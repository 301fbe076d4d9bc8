import type { CliError } from '../base/errors.ts';
import type { Mode } from '../bulk/operations/shorten.ts';
import { dryRun, type PlannedChange } from '../changes/dry-run.ts';
import type { ForeseenConflicts } from '../changes/hash-conflicts.ts';
import type { Session } from '../cli/session.ts';
import { fieldNames } from '../contract/fields.ts';
import type { ShortenItem } from '../contract/operations.ts';
import type { PlannedRequest } from '../output/dry-run.ts';
import type { Column, RowsReport } from '../output/report.ts';
import { urlColumns } from '../output/url-columns.ts';

/** URLs that would be shortened. */
export interface PlannedUrls {
  batches(): Iterable<readonly ShortenItem[]> | AsyncIterable<readonly ShortenItem[]>;
  /** The first of them, as they would be made. */
  readonly first: readonly ShortenItem[];
  readonly mode: Mode;
  /** What is done about hashes that are taken, where that is not a failure (I6). */
  readonly conflicts?: ForeseenConflicts | undefined;
}

/** B60, I8: the links as they would be made; of many, a table has the first three. */
export function planOfUrls({ batches, first, mode, conflicts }: PlannedUrls, session: Session): RowsReport {
  const { domain } = session;
  async function* requests(): AsyncGenerator<PlannedRequest> {
    const query = { disable_long_url_duplicates: mode.duplicates, domain };
    for await (const items of batches()) {
      const links = conflicts?.isUpdate ? await conflicts.linksOf(items) : [];
      const urls = items.filter((_, nth) => !links[nth]);
      if (urls.length > 0) yield { method: 'POST', path: '/urls', query, body: { urls } };
      const edits = links.flatMap((link) =>
        link?.outcome.kind === 'change' ? [{ hash: link.target.hash, ...link.outcome.fields }] : [],
      );
      if (edits.length > 0) yield { method: 'PATCH', path: '/urls', query: { domain }, body: { urls: edits } };
    }
  }
  async function* changes(): AsyncGenerator<PlannedChange[]> {
    for await (const items of batches()) {
      conflicts?.add(await conflicts.linksOf(items));
      yield items.map((item) => ({ row: { ...item }, state: 'planned' }));
    }
  }
  const columns = itemColumns(first, session);
  return dryRun(
    {
      requests: requests(),
      changes: changes(),
      noun: 'URL',
      done: 'shortened',
      columns,
      shownRows: 3,
      notes: () => conflicts?.notes() ?? [],
    },
    session,
  );
}

/** I8: the first rows of a file that cannot be sent; every problem comes with the error. */
export function previewOfRows(first: readonly ShortenItem[], error: CliError, session: Session): RowsReport {
  return {
    kind: 'rows',
    key: 'urls',
    rows: first.map((item) => ({ ...item })),
    columns: itemColumns(first, session),
    outcome: () => error,
  };
}

/** Of a table, those that the rows shown have values for. */
function itemColumns(first: readonly ShortenItem[], { edition, format }: Session): Column[] {
  const others = fieldNames('shorten', edition).filter((name) => name !== 'long_url');
  const isShown = (name: string): boolean =>
    format() !== 'table' || first.some((item) => new Map(Object.entries(item)).has(name));
  return ['long_url', ...others.filter(isShown)].map((name) => ({
    name,
    ...urlColumns.find((column) => column.name === name),
    essential: name === 'long_url',
  }));
}
