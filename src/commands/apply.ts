import type { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import { quoted } from '../base/quoted.ts';
import { shellWord } from '../base/shell-word.ts';
import { applyOperation } from '../bulk/operations/apply.ts';
import { requireAnswer } from '../change/limits.ts';
import { differencesOf } from '../change/plan/differences.ts';
import { MarkdownPlan } from '../change/plan/markdown.ts';
import type { PlannedOutcome } from '../change/plan/outcome.ts';
import { type ChangePlan, startPlan } from '../change/plan/plan.ts';
import { type BaseListing, openBase } from '../change/rows/base.ts';
import { appliedRow, type ComparedLink, comparedPages, type FileLink, outcomeSince } from '../change/rows/comparison.ts';
import { EmptyCells } from '../change/rows/empty-cells.ts';
import { checkedRows } from '../change/rows/file.ts';
import { linksOfDomains, rereadable, type SelectedPage } from '../change/rows/selected-links.ts';
import { changeListed } from '../change/run.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/run.ts';
import { openSession, type Session } from '../cli/session.ts';
import { batchSizeOf } from '../client/batch-limits.ts';
import { markdown } from '../contract/formats.ts';
import type { UrlRecord } from '../contract/records.ts';
import { foldLabel } from '../contract/tag-label.ts';
import { addBaseFlag, addBatchFlags, addClearFlag, addInputFlags, type BulkOptions } from '../flags/bulk-flags.ts';
import { once } from '../flags/values.ts';
import { describe } from '../help/description.ts';
import { cellValue, isRefused } from '../input/field-values.ts';
import { grouped, quantity } from '../output/quantity.ts';
import { namesOf, type Report, type TextReport } from '../output/report.ts';
import { hashChangePresentation, urlColumns } from '../output/url-columns.ts';

interface ApplyOptions extends BulkOptions {
  readonly prune?: string;
}

export function registerApply(command: Command, run: Runner): void {
  command.option('--prune <label>', 'delete links that carry <label> and are not in the file', once);
  addInputFlags(command);
  addBaseFlag(command);
  addClearFlag(command);
  addBatchFlags(command);
  command.action(run(apply));
  describe(command, {
    examples: [
      'linkctl apply -f links.csv',
      'linkctl apply -f links.csv --dry-run',
      'linkctl apply -f links.csv --dry-run -o markdown > comment.md',
      'git pull -q && linkctl apply -f links.csv --prune from-git --yes',
    ],
    fields: namesOf(urlColumns),
    notes: [
      'Makes the links that are missing and edits those that differ, as linkctl diff shows them. Each row names its link by hash, custom_hash ' +
        'or short_url. An empty csv cell changes nothing; --clear-empty clears the field, and never clears expiration_date. In JSON, use null or "" and []. ' +
        'tags are all labels of the link: others are detached. With --base <listing>, only what differs from the listing is changed, and a ' +
        'link that somebody else changed meanwhile is left alone.',
      'Nothing is deleted, except with --prune <label>: links on the domains of the file that carry the label and are not in the file. Other ' +
        'links that are not in the file are left alone, and named.',
      'It stops if more than 30 % of the links that it governs, and at least 10, would be changed or deleted: --max-affected <n> allows up ' +
        'to <n>. Each link is read again right before it is changed; one that somebody else changed meanwhile is reported and left alone.',
      'It is one run: the same command resumes it, and linkctl undo takes it back. Run again, it sends nothing.',
    ],
    globals: ['--domain', '--yes', '--dry-run', '--max-affected', '--quiet', '--progress'],
  });
}

/** Makes the account as a file says, in one run. */
async function apply(options: ApplyOptions, invocation: Invocation): Promise<Report> {
  if (options.printTemplate) return await (await import('../cli/print-template.ts')).printTemplate('apply', options, invocation);
  const { file, prune } = options;
  if (file === undefined) throw new UsageError("missing required flag '--file'", missing);
  if (invocation.global.output === markdown && !invocation.global.dryRun) {
    throw new UsageError('-o markdown shows the plan: add --dry-run');
  }
  if (prune?.trim() === '') throw new UsageError('--prune: the label is empty');
  const session = await openSession(invocation);
  await requireAnswer(session, 'named');
  const base = await openBase(options, session);
  const { input, domains, reading, targets } = await checkedRows('apply', options, session);
  if (input.rows === 0) throw new UsageError(`${input.name}: no rows`);
  const besides = await linksOfDomains(domains, {}, session);
  const batchSize = batchSizeOf(session, options.batchSize);
  const empty = new EmptyCells(targets, session.edition, options.clearEmpty === true);
  const compared = () => comparedPages({ file: input, besides: besides.pages, batchSize, empty }, session);
  if (session.global.output === markdown) return await markdownPlan({ pages: compared(), prune, base, empty }, session);
  return await changeListed<AppliedPayload, ComparedLink>(
    {
      what: ['apply', '-f', file, ...(prune === undefined ? [] : ['--prune', prune])].map(shellWord).join(' '),
      links: {
        ...besides,
        file: rereadable(input, input.sha256),
        pages: () => notedPages(warnedPages(compared(), prune, session), empty, session),
      },
      given: { sha256: input.sha256, prune, ...reading.flags, base: base?.sha256, clear_empty: options.clearEmpty },
      kind: 'apply',
      verb: 'apply',
      question: { verb: 'Apply the changes to', namesKinds: true },
      options,
      presentation: { ...hashChangePresentation('urls'), doing: 'applying', undoneBy: 'linkctl undo' },
      decide: (link) => decide(link, prune, base),
      operation: (settings) => applyOperation({ ...settings, edition: session.edition }),
      // What is refused would have been made.
      payload: (target, fields, kind) => appliedRow(target, fields, kind === 'refused' ? 'create' : kind),
      refuse: (plan) => refuseDrift(plan, session),
      comparesAgain: true,
    },
    session,
  );
}

interface Planned {
  readonly pages: AsyncIterable<SelectedPage<ComparedLink>>;
  readonly prune: string | undefined;
  readonly base: BaseListing | undefined;
  readonly empty: EmptyCells;
}

/** What would be done, for the comment of a pull request. */
async function markdownPlan({ pages, prune, base, empty }: Planned, session: Session): Promise<TextReport> {
  const plan = startPlan({ verb: 'apply', session });
  const shown = new MarkdownPlan();
  for await (const { links } of pages) {
    for (const link of links) {
      const outcome = decide(link, prune, base);
      plan.add({ ...link, outcome });
      shown.add(differencesOf(link, outcome));
    }
  }
  return { kind: 'text', text: shown.text(plan, empty.notes()), notes: () => ['dry run: nothing was sent'] };
}

type AppliedPayload = ReturnType<typeof appliedRow>;

const missing = { details: ['usage: linkctl apply -f <file> [--prune <label>]'], hint: 'linkctl apply --help' };

function decide(link: ComparedLink, prune: string | undefined, base: BaseListing | undefined): PlannedOutcome {
  const besides = (record: UrlRecord): PlannedOutcome =>
    carries(record, prune) ? { kind: 'delete' } : { kind: 'left', reason: 'not in the file, left alone' };
  const outcome = outcomeSince(link, base, besides);
  return link.item ? made(link.item, outcome) : outcome;
}

/** Says which cells were not compared, when all are read. */
async function* notedPages<Page>(pages: AsyncIterable<Page>, empty: EmptyCells, session: Session): AsyncGenerator<Page> {
  yield* pages;
  for (const line of empty.newNotes()) await session.note(line);
}

function carries(record: ComparedLink['record'], label: string | undefined): boolean {
  return label !== undefined && record?.tags.some((tag) => foldLabel(tag) === foldLabel(label)) === true;
}

/** Says where no link has the label to prune by: it may be misspelt. */
async function* warnedPages<Page extends { readonly links: readonly ComparedLink[] }>(
  pages: AsyncIterable<Page>,
  prune: string | undefined,
  session: Session,
): AsyncGenerator<Page> {
  let isCarried = false;
  for await (const page of pages) {
    isCarried ||= page.links.some(({ record }) => carries(record, prune));
    yield page;
  }
  if (prune !== undefined && !isCarried) await session.warn(`--prune: no link carries the tag ${quoted(prune)}`);
}

/** What cannot be made as the file says is not sent. */
function made({ hash, long_url }: FileLink, outcome: PlannedOutcome): PlannedOutcome {
  if (outcome.kind !== 'create') return outcome;
  if (long_url === undefined) return { kind: 'refused', reason: 'no such link, and no long_url to make it with' };
  return isRefused(cellValue('custom_hash', hash))
    ? { kind: 'refused', reason: 'no such link, and its hash is no custom hash' }
    : outcome;
}

/** Beyond so many links, and this part of those that the file governs, a change is probably a wrong file. */
const least = 10;
const part = 0.3;

function refuseDrift({ counts, countOf }: ChangePlan, { global: { maxAffected } }: Session): void {
  const affected = countOf('change') + countOf('delete');
  const governed = affected + countOf('unchanged');
  if (maxAffected !== undefined || affected < least || affected <= governed * part) return;
  const share = `${grouped(affected)} of ${quantity(governed, 'link')} would be changed or deleted, more than 30 %`;
  throw new UsageError(`${share}; nothing was changed: if this is meant, add --max-affected ${counts.planned}`, {
    hint: '--dry-run shows which they are',
  });
}
