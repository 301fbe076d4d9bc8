import { shellWord } from '../base/shell-word.ts';
import { type AppliedRow, applyOperation } from '../bulk/operations/apply.ts';
import type { EarlierLink } from '../bulk/records/done-change.ts';
import { batchSizeOf } from '../client/batch-limits.ts';
import { type Edition, thisServer } from '../contract/editions.ts';
import type { BulkOptions } from '../flags/bulk-flags.ts';
import { plainQuantity } from '../output/quantity.ts';
import { batchesOf, type Row, type RowsReport } from '../output/report.ts';
import { hashChangePresentation } from '../output/url-columns.ts';
import { selectLinks } from '../select/link-selection.ts';
import type { SelectedLinks } from '../select/selected-links.ts';
import { isEverything, type LinkSelection, type SelectionOptions } from '../select/selection-flags.ts';
import type { ListedChange } from './change.ts';
import { asCopied, type ComparedLink, decider } from './decide/sides.ts';
import { requireAnswer } from './limits.ts';
import type { ChangePlan } from './plan/plan.ts';
import { comparedPages } from './rows/comparison.ts';
import { CopiedTags } from './rows/copied-tags.ts';
import { copiedLinks } from './rows/copy.ts';
import { type CopyAccounts, type DomainMap, readDomainMap, refuseSameAccount } from './rows/copy-domains.ts';
import { runPlannedChange } from './run.ts';
import { appliedRow } from './sending.ts';

export interface CopyOptions extends SelectionOptions, BulkOptions {
  readonly mapDomain?: readonly string[];
}

/**
 * Makes the links of one account on another, oldest first. The hash is the key, so that the same command makes nothing twice, and
 * the run belongs to the target, where it can be undone.
 */
export async function copyLinks(selection: LinkSelection, options: CopyOptions, accounts: CopyAccounts): Promise<RowsReport> {
  const { source, target } = accounts;
  const map = readDomainMap(options.mapDomain);
  refuseSameAccount(accounts, map);
  await requireAnswer(target, 'named');
  const links = await selectLinks(selection, options, source, 'change');
  const copying: Copying = { plan: undefined, withoutBound: 0, tags: undefined, accounts };
  // Tags belong to the account: a part of its links brings only its own.
  if (selection.kind === 'listing' && isEverything(selection) && !options.filter) copying.tags = new CopiedTags(accounts);
  const report = await runPlannedChange(changeOf({ ...links, map, options }, copying), target);
  if (target.global.dryRun) return report;
  if (!copying.plan?.planned) await copying.tags?.consent();
  return withFindings(report, copying);
}

interface Copying {
  /** Of a run that was resumed, nothing was planned. */
  plan: ChangePlan | undefined;
  /** Links whose `max_clicks` the target does not have. */
  withoutBound: number;
  tags: CopiedTags | undefined;
  readonly accounts: CopyAccounts;
}

interface Copied extends SelectedLinks {
  readonly map: DomainMap;
  readonly options: CopyOptions;
}

function changeOf({ map, options, ...links }: Copied, copying: Copying): ListedChange<AppliedRow, ComparedLink<EarlierLink>> {
  const { tags, accounts } = copying;
  const { source, target } = accounts;
  const { items, hasLabel } = copiedLinks(links, map, accounts);
  const decide = decider(asCopied(target.edition), { kind: 'refused', reason: 'not found', code: 1306 });
  const { server, username } = source.client.identity;
  return {
    what: `copy from ${source.profile ?? username}`,
    links: {
      given: { ...links.given, from: [server, username], domain: source.domain },
      filterAt: async () => undefined,
      severalDomains: links.severalDomains,
      async *pages() {
        copying.withoutBound = 0;
        await tags?.find(hasLabel);
        yield* comparedPages({ items, batchSize: batchSizeOf(target) }, target);
      },
    },
    given: { mapDomain: options.mapDomain },
    kind: 'apply',
    verb: 'copy',
    question: { verb: 'Copy', preposition: 'to' },
    // One batch at a time, or later links could be made before earlier ones.
    options: { ...options, concurrency: 1, again: true },
    presentation: { ...hashChangePresentation('urls', 'Copied'), doing: 'copying', undoneBy: undoOf(target) },
    decide(link) {
      const outcome = decide(link);
      const isUnbound = outcome.kind === 'copy' && link.item?.max_clicks && outcome.fields.max_clicks === undefined;
      copying.withoutBound += isUnbound ? 1 : 0;
      return outcome;
    },
    inspect: (plan) => Object.assign(copying, { plan }),
    operation: (settings) => applyOperation({ ...settings, edition: target.edition }),
    payload: (key, fields) => appliedRow(key, fields, 'create'),
    // Before a late answer links may have been made there.
    comparesAgain: true,
    requestsBefore: () => tags?.requests() ?? [],
  };
}

/** The run is one of the target, which need not be the account of the next command. */
function undoOf({ profile }: CopyAccounts['target']): string {
  return ['linkctl undo', ...(profile === undefined ? [] : ['--profile', shellWord(profile)])].join(' ');
}

/** Adds the tags before the links, and says what was there already and what did not come along. */
function withFindings(report: RowsReport, copying: Copying): RowsReport {
  const { plan, tags, withoutBound, accounts } = copying;
  const existing = plan?.countOf('unchanged') ?? 0;
  async function* rows(): AsyncGenerator<Iterable<Row>> {
    await tags?.add();
    for await (const some of batchesOf(report)) yield some;
  }
  const members = (): Row => {
    const { summary, ...others } = report.members?.() ?? {};
    return { ...others, summary: summaryWith(existing, summary) };
  };
  const ofLinks = (): string[] => [
    ...(existing > 0 ? [`${plainQuantity(existing, 'link')} existing: nothing was sent for these`] : []),
    ...leftBehind(withoutBound, accounts.target.edition),
  ];
  const lines = (): string[] => [
    ...(tags && tags.count > 0 ? [`${plainQuantity(tags.count, 'tag')} added`] : []),
    ...(report.runRows === undefined ? [] : ofLinks()),
  ];
  return { ...report, rows: rows(), members, notes: () => [...(report.notes?.() ?? []), ...lines()] };
}

/** Links that were found as they should be are no rows of the run, and are counted with them. */
function summaryWith(existing: number, summary: unknown): Row {
  const counts: Readonly<Record<string, unknown>> = { ...(typeof summary === 'object' && summary) };
  const sum = (name: string): number => Number(counts[name] ?? 0) + existing;
  return { ...counts, rows: sum('rows'), existing: sum('existing') };
}

/** Says what no call of the API can set. */
function leftBehind(withoutBound: number, edition: Edition): string[] {
  const bound = `max_clicks of ${plainQuantity(withoutBound, 'link')}, which ${thisServer(edition)} does not have`;
  return ['not copied: clicks, last visits and dates of creation', ...(withoutBound > 0 ? [`not copied: ${bound}`] : [])];
}
