import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FaultyHost } from '../support/faulty-process.ts';
import { normalised } from '../support/manners.ts';
import { type StoredLink, seed as seedAccount } from '../support/stored-links.ts';
import { type AccountState, type ForeignDeeds, readAccount, startForeignWriter, touchedLinks } from './account-state.ts';
import { type Circumstances, causeOf, type Dice, drawCircumstances, rollDice } from './circumstances.ts';
import { readResults, resultsPath } from './deeds.ts';
import { type FaultWorld, openFaultWorld } from './fault-world.ts';
import { type Findings, grouped, type Notebook, openNotebook } from './findings.ts';
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

export interface AccountTrialOptions {
  readonly seed: number;
  /** Another program than the built one: a mutant. */
  readonly program?: string | undefined;
  /** Circumstances that are not left to chance. */
  readonly given?: ((drawn: Circumstances) => Partial<Circumstances>) | undefined;
}

const ways = ['checked', 'checked', 'checked', 'generated', 'column', 'dedupe'] as const;
type Way = (typeof ways)[number];

interface Row {
  readonly long_url: string;
  readonly note: string;
  readonly custom_hash?: string;
}

interface Job {
  readonly way: Way;
  readonly isTyped: boolean;
  /** Rows share a link where the long URLs are the same to a byte, as the server compares them. */
  readonly isExact: boolean;
  readonly rows: readonly Row[];
  readonly argv: readonly string[];
}

/**
 * Some rows are shortened on an account in use, with everything that goes wrong, until the program says that it is done; then what
 * the service has is held against what was asked for and what was reported.
 */
export async function runShortenTrial(host: FaultyHost, { seed, program, given }: AccountTrialOptions): Promise<Findings> {
  const dice = rollDice(seed);
  const way = dice.of(ways);
  const isTyped = dice.chance(0.3);
  const random = drawCircumstances(dice, seed, isTyped);
  const drawn = { ...random, ...given?.(random) };
  const world = await openFaultWorld(host, {
    edition: drawn.edition,
    domains: drawn.domains,
    faulty: drawn.faulty,
    prepare: (service) => seedAccount(service, drawn.seeded, drawn.edition === 'a' ? drawn.domains : [undefined]),
  });
  try {
    const job = drawJob(way, isTyped, drawn, world, dice);
    const before = await readAccount(world, drawn);
    const foreign = startForeignWriter(world, drawn, job.rows, rollDice(seed + 0.5));
    const notebook = openNotebook();
    const starts: Start[] = [];
    const check = async (reported: readonly Reported[], isFinal: boolean): Promise<Truth> =>
      judge(job, drawn, { before, foreign, reported, starts, isFinal, after: await readAccount(world, drawn) }, notebook);
    for (;;) {
      const start = await startOnce(
        argvOf(job, drawn, starts.length),
        world,
        program,
        dice,
        countSent(starts) < drawn.signals && dice.pick(4) > 0,
      );
      starts.push(start);
      if (isOver(job, start, world, starts)) break;
      if (starts.length >= maximalStarts || makesNoProgress(starts)) {
        notebook.add('stuck', `exit ${start.code}: ${start.stderr.slice(0, 300)}`);
        break;
      }
      // What it said while more was to come is held against what there is at that moment.
      if (start.code !== null && !drawn.late)
        notSentIsTrue(job, reportedBy(job, starts, world), await ownNow(world, drawn, before, foreign), notebook, starts.length);
    }
    await foreign.stop();
    await world.server.settled({ late: true });
    const log = await world.server.requests();
    for (const note of requestsAfterTheEnd(starts, log, drawn.concurrency)) notebook.add('afterEnd', note);
    for (const note of crashesOf(starts)) notebook.add('crashed', note);
    const reported = reportedBy(job, starts, world);
    const truth = await check(reported, true);
    return {
      seed,
      title: `${way}${isTyped ? ', typed' : ''}`,
      rows: job.rows.length,
      starts: starts.length,
      signals: countSent(starts),
      requests: log.length,
      faults: notebook.faults(),
      notes: [
        ...notebook.notes,
        ...(notebook.notes.length
          ? [
              JSON.stringify({ ...drawn, faulty: { ...drawn.faulty, chance: drawn.faulty.chance?.rate } }),
              ...starts.map(sentence),
            ]
          : []),
      ],
      ...truth,
      unknown: reported.filter(({ status }) => status === 'unknown').length,
      cause: causeOf(drawn),
    };
  } finally {
    await world.close();
  }
}

function drawJob(way: Way, isTyped: boolean, circumstances: Circumstances, world: FaultWorld, dice: Dice): Job {
  const count = isTyped ? 1 + (way === 'column' ? 0 : dice.pick(4)) : 20 + dice.pick(40);
  const rows = Array.from({ length: count }, (_, index) => drawRow(index, way, isTyped, circumstances, dice));
  const { domain, timeout, concurrency, batchSize } = circumstances;
  const more = [...(domain ? ['--domain', domain] : []), ...(timeout ? ['--timeout', String(timeout)] : [])];
  const scope = circumstances.edition === 'a' && dice.chance(0.5) ? 'domain' : 'account';
  const isExact = way === 'dedupe' && circumstances.manners.longUrls !== 'stored normalised';
  const mode = { checked: [], generated: ['--generate-hashes'], column: [], dedupe: ['--dedupe', scope] }[way];
  if (isTyped) {
    const [{ note, custom_hash } = { note: '' }] = rows as [Row];
    const same = rows.map((row) => ({ ...row, note }));
    const flags = [...(note ? ['--note', note] : []), ...(custom_hash ? ['--hash', custom_hash] : [])];
    return {
      way,
      isTyped,
      isExact,
      rows: same,
      argv: ['shorten', ...same.map(({ long_url }) => long_url), ...flags, ...mode, ...more, '-o', 'json'],
    };
  }
  const file = join(world.folder, 'links.csv');
  const header = way === 'column' ? 'long_url,note,custom_hash' : 'long_url,note';
  const lines = rows.map(({ long_url, note, custom_hash }) => `${long_url},${note}${custom_hash ? `,${custom_hash}` : ''}\n`);
  writeFileSync(file, `${header}\n${lines.join('')}`);
  const run = ['--batch-size', String(batchSize), '--concurrency', String(concurrency), '--results', resultsPath(world)];
  return { way, isTyped, isExact, rows, argv: ['shorten', '-f', file, ...mode, ...more, ...run] };
}

/** Some rows are equal, some differ in their notes alone, some lead where a link leads that was there before. */
function drawRow(index: number, way: Way, isTyped: boolean, { seeded, domains }: Circumstances, dice: Dice): Row {
  const number = dice.pick(8) || isTyped ? index : dice.pick(5);
  const host = dice.pick(6) ? 'example.com' : 'EXAMPLE.com';
  const isOld = seeded > 20 && dice.pick(12) === 0;
  const old = 10 + dice.pick(10);
  const long_url = isOld
    ? `https://was.${domains[0]}.example/${old}`
    : `https://${host}/${dice.pick(10) ? number : `ü-${number}`}`;
  const note = dice.pick(3) ? '' : dice.of(['n0', 'n1', 'n2 ', ' n3']);
  if (way !== 'column') return { long_url, note };
  // A hash that is taken: with the same destination, or with another one.
  const taken = isOld ? `old${old}` : seeded > 20 && dice.pick(20) === 0 ? 'old30' : undefined;
  return { long_url, note, custom_hash: !isTyped && index % 50 > 0 && taken ? `${taken}` : `mine${index}` };
}

/** A budget is for the first starts: nobody starts a run twenty times. */
function argvOf({ argv, isTyped }: Job, { budget }: Circumstances, starts: number): string[] {
  return budget === undefined || isTyped || starts >= 4 ? [...argv] : [...argv, '--budget', String(budget)];
}

const finished: ReadonlySet<number | null> = new Set([0, 2, 3, 5, 6]);

function isOver(job: Job, { code, argv }: Start, world: FaultWorld, starts: readonly Start[]): boolean {
  if (job.isTyped) return true;
  // D33: too small a budget is refused, and whoever typed it leaves it out.
  if (code === 2 && argv.includes('--budget')) return false;
  if (finished.has(code)) return true;
  const results = readResults(world);
  const isSettled = results.length > 0 && results.every(({ status }) => status !== 'not_sent');
  // A signal that came when the last row was done.
  if (code === null && results.length > 0 && results.every((row) => isDone(row) || row.status === 'failed')) return true;
  const before = starts.at(-2);
  return code === 10 && isSettled && (job.way === 'checked' || before?.code === 10);
}

function reportedBy(job: Job, starts: readonly Start[], world: FaultWorld): Reported[] {
  if (!job.isTyped) return readResults(world);
  return reportedRows(starts.at(-1) as Start, job.rows.length, 'created');
}

interface Evidence {
  readonly before: AccountState;
  readonly after: AccountState;
  readonly foreign: ForeignDeeds;
  readonly reported: readonly Reported[];
  readonly starts: readonly Start[];
  readonly isFinal: boolean;
}

type Truth = Pick<Findings, 'toldTwice' | 'excused'>;

function keyOf(
  { way, isExact }: Pick<Job, 'way' | 'isExact'>,
  { long_url, note, hash }: { long_url: string; note?: string; hash: string },
): string {
  const url = isExact ? long_url : normalised(long_url);
  if (way === 'dedupe') return url;
  return way === 'column' ? `${hash} ${url}` : `${url} ${(note ?? '').trim()}`;
}

const rowKey = (job: Pick<Job, 'way' | 'isExact'>, row: Row): string => keyOf(job, { ...row, hash: row.custom_hash ?? '' });

/** Records that the program made, by the key of the rows that they are for. */
function ownRecords(job: Job, own: readonly StoredLink[]): Map<string, StoredLink[]> {
  return grouped(own, (record) => keyOf(job, record));
}

async function ownNow(
  world: FaultWorld,
  { edition, domain, domains }: Circumstances,
  before: AccountState,
  foreign: ForeignDeeds,
): Promise<StoredLink[]> {
  const working = domain ?? (domains[0] as string);
  const newest = await world.newest(1000, edition === 'a' ? working : undefined);
  // Somebody else hears a little later than the service which links are theirs.
  await foreign.heard();
  return newest.filter(({ hash }) => !before.has(`${working}/${hash}`) && !foreign.made.has(`${working}/${hash}`));
}

/** `not_sent`: certainly nothing happened. More records than rows that may have made them are those of rows that were reported so. */
function notSentIsTrue(
  job: Job,
  reported: readonly Reported[],
  own: readonly StoredLink[],
  notebook: Notebook,
  nth: number,
): void {
  const records = ownRecords(job, own);
  const rows = grouped(
    reported.map((row, index) => ({ ...row, index })),
    ({ index }) => rowKey(job, job.rows[index] as Row),
  );
  for (const [key, group] of rows) {
    const notSent = group.filter(({ status }) => status === 'not_sent');
    const failed = group.filter(({ status }) => status === 'failed');
    const may =
      job.way === 'dedupe' && notSent.length < group.length
        ? Number.POSITIVE_INFINITY
        : group.length - notSent.length - failed.length;
    const excess = (records.get(key)?.length ?? 0) - may;
    if (excess <= 0) continue;
    const rowNumbers = (list: typeof group): string => list.map(({ index }) => index + 1).join();
    if (notSent.length)
      notebook.add(
        'falseNotSent',
        `start ${nth}: ${key}: rows ${rowNumbers(notSent)} reported not_sent, ${records.get(key)?.length} links`,
      );
    else if (failed.length)
      notebook.add(
        'falseFailed',
        `start ${nth}: ${key}: rows ${rowNumbers(failed)} reported failed, ${records.get(key)?.length} links`,
      );
  }
}

function judge(
  job: Job,
  drawn: Circumstances,
  { before, after, foreign, reported, starts }: Evidence,
  notebook: Notebook,
): Truth {
  const { way, rows, isTyped } = job;
  const working = drawn.domain ?? (drawn.domains[0] as string);
  const last = starts.at(-1) as Start;
  const fresh = [...after].filter(([key]) => !before.has(key) && !foreign.made.has(key));
  const own = fresh.filter(([key]) => key.startsWith(`${working}/`)).map(([, record]) => record);
  for (const [key] of fresh)
    if (!key.startsWith(`${working}/`)) notebook.add('touched', `${key} was made on a domain that nobody named`);
  for (const note of touchedLinks(before, after, (key) => foreign.gone.has(key))) notebook.add('touched', note);
  if (!isTyped) accounted(rows.length, reported, last, notebook);
  const records = ownRecords(job, own);
  const byKey = grouped(rows.keys(), (index) => rowKey(job, rows[index] as Row));
  const speaks = starts.some(
    ({ stderr, stdout, code }) =>
      code === 10 ||
      /may be (?:a duplicate|duplicates)|could not check for duplicates|unknown/.test(stderr) ||
      /"surplus":[1-9]/.test(stdout),
  );
  let toldTwice = 0;
  let excused = 0;
  for (const [key, found] of records) {
    const asking = byKey.get(key)?.length ?? 0;
    const surplus = found.length - (way === 'dedupe' ? Math.min(1, asking) : asking);
    if (surplus <= 0) continue;
    const note = `${key}: ${asking} rows, ${found.length} links (${found.map(({ hash }) => hash)})`;
    if (asking === 0) notebook.add('wrong', `a link that no row asked for: ${note}`);
    else if (speaks) toldTwice += surplus;
    else if (way === 'checked' && (drawn.foreign === 'equal' || cameTooLate(drawn))) excused += surplus;
    else notebook.add('duplicated', `${note}, exit ${last.code}: ${last.stderr.slice(-300)}`);
  }
  notSentIsTrue(job, reported, own, notebook, starts.length);
  excused += mapped(job, drawn, { after, before, reported, working, foreign }, notebook);
  if (last.code === 0 && reported.some(({ status }) => !isDone({ status })))
    notebook.add('falseOk', `exit 0, and ${reported.map(({ status }) => status)}`);
  return { toldTwice, excused };
}

/** Where a request may take effect when the run is over, or a listing shows it only then, nobody is left to report it. */
function cameTooLate({ late, manners, timeout }: Circumstances): boolean {
  return late > 0 || (manners.lag ?? 0) > 0 || timeout !== undefined;
}

/** R-X9: every row once, whatever the exit code is; unless nothing was begun, or the last process was killed. */
function accounted(rows: number, reported: readonly Reported[], { code, stderr }: Start, notebook: Notebook): void {
  if (code === null || reported.length === rows) return;
  if (reported.length === 0 && code !== 0 && code !== 3 && code !== 10) return;
  notebook.add('unaccounted', `${reported.length} of ${rows} rows in the results, exit ${code}: ${stderr.slice(-200)}`);
}

interface Mapped {
  readonly before: AccountState;
  readonly after: AccountState;
  readonly reported: readonly Reported[];
  readonly working: string;
  readonly foreign: ForeignDeeds;
}

/** Every row that was reported as done has a link, and it is its own. Answers with what nobody can distinguish. */
function mapped(
  job: Job,
  drawn: Circumstances,
  { after, before, reported, working, foreign }: Mapped,
  notebook: Notebook,
): number {
  const { way, rows } = job;
  const folded = new Map([...after].map(([key, record]) => [key.toLowerCase(), { key, record }]));
  const taken = new Map<string, number>();
  let excused = 0;
  for (const [index, { status, hash }] of reported.entries()) {
    if (!isDone({ status })) continue;
    const row = rows[index] as Row;
    // A link of another domain may be found where the whole account is read (4.3.3).
    const places = way === 'dedupe' ? drawn.domains : [working];
    const found = places.map((place) => folded.get(`${place}/${hash}`.toLowerCase())).filter((link) => link !== undefined);
    const [link] = found;
    if (!link) {
      if (foreign.gone.has(`${working}/${hash}`)) continue;
      notebook.add('lost', `row ${index + 1} (${row.long_url}) reported ${status} as ${hash}, which is not there`);
      continue;
    }
    const isOwn = found.some(({ record, key }) =>
      way === 'checked' || way === 'generated'
        ? keyOf(job, record) === rowKey(job, row)
        : normalised(record.long_url) === normalised(row.long_url) && (way === 'dedupe' || key.endsWith(`/${row.custom_hash}`)),
    );
    if (!isOwn)
      notebook.add(
        'wrong',
        `row ${index + 1} (${row.long_url}, ${row.note}) reported ${status} as ${hash}, which is ${link.record.long_url}, ${link.record.note}`,
      );
    else if (way !== 'dedupe' && taken.has(link.key))
      notebook.add('wrong', `rows ${taken.get(link.key)} and ${index + 1} have ${hash} both`);
    else if (foreign.made.has(link.key) && way === 'checked') {
      if (drawn.foreign === 'equal') excused += 1;
      else notebook.add('wrong', `row ${index + 1} reported ${status} as ${hash}, which is somebody else's`);
    }
    // Of a hash of its own it is not promised to say whether it was there (R 1.2).
    if (status === 'created' && way !== 'column' && found.every(({ key }) => before.has(key)))
      notebook.add('falseCreated', `row ${index + 1} reported created as ${hash}, which was there before`);
    taken.set(link.key, index + 1);
  }
  return excused;
}
