import type { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import { editItemsOperation } from '../bulk/operations/editing.ts';
import { hiddenDestination, type PlannedOutcome } from '../change/decide/outcome.ts';
import { requireAnswer } from '../change/limits.ts';
import { runPlannedChange } from '../change/run.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/runner.ts';
import { openSession, type Session } from '../cli/session.ts';
import { editions } from '../contract/editions.ts';
import { recordDomain } from '../contract/link.ts';
import type { UrlRecord } from '../contract/records.ts';
import { withLocalName } from '../contract/web-address.ts';
import { addBatchFlags, addNoUndoFlag, type BulkOptions } from '../flags/bulk-flags.ts';
import { addRuleFlags, type RuleOptions, readRules, rulesText, splitOperands } from '../flags/rewrite-flags.ts';
import { describe } from '../help/description.ts';
import { longUrlFault } from '../input/field-values.ts';
import { type UrlRule, urlChange } from '../link/rules/url-change.ts';
import { canonicalHost } from '../link/value.ts';
import type { Report } from '../output/report.ts';
import { hashChangePresentation, urlColumns } from '../output/url-columns.ts';
import { selectLinks } from '../select/link-selection.ts';
import {
  addSelectionOptions,
  chosenSelection,
  everything,
  type LinkSelection,
  refuseDomainFlags,
  requireSelection,
  type SelectionOptions,
} from '../select/selection-flags.ts';

interface RewriteOptions extends RuleOptions, SelectionOptions, BulkOptions {}

export function register(command: Command, run: Runner): void {
  addRuleFlags(command);
  addSelectionOptions(command);
  addBatchFlags(command);
  addNoUndoFlag(command);
  command.action(run(rewrite));
  describe(command, {
    examples: [
      'linkctl rewrite https://old.example/shop https://new.example/store',
      'linkctl rewrite --host old.example=new.example --all-domains',
      'linkctl rewrite --scheme https --all',
      'linkctl rewrite --set-param ref=print abc xyz',
      "linkctl rewrite --utm source=newsletter,medium=email --by-tags 'promo'",
      "linkctl rewrite --remove-param 'utm_*' --search newsletter",
      "linkctl rewrite --regex '//(\\w+)\\.old\\.example/' --to '//new.example/$1/'",
      'linkctl rewrite https://old.example https://new.example -n -o csv > edits.csv',
    ],
    fields: urlColumns,
    notes: [
      '<from> ends at a boundary: https://a.example matches https://a.example/x and never https://a.example.evil. Scheme and host are not ' +
        'case-sensitive. The rest of the URL stays byte for byte. Links that already begin with <to> are left unchanged.',
      'Several rules apply in the order of the flags above. <from>, --host and --regex select links from the domain or the ' +
        'selection. Other rules given with them apply to the same links. Alone, the other rules need a selection or --all.',
      'An existing parameter is replaced in place, and repeated ones are removed. A new one is added at the end of the query. Values are ' +
        'percent-encoded if needed; encoded text and + stay as typed. --host compares the port only if it is given.',
      'In --to, $1 to $9 and $<name> are the groups of --regex, and $$ is a dollar sign. All other text is literal. The first match in a URL is ' +
        'replaced. Regular expressions are those of JavaScript without lookaround, back references and repetitions above 16, which could run for ever.',
      'The plan is shown first: the number of links, the changes, and the refused links. A new URL is refused if it is invalid or leads to a ' +
        'domain of the account. Only links that change are sent. With -n -o csv, the plan is input for edit -f.',
      'Without a terminal, --yes is required, and --max-affected too except with <hash>... and --hashes-from.',
    ],
    globals: ['--domain', '--yes', '--dry-run', '--max-affected', '--no-input', '--quiet', '--progress'],
  });
}

async function rewrite(options: RewriteOptions, invocation: Invocation, operands: string[]): Promise<Report> {
  const { prefixes, hashes, maybeShort } = splitOperands(operands, options);
  const rules = readRules(prefixes, options, invocation.now);
  const selection = rewrittenLinks(hashes, options, rules);
  const session = await openSession(invocation);
  refuseDomainFlags(selection, options, session, 'change');
  await requireAnswer(session, selection.kind === 'listing' ? 'rewrite' : 'named');
  const links = await selectLinks(selection, options, session, 'change');
  const decide = await deciderOf(rules, maybeShort, session);
  const text = rulesText(prefixes, options);
  return await runPlannedChange(
    {
      what: `rewrite ${text}`,
      links,
      given: { ...links.given, rules: text },
      kind: 'edit',
      verb: 'change',
      question: { verb: 'Rewrite' },
      options,
      presentation: { ...hashChangePresentation('urls', 'Changed'), doing: 'rewriting' },
      decide: ({ record }) => (record ? decide(record) : { kind: 'missing' }),
      operation: editItemsOperation,
    },
    session,
  );
}

/**
 * Refuses results that would be a short URL of the same account, which could redirect in a circle. Throws a UsageError if `maybeShort` is
 * one: it would name a link, and the other rules would change all links.
 */
async function deciderOf(
  rules: readonly UrlRule[],
  maybeShort: string | undefined,
  session: Session,
): Promise<(record: UrlRecord) => PlannedOutcome> {
  const ownDomains = new Set<string>();
  const ownHosts = new Set<string>();
  const hostOfFrom = maybeShort && canonicalHost(maybeShort);
  const addDomain = (domain: string | undefined): void => {
    if (domain === undefined || ownDomains.has(domain)) return;
    ownDomains.add(domain);
    const host = canonicalHost(`https://${domain}`);
    if (host !== undefined) ownHosts.add(withLocalName(host));
    if (hostOfFrom && ownHosts.has(withLocalName(hostOfFrom))) {
      throw new UsageError(`<from>: "${maybeShort}" is a short URL`, {
        hint: 'beside other rules, name links by their hashes: abc or s.example/abc',
      });
    }
  };
  if (editions[session.edition].severalDomains) for (const name of (await session.domains()).names) addDomain(name);
  const change = urlChange(rules, { fault: longUrlFault, isOwnHost: (host) => ownHosts.has(withLocalName(host)) });
  return (record) => {
    addDomain(recordDomain(record));
    if (record.long_url === undefined) return { kind: 'refused', reason: hiddenDestination };
    const result = change(record.long_url);
    return result.kind === 'changed' ? { kind: 'change', fields: { long_url: result.longUrl } } : result;
  };
}

/** Without a selection, all links if some rule selects links by itself. Throws a UsageError otherwise. */
function rewrittenLinks(hashes: readonly string[], options: SelectionOptions, rules: readonly UrlRule[]): LinkSelection {
  const chosen = chosenSelection(hashes, options);
  if (chosen) return chosen;
  if (rules.some(({ selects }) => selects)) return everything;
  if (options.filter || options.allDomains) return requireSelection([], options, 'rewrite');
  throw new UsageError('no links selected: add <hash>..., --by-tags, --search or --hashes-from, or --all for all links');
}
