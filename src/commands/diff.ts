import type { Command } from 'commander';
import { DifferentError, UsageError } from '../base/errors.ts';
import { showPlan } from '../change/consent.ts';
import { differencesOf } from '../change/plan/differences.ts';
import { MarkdownPlan } from '../change/plan/markdown.ts';
import { type ChangePlan, startPlan } from '../change/plan/plan.ts';
import { wantsRows } from '../change/plan/report.ts';
import { type BaseListing, openBase } from '../change/rows/base.ts';
import { type ComparedLink, comparedPages, outcomeSince } from '../change/rows/comparison.ts';
import { EmptyCells } from '../change/rows/empty-cells.ts';
import { checkedRows } from '../change/rows/file.ts';
import { linksOfDomains, noteCoverage, type SelectedLinks, selectLinks } from '../change/rows/selected-links.ts';
import type { Invocation } from '../cli/invocation.ts';
import { refuseDomainsOf } from '../cli/listing.ts';
import type { Runner } from '../cli/run.ts';
import { openSession, type Session } from '../cli/session.ts';
import { batchSizeOf } from '../client/batch-limits.ts';
import { markdown } from '../contract/formats.ts';
import type { LinkDomains } from '../contract/link.ts';
import { addBaseFlag, addClearFlag, addInputFlags, type BulkOptions } from '../flags/bulk-flags.ts';
import {
  addSelectionFlags,
  type LinkSelection,
  namesSelection,
  requireLinkSelection,
  type SelectionOptions,
} from '../flags/selection-flags.ts';
import { describe } from '../help/description.ts';
import { type Column, namesOf, type Report, type Row, type RowsReport, type TextReport } from '../output/report.ts';

interface DiffOptions extends SelectionOptions, BulkOptions {}

export function registerDiff(command: Command, run: Runner): void {
  addSelectionFlags(command);
  addInputFlags(command);
  addBaseFlag(command);
  addClearFlag(command);
  command.action(run(diff));
  describe(command, {
    examples: [
      'linkctl diff -f links.csv',
      "linkctl diff -f links.csv --by-tags 'promo'",
      'linkctl diff -f links.csv -o markdown',
      'linkctl diff -f links.csv --all-domains -o json',
      'linkctl list -o csv > links.csv && linkctl diff -f links.csv',
    ],
    fields: namesOf(columns),
    notes: [
      'Exit 0 if the file and the account are equal, 12 if they differ, another code for a failure.',
      '+ is a link that only the file has, - one that only the account has, and ~ a field that differs: before is the value of the account, ' +
        'after that of the file. A terminal shows changes that are alike once, with their number; a pipe or -o gets a row for each difference.',
      'Each row names its link by hash, custom_hash or short_url, with a domain column if hashes are not enough. To state that ' +
        'a link has no expiration date, write never. Empty csv cells are not compared; --clear-empty clears them. In JSON, use "" and []. With ' +
        '--base <listing>, only what differs from the listing is compared; ! is a link that has changed since. tags are all labels of the link, as in a listing. ' +
        'Columns of a listing that cannot be set, such as clicks, are not compared.',
      'Without a selection, - covers the domains that the file names, or the domain in use. With one, it covers what is selected; links ' +
        'that the file names are always compared.',
    ],
    globals: ['--domain', '--fields', '--output', '--quiet'],
  });
}

/** Compares a file with the account, and changes nothing. */
async function diff(options: DiffOptions, invocation: Invocation, operands: string[]): Promise<Report> {
  if (options.printTemplate) return await (await import('../cli/print-template.ts')).printTemplate('apply', options, invocation);
  const { file } = options;
  if (file === undefined) throw new UsageError("missing required flag '--file'", missing);
  const selection = namesSelection(operands, options) ? requireLinkSelection(operands, options, 'diff -f <file>') : undefined;
  if (file === '-' && selection?.kind === 'file' && selection.path === '-') {
    throw new UsageError('specify only one of --file - or --hashes-from -');
  }
  const session = await openSession(invocation);
  const listed: LinkSelection | undefined = selection ?? (options.allDomains ? { kind: 'all' } : undefined);
  if (listed) refuseDomainsOf(listed, options, session);
  const base = await openBase(options, session);
  const { input, domains, targets } = await checkedRows('apply', options, session, { isOnlyRead: true });
  if (!listed) await noteCoverage(domains, session);
  const besides = listed ? await selectLinks(listed, options, session) : await linksOfDomains(domains, options, session);
  const empty = new EmptyCells(targets, session.edition, options.clearEmpty === true);
  const batchSize = batchSizeOf(session);
  const compared = comparedPages({ file: input, besides: besides.pages, batchSize, empty }, session);
  const place = { file: input.name, domains: domainsOf(domains, besides), base, empty };
  if (session.global.output === markdown) return await markdownDiff(compared, place, session);
  return diffReport(compared, place, session);
}

const missing = { details: ['usage: linkctl diff -f <file> [selection]'], hint: 'linkctl diff --help' };

function domainsOf(domains: LinkDomains, { severalDomains }: SelectedLinks): LinkDomains {
  return severalDomains ? ['several', ...domains] : domains;
}

const columns: readonly Column[] = [
  { name: 'sign', essential: true },
  { name: 'hash', essential: true },
  { name: 'short_url', essential: true },
  { name: 'field' },
  { name: 'before', shrinks: true },
  { name: 'after', shrinks: true },
];

interface Compared {
  readonly file: string;
  readonly domains: LinkDomains;
  readonly base: BaseListing | undefined;
  readonly empty: EmptyCells;
}

function diffReport(
  compared: AsyncIterable<{ readonly links: readonly ComparedLink[]; readonly read: number }>,
  { file, domains, base, empty }: Compared,
  session: Session,
): RowsReport {
  const { streams } = session;
  const plan = startPlan({ verb: 'differ', session });
  const asRows = wantsRows(session);
  async function* rows(): AsyncGenerator<Row[]> {
    for await (const { links, read } of compared) {
      const some: Row[] = [];
      for (const link of links) {
        const outcome = outcomeSince(link, base, () => ({ kind: 'delete' }));
        plan.add({ ...link, outcome });
        if (asRows) some.push(...differencesOf(link, outcome));
      }
      streams.progress.step(() => `${read} links compared`);
      yield some;
    }
    if (!asRows) await showPlan(plan, session);
  }
  const drift = (): DifferentError | undefined =>
    plan.counts.planned + plan.counts.refused > 0
      ? new DifferentError(`${file} and the account differ`, { reported: true })
      : undefined;
  const shown = ['sign', domains.length > 1 ? 'short_url' : 'hash', 'field', 'before', 'after'];
  return {
    kind: 'rows',
    key: 'differences',
    rows: rows(),
    columns,
    tableFields: shown,
    pipedFields: shown,
    members: () => ({ summary: summaryOf(plan) }),
    notes: () => [...(asRows ? plan.summary() : []), ...empty.notes()],
    outcome: drift,
    // A reader that goes away has seen a difference.
    abandoned: drift,
  };
}

function summaryOf({ countOf }: ChangePlan): Row {
  return {
    only_in_file: countOf('create'),
    different: countOf('change'),
    only_in_account: countOf('delete'),
    equal: countOf('unchanged'),
  };
}

function driftOf({ counts }: ChangePlan, file: string): DifferentError | undefined {
  return counts.planned + counts.refused > 0
    ? new DifferentError(`${file} and the account differ`, { reported: true })
    : undefined;
}

/** The same for the comment of a pull request. */
async function markdownDiff(
  compared: AsyncIterable<{ readonly links: readonly ComparedLink[] }>,
  { file, base, empty }: Compared,
  session: Session,
): Promise<TextReport> {
  const plan = startPlan({ verb: 'differ', session });
  const shown = new MarkdownPlan();
  for await (const { links } of compared) {
    for (const link of links) {
      const outcome = outcomeSince(link, base, () => ({ kind: 'delete' }));
      plan.add({ ...link, outcome });
      shown.add(differencesOf(link, outcome));
    }
  }
  return { kind: 'text', text: shown.text(plan, empty.notes()), outcome: () => driftOf(plan, file) };
}
