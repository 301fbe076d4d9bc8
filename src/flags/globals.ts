import { type Command, Option } from 'commander';
import { defaultRetries } from '../base/retries.ts';
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

type GlobalFlag = readonly [flags: string, summary: string, parse?: (text: string, before: never) => unknown, env?: string];

const globalFlags: readonly GlobalFlag[] = [
  ['-p, --profile <name>', 'profile to use: credentials and defaults', undefined, 'LINKCTL_PROFILE'],
  ['-o, --output <format>', 'output format: table, json, jsonl, csv or tsv', choice(formats, [markdown]), 'LINKCTL_OUTPUT'],
  ['--json', 'same as -o json'],
  ['--fields <names>', 'fields to show, separated by commas'],
  ['--header', 'print a header row in tsv'],
  ['--no-header', 'omit the header row in table and csv'],
  ['--no-truncate', 'do not hide columns of tables or shorten cells'],
  ['--formula-guard', "in csv, put ' before cells that a spreadsheet would run as formulas"],
  ['--domain <name>', '[edition A] domain to use', repeated, 'LINKCTL_DOMAIN'],
  ['--base-url <url>', 'base URL of the API; requires --username and an API key', undefined, 'LINKCTL_BASE_URL'],
  ['--edition <a|b>', 'server edition: a (several domains) or b (one domain)', choice(['a', 'b']), 'LINKCTL_EDITION'],
  ['--username <name>', 'username; requires --base-url and an API key', undefined, 'LINKCTL_USERNAME'],
  ['--api-key-file <path>', 'file that contains the API key', undefined, 'LINKCTL_API_KEY_FILE'],
  ['--timeout <seconds>', 'maximum wait for a response (default: 30; check: 20)', seconds(0.001), 'LINKCTL_TIMEOUT'],
  ['--retries <n>', `maximum retries per request (default: ${defaultRetries})`, count(0)],
  ['--max-wait <seconds>', 'maximum wait before a retry (default: 30 on a terminal, else 900)', seconds(0)],
  ['--max-time <seconds>', 'maximum time for the whole command; exceeding it exits 8 or 10', seconds(0.001)],
  ['--insecure-http', 'allow unencrypted http:// to other machines'],
  ['--ca-file <path>', 'additional CA certificates to trust (PEM)'],
  ['-y, --yes', 'answer yes to all questions'],
  ['-n, --dry-run', 'show what would change, without changing anything'],
  ['--no-input', 'never prompt; fail instead', undefined, 'LINKCTL_NO_INPUT'],
  ['--max-affected <n>', 'maximum number of items to change; fail if there are more', count(0)],
  ['-q, --quiet', 'suppress notes, summaries and progress; errors are still printed'],
  ['-v, --verbose', 'print one line per request and retry'],
  ['--debug', 'print requests and responses in full, without secrets', undefined, 'LINKCTL_DEBUG'],
  ['--color <when>', 'when to use color: auto, always or never', choice(['auto', 'always', 'never']), 'NO_COLOR'],
  ['--no-color', 'same as --color never'],
  ['--progress <how>', 'progress display: auto, plain or none', choice(['auto', 'plain', 'none'])],
];

/** For the help, the errors and the completion of commands whose plans can be posted as a comment. */
export function outputWithMarkdown(): Option {
  return new Option(
    '-o, --output <format>',
    'output format: table, json, jsonl, csv, tsv or markdown (env: LINKCTL_OUTPUT)',
  ).argParser(choice([...formats, markdown]));
}

export function addGlobalFlags(program: Command): void {
  for (const flag of globalFlags) {
    const [flags, , parse] = flag;
    if (parse) program.option(flags, meaningOf(flag), parse as (text: string, before: unknown) => unknown);
    else program.option(flags, meaningOf(flag));
  }
}

export function globalFlagRows(): (readonly [flags: string, meaning: string])[] {
  return globalFlags.map((flag) => [flag[0], meaningOf(flag)]);
}

function meaningOf([, summary, , env]: GlobalFlag): string {
  return env ? `${summary} (env: ${env})` : summary;
}

export function flagVariables(): { readonly name: string; readonly long: string; readonly summary: string }[] {
  return globalFlags.flatMap(([flags, summary, , env]) => {
    const long = /--[a-z-]+/.exec(flags)?.[0];
    return env && long ? [{ name: env, long, summary }] : [];
  });
}
