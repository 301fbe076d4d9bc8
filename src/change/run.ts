import { checksum } from '../base/checksum.ts';
import { PartialError } from '../base/errors.ts';
import { folders } from '../base/system.ts';
import { type KeptRun, keptRun, unfinishedRuns } from '../bulk/records/unfinished.ts';
import type { RunRow } from '../bulk/run-plan.ts';
import { type TagChange, tagChangeOf } from '../bulk/tag-run.ts';
import { type Session, whereabouts } from '../cli/session.ts';
import type { LinkDomains, LinkKey } from '../contract/link.ts';
import { readKeptRows } from '../input/kept-rows.ts';
import { plainQuantity } from '../output/quantity.ts';
import type { RowsReport } from '../output/report.ts';
import { namesDomains } from '../output/url-columns.ts';
import type { SelectedLink } from '../select/selected-links.ts';
import type { ListedChange } from './change.ts';
import { askFor, consentToLinks } from './consent.ts';
import { refuseTooMany } from './limits.ts';
import { runReport } from './report.ts';
import { keptRows } from './rows/read-links.ts';
import { keepsUndo, pinnedDomain, rowOf, sendingOf } from './sending.ts';

/** A link that is to be changed, or one that is left alone and reported. */
interface ListedRow<Payload> extends RunRow {
  readonly item: Payload & object;
}

/**
 * Reads the selection whole, shows the plan, asks, and changes exactly the links that were shown, by hash. What was read is on the disk
 * before anything is sent; it is kept with the run, so that the same command resumes it with the same links.
 */
export async function runPlannedChange<Payload extends LinkKey, Link extends SelectedLink = SelectedLink>(
  change: ListedChange<Payload, Link>,
  session: Session,
): Promise<RowsReport> {
  if (session.global.dryRun) return await (await import('./plan/dry-run.ts')).listedDryRun(change, session);
  const { domain, sha256, options: asked } = await identityOf(change, session);
  const undo = await keepsUndo(change.options, session);
  const now = session.system.now();
  const begun = await keptRun({ operation: change.kind, domain, sha256 }, placeOf(session));
  // Its change of tags was decided when it began.
  const tags = begun ? begun.begin.options.tags : change.tags?.change;
  const listed = begun ? await resumed(begun, change, session) : await takeSnapshot(change, session);
  const { rows, refused, domains, newLinks, open, copyTo } = listed;
  if (rows === 0) return nothingToDo(change, refused);
  const filter = await change.links.filterAt(begun ? Date.parse(begun.begin.at) : now);
  const { what, operation, undoes, links } = change;
  const readAt = change.comparesAgain ? longAgo : listed.readAt;
  return await runReport(
    {
      ...sendingOf(change.options, session),
      operation,
      what,
      undo,
      undoes: undoes?.run,
      isSelected: filter && ((record) => filter.matches(record)),
      domain,
      newLinks,
      input: { name: what, sha256, rows, file: links.file, open, readAt, copyTo, snapshot: { run: begun?.begin.run } },
      payload: (item: Payload) => item,
      options: { ...asked, ...(tags !== undefined && { tags }) },
      steps: change.tags,
      columns: ['hash', 'long_url', 'note', 'tags', 'expiration_date', 'email_stats', 'max_clicks'],
    },
    { ...namesDomains(change.presentation, domains), domains },
    session,
  );
}

function placeOf(session: Session) {
  return { ...session, stateFolder: folders(session.system).state };
}

type Identified = Pick<ListedChange<LinkKey>, 'what' | 'kind' | 'given' | 'undoes'> & {
  readonly links: { readonly given: Readonly<Record<string, unknown>> };
};

async function identityOf({ what, links, given, undoes }: Identified, session: Session) {
  const options: Readonly<Record<string, unknown>> = { ...links.given, ...given };
  const domain = await pinnedDomain(session, undoes?.domain);
  return { options, domain, sha256: checksum(JSON.stringify([what, options])) };
}

/** The change of tags of an unfinished run of the same change. */
export async function unfinishedTagsOf(change: Identified, session: Session): Promise<TagChange | undefined> {
  const { domain, sha256 } = await identityOf(change, session);
  const [run] = await unfinishedRuns({ operation: change.kind, domain, sha256 }, placeOf(session));
  return run && tagChangeOf(run.state.begin);
}

/** The links of a change, readable as often as needed. */
interface Listed<Payload> {
  readonly rows: number;
  readonly refused: number;
  readonly domains: LinkDomains;
  /** Links that are to be made; not known of a run that is resumed. */
  readonly newLinks?: number;
  /** As `System.elapsed` has it. */
  readonly readAt: number;
  open(): AsyncIterable<readonly ListedRow<Payload>[]> | Iterable<readonly ListedRow<Payload>[]>;
  readonly copyTo?: (path: string) => Promise<void>;
}

async function takeSnapshot<Payload extends LinkKey, Link extends SelectedLink>(
  change: ListedChange<Payload, Link>,
  session: Session,
): Promise<Listed<Payload>> {
  const readAt = session.system.elapsed();
  const kept = keptRows<ListedRow<Payload>>(session);
  let line = 0;
  const { planned, countOf, domains } = await consentToLinks(change, session, (links) => {
    const rows = links.flatMap((link) => {
      const row = rowOf(link, change);
      return row ? [{ ...row, line: ++line }] : [];
    });
    if (rows.length > 0) kept.add(rows);
  });
  const refused = countOf('refused') + countOf('missing');
  return {
    rows: planned + countOf('missing') === 0 ? 0 : planned + refused,
    refused,
    domains,
    newLinks: countOf('create') + countOf('copy'),
    readAt,
    open: () => kept.read(),
    copyTo: (path) => kept.copyTo(path),
  };
}

/** Links that were read then are read again. */
const longAgo = Number.NEGATIVE_INFINITY;

/** An unfinished run has its own links. They may be seen again after days, so the rest is asked for again. */
async function resumed<Payload extends LinkKey, Link extends SelectedLink>(
  { begin, input, left }: KeptRun,
  { question }: ListedChange<Payload, Link>,
  session: Session,
): Promise<Listed<Payload>> {
  const { verb, preposition = 'of', always } = question;
  const domains = new Set<string | undefined>();
  let planned = 0;
  for await (const rows of readKeptRows<ListedRow<Payload>>(input)) {
    for (const { item, refusal } of rows) {
      domains.add(item.domain);
      planned += Number(refusal === undefined);
    }
  }
  refuseTooMany(Math.min(left, planned), session);
  const doing = `${verb.slice(0, 1).toLowerCase()}${verb.slice(1)} the remaining ${plainQuantity(left, 'link')}`;
  // All was done, and is to be shown.
  if (left > 0)
    await askFor(`Resume run ${begin.run} and ${doing} ${preposition} ${whereabouts(session)}?`, left, session, always);
  return {
    rows: begin.input.rows,
    refused: 0,
    domains: [...domains],
    // Somebody else may have changed them since: this process has not seen them.
    readAt: longAgo,
    open: () => readKeptRows<ListedRow<Payload>>(input),
  };
}

export function nothingToDo(
  { presentation, what }: Pick<ListedChange<LinkKey>, 'presentation' | 'what'>,
  refused: number,
): RowsReport {
  return {
    ...presentation,
    kind: 'rows',
    rows: [],
    members: () => ({ summary: { rows: refused } }),
    notes: () => (refused === 0 ? [`${what}: nothing to change`] : []),
    outcome: () =>
      refused > 0 ? new PartialError(`${plainQuantity(refused, 'link')} left unchanged; nothing was changed`) : undefined,
  };
}
