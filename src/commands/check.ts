import type { Command } from 'commander';
import { shellWord } from '../base/quoted.ts';
import { version } from '../base/version.ts';
import { startCheck } from '../bulk/check-runs/check-run.ts';
import { foldersOf } from '../change/environment.ts';
import { publicOnly } from '../check/addresses.ts';
import { type CheckSettings, defaultLimits } from '../check/engine.ts';
import { createNameLookup } from '../check/name-lookup.ts';
import { byStatus, type CheckStatus, checkStatuses, failingStatuses } from '../check/verdict.ts';
import { interruptible } from '../cli/interruption.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/runner.ts';
import { openSession, type Session, timeoutOf } from '../cli/session.ts';
import { maxWaitOf } from '../client/client-options.ts';
import { trustFor } from '../client/trust.ts';
import { hasSeveralDomains } from '../client/whole-listing.ts';
import { choices, outputPath } from '../flags/values.ts';
import { describe } from '../help/description.ts';
import { quantity } from '../output/quantity.ts';
import type { RowsReport } from '../output/report.ts';
import { selectLinks } from '../select/link-selection.ts';
import {
  addSelectionFlags,
  type LinkSelection,
  readSelection,
  type SelectionOptions,
  selectionWords,
} from '../select/selection-flags.ts';
import {
  type CheckView,
  checkColumns,
  checkPresentation,
  checkReport,
  gapFailure,
  headerLines,
  isEdit,
} from './check/check-report.ts';
import { keptLinks, readCheckedLinks, sumOf, unfinishedCheck } from './check/checked-links.ts';

interface CheckOptions extends SelectionOptions {
  readonly links?: boolean;
  readonly only?: readonly CheckStatus[];
  readonly failOn?: readonly CheckStatus[];
  readonly allowPrivate?: boolean;
  readonly results?: string;
}

export function register(command: Command, run: Runner): void {
  addSelectionFlags(command, 'check all links (default)');
  command
    .option('--links', 'check that the short URLs redirect to their destinations')
    .option('--only <statuses>', 'list only links with these statuses, separated by commas', choices(checkStatuses))
    .option('--fail-on <statuses>', `statuses that exit 3 (default: ${failingStatuses.join(',')})`, choices(checkStatuses))
    .option('--allow-private', 'also request addresses that are not public, such as 10.0.0.1')
    .option('--results <file>', 'write the final status of every link to <file>', outputPath);
  command.action(run(check));
  describe(command, {
    examples: [
      'linkctl check',
      "linkctl check --by-tags 'poster'",
      'linkctl check --filter host=old.example --only broken,unreachable',
      'linkctl check --all-domains --results checked.csv',
      'linkctl check --links abc',
      'linkctl check -o jsonl --only moved > moved.jsonl',
      'test ! -s moved.jsonl || linkctl edit -f moved.jsonl',
    ],
    fields: checkColumns,
    notes: [
      [
        'Each destination is requested once, however many links lead there:',
        '  ok           it answers 2xx, perhaps after temporary redirects',
        '  moved        only permanent redirects, and the new address answers 2xx',
        '  broken       404 or 410; any other 4xx or 5xx, seen twice',
        '  unreachable  no such name, refused, TLS failure or no answer, seen twice',
        '  loop         redirects in a circle, or more than 10 of them',
        '  blocked      401, 403, 429, 451 or 999: the page refused an automated',
        '               request; open it in a browser',
        '  skipped      not requested: not a public address, not http(s), a host whose',
        '               Retry-After is longer than --max-wait, or the network or the',
        '               name server of this computer fails; or, with --links, a link',
        '               with max_clicks whose destination only a click would show',
        '  wrong        with --links: the short URL does not lead to the destination',
      ].join('\n'),
      'Limits: 32 requests in total and 4 per host at a time, 50 ms apart; 20 s per request (--timeout). Hosts that answer 429 or 5xx get fewer ' +
        'requests, and Retry-After is obeyed up to --max-wait. Requests are HEAD, then GET if that fails; pages are not read, and cookies are ' +
        'not kept. What seems broken or unreachable is requested again 3 seconds later. Proxies are not used.',
      'check is a run: linkctl runs lists it, and the same command resumes it for a day. It changes nothing. With --only moved alone, long_url is ' +
        'the new address, and -o csv or jsonl is input for edit -f. If the new address has a password, long_url is empty. edit -f refuses a file without rows. --links does not request the destinations. Its requests may count as clicks, so links with max_clicks get HEAD only.',
      'Exit code 0: no link failed. 3: a link has a status of --fail-on. 8: nothing could be requested, or some links not yet. ' +
        'Reasons are a Retry-After longer than --max-wait, a name server that fails, and an incomplete listing. The same command requests those links later.',
    ],
    globals: [
      '--fields',
      '--domain',
      '--header',
      '--timeout',
      '--max-wait',
      '--ca-file',
      '--dry-run',
      '--yes',
      '--quiet',
      '--progress',
      '--verbose',
    ],
  });
}

async function check(options: CheckOptions, invocation: Invocation, operands: string[]): Promise<RowsReport> {
  const selection = readSelection(operands, options);
  const session = await openSession(invocation);
  const selected = await selectLinks(selection, options, session, 'show');
  const { links: shortUrls = false, allowPrivate, results, only, failOn } = options;
  // The order of the keys is part of the identity by which a check is resumed.
  const given = { filter: options.filter, ...selected.given, shortUrls, allowPrivate };
  const sha256 = sumOf(given);
  const begun = session.global.dryRun ? undefined : await unfinishedCheck(sha256, session);
  const { links, count, ...read } = await readCheckedLinks(selected, options, session);
  const statuses = only && new Set(only);
  const view: CheckView = {
    only: statuses,
    failOn: new Set(failOn ?? failingStatuses),
    // edit -f refuses hashes alone on an account of several domains.
    severalDomains: selected.severalDomains || (isEdit(statuses) && (await hasSeveralDomains(session))),
    results,
    ...read,
  };
  if (!links || count === 0) return nothingAsked(count, view);
  const interruption = interruptible(session, 'requests');
  const { client, system, warn, profile, domain, global } = session;
  const started = await startCheck(
    {
      what: titleOf(options, selection, session),
      options: given,
      sha256,
      profile,
      domain,
      links,
      resumes: begun,
      readLinks: (path) => keptLinks(path, session),
      shortUrls,
      settings: await settingsOf(options, session),
      results,
      overwrite: global.yes,
    },
    { client, system, warn, folders: foldersOf(session), interrupt: interruption.signal },
  );
  const shown = { ...view, check: started, links: count, interruption };
  for (const line of headerLines(shown, session)) await session.note(line);
  return checkReport(shown, session);
}

/** Includes all flags that decide the result: `runs` shows this text. */
function titleOf(options: CheckOptions, selection: LinkSelection, { domain, domainNamed }: Session): string {
  const { links, allowPrivate, allDomains, all, filter } = options;
  return [
    'check',
    ...(links ? ['--links'] : []),
    ...(allowPrivate ? ['--allow-private'] : []),
    ...(allDomains ? ['--all-domains'] : []),
    ...(domainNamed && domain !== undefined ? ['--domain', shellWord(domain)] : []),
    ...selectionWords(selection, filter).filter((word) => all || word !== '--all'),
  ].join(' ');
}

async function settingsOf({ allowPrivate }: CheckOptions, session: Session): Promise<CheckSettings> {
  const { system, global, failure, streams, warn } = session;
  const proxy = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].find((name) => system.env[name]);
  if (proxy) await warn(`destinations are requested directly: ${proxy} is not used, because a proxy resolves names itself`);
  // No credentials are sent, but a certificate that is not verified would prove nothing about the destination.
  const env = { ...system.env, NODE_TLS_REJECT_UNAUTHORIZED: undefined };
  const { ca } = await trustFor({ origin: new URL('https://localhost'), caFile: global.caFile, env });
  const shown = global.verbose || failure.debug;
  return {
    ...defaultLimits,
    maxWait: maxWaitOf(global.maxWait, system),
    refusal: allowPrivate ? () => undefined : publicOnly,
    resolve: await createNameLookup(new URL(session.client.identity.baseUrl).hostname, system),
    timeout: (timeoutOf(session) ?? defaultLimits.timeout / 1000) * 1000,
    userAgent: `linkctl/${version} (link check)`,
    ca,
    ...(shown && {
      report: (method, url, answer) => {
        const outcome = answer.kind === 'answer' ? answer.status : answer.reason;
        const time = answer.kind === 'refused' ? '' : ` ${answer.milliseconds} ms`;
        void streams.messageNow(`${method} ${url.href} ${outcome}${time}`);
      },
    }),
  };
}

/** Used for dry runs and for an empty selection, which is no failure. */
function nothingAsked(links: number, view: CheckView): RowsReport {
  const none = { destinations: 0, ...byStatus(() => 0), not_sent: 0, missing: 0, seconds: 0 };
  return {
    ...checkPresentation(view),
    rows: [],
    members: () => ({ summary: { links, ...(links === 0 && none) } }),
    outcome: () => (links === 0 ? gapFailure(view) : undefined),
    notes: () => [
      ...view.notes,
      links === 0 ? 'nothing to check' : `dry run: ${quantity(links, 'link')} would be checked; nothing was requested`,
    ],
  };
}
