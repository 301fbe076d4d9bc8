import { resolve } from 'node:path';
import { CliError, UsageError } from '../../base/errors.ts';
import type { InputStream, System } from '../../base/system.ts';
import type { Invocation } from '../../cli/invocation.ts';
import { ask, askHidden, canAsk, confirm, requireTerminal } from '../../cli/prompt.ts';
import { certificatesIn } from '../../client/trust.ts';
import { forgetLabels } from '../../completion/label-storage.ts';
import { editions, thisServer } from '../../contract/editions.ts';
import { enumerated } from '../../contract/link.ts';
import { printFailure } from '../../output/failure-lines.ts';
import type { DoneReport } from '../../output/report.ts';
import { isExposed, typedAccountName } from '../../profiles/account-values.ts';
import { changeConfig } from '../../profiles/config-change.ts';
import { readConfig } from '../../profiles/config-file.ts';
import { cleanKey, type KeySource, readKey } from '../../profiles/key-source.ts';
import { type Profile, settingsOfDomains } from '../../profiles/profile.ts';
import { namedProfile, requireProfileName, sandboxName } from '../../profiles/profile-names.ts';
import { overridingProfile } from '../../profiles/resolved-credentials.ts';
import { findApi } from './find-api.ts';
import { verify } from './verify.ts';

export async function logIn({ withKey = false }: { withKey?: boolean }, invocation: Invocation): Promise<DoneReport> {
  const { global, system } = invocation;
  refuseShadowed(system.env);
  const config = readConfig(system);
  await invocation.warn(...config.warnings);
  const name = await givenName(invocation);
  const stored = config.profiles.get(name) ?? {};
  requireAnswers(withKey, stored, invocation);
  const url = await givenBaseUrl(stored, invocation);
  const username = await givenUsername(stored, invocation);
  await consentToReplace(name, stored, { url, username }, invocation);
  const source = await givenKey(withKey, stored, url, invocation);
  const key = typeof source === 'string' ? { value: source, warnings: [] } : await readKey(source, system);
  const keySource = typeof source === 'string' ? typedFrom(withKey, system) : nameOf(source);
  const { edition, account } = await verify({ url, username, key, keySource, name, stored }, invocation);
  const keepsCommand = typeof source !== 'string' && source.kind === 'command';
  const domain = global.domain?.at(-1);
  // Only a connection with TLS has read it.
  if (global.caFile && new URL(url).protocol === 'http:') await certificatesIn(global.caFile);
  const trusted = global.caFile ? { ca_file: resolve(global.caFile) } : {};
  let current: string | undefined;
  let dropped: readonly ('domain' | 'dedupe')[] = [];
  await changeConfig(system, (draft) => {
    const kept = { ...(stored.base_url === url && draft.profiles[name]) };
    dropped = edition === 'b' ? settingsOfDomains(kept) : [];
    for (const key of dropped) delete kept[key];
    const secret = keepsCommand ? {} : { api_key: key.value, api_key_command: null };
    const exposed = isExposed(url) ? { insecure_http: true } : {};
    draft.profiles[name] = {
      ...kept,
      base_url: url,
      username,
      edition,
      ...secret,
      ...exposed,
      ...trusted,
      ...(domain && { domain }),
    };
    const { current_profile: before } = draft;
    current = before && (before === sandboxName || draft.profiles[before]) ? before : name;
    draft.current_profile = current;
  });
  forgetLabels(name, system);
  const plan = typeof account.subscription_plan === 'string' ? `, plan ${account.subscription_plan}` : '';
  const place = invocation.streams.terminal ? new URL(url).host : url;
  const sentence = `Logged in to ${place} as ${username} (${editions[edition].title}${plan}), profile "${name}"`;
  return {
    kind: 'done',
    sentence,
    record: { profile: name, base_url: url, username, edition, account },
    notes: () => [
      ...(invocation.streams.terminal ? [] : [sentence]),
      ...(keepsCommand || !stored.api_key_command
        ? []
        : [`deleted api_key_command of profile "${name}"; the API key is stored instead`]),
      ...dropped.map((key) => `deleted ${key} of profile "${name}": ${thisServer(edition)} has one domain`),
      ...(current === name ? [] : [`the current profile is still "${current}"; to switch: linkctl auth switch ${name}`]),
      ...overridingProfile(name, system.env),
    ],
  };
}

/** Of another account the stored key may exist nowhere else, and scripts that use the profile would change the new one. */
async function consentToReplace(
  name: string,
  { base_url, username: before }: Profile,
  { url, username }: { readonly url: string; readonly username: string },
  invocation: Invocation,
): Promise<void> {
  if (!base_url || (base_url === url && before === username)) return;
  const { global } = invocation;
  const account = `${before} on ${new URL(base_url).host}`;
  if (!global.yes && !canAsk(invocation)) {
    throw new UsageError(`profile "${name}" is of another account: ${account}`, {
      hint: 'add --profile with another name, or --yes to replace it',
    });
  }
  await confirm(`Replace profile "${name}" (${account})?`, invocation);
}

/** These variables override profiles, so a stored profile would not be used. */
function refuseShadowed(env: System['env']): void {
  const name = ['LINKCTL_API_KEY', 'LINKCTL_API_KEY_FILE', 'LINKCTL_USERNAME'].find((variable) => env[variable]);
  if (name) {
    throw new UsageError(`${name} is set in the environment and overrides all profiles`, { hint: `unset ${name}` });
  }
}

async function givenName(invocation: Invocation): Promise<string> {
  const { global, system } = invocation;
  const given = namedProfile(global, system) ?? (canAsk(invocation) ? undefined : 'default');
  if (given !== undefined) return loginName(given);
  return await askUntil(() => ask('Profile name', '--profile', invocation, 'default'), loginName, invocation);
}

function loginName(text: string): string {
  if (requireProfileName(text) !== sandboxName) return text;
  throw new UsageError('the sandbox needs no login', { hint: 'to log in to a server: linkctl auth login --profile work' });
}

/** Asks again after an invalid answer: if the login ended here, the next answers, such as the key, would go to the shell. */
async function askUntil(
  question: () => Promise<string>,
  read: (answer: string) => string | Promise<string>,
  { deadline, streams }: Invocation,
): Promise<string> {
  for (;;) {
    const answer = await question();
    try {
      return await read(answer);
    } catch (error) {
      if (!(error instanceof CliError) || deadline.signal?.aborted) throw error;
      await printFailure(error, {}, streams);
    }
  }
}

/** Throws a UsageError that names all missing flags at once if nobody can be asked. */
function requireAnswers(withKey: boolean, stored: Profile, invocation: Invocation): void {
  const { global, system } = invocation;
  const hasKey = withKey || global.apiKeyFile !== undefined || stored.api_key_command;
  const missing = [
    ...(global.baseUrl || system.env.LINKCTL_BASE_URL || stored.base_url ? [] : ['--base-url']),
    ...(global.username || stored.username ? [] : ['--username']),
    ...(hasKey ? [] : [keyFlags]),
  ];
  if (missing.length > 0) requireTerminal(enumerated(missing, 'and'), invocation);
}

const keyFlags = '--with-key or --api-key-file';

async function givenBaseUrl(stored: Profile, invocation: Invocation): Promise<string> {
  const { global, system } = invocation;
  const given = global.baseUrl ?? (system.env.LINKCTL_BASE_URL || undefined);
  const exposes = global.insecureHttp ?? stored.insecure_http ?? false;
  if (given !== undefined) return await findApi(given, exposes, invocation);
  if (stored.base_url && !canAsk(invocation)) return stored.base_url;
  const question = 'Base URL of the API, such as example.com';
  return await askUntil(
    () => ask(question, '--base-url', invocation, stored.base_url ?? undefined),
    (text) => findApi(text, exposes, invocation),
    invocation,
  );
}

async function givenUsername(stored: Profile, invocation: Invocation): Promise<string> {
  const { username } = stored;
  // Without a terminal the stored name is kept; on a terminal it is the default of the question.
  const kept = invocation.global.username ?? (canAsk(invocation) ? undefined : username || undefined);
  return typedAccountName(kept ?? (await ask('Username', '--username', invocation, username ?? undefined)));
}

/** Reads the key, or returns its source. A key command of the profile stays in use for the same server. */
async function givenKey(withKey: boolean, stored: Profile, url: string, invocation: Invocation): Promise<string | KeySource> {
  const { global, system } = invocation;
  if (withKey && global.apiKeyFile !== undefined) throw new UsageError('specify only one of --with-key or --api-key-file');
  if (global.apiKeyFile !== undefined) return { kind: 'file', path: global.apiKeyFile };
  const rejectFrom = (place: string) => (fault: string) => new UsageError(`${place}: ${fault}`);
  if (withKey && !system.stdin.isTTY) return cleanKey(await readText(system.stdin, 65_536), rejectFrom('--with-key'));
  if (!withKey && stored.api_key_command && stored.base_url === url) return { kind: 'command', argv: stored.api_key_command };
  return cleanKey(await askHidden('API key', keyFlags, invocation), rejectFrom('the typed key'));
}

function typedFrom(withKey: boolean, { stdin }: System): string {
  return withKey && !stdin.isTTY ? 'stdin' : 'the terminal';
}

function nameOf(source: KeySource): string {
  return source.kind === 'file' ? source.path : 'api_key_command';
}

/** `limit` is in bytes. */
async function readText(stdin: InputStream, most: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > most) throw new UsageError(`stdin: longer than ${most} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString();
}
