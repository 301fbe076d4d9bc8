import type { Command } from 'commander';
import { register } from '../commands/shorten.ts';
import type { Runner } from './runner.ts';

/** The command itself is imported only when it is called. */
export interface Entry {
  readonly name: string;
  readonly alias?: string;
  readonly summary: string;
  readonly load: () => Promise<{ register(command: Command, run: Runner): void }>;
}

/** By heading, in the order of the help. */
const groups: Readonly<Record<string, readonly Entry[]>> = {
  'Links:': [
    // Imported with the program: a separate file would cost the most common command a millisecond.
    { name: 'shorten', summary: 'Create short URLs for one or many long URLs', load: async () => ({ register }) },
    { name: 'list', alias: 'ls', summary: 'List short URLs', load: () => import('../commands/list.ts') },
    { name: 'edit', summary: 'Edit the destination, tags or expiry of short URLs', load: () => import('../commands/edit.ts') },
    { name: 'delete', alias: 'rm', summary: 'Delete short URLs', load: () => import('../commands/delete.ts') },
    { name: 'stats', summary: 'Show or reset click counts', load: () => import('../commands/stats.ts') },
  ],
  'Jobs:': [
    { name: 'rewrite', summary: 'Change the destinations of many links by a rule', load: () => import('../commands/rewrite.ts') },
    { name: 'check', summary: 'Find links whose destinations are broken or moved', load: () => import('../commands/check.ts') },
    { name: 'diff', summary: 'Compare a file of links with the account', load: () => import('../commands/diff.ts') },
    { name: 'apply', summary: 'Bring the account in line with a file of links', load: () => import('../commands/apply.ts') },
    { name: 'copy', summary: 'Copy links to another account', load: () => import('../commands/copy.ts') },
    {
      name: 'report',
      summary: 'Write an HTML report of clicks, trends and problems',
      load: () => import('../commands/report.ts'),
    },
    { name: 'undo', summary: 'Undo what a run changed', load: () => import('../commands/undo.ts') },
  ],
  'Account:': [
    { name: 'tags', summary: 'List, add, rename, merge and delete tags', load: () => import('../commands/tags.ts') },
    { name: 'domains', summary: 'List the domains of the account [edition A]', load: () => import('../commands/domains.ts') },
    { name: 'log', summary: 'Show the activity log of the account [edition A]', load: () => import('../commands/log.ts') },
    { name: 'account', summary: 'Show the plan, usage and limits of the account', load: () => import('../commands/account.ts') },
  ],
  'Setup:': [{ name: 'auth', summary: 'Log in, log out and switch profiles', load: () => import('../commands/auth.ts') }],
  'More:': [
    { name: 'config', summary: 'Show and change the settings of a profile', load: () => import('../commands/config.ts') },
    { name: 'serve', summary: 'Run the API and short URL redirects locally', load: () => import('../commands/serve.ts') },
    { name: 'redo', summary: 'Repeat a run that was undone', load: () => import('../commands/redo.ts') },
    { name: 'runs', summary: 'Inspect, verify and delete records of bulk runs', load: () => import('../commands/runs.ts') },
    { name: 'api', summary: 'Send a raw API request', load: () => import('../commands/api.ts') },
    { name: 'completion', summary: 'Print a shell completion script', load: () => import('../commands/completion.ts') },
    { name: 'version', summary: 'Print the version', load: () => import('../commands/version.ts') },
  ],
};

export const entries = Object.entries(groups).flatMap(([group, some]) => some.map((entry) => ({ ...entry, group })));
