import type { Command } from 'commander';
import { AuthError, CliError, UsageError } from '../base/errors.ts';
import type { Invocation } from '../cli/invocation.ts';
import { canAsk, confirm } from '../cli/prompt.ts';
import type { Runner } from '../cli/runner.ts';
import { openSession } from '../cli/session.ts';
import { forgetLabels } from '../completion/label-storage.ts';
import { describe } from '../help/description.ts';
import type { DoneReport, RecordReport, Row, RowsReport } from '../output/report.ts';
import { changeConfig } from '../profiles/config-change.ts';
import { readConfig, unknownProfile } from '../profiles/config-file.ts';
import { profileToChange } from '../profiles/effective-settings.ts';
import { describeSource } from '../profiles/given-set.ts';
import { sandboxName } from '../profiles/profile-names.ts';
import { maskKey } from '../profiles/redactor.ts';
import { overridingProfile, resolveCredentials } from '../profiles/resolved-credentials.ts';
import { logIn } from './auth/login.ts';

export function register(command: Command, run: Runner): void {
  describe(command.command('login'), {
    summary: 'Verify credentials and store them',
    description: 'Verify credentials with the server and store them as a profile.',
    examples: [
      'linkctl auth login',
      'linkctl auth login --base-url s.ex --username ann --api-key-file key.txt',
      'pass show urls | linkctl auth login --base-url s.ex --username ann --with-key',
    ],
    notes: [
      'The path of --ca-file is stored with the profile. The API key is never accepted on the command line. On a terminal, missing values are prompted for. The base URL can be a host name; ' +
        'linkctl then tries /tiny/api/3 and /api/3.',
    ],
    fields: [],
    globals: ['--base-url', '--username', '--api-key-file', '--edition', '--domain', '--insecure-http', '--ca-file'],
  })
    .option('--with-key', 'read the API key from stdin')
    .action(run(logIn));
  describe(command.command('status'), {
    summary: 'Show the active account and verify its credentials',
    description: 'Show the active account and the source of each value. Exit 4 if the server rejects the credentials.',
    examples: ['linkctl auth status', 'linkctl auth status --offline -o json'],
    onlyReads: true,
  })
    .option('--offline', 'do not contact the server')
    .action(run(showStatus));
  describe(command.command('list').alias('ls'), {
    summary: 'List the profiles',
    description: 'List the profiles.',
    examples: ['linkctl auth list'],
    fields: profileColumns,
    onlyReads: true,
  }).action(run(listProfiles));
  describe(command.command('switch'), {
    summary: 'Set the current profile',
    description: 'Set the current profile, which commands use without --profile.',
    examples: ['linkctl auth switch work'],
    fields: [],
  })
    .argument('<profile>')
    .action(run(switchProfile));
  describe(command.command('logout'), {
    summary: 'Delete a profile and its API key',
    description:
      'Delete a profile and its API key. Without a name, delete the profile in use. This and --all ask for confirmation on a terminal.',
    examples: ['linkctl auth logout work', 'linkctl auth logout --all'],
    fields: forgottenColumns,
    globals: ['--yes'],
  })
    .argument('[profile]')
    .option('--all', 'delete all profiles')
    .action(run(logOut));
  describe(command, { examples: ['linkctl auth login', 'linkctl auth status', 'linkctl auth switch work'] });
}

async function showStatus({ offline }: { offline?: boolean }, invocation: Invocation): Promise<RecordReport> {
  const credentials = resolveCredentials(invocation.global, invocation.system);
  await invocation.warn(...credentials.warnings);
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
  const { client } = offline ? { client: undefined } : await openSession(invocation);
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

const profileColumns = ['profile', 'current', 'base_url', 'username', 'edition', 'api_key'].map((name) => ({ name }));

async function listProfiles(_options: object, { system, global, streams, warn, note }: Invocation): Promise<RowsReport> {
  const config = readConfig(system);
  await warn(...config.warnings);
  if (global.verbose || streams.watched)
    for (const line of overridingProfile(config.currentProfile, system.env)) await note(line);
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
  };
}

async function switchProfile(_options: object, { system, global, warn }: Invocation, [name = '']: string[]): Promise<DoneReport> {
  refuseOther('<profile>', name, global);
  const warnings = await changeConfig(system, (draft) => {
    if (name !== sandboxName && !Object.hasOwn(draft.profiles, name)) throw unknownProfile(name, readConfig(system));
    draft.current_profile = name;
  });
  await warn(...warnings);
  return {
    kind: 'done',
    sentence: `Switched to profile "${name}"`,
    record: { current_profile: name },
    notes: () => overridingProfile(name, system.env),
  };
}

async function logOut({ all = false }: { all?: boolean }, invocation: Invocation, [operand]: string[]): Promise<RowsReport> {
  const { system, global } = invocation;
  if (all && operand !== undefined) throw new UsageError('specify only one of --all or <profile>');
  refuseOther(all ? '--all' : '<profile>', all ? '' : operand, global);
  const config = readConfig(system);
  await invocation.warn(...config.warnings);
  const names = all ? [...config.profiles.keys()] : [operand ?? profileToChange(global, system).name];
  if (names.length === 0) throw new AuthError(`no profiles in ${config.path}`, { hint: 'linkctl auth login' });
  const missing = names.find((name) => !config.profiles.has(name));
  if (!all && names[0] === sandboxName) throw new UsageError('the sandbox has no credentials to delete');
  if (missing !== undefined) throw unknownProfile(missing, config);
  // Keys cannot be recovered, and the user named no profile. Without a terminal there is no question, so scripts keep working.
  if ((all || (operand ?? global.profile) === undefined) && canAsk(invocation)) {
    const keys = names.length === 1 ? 'its API key' : 'their API keys';
    await confirm(`Delete ${profilesNamed(names)} and ${keys}?`, invocation);
  }
  await changeConfig(system, (draft) => {
    for (const one of names) {
      if (!Object.hasOwn(draft.profiles, one)) throw unknownProfile(one, config);
      delete draft.profiles[one];
      if (draft.current_profile === one) draft.current_profile = null;
    }
  });
  for (const one of names) forgetLabels(one, system);
  return {
    kind: 'rows',
    key: 'forgotten',
    rows: names.map((profile) => ({ profile })),
    columns: forgottenColumns,
    sentence: ({ profile }, { tick }) => `${tick} Deleted profile "${profile}"`,
    unwritten: () => [`Deleted ${profilesNamed(names)}`],
  };
}

const forgottenColumns = [{ name: 'profile' }];

/** A flag that stays in the line from the command before must not be passed over. */
function refuseOther(what: string, name: string | undefined, { profile }: Invocation['global']): void {
  if (name === undefined || profile === undefined || name === profile) return;
  throw new UsageError(`specify only one of --profile or ${what}`);
}

function profilesNamed(names: readonly string[]): string {
  return `${names.length === 1 ? 'profile' : 'profiles'} ${names.map((one) => `"${one}"`).join(', ')}`;
}
