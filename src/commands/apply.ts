import type { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import { quoted, shellWord } from '../base/quoted.ts';
import { applyOperation } from '../bulk/operations/applying.ts';
import { asApplied, carries, type FileLink } from '../change/decide/apply.ts';
import type { ComparedLink } from '../change/decide/outcome.ts';
import { requireAnswer } from '../change/limits.ts';
import { markdownPlan } from '../change/plan/differences.ts';
import type { ChangePlan } from '../change/plan/plan.ts';
import { openComparison } from '../change/rows/comparison.ts';
import type { EmptyCells } from '../change/rows/empty-cells.ts';
import { runPlannedChange } from '../change/run.ts';
import { appliedRow } from '../change/run-settings.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/runner.ts';
import { openSession, type Session } from '../cli/session.ts';
import { markdown } from '../contract/formats.ts';
import { enumerated, type LinkDomains } from '../contract/link.ts';
import { addBaseFlag, addBatchFlags, addClearFlag, addInputFlags, type BulkOptions } from '../flags/bulk-flags.ts';
import { outputWithMarkdown } from '../flags/globals.ts';
import { missingInput } from '../flags/missing-input.ts';
import { count, once } from '../flags/values.ts';
import { describe } from '../help/description.ts';
import { flagLabels, labels } from '../input/field-values.ts';
import { grouped, quantity } from '../output/quantity.ts';
import type { Report } from '../output/report.ts';
import { hashChangePresentation, urlColumns } from '../output/url-columns.ts';
import { linksOfDomains } from '../select/link-selection.ts';
import { rereadable } from '../select/named-selection.ts';
import type { SelectedPage } from '../select/selected-links.ts';

interface ApplyOptions extends BulkOptions {
  readonly prune?: string;
  readonly maxDeleted?: number;
}

export function register(command: Command, run: Runner): void {
  command.option('--prune <label>', 'delete links that carry <label> and are not in the file', once);
  command.option('--max-deleted <n>', 'maximum number of links to delete; fail if there are more', count(0));
  addInputFlags(command);
  addBaseFlag(command);
  addClearFlag(command);
  command.addOption(outputWithMarkdown());
  addBatchFlags(command);
  command.action(run(apply));
  describe(command, {
    examples: [
      'linkctl apply -f links.csv',
      'linkctl apply -f links.csv --dry-run',
      'linkctl apply -f links.csv --dry-run -o markdown > comment.md',
      'git pull -q && linkctl apply -f links.csv --prune from-git --yes',
    ],
    fields: urlColumns,
    notes: [
      'Creates the links that are missing and edits those that differ, as linkctl diff shows them. A missing link is not created if the file ' +
        'says that it is protected or disabled. Each row names its link by hash, custom_hash ' +
        'or short_url. An empty csv cell changes nothing. With --clear-empty it clears the field. "never" clears expiration_date. In JSON, ' +
        'use null or "" and []. tags are all labels of the link: others are detached. With --base <listing>, only what differs from the ' +
        'listing is changed. Links that someone else has changed since the listing are left unchanged and reported.',
      'Without --prune <label>, nothing is deleted. With it, apply deletes links that carry the label ' +
        'and are not in the file. Only the domains of the file are covered. Other links that are not in the file stay unchanged and are named.',
      'Safeguard: apply refuses to change 10 or more links if they are over 30 % of the links compared. It refuses to delete 5 or more if ' +
        'they are over 10 %. Compared are the links in the file and those with the --prune label. Raise the limits with --max-affected and ' +
        '--max-deleted. Each link is read again right before its change. If someone else changed it since the plan, it is left unchanged and reported.',
      'It is one run: the same command resumes it, and linkctl undo reverts it. Running it a second time changes nothing.',
    ],
    globals: ['--domain', '--yes', '--dry-run', '--max-affected', '--quiet', '--progress'],
  });
}

/** Brings the account in line with a file of links, in one run. */
async function apply(options: ApplyOptions, invocation: Invocation): Promise<Report> {
  if (options.printTemplate) return await (await import('../change/rows/file.ts')).printTemplate('apply', options, invocation);
  const { file, prune } = options;
  if (file === undefined) throw missingInput("flag '--file'", missing);
  if (invocation.global.output === markdown && !invocation.global.dryRun) {
    throw new UsageError('-o markdown shows the plan: add --dry-run');
  }
  if (prune !== undefined) flagLabels('--prune', [prune], labels);
  const session = await openSession(invocation);
  await requireAnswer(session, 'named');
  const { base, input, domains, reading, empty, compared } = await openComparison(options, session);
  if (input.rows === 0) throw new UsageError(`${input.name}: no rows`);
  const account = await linksOfDomains(domains, {}, session);
  // Other links than those of the file only matter to --prune, which has no flag for further domains.
  if (prune !== undefined) for (const line of await account.coverage('')) await session.note(line);
  const comparison = compared(account, asApplied(prune));
  if (session.global.output === markdown) {
    const { text } = await markdownPlan(comparison, 'apply', session);
    return { kind: 'text', text: text(empty.notes()), notes: () => ['dry run: nothing was sent'] };
  }
  return await runPlannedChange(
    {
      what: ['apply', '-f', file, ...(prune === undefined ? [] : ['--prune', prune])].map(shellWord).join(' '),
      links: {
        ...comparison.links,
        file: rereadable(input, input.sha256),
        pages: () => notedPages(comparison.links.pages(), { prune, empty, domains }, session),
      },
      given: {
        ...account.given,
        sha256: input.sha256,
        prune,
        ...reading.flags,
        base: base?.sha256,
        clear_empty: options.clearEmpty,
      },
      kind: 'apply',
      verb: 'apply',
      question: { verb: 'Apply the changes to', namesKinds: true },
      options,
      presentation: { ...hashChangePresentation('urls'), doing: 'applying' },
      decide: comparison.decide,
      operation: applyOperation,
      // Nothing is sent for a refused row; it counts as a creation.
      payload: (target, fields, kind) => appliedRow(target, fields, kind === 'refused' ? 'create' : kind),
      inspect: (plan) => refuseDrift(plan, options.maxDeleted, session),
      isOfFile: true,
      rereads: true,
    },
    session,
  );
}

const missing = { command: 'apply', usage: '-f <file> [--prune <label>]', example: '-f links.csv --dry-run' };

interface Noted {
  readonly prune: string | undefined;
  readonly empty: EmptyCells;
  readonly domains: LinkDomains;
}

/** After the last page, warns if no link has the `--prune` tag, which may be misspelt, and names cells that were not compared. */
async function* notedPages(
  pages: AsyncIterable<SelectedPage<ComparedLink<FileLink>>>,
  { prune, empty, domains }: Noted,
  session: Session,
): AsyncGenerator<SelectedPage<ComparedLink<FileLink>>> {
  let isCarried = prune === undefined;
  for await (const page of pages) {
    isCarried ||= page.links.some(({ record }) => carries(record, prune));
    yield page;
  }
  const named = domains.filter((domain) => domain !== undefined);
  const place = named.length > 0 ? ` of ${enumerated(named, 'or', 5)}` : '';
  if (!isCarried) await session.warn(`--prune: no link${place} carries the tag ${quoted(prune ?? '')}`);
  for (const line of empty.notes()) await session.note(line);
}

/** The file is probably wrong if it affects at least `least` links and more than `percent` of those compared. */
const bounds = [
  { kind: 'change', done: 'changed', least: 10, percent: 30 },
  { kind: 'delete', done: 'deleted', least: 5, percent: 10 },
] as const;

function refuseDrift(
  { planned, countOf }: ChangePlan,
  maxDeleted: number | undefined,
  { global: { maxAffected, dryRun } }: Session,
): void {
  const governed = countOf('change') + countOf('delete') + countOf('unchanged');
  const flags = {
    change: ['--max-affected', maxAffected, planned],
    delete: ['--max-deleted', maxDeleted, countOf('delete')],
  } as const;
  if (maxDeleted !== undefined && countOf('delete') > maxDeleted) {
    throw new UsageError(
      `${quantity(countOf('delete'), 'link')} would be deleted, more than --max-deleted ${maxDeleted}; nothing was changed`,
    );
  }
  const exceeded = bounds.filter(({ kind, least, percent }) => {
    const count = countOf(kind);
    return flags[kind][1] === undefined && count >= least && count * 100 > governed * percent;
  });
  if (exceeded.length === 0) return;
  const shares = exceeded.map(
    ({ kind, done, percent }) =>
      `${grouped(countOf(kind))} of ${quantity(governed, 'link')} would be ${done}, more than ${percent} %`,
  );
  const raised = exceeded.map(({ kind }) => `${flags[kind][0]} ${flags[kind][2]}`);
  throw new UsageError(`${shares.join('; ')}; nothing was changed: if this is meant, add ${raised.join(' ')}`, {
    hint: dryRun ? undefined : '--dry-run shows which they are',
  });
}
