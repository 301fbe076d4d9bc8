import type { Command } from 'commander';
import { CliError, type FailureKind, UsageError } from '../base/errors.ts';
import { configPath } from '../base/system.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/runner.ts';
import { domainName, openSession } from '../cli/session.ts';
import { type Edition, editions, thisServer } from '../contract/editions.ts';
import { suggested } from '../flags/values.ts';
import { describe } from '../help/description.ts';
import type { DoneReport, Row, RowsReport } from '../output/report.ts';
import { changeConfig } from '../profiles/config-change.ts';
import { effectiveSettings, parseSetting, profileToChange, type SettingFlags } from '../profiles/effective-settings.ts';
import { readKey } from '../profiles/key-source.ts';
import { fieldOf, profileKeys, requireProfileKey, settingsOfDomains, wholeProfile } from '../profiles/profile.ts';
import { sandboxName } from '../profiles/profile-names.ts';
import { checkDomain, verify } from './auth/verify.ts';

/** Settings that only a login changes are excluded. */
const changeableKeys = profileKeys.filter((key) => !fieldOf(key).login);

export function register(command: Command, run: Runner): void {
  describe(command.command('list'), {
    summary: 'Show all settings and their sources',
    description: 'Show all settings and their sources: flag, environment, profile or default.',
    examples: ['linkctl config list', 'linkctl config list --profile work -o json'],
    fields: settingColumns,
    onlyReads: true,
  }).action(run(async (_options: object, invocation) => settingRows(settings(invocation))));
  describe(command.command('get'), {
    summary: 'Show one setting',
    description: 'Show the value of one setting; in a pipe, print only the value.',
    examples: ['linkctl config get domain'],
    fields: settingColumns,
    onlyReads: true,
  })
    .argument('<key>', 'name of the setting (linkctl config list)', suggested(profileKeys))
    .action(run(getSetting));
  describe(command.command('set'), {
    summary: 'Store a setting in the profile',
    description: 'Store a setting in the current profile.',
    examples: ['linkctl config set domain s.ex', 'linkctl config set output json --profile work'],
    fields: [],
    notes: [
      'The base URL, username and API key form one set. To change them, use linkctl auth login.',
      'api_key_command is a JSON list of a program and its arguments. It runs without a shell, and its output is the API key. Setting it runs the program once, verifies the key with the server and deletes the stored key. Examples:',
      [
        '  ["pass", "show", "short-urls"]',
        '  ["security", "find-generic-password", "-ws", "linkctl"]',
        '  ["secret-tool", "lookup", "service", "linkctl"]',
      ].join('\n'),
      'method_override true sends PATCH and DELETE as POST with X-HTTP-Method-Override, for proxies that block them.',
    ],
  })
    .argument('<key>', 'name of the setting (linkctl config list)', suggested(changeableKeys))
    .argument('<value>', 'new value')
    .action(run(setSetting));
  describe(command.command('unset'), {
    summary: 'Unset a setting of the profile',
    description: 'Unset a setting of the current profile, so that its default applies.',
    examples: ['linkctl config unset domain'],
    fields: [],
  })
    .argument('<key>', 'name of the setting (linkctl config list)', suggested(changeableKeys))
    .action(run(unsetSetting));
  describe(command.command('path'), {
    summary: 'Show the path of the configuration file',
    description: 'Show the path of the configuration file. The file may not exist yet.',
    examples: ['linkctl config path'],
    onlyReads: true,
  }).action(run(showPath));
  describe(command, {
    examples: ['linkctl config list', 'linkctl config set dedupe account', 'linkctl config path'],
    notes: [`Settings: ${profileKeys.join(', ')}.`],
  });
}

async function getSetting(_options: object, invocation: Invocation, [name = '']: string[]): Promise<RowsReport> {
  const key = requireProfileKey(name);
  return settingRows(
    settings(invocation).filter((setting) => setting.key === key),
    ['value'],
  );
}

async function setSetting(_options: object, invocation: Invocation, [name = '', typed = '']: string[]): Promise<DoneReport> {
  const key = requireProfileKey(name);
  const value = parseSetting(key, typed);
  if (key === 'domain') await checkWorkingDomain(typed, invocation);
  if (key === 'edition') await checkEdition(value as Edition, invocation);
  if (key === 'dedupe' && value === 'domain') refuseOnOneDomain(invocation);
  if (key === 'ca_file') await (await import('../client/trust.ts')).certificatesIn(typed);
  const isCommand = key === 'api_key_command';
  if (isCommand) await checkKeyCommand(value as string[], invocation);
  const { profile, before } = await changeProfile(invocation, (settings) => ({
    ...(isCommand ? withoutKey(settings) : settings),
    [key]: value,
  }));
  const notes = isCommand && before.api_key ? [`deleted the stored API key of profile "${profile}"`] : [];
  const sentence = `Set ${key} to ${typed} in profile "${profile}"`;
  return { kind: 'done', sentence, record: { profile, key, value }, notes: () => notes };
}

/** Runs the command and verifies its key, unless it is the stored one: that one is deleted, and may exist nowhere else. */
async function checkKeyCommand(argv: readonly string[], invocation: Invocation): Promise<void> {
  const { global, system } = invocation;
  const { name, stored } = profileToChange(global, system);
  const key = await readKey({ kind: 'command', argv }, system);
  if (name === sandboxName || key.value === stored.api_key) return;
  const { base_url: url, username } = wholeProfile(name, { ...stored, api_key_command: [...argv] });
  await verify({ url, username, key, keySource: 'api_key_command', name, stored }, invocation);
}

function withoutKey({ api_key: _stored, ...settings }: StoredProfile): StoredProfile {
  return settings;
}

/** With this scope every later `shorten` would fail. */
function refuseOnOneDomain(invocation: Invocation): void {
  const edition = settings(invocation).find(({ key }) => key === 'edition')?.value;
  if (edition === 'b') throw new UsageError(`dedupe domain: ${thisServer('b')} has one domain; use account`);
}

/** With these settings later commands would fail. */
function refuseSeveralDomains({ global, system }: Invocation): void {
  const { name, stored } = profileToChange(global, system);
  const [key] = settingsOfDomains(stored);
  if (key === undefined) return;
  throw new UsageError(`edition b has one domain, but profile "${name}" has ${key} ${stored[key]}`, {
    hint: `linkctl config unset ${key} --profile ${name}`,
  });
}

/** With an unknown domain every later call would fail. */
async function checkWorkingDomain(typed: string, invocation: Invocation): Promise<void> {
  profileToChange(invocation.global, invocation.system);
  const check = async (): Promise<void> => {
    const { client, edition } = await openSession({ ...invocation, global: { ...invocation.global, domain: undefined } });
    if (!editions[edition].severalDomains) throw new UsageError(`domain: ${thisServer(edition)} has one domain`);
    await checkDomain(client, edition, domainName(typed, 'domain'));
  };
  await check().catch(orWarn(`the account has the domain ${typed}`, invocation));
}

/** With the wrong edition, later commands would fail or leave out domains. The sandbox can be of either edition. */
async function checkEdition(edition: Edition, invocation: Invocation): Promise<void> {
  if (edition === 'b') refuseSeveralDomains(invocation);
  const { global, system } = invocation;
  const { name, stored } = profileToChange(global, system);
  if (name === sandboxName) return;
  const check = async (): Promise<void> => {
    const { base_url: url, username, key: source } = wholeProfile(name, stored);
    const keySource = source.kind === 'command' ? 'api_key_command' : configPath(system);
    const candidate = { url, username, key: await readKey(source, system), keySource, name, stored };
    await verify(candidate, { ...invocation, global: { ...global, edition, domain: undefined } });
  };
  await check().catch(orWarn(`the server is edition ${edition}`, invocation));
}

/** Warns if the server cannot answer now. Other failures are thrown. */
function orWarn(what: string, { warn }: Invocation): (error: unknown) => Promise<void> {
  return async (error) => {
    if (!(error instanceof CliError) || !unchecked.includes(error.kind)) throw error;
    await warn(`could not check whether ${what}: ${error.message}`);
  };
}

/** With these failures the setting is stored unchecked. */
const unchecked: readonly FailureKind[] = ['auth', 'limit', 'unavailable'];

async function unsetSetting(_options: object, invocation: Invocation, [name = '']: string[]): Promise<DoneReport> {
  const key = requireProfileKey(name);
  if (fieldOf(key).login) {
    throw new UsageError(`${key} cannot be unset separately; it is deleted with its profile`, { hint: 'linkctl auth logout' });
  }
  const { profile, before } = await changeProfile(invocation, ({ [key]: _unset, ...settings }) => settings);
  const isKeyless = key === 'api_key_command' && before.api_key_command && !before.api_key && profile !== sandboxName;
  const notes = isKeyless ? [`profile "${profile}" has no API key now: linkctl auth login --profile ${profile}`] : [];
  const sentence = `Unset ${key} in profile "${profile}"`;
  return { kind: 'done', sentence, record: { profile, key, value: null }, notes: () => notes };
}

async function showPath(_options: object, { system }: Invocation): Promise<RowsReport> {
  return {
    kind: 'rows',
    key: 'files',
    rows: [{ path: configPath(system) }],
    columns: [{ name: 'path', path: true }],
  };
}

function settings({ global, system }: Invocation): Row[] {
  const { color } = global;
  const flags: SettingFlags = {
    ...global,
    domain: global.domain?.at(-1),
    output: global.json ? 'json' : global.output,
    color: color === false ? 'never' : color,
  };
  return effectiveSettings(flags, system).map((setting) => ({ ...setting }));
}

type StoredProfile = Readonly<Record<string, unknown>>;

async function changeProfile(
  { global, system, warn }: Invocation,
  change: (settings: StoredProfile) => StoredProfile,
): Promise<{ readonly profile: string; readonly before: StoredProfile }> {
  const { name: profile } = profileToChange(global, system);
  let before: StoredProfile = {};
  const warnings = await changeConfig(system, ({ profiles }) => {
    before = profiles[profile] ?? {};
    profiles[profile] = change(before);
  });
  await warn(...warnings);
  return { profile, before };
}

const settingColumns = [{ name: 'key' }, { name: 'value' }, { name: 'source', shrinks: true }];

function settingRows(rows: readonly Row[], pipedFields?: readonly string[]): RowsReport {
  return {
    kind: 'rows',
    key: 'settings',
    rows,
    columns: settingColumns,
    pipedFields,
  };
}
