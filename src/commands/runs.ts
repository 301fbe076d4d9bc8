import type { Command } from 'commander';
import { FailedError, UnknownOutcomeError } from '../base/errors.ts';
import { readDoneRun } from '../bulk/past-runs/done-run.ts';
import { pruneRuns } from '../bulk/past-runs/pruning.ts';
import { isRunOf, type RunFolders, titleOf } from '../bulk/past-runs/run-names.ts';
import { secondLinksText } from '../bulk/past-runs/second-links.ts';
import { assertSameAccount } from '../bulk/past-runs/undo-chain.ts';
import { reversalsOf } from '../bulk/past-runs/undos.ts';
import { leavesLinks, verifyRun } from '../bulk/past-runs/verification.ts';
import { canBeUndone, changesOf, forgetRun, listRuns, needsForce, type RunOverview, resolveRun, showRun } from '../bulk/runs.ts';
import { openTags } from '../bulk/tag-run.ts';
import { foldersOf } from '../change/environment.ts';
import { repeatText } from '../change/rows/pending.ts';
import type { Invocation } from '../cli/invocation.ts';
import { canAsk, confirm } from '../cli/prompt.ts';
import type { Runner } from '../cli/runner.ts';
import { openSession } from '../cli/session.ts';
import { batchSizeOf } from '../client/batch-limits.ts';
import { sharedFlags } from '../flags/bulk-flags.ts';
import { describe } from '../help/description.ts';
import { columns } from '../help/text-layout.ts';
import { grouped, quantity } from '../output/quantity.ts';
import type { RecordReport, Row, RowsReport } from '../output/report.ts';
import { readConfig, requireProfile } from '../profiles/config-file.ts';
import { namedProfile, profileInUse } from '../profiles/profile-names.ts';

export function register(command: Command, run: Runner): void {
  describe(command.command('list', { isDefault: true }), {
    summary: 'List the bulk runs',
    description:
      'List the recorded runs, newest first: when, what, how many rows, and whether a run can be undone. With --profile, those of that profile.',
    examples: ['linkctl runs', 'linkctl runs -o json'],
    fields: runColumns,
    onlyReads: true,
  }).action(run(listRecorded));
  describe(command.command('show'), {
    summary: 'Show the progress of a run',
    description: 'Show the operation, progress and journal path of a run.',
    examples: ['linkctl runs show last', 'linkctl runs show 20310131-120905-897533f8'],
    onlyReads: true,
  })
    .argument('<run>', runOperand)
    .action(run(showOne));
  describe(command.command('verify'), {
    summary: 'Check the links of a run',
    description: 'Read all links that a run created or changed. List those that are missing or no longer as the run left them.',
    examples: ['linkctl runs verify last'],
    fields: discrepancyColumns,
    onlyReads: true,
  })
    .argument('<run>', runOperand)
    .action(run(verifyLinks));
  describe(command.command('forget'), {
    summary: 'Delete the record of a run',
    description:
      'Delete the record of a run. Its links are kept. The run cannot be undone any more, and the same command starts again from the first row.',
    examples: ['linkctl runs forget 20310131-120905-897533f8 --yes'],
    fields: forgottenColumns,
    globals: ['--yes'],
  })
    .argument('<run>', runOperand)
    .action(run(forgetOne));
  describe(command, {
    examples: ['linkctl runs', 'linkctl runs show last', 'linkctl runs verify 20310131-1209'],
    notes: [
      'To resume an unfinished run, run the same command again. Records are kept for 30 days, of typed links the newest 200 of each account. Until then, linkctl undo can revert any run whose UNDO column says yes. If nothing shows whether a run created its links, it says with --force.',
      'Closing the terminal stops a run, even if it was started with nohup. On Linux, a run that was started like this continues:',
      '  setsid linkctl shorten -f links.csv > links.tsv 2> run.log &',
      '<run> is a run ID, an unambiguous prefix of one, or last. last is the newest run of the profile in use: --profile, else the current one.',
      'What shorten -f guarantees depends on the rows:',
      [
        '  keyed    each row has a custom_hash, or --generate-hashes. Safe to resume:',
        '           every row has its own hash, so no row is made twice. created may',
        '           include links that existed as requested',
        '  dedupe   --dedupe: at most one new link per long URL',
        '  checked  otherwise: each row is confirmed by reading the account back; rows',
        '           that cannot be confirmed are reported as unknown',
      ].join('\n'),
      'Flags of the commands whose help names this page; linkctl help flags explains --max-wait and --max-time:',
      columns(sharedFlags.runs.map(([flags, summary]) => [flags, summary])).join('\n'),
    ],
  });
}

const runOperand = 'run ID, an unambiguous prefix of one, or last';

/** All runs, or those of the given profile. */
async function listRecorded(_options: object, { system, global }: Invocation): Promise<RowsReport> {
  const profile = namedProfile(global, system);
  const kept = foldersOf({ system });
  await pruneRuns(kept, system);
  const all = await listRuns(kept);
  // Runs of a profile that was deleted are still listed.
  if (profile !== undefined && !all.some((run) => isRunOf(profile, run))) requireProfile(profile, readConfig(system));
  // A record whose profile cannot be read may be of any, and stops an undo of each.
  const rows = all.filter((run) => run.begin === undefined || isRunOf(profile, run)).map(rowOf);
  return { kind: 'rows', key: 'runs', rows, columns: runColumns, tableFields: runTable, empty: 'no runs' };
}

/** `last` is a run of the profile in use, as it is for `undo`. */
function runNamed(text: string, { system, global }: Invocation): string {
  return resolveRun(foldersOf({ system }), text, profileInUse(global, system));
}

async function showOne(_options: object, invocation: Invocation, [named = '']: string[]): Promise<RecordReport> {
  const overview = await showRun(foldersOf(invocation), runNamed(named, invocation));
  const { counts, lastEnd = null, problem = null, journal, begin } = overview;
  const record: Row = {
    ...rowOf(overview),
    undoes: begin?.undoes ?? null,
    mode: begin?.mode ?? null,
    domain: begin?.domain ?? null,
    ...counts,
    last_end: lastEnd,
    problem,
    journal,
  };
  const columns = Object.keys(record).map((name) => ({
    name,
    path: name === 'journal',
    time: name === 'begun',
    ...(typeof record[name] === 'number' ? { align } : {}),
  }));
  return { kind: 'record', record, columns, block: columns.filter(({ name }) => record[name] !== null) };
}

async function verifyLinks(_options: object, invocation: Invocation, [named = '']: string[]): Promise<RowsReport> {
  const kept = foldersOf(invocation);
  const run = runNamed(named, invocation);
  const session = await openSession(invocation);
  const { begin, counts } = await showRun(kept, run);
  if (begin) {
    const { server } = session.client.identity;
    assertSameAccount(begin, session.client, true);
    await assertKnown(begin, counts, kept);
    if (begin.server !== server) await session.warn(`run ${run} changed links on ${begin.server}; these are checked: ${server}`);
  }
  let checked = 0;
  let wrong = 0;
  let partly = 0;
  async function* rows(): AsyncGenerator<Row[]> {
    const batchSize = batchSizeOf(session);
    for await (const part of verifyRun(kept, run, { client: session.client, batchSize })) {
      const { discrepancies } = part;
      checked += part.checked;
      partly += part.onlyDestination;
      wrong += discrepancies.length;
      invocation.streams.progress.step(() => quantity(checked, 'link'));
      yield discrepancies.map((discrepancy) => ({ ...discrepancy }));
    }
  }
  return {
    kind: 'rows',
    key: 'discrepancies',
    rows: rows(),
    columns: discrepancyColumns,
    members: () => ({ summary: { checked, wrong } }),
    notes: () => [
      `${quantity(checked, 'link')} checked: ${grouped(wrong)} missing or changed`,
      ...(partly > 0 ? [`${quantity(partly, 'link')}: only the destination was compared`] : []),
      ...uncheckedRows(counts),
    ],
    outcome: () =>
      wrong > 0
        ? new FailedError(`${grouped(wrong)} of ${quantity(checked, 'link')} missing or changed since the run`)
        : undefined,
  };
}

/** Throws if there is nothing to read back because no outcome is known, or the tags of the run may still be changed. */
async function assertKnown(
  begin: NonNullable<RunOverview['begin']>,
  { unknown = 0, not_sent = 0, failed = 0 }: RunOverview['counts'],
  kept: RunFolders,
): Promise<void> {
  const { run, input, options } = begin;
  const isKnown = unknown === 0 || (leavesLinks(begin) && unknown + not_sent + failed < input.rows);
  if (isKnown && options.tags === undefined) return;
  const done = await readDoneRun(run, kept);
  const tags = openTags(done, await reversalsOf(done, kept)).length;
  if (isKnown && tags === 0) return;
  const [what, list] = isKnown ? [quantity(tags, 'tag'), 'tags'] : [quantity(unknown, 'row'), 'list'];
  throw new UnknownOutcomeError(`outcome unknown for ${what} of run ${run}: nothing was checked`, {
    hint: done.isSettledLater ? repeatText(begin) : `check with: linkctl ${list}`,
  });
}

function uncheckedRows({ unknown = 0, not_sent = 0 }: RunOverview['counts']): string[] {
  const parts = [
    ...(unknown > 0 ? [`${quantity(unknown, 'row')} unknown`] : []),
    ...(not_sent > 0 ? [`${quantity(not_sent, 'row')} not sent`] : []),
  ];
  return parts.length > 0 ? [`${parts.join(', ')}: not checked`] : [];
}

async function forgetOne(_options: object, invocation: Invocation, [named = '']: string[]): Promise<RowsReport> {
  const kept = foldersOf(invocation);
  const run = runNamed(named, invocation);
  const overview = await showRun(kept, run);
  const { state: how, counts } = overview;
  const changes = changesOf(counts);
  const stays = changes && ` Its changes stay: ${changes}.`;
  const second = secondLinksText(overview);
  if (how !== 'finished') {
    const left = counts.not_sent ?? 0;
    await confirm(
      `Run ${run} is ${how}; ${quantity(left, 'row')} ${left === 1 ? 'was' : 'were'} not sent.${stays} The same command would start again from the first row${second ? ` and ${second}` : ''}. Delete the record?`,
      invocation,
    );
  }
  // Without a terminal there is no question, so existing scripts keep working.
  else if (canBeUndone(overview) && canAsk(invocation)) {
    await confirm(`Run ${run} cannot be undone without its record.${stays} Delete the record?`, invocation);
  }
  await forgetRun(kept, run, invocation.system);
  const again = second ? `; the same command would ${second}` : '';
  const sentence = `Deleted the record of run ${run}`;
  const notes = how !== 'finished' && changes ? [`changes of run ${run} stay: ${changes}${again}`] : [];
  return {
    kind: 'rows',
    key: 'forgotten',
    rows: [{ run }],
    columns: forgottenColumns,
    sentence: (_run, { tick }) => `${tick} ${sentence}`,
    notes: () => notes,
    unwritten: () => [sentence, ...notes],
  };
}

const align = 'right' as const;

const runColumns = [
  { name: 'run', essential: true },
  { name: 'state' },
  { name: 'operation' },
  { name: 'rows', align },
  { name: 'profile' },
  { name: 'input', shrinks: true },
  // The year and the seconds are part of the run ID.
  {
    name: 'begun',
    time: true,
    show: (at: unknown) =>
      String(at ?? '')
        .slice(5, 16)
        .replace('T', ' '),
  },
  { name: 'what', shrinks: true },
  // The other formats name the run that undid it.
  { name: 'undo', show: (undo: unknown) => String(undo ?? '').split(' ')[0] ?? '' },
];

/** Most important first: a narrow terminal hides the last ones, and the run ID contains when it began. */
const runTable = ['run', 'what', 'undo', 'state', 'rows', 'begun', 'profile'];

const forgottenColumns = [{ name: 'run' }];

const discrepancyColumns = [{ name: 'hash' }, { name: 'problem' }, { name: 'long_url', shrinks: true }];

function undoable(overview: RunOverview): string {
  if (!canBeUndone(overview)) return 'no';
  return needsForce(overview) ? 'with --force' : 'yes';
}

function rowOf(overview: RunOverview): Row {
  const { run, state, begin, undoneBy } = overview;
  return {
    run,
    state,
    operation: begin?.operation ?? null,
    rows: begin?.input.rows ?? null,
    profile: begin?.profile ?? null,
    input: begin?.input.name ?? null,
    begun: begin?.at ?? null,
    what: begin ? titleOf(begin) : null,
    undo: undoneBy !== undefined ? `undone by ${undoneBy}` : undoable(overview),
  };
}
