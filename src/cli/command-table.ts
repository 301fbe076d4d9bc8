import type { Command } from 'commander';
import { registerShorten } from '../commands/shorten.ts';
import type { Runner } from './runner.ts';

type Register = (command: Command, run: Runner) => void;

/** The command itself is imported only when it is called. */
export interface Entry {
  readonly name: string;
  readonly alias?: string;
  readonly summary: string;
  readonly group: 'Links:' | 'Jobs:' | 'Account:' | 'Setup:' | 'More:';
  readonly load: () => Promise<Register>;
}

/** In the order of the help. */
export const entries: readonly Entry[] = [
  {
    name: 'shorten',
    summary: 'Create short URLs for one or many long URLs',
    group: 'Links:',
    // Imported with the program: a separate file would cost the most common command a millisecond.
    load: async () => registerShorten,
  },
  {
    name: 'list',
    alias: 'ls',
    summary: 'List short URLs',
    group: 'Links:',
    load: async () => (await import('../commands/list.ts')).registerList,
  },
  {
    name: 'edit',
    summary: 'Edit the destination, tags or expiry of short URLs',
    group: 'Links:',
    load: async () => (await import('../commands/edit.ts')).registerEdit,
  },
  {
    name: 'delete',
    alias: 'rm',
    summary: 'Delete short URLs',
    group: 'Links:',
    load: async () => (await import('../commands/delete.ts')).registerDelete,
  },
  {
    name: 'stats',
    summary: 'Show or reset click counts',
    group: 'Links:',
    load: async () => (await import('../commands/stats.ts')).registerStats,
  },
  {
    name: 'rewrite',
    summary: 'Change the destinations of many links by a rule',
    group: 'Jobs:',
    load: async () => (await import('../commands/rewrite.ts')).registerRewrite,
  },
  {
    name: 'check',
    summary: 'Find links whose destinations are broken or moved',
    group: 'Jobs:',
    load: async () => (await import('../commands/check.ts')).registerCheck,
  },
  {
    name: 'diff',
    summary: 'Compare a file of links with the account',
    group: 'Jobs:',
    load: async () => (await import('../commands/diff.ts')).registerDiff,
  },
  {
    name: 'apply',
    summary: 'Bring the account in line with a file of links',
    group: 'Jobs:',
    load: async () => (await import('../commands/apply.ts')).registerApply,
  },
  {
    name: 'copy',
    summary: 'Copy links to another account',
    group: 'Jobs:',
    load: async () => (await import('../commands/copy.ts')).registerCopy,
  },
  {
    name: 'report',
    summary: 'Write an HTML report of clicks, trends and problems',
    group: 'Jobs:',
    load: async () => (await import('../commands/report.ts')).registerReport,
  },
  {
    name: 'undo',
    summary: 'Undo what a run changed',
    group: 'Jobs:',
    load: async () => (await import('../commands/undo.ts')).registerUndo,
  },
  {
    name: 'tags',
    summary: 'List, add, rename, merge and delete tags',
    group: 'Account:',
    load: async () => (await import('../commands/tags.ts')).registerTags,
  },
  {
    name: 'domains',
    summary: 'List the domains of the account [edition A]',
    group: 'Account:',
    load: async () => (await import('../commands/domains.ts')).registerDomains,
  },
  {
    name: 'log',
    summary: 'Show the activity log of the account [edition A]',
    group: 'Account:',
    load: async () => (await import('../commands/log.ts')).registerLog,
  },
  {
    name: 'account',
    summary: 'Show the plan, usage and limits of the account',
    group: 'Account:',
    load: async () => (await import('../commands/account.ts')).registerAccount,
  },
  {
    name: 'auth',
    summary: 'Log in, log out and switch profiles',
    group: 'Setup:',
    load: async () => (await import('../commands/auth.ts')).registerAuth,
  },
  {
    name: 'config',
    summary: 'Show and change the settings of a profile',
    group: 'More:',
    load: async () => (await import('../commands/config.ts')).registerConfig,
  },
  {
    name: 'serve',
    summary: 'Run the API and short URL redirects locally',
    group: 'More:',
    load: async () => (await import('../commands/serve.ts')).registerServe,
  },
  {
    name: 'redo',
    summary: 'Repeat a run that was undone',
    group: 'More:',
    load: async () => (await import('../commands/redo.ts')).registerRedo,
  },
  {
    name: 'runs',
    summary: 'Inspect, verify and delete records of bulk runs',
    group: 'More:',
    load: async () => (await import('../commands/runs.ts')).registerRuns,
  },
  {
    name: 'api',
    summary: 'Send a raw API request',
    group: 'More:',
    load: async () => (await import('../commands/api.ts')).registerApi,
  },
  {
    name: 'completion',
    summary: 'Print a shell completion script',
    group: 'More:',
    load: async () => (await import('../commands/completion.ts')).registerCompletion,
  },
  {
    name: 'version',
    summary: 'Print the version',
    group: 'More:',
    load: async () => (await import('../commands/version.ts')).registerVersion,
  },
];
