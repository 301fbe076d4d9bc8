import type { Command } from 'commander';
import { UsageError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import { type CopyOptions, copyLinks } from '../change/copy.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/runner.ts';
import { openSession, type Session } from '../cli/session.ts';
import { addBatchFlags } from '../flags/bulk-flags.ts';
import { missingInput } from '../flags/missing-input.ts';
import { repeated } from '../flags/values.ts';
import { describe } from '../help/description.ts';
import { withTypedAccount } from '../output/printed-commands.ts';
import type { Report } from '../output/report.ts';
import { urlColumns } from '../output/url-columns.ts';
import { addSelectionFlags, chosenSelection, everything } from '../select/selection-flags.ts';

export function register(command: Command, run: Runner): void {
  command.option('--to <profile>', 'profile of the account to copy to');
  command.option('--map-domain <a=b>', 'copy the links of domain a to domain b; repeatable', repeated);
  addSelectionFlags(command, 'select all links of the domain (default)');
  addBatchFlags(command);
  command.action(run(copy));
  describe(command, {
    description: 'Copy links to the account of another profile, oldest first, so that they are listed there in the same order.',
    examples: [
      'linkctl copy --to work --dry-run',
      'linkctl copy --to work --all-domains --map-domain old.example=new.example',
      "linkctl copy --to sandbox --by-tags 'promo'",
    ],
    fields: urlColumns,
    notes: [
      'Copies keep hash, destination, note, tags, dates and flags. A hash that has another destination in the other account is left unchanged ' +
        'and reported (exit 3). So is a link that is protected or disabled, because its copy would be public. Existing copies are not sent, so the same command can be run again. Without a selection, tags that no link carries ' +
        'are added, too.',
      'Links go to the domain of the same name, or as --map-domain says. If all links have one domain and the target lacks it, they go to ' +
        "the target's default domain. Flags and environment variables for credentials, edition and domain apply to the account that is copied.",
      'Clicks, last visits and dates of creation cannot be copied; max_clicks not to edition B. To undo a copy: linkctl undo <run> --profile <profile>.',
    ],
    globals: ['--profile', '--domain', '--yes', '--dry-run', '--max-affected', '--quiet', '--progress'],
  });
}

/** Copies from the account of the command line to that of `--to`. */
async function copy(options: CopyOptions & { to?: string }, invocation: Invocation, operands: string[]): Promise<Report> {
  const { to, concurrency = 1 } = options;
  if (to === undefined) throw missingInput("flag '--to'", missing);
  if (concurrency > 1) throw new UsageError('--concurrency: copy sends one request at a time, to keep the order of the links');
  const selection = chosenSelection(operands, options) ?? everything;
  const source = await openSession(invocation);
  const target = await openTarget(to, source, invocation);
  return await copyLinks(selection, options, { source, target });
}

const missing = { command: 'copy', usage: '[hash...] --to <profile> [flags]', example: '--to work --dry-run' };

/**
 * Opens another domain of the same account, or a second account. That one comes only from its profile: flags and variables for server,
 * credentials, edition and domain apply to the first one. Its hints name the profile.
 */
async function openTarget(profile: string, source: Session, invocation: Invocation): Promise<Session> {
  if (profile === source.profile) return { ...source, domain: undefined, domainNamed: false };
  const { system, failure, output } = invocation;
  const { baseUrl: _, username: __, apiKeyFile: ___, edition: ____, domain: _____, ...global } = invocation.global;
  // A named profile overrides the other variables anyway.
  const env = { ...system.env, LINKCTL_EDITION: undefined, LINKCTL_DOMAIN: undefined };
  const own: System = Object.create(system, { env: { value: env } });
  const second = { ...invocation, global: { ...global, profile }, system: own, failure: { ...failure }, output: { ...output } };
  return await openSession(second, (hint) => withTypedAccount(hint, { profile }));
}
