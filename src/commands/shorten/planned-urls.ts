import type { CliError } from '../../base/errors.ts';
import { fileBatches, rowBatches } from '../../bulk/operations/batches.ts';
import type { ConflictPolicy, Mode } from '../../bulk/operations/modes.ts';
import { shortenOperation } from '../../bulk/operations/shortening.ts';
import { updatingOperation } from '../../bulk/operations/update.ts';
import type { RunInput, RunRow } from '../../bulk/run-plan.ts';
import { requestsOf } from '../../change/plan/dry-run.ts';
import { plannedRows, uncheckedNotes } from '../../change/plan/report.ts';
import type { PlannedRun } from '../../change/report.ts';
import { foreseeConflicts, linksNamed } from '../../change/rows/taken-hashes.ts';
import type { Session } from '../../cli/session.ts';
import { usesHttps } from '../../client/account-domains.ts';
import { batchSizeOf } from '../../client/batch-limits.ts';
import { editions } from '../../contract/editions.ts';
import { fieldNames } from '../../contract/fields.ts';
import type { ShortenItem } from '../../contract/operations.ts';
import type { PlannedRequest } from '../../output/planned-requests.ts';
import { quantity } from '../../output/quantity.ts';
import { type Column, namesOf, type Row, type RowsReport } from '../../output/report.ts';
import { urlColumns } from '../../output/url-columns.ts';
import type { ShortenOptions } from './shorten-options.ts';

/** The rows of a file, or URLs that were typed. */
interface PlannedUrls {
  readonly input: Pick<RunInput<ShortenItem>, 'open'>;
  payload(item: ShortenItem): ShortenItem;
  readonly mode: Mode;
  readonly batchSize: number;
  /** Sample of the planned links. */
  readonly first: readonly ShortenItem[];
  /** About the run that would be resumed. */
  readonly resuming?: string | undefined;
  /** If true, no call is made to find the default domain. */
  readonly fromArguments?: boolean;
}

/** Plans URLs that were typed. */
export async function planOfTyped(
  items: readonly ShortenItem[],
  mode: Mode,
  options: ShortenOptions,
  session: Session,
): Promise<RowsReport> {
  const input = { open: () => [items.map((item, nth) => ({ line: nth + 1, item }))] };
  const batchSize = batchSizeOf(session);
  const first = items.slice(0, 3);
  return await planOfUrls({ input, payload: (item) => item, mode, batchSize, first, fromArguments: true }, options, session);
}

/** Plans the rows of a file that a run would send: all of them, or those that an unfinished run has left. */
export async function planOfFile(
  planned: Omit<PlannedRun, 'input'> & Pick<PlannedUrls, 'payload' | 'mode'> & { readonly input: RunInput<ShortenItem> },
  { first, options }: { readonly first: readonly ShortenItem[]; readonly options: ShortenOptions },
  session: Session,
): Promise<RowsReport> {
  const { rowsToSend } = await import('../../change/plan/resumed-run.ts');
  const { payload, mode, batchSize } = planned;
  const toSend = await rowsToSend(planned, session);
  return await planOfUrls({ payload, mode, batchSize, ...toSend, first: first.map(payload) }, options, session);
}

/** A table shows only the first three planned links. */
async function planOfUrls(urls: PlannedUrls, { onConflict = 'fail' }: ShortenOptions, session: Session): Promise<RowsReport> {
  const { input, payload, batchSize, first, resuming } = urls;
  const conflicts = onConflict === 'fail' ? undefined : await foreseeConflicts(onConflict, session);
  let hasHashes = false;
  async function* rows(): AsyncGenerator<Row[]> {
    for await (const items of fileBatches(input, payload, { limit: batchSize })) {
      await conflicts?.read(items);
      hasHashes ||= items.some(({ custom_hash }) => custom_hash !== undefined);
      const shortUrl = conflicts ? () => undefined : await shortUrls(items, session);
      yield items.map((item) => ({ ...item, [madeName]: shortUrl(item) }));
    }
  }
  const columns = itemColumns(first, session);
  const shownFields = namesOf(columns);
  return plannedRows(
    {
      requests: urlRequests(urls, onConflict, session),
      rows: rows(),
      noun: 'URL',
      done: 'shortened',
      columns: [...columns, ...urlColumns.filter(({ name }) => name === madeName)],
      pipedFields: [madeName, ...shownFields],
      tableFields: shownFields,
      csvFields: shownFields,
      shownRows: 3,
      countText: (rows) => (resuming ?? '') + (conflicts?.countText(rows) ?? `${quantity(rows, 'URL')} would be shortened`),
      notes: () => [
        ...(conflicts?.notes() ?? []),
        ...uncheckedNotes({ hashes: !conflicts && hasHashes, domain: session.domainNamed }),
      ],
    },
    session,
  );
}

/** Pipes get this field for planned links as for real ones. */
const madeName = 'short_url_with_protocol';

/** Short URLs are known only if GET /domains shows whether the domain uses HTTPS. */
async function shortUrls(
  items: readonly ShortenItem[],
  { edition, domain, domains, format, shortUrl }: Session,
): Promise<(item: ShortenItem) => string | undefined> {
  const isAsked = format() === 'tsv' && items.some(({ custom_hash }) => custom_hash !== undefined);
  if (!isAsked || !editions[edition].severalDomains) return () => undefined;
  const own = await domains();
  const host = domain ?? own.defaultDomain;
  const isKnown = host !== undefined && usesHttps(own, host) !== undefined;
  return ({ custom_hash }) =>
    custom_hash === undefined || !isKnown ? undefined : shortUrl({ short_url: `${host}/${custom_hash}` });
}

function urlRequests(
  { input, payload, mode, batchSize, fromArguments }: PlannedUrls,
  onConflict: ConflictPolicy,
  session: Session,
): AsyncGenerator<PlannedRequest> {
  const isUpdate = onConflict === 'update';
  async function* rows(): AsyncGenerator<readonly RunRow[]> {
    for await (const some of rowBatches(input, batchSize)) {
      const links = isUpdate
        ? await linksNamed(
            some.map(({ item }) => payload(item)),
            session,
          )
        : [];
      yield some.map((row, nth) => ({ ...row, before: links[nth] }));
    }
  }
  return requestsOf(
    {
      rows: rows(),
      operation: (settings) => (isUpdate ? updatingOperation(settings) : shortenOperation({ ...settings, mode, onConflict })),
      payload: (item) => payload(item as ShortenItem),
      mode,
      batchSize,
      isRead: isUpdate,
      fromArguments,
    },
    session,
  );
}

/** Shows the first rows of an invalid file beside the error with all problems. */
export function previewOfRows(first: readonly ShortenItem[], error: CliError, session: Session): RowsReport {
  return {
    kind: 'rows',
    key: 'urls',
    rows: first.map((item) => ({ ...item })),
    columns: itemColumns(first, session),
    outcome: () => error,
  };
}

/** A table shows only columns that the sample has values for. */
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
