import { type Command, Option } from 'commander';
import { type Format, formats, markdown } from '../contract/formats.ts';
import { choice, count, repeated, seconds } from './values.ts';

/** Accepted by every command in any position; undefined if not given. */
export interface GlobalOptions {
  readonly profile?: string;
  readonly output?: Format | typeof markdown;
  readonly json?: boolean;
  readonly fields?: string;
  readonly header?: boolean;
  readonly truncate?: boolean;
  readonly formulaGuard?: boolean;
  /** Every `--domain` of the line; a call uses the last. */
  readonly domain?: readonly string[];
  readonly baseUrl?: string;
  readonly edition?: 'a' | 'b';
  readonly username?: string;
  readonly apiKeyFile?: string;
  /** Seconds. */
  readonly timeout?: number;
  readonly retries?: number;
  /** Seconds. */
  readonly maxWait?: number;
  /** Seconds. */
  readonly maxTime?: number;
  readonly insecureHttp?: boolean;
  readonly caFile?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  /** False with `--no-input`. */
  readonly input?: boolean;
  readonly maxAffected?: number;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly debug?: boolean;
  /** False with `--no-color`. */
  readonly color?: 'auto' | 'always' | 'never' | false;
  readonly progress?: 'auto' | 'plain' | 'none';
}

interface GlobalFlag {
  readonly flags: string;
  readonly summary: string;
  readonly env?: string;
  readonly parse?: (text: string) => unknown;
  readonly repeats?: boolean;
}

const globalFlags: readonly GlobalFlag[] = [
  { flags: '-p, --profile <name>', summary: 'profile to use: credentials and defaults', env: 'LINKCTL_PROFILE' },
  {
    flags: '-o, --output <format>',
    summary: 'output format: table, json, jsonl, csv or tsv',
    env: 'LINKCTL_OUTPUT',
    parse: choice(formats, [markdown]),
  },
  { flags: '--json', summary: 'same as -o json' },
  { flags: '--fields <names>', summary: 'fields to show, separated by commas' },
  { flags: '--header', summary: 'print a header row in tsv' },
  { flags: '--no-header', summary: 'omit the header row in table and csv' },
  { flags: '--no-truncate', summary: 'show all columns of tables, and do not shorten cells' },
  { flags: '--formula-guard', summary: "in csv, put ' before cells that a spreadsheet would run as formulas" },
  { flags: '--domain <name>', summary: '[edition A] domain to use', env: 'LINKCTL_DOMAIN', repeats: true },
  { flags: '--base-url <url>', summary: 'base URL of the API; requires --username and an API key', env: 'LINKCTL_BASE_URL' },
  {
    flags: '--edition <a|b>',
    summary: 'server edition: a (several domains) or b (one domain)',
    env: 'LINKCTL_EDITION',
    parse: choice(['a', 'b']),
  },
  { flags: '--username <name>', summary: 'username; requires --base-url and an API key', env: 'LINKCTL_USERNAME' },
  { flags: '--api-key-file <path>', summary: 'file that contains the API key', env: 'LINKCTL_API_KEY_FILE' },
  {
    flags: '--timeout <seconds>',
    summary: 'maximum wait for a response (default: 30)',
    env: 'LINKCTL_TIMEOUT',
    parse: seconds('above zero'),
  },
  { flags: '--retries <n>', summary: 'maximum retries per request (default: 4)', parse: count(0) },
  {
    flags: '--max-wait <seconds>',
    summary: 'maximum wait before a retry (default: 30 on a terminal, else 900)',
    parse: seconds('zero'),
  },
  {
    flags: '--max-time <seconds>',
    summary: 'maximum time for the whole command; exceeding it exits 8 or 10',
    parse: seconds('above zero'),
  },
  { flags: '--insecure-http', summary: 'allow unencrypted http:// to other machines' },
  { flags: '--ca-file <path>', summary: 'additional CA certificates to trust (PEM)' },
  { flags: '-y, --yes', summary: 'answer yes to all questions' },
  { flags: '-n, --dry-run', summary: 'show what would change, without changing anything' },
  { flags: '--no-input', summary: 'never prompt; fail instead', env: 'LINKCTL_NO_INPUT' },
  { flags: '--max-affected <n>', summary: 'maximum number of items to change; fail if there are more', parse: count(0) },
  { flags: '-q, --quiet', summary: 'suppress notes, summaries and progress; errors are still printed' },
  { flags: '-v, --verbose', summary: 'print one line per request and retry' },
  { flags: '--debug', summary: 'print requests and responses in full, without secrets', env: 'LINKCTL_DEBUG' },
  {
    flags: '--color <when>',
    summary: 'when to use color: auto, always or never',
    env: 'NO_COLOR',
    parse: choice(['auto', 'always', 'never']),
  },
  { flags: '--no-color', summary: 'same as --color never' },
  { flags: '--progress <how>', summary: 'progress display: auto, plain or none', parse: choice(['auto', 'plain', 'none']) },
];

export function addGlobalFlags(program: Command): void {
  for (const flag of globalFlags) {
    const option = new Option(flag.flags, meaningOf(flag));
    if (flag.parse) option.argParser(flag.parse);
    if (flag.repeats) option.argParser(repeated);
    program.addOption(option);
  }
}

export function globalFlagRows(): (readonly [flags: string, meaning: string])[] {
  return globalFlags.map((flag) => [flag.flags, meaningOf(flag)]);
}

function meaningOf({ summary, env }: GlobalFlag): string {
  return env ? `${summary} (env: ${env})` : summary;
}

export function flagVariables(): { readonly name: string; readonly long: string; readonly summary: string }[] {
  return globalFlags.flatMap(({ flags, summary, env }) => {
    const long = /--[a-z-]+/.exec(flags)?.[0];
    return env && long ? [{ name: env, long, summary }] : [];
  });
}
