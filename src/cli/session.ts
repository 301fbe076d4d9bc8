import { domainToASCII } from 'node:url';
import { UsageError } from '../base/errors.ts';
import type { System } from '../base/system.ts';
import { version } from '../base/version.ts';
import type { ForeignHost } from '../client/account-domains.ts';
import { type Client, createClient } from '../client/client.ts';
import type { ClientEvent } from '../client/client-options.ts';
import { type Edition, thisServer } from '../contract/editions.ts';
import { type AccountDomains, enumerated, type LinkDomains } from '../contract/link.ts';
import type { GlobalOptions } from '../flags/globals.ts';
import { configPath } from '../profiles/config-file.ts';
import { type Credentials, resolveCredentials, type ServerCredentials } from '../profiles/credentials.ts';
import { describeSource } from '../profiles/given-set.ts';
import type { ApiKey } from '../profiles/key-source.ts';
import type { Settings } from '../profiles/profile.ts';
import { Redactor } from '../profiles/redactor.ts';
import { type Invocation, usualFormat } from './invocation.ts';
import { startSandbox } from './sandbox.ts';

/** An invocation that is connected to an account, and the defaults of its profile. */
export interface Session extends Invocation {
  /** Name of the profile; absent where the credentials come from flags or the environment. */
  readonly profile: string | undefined;
  readonly edition: Edition;
  readonly client: Client;
  /** Edition A: the working domain in ASCII; absent for the account's default one. */
  readonly domain: string | undefined;
  /** Whether the working domain was typed as a flag, and is not a default of the environment or the profile. */
  readonly domainNamed: boolean;
  /** Edition A: the account's domains. The server is asked once. */
  domains(): Promise<AccountDomains>;
  /** The same where the server was asked already. */
  askedDomains(): Promise<AccountDomains> | undefined;
  /** The first of these hosts whose short URLs are not the account's (F5). */
  foreignHost(hosts: readonly string[]): Promise<ForeignHost | undefined>;
  /** What the profile sets beside credentials; empty without one. */
  readonly defaults: Settings;
  /** The short URL to show: the server's own where it sends one, else with the profile's scheme (CLI 3.7). */
  shortUrl(record: { readonly short_url?: unknown; readonly short_url_with_protocol?: unknown }): string;
}

/** Picks one whole set of credentials and makes the client; nothing is sent yet. The sandbox starts its service here. */
export async function openSession(invocation: Invocation): Promise<Session> {
  const { global, system, streams, output } = invocation;
  const credentials = resolveCredentials(global, system);
  await invocation.warn(...credentials.warnings);
  for (const text of credentials.notes) if (global.verbose || streams.watched) await invocation.note(`note: ${text}`);
  const domain = workingDomain(global, credentials, system);
  const account = credentials.kind === 'sandbox' ? await sandboxAccount(credentials, invocation) : accountOf(credentials);
  const client = connect({ ...account, domain }, invocation);
  invocation.atEnd(client.close);
  const defaults = credentials.settings;
  invocation.failure.profile = credentials.profile;
  output.format ??= usualFormat(defaults.output ?? undefined, streams);
  output.colour ??= defaults.color ?? undefined;
  let asked: Promise<AccountDomains> | undefined;
  const domains = (): Promise<AccountDomains> => {
    asked ??= import('../client/account-domains.ts').then(({ accountDomains }) => accountDomains(client));
    return asked;
  };
  return {
    ...invocation,
    profile: credentials.profile,
    edition: credentials.edition,
    client,
    domain: domain?.name,
    domainNamed: domain?.named ?? false,
    domains,
    askedDomains: () => asked,
    foreignHost: async (hosts) => {
      const { foreignDomain, foreignHost } = await import('../client/account-domains.ts');
      return credentials.edition === 'a' ? foreignDomain(await domains(), hosts) : await foreignHost(client, hosts);
    },
    defaults,
    shortUrl: ({ short_url, short_url_with_protocol }) =>
      typeof short_url_with_protocol === 'string' && short_url_with_protocol
        ? short_url_with_protocol
        : `${defaults.short_url_scheme ?? 'https'}://${String(short_url ?? '')}`,
  };
}

/**
 * A second account beside the one of the command line, in whole from its profile: what flags and environment say about the first one's
 * server, credentials, edition and domain is not for it (B62).
 */
export async function openProfile(profile: string, invocation: Invocation): Promise<Session> {
  const { system, failure, output } = invocation;
  const { baseUrl: _, username: __, apiKeyFile: ___, edition: ____, domain: _____, ...global } = invocation.global;
  // The other variables give way to a profile that is named.
  const env = { ...system.env, LINKCTL_EDITION: undefined, LINKCTL_DOMAIN: undefined };
  const own: System = Object.create(system, { env: { value: env } });
  return await openSession({
    ...invocation,
    global: { ...global, profile },
    system: own,
    failure: { ...failure },
    output: { ...output },
  });
}

/** The account that a whole set of credentials leads to. */
function accountOf(credentials: ServerCredentials): Account {
  const { edition, baseUrl, username, profile, sources, settings, readKey } = credentials;
  const keySource = sources.apiKey.kind === 'profile' ? sources.apiKey.path : describeSource(sources.apiKey);
  const methodOverride = settings.method_override ?? undefined;
  return { edition, baseUrl, username, profile, keySource, methodOverride, caFile: settings.ca_file ?? undefined, readKey };
}

async function sandboxAccount({ edition, profile, settings }: Credentials, invocation: Invocation): Promise<Account> {
  const { baseUrl, username, apiKey } = await startSandbox(edition, invocation);
  return {
    edition,
    baseUrl,
    // Runs and their journals outlive the port.
    server: `sandbox, edition ${edition}`,
    username,
    profile,
    keySource: 'the sandbox',
    methodOverride: settings.method_override ?? undefined,
    readKey: async (): Promise<ApiKey> => ({ value: apiKey, warnings: [] }),
  };
}

/** `--domain`, else the default of the environment, else that of the profile (B61), in ASCII. */
function workingDomain(
  global: GlobalOptions,
  { edition, settings, profile }: Credentials,
  system: System,
): { name: string; named: boolean; source: string } | undefined {
  const typed = global.domain?.at(-1);
  const given = typed ?? (system.env.LINKCTL_DOMAIN || undefined);
  const name = given ?? settings.domain ?? undefined;
  if (name === undefined) return undefined;
  const stored = { kind: 'profile', profile: profile ?? '', path: configPath(system) } as const;
  const source = given === undefined ? describeSource(stored) : typed === undefined ? 'LINKCTL_DOMAIN' : '--domain';
  if (edition === 'b') {
    if (given === undefined) return undefined;
    throw new UsageError(`${source}: ${thisServer('b')} has one domain`);
  }
  return { name: domainName(name, source), named: typed !== undefined, source };
}

/** A domain as it goes out, in ASCII. Throws a UsageError, which names the source, for what is none. */
export function domainName(text: string, source: string): string {
  const ascii = domainToASCII(text.replace(/:\d+$/, ''));
  if (ascii === '') throw new UsageError(`${source}: ${JSON.stringify(text)} is not a domain name`);
  return ascii + (/:\d+$/.exec(text)?.[0] ?? '');
}

/**
 * Whose links a question is about (B58): `profile "work" on api.example.com, domain s.ex`. The domains are those that the links
 * name; the working one is where they name none. The sandbox has another port in every command, so no port is shown.
 */
export function whereabouts(
  { client: { identity }, domain }: Pick<Session, 'client' | 'domain'>,
  domains: LinkDomains = [undefined],
): string {
  const { profile, username } = identity;
  const host = identity.server === identity.baseUrl ? identity.host : 'this computer';
  const account = profile === undefined ? `account "${username}"` : `profile "${profile}"`;
  const names = [...new Set(domains.map((name) => name ?? domain))].filter((name) => name !== undefined);
  if (names.length < 2) return `${account} on ${host}${names.map((name) => `, domain ${name}`).join('')}`;
  const shown = names.length > 3 ? [...names.slice(0, 2), `${names.length - 2} more`] : names;
  return `${account} on ${host}, domains ${enumerated(shown, 'and', shown.length)}`;
}

/** One account on one server, before it is known whether it exists. */
interface Account {
  readonly edition: Edition;
  readonly baseUrl: string;
  /** What the server is known by, where its address is another one at every call. */
  readonly server?: string | undefined;
  readonly username: string;
  readonly profile?: string | undefined;
  /** Where the key comes from, as people know it (B47). */
  readonly keySource: string;
  readonly methodOverride?: boolean | undefined;
  /** Of the profile, where no flag names another. */
  readonly caFile?: string | undefined;
  /** The working domain, for messages about it. */
  readonly domain?: { readonly name: string; readonly source: string } | undefined;
  /** Without it, calls carry no credentials. */
  readonly readKey?: (() => Promise<ApiKey>) | undefined;
  /** Attempts after the first one, whatever the flags say. */
  readonly retries?: number | undefined;
}

/** A client for an account, with what the flags say about the network. Nothing is sent yet; the caller closes it. */
export function connect(account: Account, invocation: Invocation): Client {
  const { system, global, streams, deadline, sent, warn } = invocation;
  const { username, readKey } = account;
  const redactor = new Redactor();
  const redact = (text: string): string => redactor.redact(text);
  streams.redactWith(redact);
  for (const name of ['https_proxy', 'http_proxy']) {
    for (const variable of [name, name.toUpperCase()]) redactor.addProxy(system.env[variable] ?? '');
  }
  return createClient({
    ...account,
    version,
    system,
    timeout: timeoutOf(invocation),
    retries: account.retries ?? global.retries,
    maxWait: global.maxWait,
    caFile: global.caFile ?? account.caFile,
    signal: deadline.calls,
    onChange: () => {
      deadline.changes();
      sent.change = true;
    },
    observe: (event) => trace(event, invocation),
    redact,
    withoutKey: (text) => redactor.withoutKey(text),
    readKey:
      readKey &&
      (async () => {
        const { value, warnings } = await readKey();
        await warn(...warnings);
        redactor.addKey(value, username);
        return value;
      }),
  });
}

/** Seconds that an answer may take, where anybody has said it. */
export function timeoutOf({ global, system }: Pick<Invocation, 'global' | 'system'>): number | undefined {
  return global.timeout ?? secondsOf(system.env.LINKCTL_TIMEOUT);
}

function secondsOf(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const number = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && number > 0 && number <= 2_147_483) return number;
  throw new UsageError(`LINKCTL_TIMEOUT: expected seconds above 0, got ${JSON.stringify(text)}`);
}

/** B83, R-7: one line a request and a retry with `-v`; headers and bodies, without secrets, with `--debug`. */
function trace(event: ClientEvent, { global, streams, warn }: Invocation): void {
  if (event.kind === 'warning') return void warn(event.message);
  if (!global.verbose && !global.debug) return;
  const print = (line: string): void => void streams.message(line);
  if (event.kind === 'retry') {
    const seconds = (event.delay / 1000).toFixed(1);
    return void print(`${event.method} ${event.path}: ${event.reason}; attempt ${event.attempt} in ${seconds} s`);
  }
  print(`${event.method} ${event.path()} ${event.outcome()} ${Math.round(event.milliseconds)} ms`);
  if (!global.debug) return;
  const { requestHeaders, requestBody, responseHeaders = {}, responseBody } = event.detail();
  for (const [name, value] of Object.entries(requestHeaders)) print(`> ${name}: ${value}`);
  if (requestBody !== undefined) print(`> ${requestBody}`);
  for (const [name, value] of Object.entries(responseHeaders)) print(`< ${name}: ${value}`);
  if (responseBody !== undefined) print(`< ${responseBody}`);
}
