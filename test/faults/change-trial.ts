import { join } from 'node:path';
import { keptImages } from '../../src/bulk/journal/images.ts';
import { runFolders, runNames, runRecord } from '../../src/bulk/past-runs/run-names.ts';
import type { FaultyHost } from '../support/faulty-process.ts';
import { type StoredLink, seed as seedAccount, store } from '../support/stored-links.ts';
import { type AccountState, type ForeignDeeds, readAccount, startForeignWriter, touchedLinks } from './account-state.ts';
import { type ChangedRow, type ChangeJob, changes, drawChange, isAfter, labelOf, sameForm, targets } from './change-job.ts';
import { type Circumstances, causeOf, drawCircumstances, rollDice } from './circumstances.ts';
import { readResults } from './deeds.ts';
import { type FaultWorld, openFaultWorld, visit } from './fault-world.ts';
import { type Findings, grouped, type Notebook, openNotebook } from './findings.ts';
import type { AccountTrialOptions } from './shorten-trial.ts';
import {
  countSent,
  crashesOf,
  isDone,
  makesNoProgress,
  maximalStarts,
  type Reported,
  reportedRows,
  requestsAfterTheEnd,
  type Start,
  sentence,
  startOnce,
} from './starts.ts';

/**
 * Some links of an account in use are renamed, edited, deleted or reset, with everything that goes wrong, until the program says that
 * it is done; then every link of the account is held against what it was, what was asked for it and what was reported.
 */
export async function runChangeTrial(host: FaultyHost, { seed, program, given }: AccountTrialOptions): Promise<Findings> {
  const dice = rollDice(seed);
  const change = dice.of(changes);
  const isTyped = change === 'by tags' || (change !== 'edit -f' && dice.chance(0.35));
  const random = drawCircumstances(dice, seed, isTyped);
  const drawn = { ...random, ...given?.(random) };
  const count = 20 + dice.pick(50);
  const world = await openFaultWorld(host, {
    edition: drawn.edition,
    domains: drawn.domains,
    faulty: drawn.faulty,
    prepare: (service) => prepare(service, drawn, count),
  });
  try {
    const before = await readAccount(world, drawn);
    const job = drawChange(change, isTyped, drawn, world, before, dice);
    const foreign = startForeignWriter(world, drawn, targets(count, 's.ex') as StoredLink[], rollDice(seed + 0.5));
    const notebook = openNotebook();
    const starts: Start[] = [];
    for (;;) {
      const mayEnd = countSent(starts) < drawn.signals && dice.pick(4) > 0;
      const start = await startOnce(argvOf(job, drawn, starts.length), world, program, dice, mayEnd);
      starts.push(start);
      if (isOver(job, starts, world)) break;
      if (starts.length >= maximalStarts || makesNoProgress(starts)) {
        notebook.add('stuck', `exit ${start.code}: ${start.stderr.slice(-300)}`);
        break;
      }
      // What it said while more was to come is held against what there is at that moment.
      if (start.code !== null && !drawn.late) {
        const links = linksNow(await readAccount(world, drawn));
        judgeRows(job, before, links, reportedBy(job, starts, world), foreign, notebook, ` (start ${starts.length})`);
      }
    }
    await foreign.stop();
    await world.server.settled({ late: true });
    const log = await world.server.requests();
    for (const note of requestsAfterTheEnd(starts, log, drawn.concurrency)) notebook.add('afterEnd', note);
    for (const note of crashesOf(starts)) notebook.add('crashed', note);
    const after = await readAccount(world, drawn);
    const reported = reportedBy(job, starts, world);
    judgeRows(job, before, linksNow(after), reported, foreign, notebook);
    judgeOthers(job, before, after, foreign, notebook);
    if (keepsImages(job))
      await judgeImages(job, before, linksNow(after), { foreign, folder: world.folder, lag: drawn.manners.lag }, notebook);
    judgeEnd(job, starts, reported, notebook);
    const circumstances = {
      ...drawn,
      faulty: { spells: drawn.faulty.spells, rate: drawn.faulty.chance?.rate, shuffles: drawn.faulty.shuffles },
    };
    return {
      seed,
      title: `${job.change}, ${job.verb}${job.isTyped ? ', typed' : ''}`,
      rows: job.rows.length,
      starts: starts.length,
      signals: countSent(starts),
      requests: log.length,
      faults: notebook.faults(),
      notes: notebook.notes.length ? [...notebook.notes, JSON.stringify(circumstances), ...starts.map(sentence)] : [],
      toldTwice: 0,
      excused: 0,
      unknown: reported.filter(({ status }) => status === 'unknown').length,
      cause: causeOf(drawn),
    };
  } finally {
    await world.close();
  }
}

/** Every target has been clicked once, on its own domain. */
async function prepare(
  service: { readonly baseUrl: string; readonly origin: string },
  { edition, domains, seeded }: Circumstances,
  count: number,
): Promise<void> {
  await seedAccount(service, seeded, edition === 'a' ? domains : [undefined]);
  for (const domain of domains) {
    await store(service, targets(count, domain), edition === 'a' ? domain : undefined);
    await Promise.all(Array.from({ length: count }, (_, index) => visit(service.origin, domain, `t${index}`)));
  }
}

function argvOf({ argv, isTyped }: ChangeJob, { budget }: Circumstances, starts: number): string[] {
  return budget === undefined || isTyped || starts >= 4 ? [...argv] : [...argv, '--budget', String(budget)];
}

const finished: ReadonlySet<number | null> = new Set([0, 2, 3, 5, 6]);

function isOver(job: ChangeJob, starts: readonly Start[], world: FaultWorld): boolean {
  const { code, argv } = starts.at(-1) as Start;
  if (job.isTyped) return true;
  // D33: too small a budget is refused, and whoever typed it leaves it out.
  if (code === 2 && argv.includes('--budget')) return false;
  if (finished.has(code)) return true;
  const results = readResults(world);
  const isSettled = results.length > 0 && results.every(({ status }) => status !== 'not_sent');
  // A signal that came when the last row was done.
  if (code === null && results.length > 0 && results.every((row) => isDone(row) || row.status === 'failed')) return true;
  // What is in doubt of a reset is left so (R 2.1): the same command again would be another run.
  const isLeft = job.verb === 'reset' || starts.filter(({ sent }) => !sent).at(-2)?.code === 10;
  return code === 10 && isSettled && isLeft;
}

function reportedBy(job: ChangeJob, starts: readonly Start[], world: FaultWorld): Reported[] {
  if (!job.isTyped) return readResults(world);
  const start = starts.at(-1) as Start;
  const done = job.verb === 'edit' ? 'changed' : job.verb === 'delete' ? 'deleted' : 'reset';
  return reportedRows(start, job.rows.length, done, job.change === 'by tags' ? job.rows.map(keyOf) : undefined);
}

/** Links that can be distinguished, whatever happened to them. */
function linksNow(account: AccountState): ReadonlyMap<string, StoredLink> {
  return new Map([...account.values()].flatMap((record) => (labelOf(record) ? [[labelOf(record), record] as const] : [])));
}

/** Every row is what it was reported to be. */
function judgeRows(
  job: ChangeJob,
  before: AccountState,
  now: ReadonlyMap<string, StoredLink>,
  reported: readonly Reported[],
  foreign: ForeignDeeds,
  notebook: Notebook,
  when = '',
): void {
  for (const [index, row] of job.rows.entries()) {
    const said = reported[index];
    const key = `${row.domain}/${row.hash}`;
    if (!said || foreign.gone.has(key)) continue;
    const place = `row ${index + 1}${when}: ${key} ${JSON.stringify(row.fields)} reported ${said.status}`;
    if (!row.label) {
      // After a doubt a hash that is not there counts as deleted (R 2.1).
      if (isDone(said) && job.verb !== 'delete') notebook.add('falseDone', `${place}, and there never was such a link`);
      continue;
    }
    const was = before.get(key) as StoredLink;
    const link = now.get(row.label);
    const state = isAfter(job, row, was, link) ? 'after' : link && sameForm(was, link) ? 'before' : 'other';
    const shown = link ? `${link.hash}, ${link.long_url}, "${link.note}", ${link.tags}, ${link.total_clicks} clicks` : 'gone';
    if (state === 'other') notebook.add('wrong', `${place}, and it is ${shown}`);
    else if (isDone(said) && state === 'before') notebook.add('falseDone', `${place}, and it is as before`);
    else if (said.status === 'not_sent' && state === 'after') notebook.add('falseNotSent', `${place}, and it took effect`);
    else if (said.status === 'failed' && state === 'after') notebook.add('falseFailed', `${place}, and it took effect`);
    else if (said.status === 'failed' && said.code === '1306' && state === 'before')
      notebook.add('falseFailed', `${place} as missing, and it is there`);
  }
}

/** Links that nobody selected are what they were, and none was made. */
function judgeOthers(job: ChangeJob, before: AccountState, after: AccountState, foreign: ForeignDeeds, notebook: Notebook): void {
  const selected = new Set(job.rows.filter(({ label }) => label).map(keyOf));
  for (const note of touchedLinks(before, after, (key) => selected.has(key) || foreign.gone.has(key)))
    notebook.add('touched', note);
  const expected = new Set(job.rows.map(({ domain, fields }) => `${domain}/${fields.custom_hash}`));
  for (const [key, record] of after) {
    if (before.has(key) || foreign.made.has(key) || expected.has(key)) continue;
    notebook.add('touched', `${key} (${record.long_url}) was not there before`);
  }
  for (const [label, links] of grouped(after.values(), labelOf))
    if (label && links.length > 1) notebook.add('duplicated', `${label}: ${links.map(({ hash }) => hash)}`);
  if (!job.isRefused) return;
  const changed = touchedLinks(before, after, (key) => !selected.has(key));
  if (changed.length > 0)
    notebook.add('touched', `${changed.length} links, and all of it was to be refused: ${job.argv.join(' ')}`);
}

/** A single typed link off a terminal does not, nor does what was asked to leave it out (U1). */
function keepsImages({ argv, isTyped, change, rows }: ChangeJob): boolean {
  return !argv.includes('--no-undo') && !(isTyped && change !== 'by tags' && rows.length === 1);
}

/** Whatever is not as it was can be taken back: it is on the disk as it was (U1). */
async function judgeImages(
  { rows }: ChangeJob,
  before: AccountState,
  now: ReadonlyMap<string, StoredLink>,
  { foreign, folder, lag }: { readonly foreign: ForeignDeeds; readonly folder: string; readonly lag?: number | undefined },
  notebook: Notebook,
): Promise<void> {
  const kept = await imagesByLabel(join(folder, '.local', 'state', 'linkctl'));
  for (const row of rows) {
    const was = before.get(keyOf(row));
    if (!was || !row.label || foreign.gone.has(keyOf(row))) continue;
    const link = now.get(row.label);
    if (link && sameForm(was, link)) continue;
    const images = kept.get(row.label) ?? [];
    // A server may show hashes in another case, and a listing that lags knows no visits.
    const shown = (image: StoredLink): StoredLink => ({ ...image, hash: '', ...(lag && { total_clicks: was.total_clicks }) });
    if (!images.some((image) => sameForm({ ...was, hash: '' }, shown(image))))
      notebook.add('lost', `${keyOf(row)} was changed, and what it was is not on the disk`);
  }
}

/** By the label of the link. */
async function imagesByLabel(state: string): Promise<Map<string, StoredLink[]>> {
  const kept = new Map<string, StoredLink[]>();
  const folders = runFolders(state);
  for (const run of runNames(folders)) {
    const { backwards } = await keptImages(runRecord(run, folders), 10_000);
    for await (const images of backwards()) {
      for (const image of images) {
        const record = image.record as StoredLink | null;
        if (record) kept.set(labelOf(record), [...(kept.get(labelOf(record)) ?? []), record]);
      }
    }
  }
  return kept;
}

function keyOf({ domain, hash }: ChangedRow): string {
  return `${domain}/${hash}`;
}

function judgeEnd(job: ChangeJob, starts: readonly Start[], reported: readonly Reported[], notebook: Notebook): void {
  const { code, stdout, stderr } = starts.at(-1) as Start;
  const { length } = job.rows;
  if (code === 0 && !reported.every(isDone)) notebook.add('falseOk', `exit 0, and ${reported.map(({ status }) => status)}`);
  if (code === 0 && job.change === 'by tags' && !stdout.includes(String(length)))
    notebook.add('falseOk', `${length} links: ${stdout.slice(0, 200)}`);
  const isAccounted = reported.length === length || (reported.length === 0 && ![0, 3, 10].includes(code ?? 0));
  if (code !== null && !isAccounted)
    notebook.add('unaccounted', `${reported.length} of ${length} rows in the results, exit ${code}: ${stderr.slice(-200)}`);
}
