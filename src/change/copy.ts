import { CliError } from '../base/errors.ts';
import { shellWord } from '../base/quoted.ts';
import { applyOperation } from '../bulk/operations/applying.ts';
import type { Session } from '../cli/session.ts';
import { batchSizeOf } from '../client/batch-limits.ts';
import type { KnownRecord } from '../contract/records.ts';
import type { BulkOptions } from '../flags/bulk-flags.ts';
import { withDefaults } from '../link/defaults.ts';
import { withTypedAccount } from '../output/printed-commands.ts';
import { plainQuantity } from '../output/quantity.ts';
import type { RowsReport } from '../output/report.ts';
import { hashChangePresentation } from '../output/url-columns.ts';
import { selectLinks } from '../select/link-selection.ts';
import type { SelectedPage } from '../select/selected-links.ts';
import { isEverything, type LinkSelection, type SelectionOptions } from '../select/selection-flags.ts';
import type { ListedChange } from './change.ts';
import { asCopied } from './decide/copy.ts';
import type { ComparedLink } from './decide/outcome.ts';
import { requireAnswer } from './limits.ts';
import type { ChangePlan } from './plan/plan.ts';
import { boundLines } from './plan/text.ts';
import { alsoCounting } from './report.ts';
import { comparedPages } from './rows/comparison.ts';
import { copiedLinks } from './rows/copy.ts';
import { type CopyAccounts, readDomainMap, refuseSameAccount } from './rows/copy-domains.ts';
import { runPlannedChange, unfinishedTagsOf } from './run.ts';
import { appliedRow } from './run-settings.ts';
import { type CopiedTags, copiedTags, unusedTags, withTagsAlone } from './tags/copied-tags.ts';
import { undoLineOf } from './typed-report.ts';

export interface CopyOptions extends SelectionOptions, BulkOptions {
  readonly mapDomain?: readonly string[];
}

interface Findings {
  /** Undefined if the run was resumed. */
  plan?: ChangePlan;
  readonly tags: CopiedTags;
}

/** Copies the oldest links first. Their hashes make it safe to repeat. The run belongs to the target account and is undone there. */
export async function copyLinks(selection: LinkSelection, options: CopyOptions, accounts: CopyAccounts): Promise<RowsReport> {
  const { source, target } = accounts;
  const map = readDomainMap(options.mapDomain);
  refuseSameAccount(accounts, map);
  await requireAnswer(target, 'named');
  const links = await selectLinks(selection, options, source, 'compare');
  // If only some links are copied, only their own tags are copied.
  const isWhole = selection.kind === 'listing' && isEverything(selection) && !options.filter;
  const tags = copiedTags(target);
  const findings: Findings = { tags };
  async function* pages(): AsyncGenerator<SelectedPage<ComparedLink<KnownRecord>>> {
    const { items, hasLabel } = await copiedLinks(links, map, accounts);
    if (isWhole) tags.labels = await unusedTags(hasLabel, accounts);
    yield* comparedPages({ items, batchSize: batchSizeOf(target) }, target);
  }
  const { server, username } = source.client.identity;
  const given = { ...links.given, from: [server, username], domain: source.domain, mapDomain: options.mapDomain };
  const { severalDomains } = links;
  const change = { ...changeOf(options, findings, accounts), given, links: { severalDomains, pages }, tags };
  // A resumed run reads no tags.
  tags.labels = (await unfinishedTagsOf(change, target))?.add ?? [];
  const report = await runPlannedChange(change, target);
  if (target.global.dryRun) return report;
  if (report.runRows === undefined) return withFindings(await withTagsAlone(report, tags, change, target), findings, target);
  if (!findings.plan) await target.note('the links are copied as they were when this run began');
  return withFindings(report, findings, target);
}

function changeOf(
  options: CopyOptions,
  findings: Findings,
  { source, target }: CopyAccounts,
): Omit<ListedChange, 'given' | 'links'> {
  return {
    what: `copy from ${source.profile ?? source.client.identity.username}`,
    kind: 'apply',
    verb: 'copy',
    question: { verb: 'Copy', preposition: 'to' },
    // Concurrent batches could create later links before earlier ones.
    options: { ...options, concurrency: 1 },
    presentation: {
      ...hashChangePresentation('urls', 'Copied'),
      doing: 'copying',
      undoLine: (run) => undoLineOf(run, undoOf(target)),
    },
    decide: asCopied(target.edition),
    inspect: (plan) => Object.assign(findings, { plan }),
    operation: applyOperation,
    payload: (key, fields) => appliedRow(key, withDefaults(fields), 'create'),
    // Links may be created in the target before the question is answered.
    rereads: true,
  };
}

/** Names the target's profile, because the next command may use another account by default. */
function undoOf({ profile }: CopyAccounts['target']): string {
  return ['linkctl undo', ...(profile === undefined ? [] : ['--profile', shellWord(profile)])].join(' ');
}

/** Names the target's profile in the hint, unless the error is about a link that the source does not have. */
function ofTarget(error: CliError | undefined, { profile }: Session): CliError | undefined {
  const hint = error?.hint && withTypedAccount(error.hint, { profile });
  if (!error || hint === error.hint || error.apiCode === 1306) return error;
  const { kind, message, apiCode, details, reported, cause } = error;
  return new CliError(kind, message, { hint, apiCode, details, reported, cause });
}

/** Reports the tags, the existing links, and the values that were not copied. */
function withFindings(report: RowsReport, { plan, tags }: Findings, target: Session): RowsReport {
  const existing = plan?.countOf('unchanged') ?? 0;
  const ofLinks = [
    ...(existing > 0 ? [`${plainQuantity(existing, 'link')} existing: nothing was sent for these`] : []),
    'not copied: clicks, last visits and dates of creation',
    ...(plan ? boundLines(plan) : []),
  ];
  const isRun = report.runRows !== undefined;
  const notes = (): string[] => [...(report.notes?.() ?? []), ...tags.notes(), ...(isRun ? ofLinks : [])];
  return {
    ...alsoCounting('existing', existing, report),
    notes,
    failure: (row) => ofTarget(report.failure?.(row), target),
    outcome: () => ofTarget(report.outcome?.() ?? tags.outcome(), target),
  };
}
