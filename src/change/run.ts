import { checksum } from '../base/checksum.ts';
import { type ResumableRun, resumableRun, unfinishedRuns } from '../bulk/past-runs/unfinished.ts';
import type { RunInput, RunRow } from '../bulk/run-plan.ts';
import { type TagChange, tagChangeOf } from '../bulk/tag-run.ts';
import type { Session } from '../cli/session.ts';
import { fields, namesOf } from '../contract/fields.ts';
import type { LinkDomains, LinkKey } from '../contract/link.ts';
import { readKeptRows } from '../files/kept-rows.ts';
import { quantity } from '../output/quantity.ts';
import type { RowsReport } from '../output/report.ts';
import { namesDomains } from '../output/url-columns.ts';
import type { ListedChange, Question } from './change.ts';
import { accountInQuestion, askFor, consentToPlan } from './consent.ts';
import type { PlannedLink } from './decide/outcome.ts';
import { environmentOf } from './environment.ts';
import { refuseTooMany } from './limits.ts';
import { ChangePlan, decidedPages, runRowOf } from './plan/plan.ts';
import { alsoCounting, type PlannedRun, planOf, runReport } from './report.ts';
import { keptRows } from './rows/read-links.ts';
import { keepsUndo, pinnedDomain, sendingOf } from './run-settings.ts';

/** A link to change, or a refused or missing link to report. */
type ListedRow = RunRow<LinkKey>;

/** Changes exactly the links of the plan, by hash. They are stored with the run, so that the same command resumes the same links. */
export async function runPlannedChange(change: ListedChange, session: Session): Promise<RowsReport> {
  const sending = sendingOf(change.options, session);
  const undo = await keepsUndo(change.options, session);
  if (session.global.dryRun) return await (await import('./plan/dry-run.ts')).listedDryRun(change, session);
  const identity = await identityOf(change, session);
  const { sha256 } = identity;
  const now = session.system.now();
  const begun = await resumableRun({ ...identity, again: change.options.again }, environmentOf(session));
  const listed = begun ? await resumed(begun, change.question, session) : await takeSnapshot(change, session);
  // A resumed run keeps the tag change that was decided at its start, and the number of rows in doubt that was found.
  const tags = begun ? begun.begin.options.tags : change.tags?.change;
  const { pending, ...undoing } = change.undoing ?? {};
  if (pending && begun?.begin.kept !== undefined) pending.rows = begun.begin.kept;
  const { rows, skipped, refused, unchanged = 0, domains, newLinks, open, copyTo } = listed;
  const filter = change.links.filterAt?.(begun ? Date.parse(begun.begin.at) : now);
  const { what, operation, links } = change;
  const readAt = change.rereads ? longAgo : listed.readAt;
  const plan: PlannedRun = {
    ...sending,
    operation,
    what,
    undo,
    ...undoing,
    isSelected: filter && ((record) => filter.matches(record)),
    newLinks,
    input: { name: what, sha256, rows, skipped, file: links.file, open, readAt, copyTo, snapshot: { run: begun?.begin.run } },
    payload: (item) => item,
    options: { ...change.given, ...(tags !== undefined && { tags }) },
    restoreOptions: change.restoreOptions,
    steps: change.tags,
    columns: ['hash', ...namesOf(fields).filter((name) => name !== 'custom_hash')],
  };
  const report = async (): Promise<RowsReport> => {
    if (rows > 0) return await runReport(plan, { ...namesDomains(change.presentation, domains), domains }, session);
    const { unsentReport } = await import('./unsent.ts');
    // What an undo leaves unchanged is not undone, whatever the reason.
    const isPart = unchanged > 0 || change.undoing !== undefined;
    return unsentReport(planOf(plan, session), { rows: refused, isPart }, change.presentation, session);
  };
  return change.isOfFile ? alsoCounting('unchanged', unchanged, await report()) : await report();
}

type Identified = Pick<ListedChange, 'what' | 'kind' | 'given'>;

/** Identifies the run that the same command resumes. */
async function identityOf({ what, kind, given }: Identified, session: Session) {
  return { operation: kind, domain: await pinnedDomain(session), sha256: checksum(JSON.stringify([what, given])) };
}

/** Returns the tag change of an unfinished run of the same change. */
export async function unfinishedTagsOf(change: Identified, session: Session): Promise<TagChange | undefined> {
  const [run] = await unfinishedRuns(await identityOf(change, session), environmentOf(session));
  return run && tagChangeOf(run.state.begin);
}

/** The links of a change, which can be read repeatedly. */
interface Listed extends Pick<RunInput<LinkKey>, 'rows' | 'skipped' | 'open' | 'copyTo' | 'readAt'> {
  /** The rows, if all are refused. */
  readonly refused: Iterable<readonly ListedRow[]>;
  /** Number of links that need no change; undefined if the run is resumed. */
  readonly unchanged?: number;
  readonly domains: LinkDomains;
  /** Number of links to create; undefined if the run is resumed. */
  readonly newLinks?: number;
}

async function takeSnapshot(change: ListedChange, session: Session): Promise<Listed> {
  const readAt = session.system.elapsed();
  const kept = keptRows<ListedRow>(session);
  const plan = new ChangePlan(change.verb, session);
  for await (const links of decidedPages(plan, change, session)) {
    const rows = links.flatMap((link): ListedRow[] => {
      const row = runRowOf(link, change);
      return row ? [row] : foundRows(link);
    });
    if (rows.length > 0) kept.add(rows);
  }
  change.inspect?.(plan);
  if (plan.count > 0) await consentToPlan(plan, change.question, session);
  const { planned, countOf, domains } = plan;
  const refused = countOf('refused') + countOf('missing');
  return {
    rows: planned + countOf('missing') === 0 ? 0 : planned + refused,
    skipped: countOf('refused'),
    refused: { [Symbol.iterator]: () => rowsToSend(kept.read()) },
    unchanged: countOf('unchanged'),
    domains,
    newLinks: countOf('create') + countOf('copy'),
    readAt,
    open: () => rowsToSend(kept.read()),
    copyTo: (path) => kept.copyTo(path),
  };
}

/** An undo records which links it found restored, so that a later one leaves them alone. */
function foundRows({ target, undoneRow }: PlannedLink): ListedRow[] {
  return undoneRow === undefined ? [] : [{ line: undefined, item: target, undoneRow, skip: { status: 'unchanged' } }];
}

function* rowsToSend(groups: Iterable<readonly ListedRow[]>): Generator<readonly ListedRow[]> {
  for (const rows of groups) yield rows.filter(isToSend);
}

function isToSend({ skip }: ListedRow): boolean {
  return skip === undefined;
}

/** As `readAt`, it makes the run read each link again before it is changed. */
const longAgo = Number.NEGATIVE_INFINITY;

/** Reads the links of the unfinished run. Asks again for those that remain, because days may have passed. */
async function resumed(
  { begin, input, left, isDone }: ResumableRun,
  { verb, preposition = 'of', always }: Question,
  session: Session,
): Promise<Listed> {
  const domains = new Set<string | undefined>();
  let row = 0;
  let skipped = 0;
  async function* open(): AsyncGenerator<readonly ListedRow[]> {
    for await (const rows of readKeptRows<ListedRow>(input)) yield rows.filter(isToSend);
  }
  for await (const rows of open()) {
    for (const { item, refusal } of rows) {
      domains.add(item.domain);
      skipped += Number(refusal !== undefined && !isDone(row));
      row += 1;
    }
  }
  const remaining = left - skipped;
  refuseTooMany(remaining, session);
  const doing = `${verb.slice(0, 1).toLowerCase()}${verb.slice(1)} the remaining ${quantity(remaining, 'link')}`;
  const question = `Resume run ${begin.run} and ${doing} ${preposition} ${await accountInQuestion([...domains], session)}?`;
  // If no link remains, the run only shows its results.
  if (remaining > 0) await askFor(question, remaining, session, always);
  return {
    rows: begin.input.rows,
    skipped,
    refused: [],
    domains: [...domains],
    // Someone else may have changed the links since an earlier process read them.
    readAt: longAgo,
    open,
  };
}
