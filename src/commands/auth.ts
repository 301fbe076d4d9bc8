import type { Command } from 'commander';
import type { Context, Runner } from '../action.ts';
import type { Client } from '../client/client.ts';
import { type Edition, editions } from '../contract/editions.ts';
import type { AccountRecord } from '../contract/records.ts';
import { AuthError, CliError, UsageError } from '../errors.ts';
import { describe } from '../help/layout.ts';
import { readText } from '../input/text.ts';
import type { DoneReport, RecordReport, Row, RowsReport } from '../output/report.ts';
import { accountName, baseUrl, isExposed } from '../profiles/account-values.ts';
import { changeConfig } from '../profiles/config-change.ts';
import { readConfig } from '../profiles/config-file.ts';
import { describeSource } from '../profiles/credential-values.ts';
import { resolveCredentials, unknownProfile } from '../profiles/credentials.ts';
import { type ApiKey, cleanKey, type KeySource, readKey } from '../profiles/key-source.ts';
import type { Profile } from '../profiles/profile.ts';
import { requireProfileName, sandboxName } from '../profiles/profile-name.ts';
import { maskKey } from '../profiles/redactor.ts';
import { ask, askHidden, canAsk } from '../prompt.ts';

export function registerAuth(command: Command, run: Runner): void {
  const login = command
    .command('login')
    .summary('Check credentials with the server and store them')
    .description('Check credentials with the server and store them as a profile.')
    .option('--with-key', 'read the API key from stdin')
    .action(run(logIn));
  describe(login, {
    examples: [
      'linkctl auth login',
      'linkctl auth login --profile work --base-url https://api.example.com/rest/v3 --username ann --api-key-file key.txt',
      'pass show short-urls | linkctl auth login --base-url https://api.example.com/rest/v3 --username ann --with-key',
    ],
    notes: ['The key is never taken from the command line. What is not given is asked for on a terminal.'],
    globals: ['--base-url', '--username', '--api-key-file', '--edition', '--domain', '--insecure-http', '--ca-file'],
  });
  const status = command
    .command('status')
    .summary('Show whom commands talk to, and whether the server agrees')
    .description('Show whom commands talk to and where each value comes from; exit 4 when the server does not accept it.')
    .option('--offline', 'make no request')
    .action(run(showStatus));
  describe(status, { examples: ['linkctl auth status', 'linkctl auth status --offline -o json'] });
  const list = command.command('list').summary('List the profiles').description('List the profiles.').action(run(listProfiles));
  describe(list, { examples: ['linkctl auth list'], fields: profileColumns.map(({ name }) => name) });
  const change = command
    .command('switch')
    .summary('Choose the profile that commands use')
    .description('Choose the profile that commands use without --profile.')
    .argument('<profile>')
    .action(run(switchProfile));
  describe(change, { examples: ['linkctl auth switch work'] });
  const logout = command
    .command('logout')
    .summary('Forget a profile and its key')
    .description('Forget a profile and its key; the one in force without an operand.')
    .argument('[profile]')
    .option('--all', 'every profile')
    .action(run(logOut));
  describe(logout, { examples: ['linkctl auth logout work', 'linkctl auth logout --all'] });
  describe(command, { examples: ['linkctl auth login', 'linkctl auth status', 'linkctl auth switch work'] });
}

interface LoginOptions {
  readonly withKey?: boolean;
}

/** What the server says about the credentials, before they are stored. */
interface Verified {
  readonly account: AccountRecord;
  readonly edition: Edition;
}

/** Nothing is stored before GET /account went through (B65). */
async function logIn({ withKey }: LoginOptions, context: Context): Promise<DoneReport> {
  const { global, system } = context;
  refuseShadowed(system.env);
  const config = readConfig(system);
  const name = requireProfileName(global.profile ?? (await defaultName(context)));
  if (name === sandboxName) throw new UsageError('the sandbox needs no login', { hint: 'linkctl -p sandbox list' });
  const stored = config.profiles.get(name) ?? {};
  const url = await givenBaseUrl(stored, context);
  const username = await givenUsername(stored, context);
  const source = await givenKey(withKey ?? false, stored, url, context);
  const key = typeof source === 'string' ? { value: source, warnings: [] } : await readKey(source, system);
  const verified = await verify({ url, username, key, name, stored }, context);
  const { edition, account } = verified;
  const domain = global.domain?.at(-1);
  await changeConfig(system, (draft) => {
    const kept = stored.base_url === url ? draft.profiles[name] : {};
    const secret = typeof source !== 'string' && source.kind === 'command' ? {} : { api_key: key.value, api_key_command: null };
    const exposed = isExposed(url) ? { insecure_http: true } : {};
    draft.profiles[name] = { ...kept, base_url: url, username, edition, ...secret, ...exposed, ...(domain && { domain }) };
    draft.current_profile ??= name;
  });
  const plan = typeof account.subscription_plan === 'string' ? `, plan ${account.subscription_plan}` : '';
  return {
    kind: 'done',
    sentence: `Logged in to ${new URL(url).host} as ${username} (${editions[edition].title}${plan}), profile "${name}"`,
    record: { profile: name, base_url: url, username, edition, account },
  };
}

/** B63: what is stored would not be used while the variables are set. */
function refuseShadowed(env: Context['system']['env']): void {
  const name = ['LINKCTL_API_KEY', 'LINKCTL_API_KEY_FILE', 'LINKCTL_USERNAME'].find((variable) => env[variable]);
  if (name) {
    throw new UsageError(`${name} is set in the environment and beats every stored profile`, { hint: `unset ${name}` });
  }
}

async function defaultName(context: Context): Promise<string> {
  const { LINKCTL_PROFILE } = context.system.env;
  if (LINKCTL_PROFILE) return LINKCTL_PROFILE;
  return canAsk(context) ? await ask('Profile name', '--profile', context, 'default') : 'default';
}

async function givenBaseUrl(stored: Profile, context: Context): Promise<string> {
  const { global, system } = context;
  const given = global.baseUrl ?? (system.env.LINKCTL_BASE_URL || undefined);
  const text = given ?? (await askOrKept('Base URL of the API', '--base-url', context, stored.base_url));
  const url = baseUrl(text);
  if (url === undefined) throw new UsageError('--base-url: expected a URL such as https://api.example.com/rest/v3');
  if (isExposed(url) && !global.insecureHttp && !stored.insecure_http) {
    throw new UsageError(`${url} is not encrypted: everyone on the way could read the API key`, {
      hint: 'use https://, or allow it with --insecure-http',
    });
  }
  return url;
}

async function givenUsername(stored: Profile, context: Context): Promise<string> {
  const text = context.global.username ?? (await askOrKept('Username', '--username', context, stored.username));
  const username = accountName(text);
  if (username === undefined) throw new UsageError('--username: expected a name without a colon and control characters');
  return username;
}

/** Off a terminal a profile that is logged in to again keeps what it had; on one it is offered. */
async function askOrKept(question: string, flag: string, context: Context, kept: string | null | undefined): Promise<string> {
  if (kept && !canAsk(context)) return kept;
  return await ask(question, flag, context, kept ?? undefined);
}

/** A key that was read, or where to read it. A key command that the profile has goes on being used for the same server. */
async function givenKey(withKey: boolean, stored: Profile, url: string, context: Context): Promise<string | KeySource> {
  const { global, system } = context;
  if (withKey && global.apiKeyFile !== undefined) throw new UsageError('specify only one of --with-key or --api-key-file');
  if (global.apiKeyFile !== undefined) return { kind: 'file', path: global.apiKeyFile };
  const reject = (fault: string): CliError => new UsageError(`--with-key: ${fault}`);
  if (withKey && !system.stdin.isTTY) return cleanKey(await readText(system.stdin, 65_536), reject);
  if (!withKey && stored.api_key_command && stored.base_url === url) return { kind: 'command', argv: stored.api_key_command };
  return cleanKey(await askHidden('API key', '--with-key or --api-key-file', context), reject);
}

interface Candidate {
  readonly url: string;
  readonly username: string;
  readonly key: ApiKey;
  readonly name: string;
  readonly stored: Profile;
}

async function verify({ url, username, key, name, stored }: Candidate, context: Context): Promise<Verified> {
  const { global } = context;
  for (const warning of key.warnings) await context.warn(warning);
  const client = context.connect({
    edition: global.edition ?? 'a',
    baseUrl: url,
    username,
    keySource: 'what was given',
    methodOverride: stored.method_override ?? undefined,
    readKey: async () => ({ value: key.value, warnings: [] }),
  });
  try {
    const { account } = await client.send('getAccount', {});
    const edition = global.edition ?? (await findEdition(client));
    await checkDomain(client, edition, global.domain?.at(-1));
    return { account, edition };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw Object.assign(error, { details: [...error.details, `profile "${name}" was not changed`] });
  } finally {
    await client.close();
  }
}

/** CLI.md 3.1: GET /domains goes through on edition A and is unknown on edition B. */
async function findEdition(client: Client): Promise<Edition> {
  try {
    await client.send('listDomains', {});
    return 'a';
  } catch (error) {
    const { apiCode, status } = error as { apiCode?: number; status?: number };
    if (apiCode === 1301 || apiCode === 1302 || status === 404) return 'b';
    throw error;
  }
}

async function checkDomain(client: Client, edition: Edition, domain: string | undefined): Promise<void> {
  if (domain === undefined) return;
  if (edition === 'b') throw new UsageError('--domain: this server (edition B) has one domain');
  await client.send('listUrls', { query: { domain, limit: 1 } });
}

/** Each value in force and where it comes from (B72). */
async function showStatus({ offline }: { offline?: boolean }, context: Context): Promise<RecordReport> {
  const credentials = resolveCredentials(context.global, context.system);
  if (credentials.kind === 'sandbox') {
    return {
      kind: 'record',
      record: { profile: credentials.profile, edition: credentials.edition, verified: offline ? null : true },
    };
  }
  const { profile, baseUrl: url, username, edition, sources } = credentials;
  const key = await credentials.readKey().catch((error: unknown) => {
    if (offline && error instanceof CliError) return undefined;
    throw error;
  });
  const { client } = offline ? { client: undefined } : await context.session();
  const answer = await client?.send('getAccount', {});
  return {
    kind: 'record',
    record: {
      profile: profile ?? null,
      base_url: url,
      base_url_source: describeSource(sources.baseUrl),
      username,
      username_source: describeSource(sources.username),
      api_key: key ? maskKey(key.value) : null,
      api_key_source: describeSource(sources.apiKey),
      edition,
      edition_source: describeSource(sources.edition),
      verified: answer ? true : null,
    },
  };
}

const profileColumns = [
  { name: 'profile' },
  { name: 'current' },
  { name: 'base_url' },
  { name: 'username' },
  { name: 'edition' },
  { name: 'api_key' },
];

async function listProfiles(_options: object, { system }: Context): Promise<RowsReport> {
  const config = readConfig(system);
  const { [sandboxName]: _own, ...named } = Object.fromEntries(config.profiles);
  const rows = Object.entries({ ...named, [sandboxName]: config.profiles.get(sandboxName) ?? {} }).map(
    ([profile, { base_url = null, username = null, edition = null, api_key, api_key_command }]): Row => ({
      profile,
      current: profile === config.currentProfile,
      base_url,
      username,
      edition: edition ?? (profile === sandboxName ? 'a' : null),
      api_key: api_key_command ? 'command' : api_key ? maskKey(api_key) : null,
    }),
  );
  return {
    kind: 'rows',
    key: 'profiles',
    rows,
    columns: profileColumns,
    tableFields: profileColumns.map(({ name }) => name),
    pipedFields: profileColumns.map(({ name }) => name),
  };
}

async function switchProfile(_options: object, { system }: Context, [name = '']: string[]): Promise<DoneReport> {
  await changeConfig(system, (draft) => {
    if (name !== sandboxName && !Object.hasOwn(draft.profiles, name)) throw unknownProfile(name, readConfig(system));
    draft.current_profile = name;
  });
  return { kind: 'done', sentence: `Commands use profile "${name}" now`, record: { current_profile: name } };
}

async function logOut({ all = false }: { all?: boolean }, { system, global }: Context, [operand]: string[]): Promise<DoneReport> {
  if (all && operand !== undefined) throw new UsageError('specify only one of --all or <profile>');
  const config = readConfig(system);
  const name = operand ?? global.profile ?? config.currentProfile;
  const names = all ? [...config.profiles.keys()] : [name].filter((one) => one !== undefined);
  if (names.length === 0) throw new AuthError('no profile is stored', { hint: 'linkctl auth login' });
  await changeConfig(system, (draft) => {
    for (const one of names) {
      if (!Object.hasOwn(draft.profiles, one)) throw unknownProfile(one, config);
      delete draft.profiles[one];
      if (draft.current_profile === one) draft.current_profile = null;
    }
  });
  return {
    kind: 'done',
    sentence: `Forgot ${names.map((one) => `"${one}"`).join(', ')}`,
    record: { forgotten: names },
    lines: names,
  };
}
