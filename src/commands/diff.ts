import type { Command } from 'commander';
import { type CliError, DifferentError, UsageError } from '../base/errors.ts';
import { showPlan } from '../change/consent.ts';
import { asInFile, type FileLink } from '../change/decide/apply.ts';
import type { ComparedLink, PlannedLink, PlannedOutcome } from '../change/decide/outcome.ts';
import { differencesOf, markdownPlan } from '../change/plan/differences.ts';
import { ChangePlan, type DecidableLinks, decidedPages } from '../change/plan/plan.ts';
import { wantsRows } from '../change/plan/report.ts';
import { summaryLines } from '../change/plan/text.ts';
import { openComparison } from '../change/rows/comparison.ts';
import type { EmptyCells } from '../change/rows/empty-cells.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/runner.ts';
import { openSession, type Session } from '../cli/session.ts';
import { markdown } from '../contract/formats.ts';
import { addBaseFlag, addClearFlag, addInputFlags, type BulkOptions } from '../flags/bulk-flags.ts';
import { outputWithMarkdown } from '../flags/globals.ts';
import { missingInput } from '../flags/missing-input.ts';
import { describe } from '../help/description.ts';
import type { Column, Report, Row, RowsReport } from '../output/report.ts';
import { linksOfDomains, selectLinks } from '../select/link-selection.ts';
import { MissingLinks } from '../select/named-rows.ts';
import { addSelectionFlags, chosenSelection, everything, type SelectionOptions } from '../select/selection-flags.ts';

export function register(command: Command, run: Runner): void {
  addSelectionFlags(command);
  addInputFlags(command);
  addBaseFlag(command);
  addClearFlag(command);
  command.addOption(outputWithMarkdown());
  command.action(run(diff));
  describe(command, {
    examples: [
      'linkctl diff -f links.csv',
      "linkctl diff -f links.csv --by-tags 'promo'",
      'linkctl diff -f links.csv -o markdown',
      'linkctl diff -f links.csv --all-domains -o json',
      'linkctl list -o csv > links.csv && linkctl diff -f links.csv',
    ],
    fields: columns,
    notes: [
      'Exit 0 if the file and the account are equal, 12 if they differ, another code for a failure.',
      '+ is a link that only the file has, - one that only the account has, and ~ a field that differs. before is the value in the account, ' +
        'after the value that apply would set. A terminal shows equal changes once, with their number. A pipe or -o gets a row for each difference.',
      'Each row names its link by hash, custom_hash or short_url, with a domain column if hashes are not enough. To state that ' +
        'a link has no expiration date, write never. Empty csv cells are not compared; --clear-empty clears them. In JSON, use "" and []. With ' +
        '--base <listing>, only what differs from the listing is compared; ! is a link that has changed since. tags are all labels of the link, as in a listing. ' +
        'Columns of a listing that cannot be set, such as clicks, are not compared. Neither is white space at the ends of a note: some servers ' +
        'add or remove it.',
      'Without a selection, - covers the domains that the file names, or the domain in use. With one, it covers what is selected; links ' +
        'that the file names are always compared.',
    ],
    onlyReads: true,
    globals: ['--domain', '--fields', '--quiet'],
  });
}

/** Compares a file with the account, and changes nothing. */
async function diff(options: SelectionOptions & BulkOptions, invocation: Invocation, operands: string[]): Promise<Report> {
  if (options.printTemplate) return await (await import('../change/rows/file.ts')).printTemplate('apply', options, invocation);
  const { file } = options;
  if (file === undefined) {
    const { fileCommand } = await import('../help/usage-error.ts');
    throw missingInput("flag '--file'", missing, fileCommand('linkctl diff', operands));
  }
  const selection = chosenSelection(operands, options);
  if (file === '-' && selection?.kind === 'file' && selection.path === '-') {
    throw new UsageError('specify only one of --file - or --hashes-from -');
  }
  const session = await openSession(invocation);
  const listed = selection ?? (options.allDomains ? everything : undefined);
  const { input, domains, empty, compared } = await openComparison(options, session, true);
  const account = await (listed
    ? selectLinks(listed, options, session, 'compare')
    : linksOfDomains(domains, options, session, { isNoted: true }));
  const comparison = compared(account, asInFile);
  const named = account.kind === 'named' ? account.count : 0;
  const absent = new MissingLinks();
  const driftOf = ({ planned, countOf }: ChangePlan): DifferentError | undefined =>
    planned + countOf('refused') > 0 ? new DifferentError(`${input.name} and the account differ`, { reported: true }) : undefined;
  if (session.global.output === markdown) {
    const decide = (link: ComparedLink<FileLink>): PlannedOutcome => {
      if (isAbsent(link)) absent.add(link.target);
      return comparison.decide(link);
    };
    const { plan, text } = await markdownPlan({ ...comparison, decide }, 'differ', session);
    const outcome = () => absent.outcome(named, { isShown: false }) ?? driftOf(plan);
    return { kind: 'text', text: text(empty.notes()), outcome, abandoned: () => driftOf(plan) };
  }
  const name = account.severalDomains || domains.length > 1 ? 'short_url' : 'hash';
  return diffReport(comparison, { name, empty, absent, named, driftOf }, session);
}

const missing = { command: 'diff', usage: '-f <file> [selection]', example: '-f links.csv' };

const columns: readonly Column[] = [
  { name: 'sign', essential: true },
  { name: 'hash', essential: true },
  { name: 'short_url', essential: true },
  { name: 'field' },
  { name: 'before', shrinks: true },
  { name: 'after', shrinks: true },
];

/** A link that was named, and that neither side has. */
function isAbsent({ item, record }: ComparedLink<FileLink>): boolean {
  return item === undefined && record === undefined;
}

interface Compared {
  /** The column that names a link. */
  readonly name: string;
  readonly empty: EmptyCells;
  readonly absent: MissingLinks;
  /** Number of links that were named. */
  readonly named: number;
  driftOf(plan: ChangePlan): CliError | undefined;
}

function diffReport(
  compared: DecidableLinks<ComparedLink<FileLink>>,
  { name, empty, absent, named, driftOf }: Compared,
  session: Session,
): RowsReport {
  const plan = new ChangePlan('differ', session);
  const asRows = wantsRows(session);
  const rowsOf = (link: ComparedLink<FileLink> & PlannedLink): Row[] => {
    if (isAbsent(link)) return [absent.add(link.target)];
    return asRows ? differencesOf(link) : [];
  };
  async function* rows(): AsyncGenerator<Row[]> {
    for await (const links of decidedPages(plan, compared, session)) yield links.flatMap(rowsOf);
    if (!asRows) await showPlan(plan, session);
  }
  const shown = ['sign', name, 'field', 'before', 'after'];
  return {
    kind: 'rows',
    key: 'differences',
    rows: rows(),
    columns,
    tableFields: shown,
    pipedFields: shown,
    members: () => ({ summary: summaryOf(plan) }),
    notes: () => [...(asRows ? summaryLines(plan) : []), ...empty.notes()],
    failure: absent.failure,
    outcome: () => absent.outcome(named) ?? driftOf(plan),
    // A closed output pipe does not hide the differences found so far.
    abandoned: () => driftOf(plan),
  };
}

function summaryOf({ countOf }: ChangePlan): Row {
  return {
    only_in_file: countOf('create'),
    different: countOf('change'),
    only_in_account: countOf('delete'),
    equal: countOf('unchanged'),
    refused: countOf('refused'),
  };
}
