import type { Command } from 'commander';
import { registerShorten } from '../commands/shorten.ts';
import type { Runner } from './action.ts';

/** Adds a command's operands, flags and action to its place in the tree. */
export type Register = (command: Command, run: Runner) => void;

/** One command of the tree, known by name and summary until it is called. */
export interface Entry {
  readonly name: string;
  readonly alias?: string;
  readonly summary: string;
  readonly group: 'Links:' | 'Account:' | 'Setting up:' | 'More:';
  readonly hidden?: boolean;
  readonly load: () => Promise<Register>;
}

/** The commands, in the order of the help. */
export const entries: readonly Entry[] = [
  {
    name: 'shorten',
    summary: 'Shorten long URLs, one or a million',
    group: 'Links:',
    // The most usual line: a file of its own would cost it a millisecond.
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
    summary: 'Delete URLs',
    group: 'Links:',
    load: async () => (await import('../commands/delete.ts')).registerDelete,
  },
  {
    name: 'stats',
    summary: 'Show clicks',
    group: 'Links:',
    load: async () => (await import('../commands/stats.ts')).registerStats,
  },
  {
    name: 'tags',
    summary: 'List, add, rename and delete tags',
    group: 'Account:',
    load: async () => (await import('../commands/tags.ts')).registerTags,
  },
  {
    name: 'domains',
    summary: 'List the domains [edition A]',
    group: 'Account:',
    load: async () => (await import('../commands/domains.ts')).registerDomains,
  },
  {
    name: 'log',
    summary: 'Show the log of the account [edition A]',
    group: 'Account:',
    load: async () => (await import('../commands/log.ts')).registerLog,
  },
  {
    name: 'account',
    summary: 'Show plan and counters',
    group: 'Account:',
    load: async () => (await import('../commands/account.ts')).registerAccount,
  },
  {
    name: 'auth',
    summary: 'Log in and out, switch between profiles',
    group: 'Setting up:',
    load: async () => (await import('../commands/auth.ts')).registerAuth,
  },
  {
    name: 'config',
    summary: 'Show and change the settings of a profile',
    group: 'Setting up:',
    load: async () => (await import('../commands/config.ts')).registerConfig,
  },
  {
    name: 'serve',
    summary: 'Serve the API and its short URLs on this machine',
    group: 'More:',
    load: async () => (await import('../commands/serve.ts')).registerServe,
  },
  {
    name: 'runs',
    summary: 'Inspect, verify and delete records of bulk runs',
    group: 'More:',
    load: async () => (await import('../commands/runs.ts')).registerRuns,
  },
  {
    name: 'api',
    summary: 'Make any call of the API, raw',
    group: 'More:',
    load: async () => (await import('../commands/api.ts')).registerApi,
  },
  {
    name: 'completion',
    summary: 'Print a script that completes commands at TAB',
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
