import { domainToASCII } from 'node:url';
import { messageOf, UsageError } from '../base/errors.ts';
import { folders, type System } from '../base/system.ts';
import { version } from '../base/version.ts';
import { accountDomains, type ForeignHost, foreignHost } from '../client/account-domains.ts';
import type { ClientEvent } from '../client/call/observation.ts';
import { type Client, createClient } from '../client/client.ts';
import { type Edition, thisServer } from '../contract/editions.ts';
import type { AccountDomains } from '../contract/link.ts';
import { fileError } from '../files/file-error.ts';
import { makePrivateFolder } from '../files/folders.ts';
import type { GlobalOptions } from '../flags/globals.ts';
import { configPath } from '../profiles/config-path.ts';
import { describeSource } from '../profiles/credential-values.ts';
import { type Credentials, resolveCredentials } from '../profiles/credentials.ts';
import type { ApiKey } from '../profiles/key-source.ts';
import { Redactor } from '../profiles/redactor.ts';
import type { Settings } from '../profiles/server-credentials.ts';

/** Whom one command talks to, and the defaults that hold there. */
export interface Session {
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
  /** Edition B: the first of these hosts whose short URLs are not the account's (F5). */
  foreignHost(hosts: readonly string[]): Promise<ForeignHost | undefined>;
  /** What the profile sets beside credentials; empty without one. */
  readonly defaults: Settings;
  /** The short URL to show: the server's own where it sends one, else with the profile's scheme (CLI.md 3.7). */
  shortUrl(record: { readonly short_url?: unknown; readonly short_url_with_protocol?: unknown }): string;
  close(): Promise<void>;
}

/** What a session tells while it works. */
export interface SessionHooks {
  readonly system: System;
  warn(text: string): Promise<void>;
  note(text: string): Promise<void>;
  /** A line of `-v` or `--debug`. */
  trace(text: string): Promise<void>;
  /** From now on texts for people pass through this. */
  redactWith(redact: (text: string) => string): void;
  /** Whether stderr is a terminal. */
  terminal(): boolean;
  /** Ends all calls, and is told of those that change something (`--max-time`). */
  readonly deadline: { readonly calls: AbortSignal; changes(): void };
}

/** Picks one whole set of credentials and makes the client; nothing is sent yet. The sandbox starts its service here. */
export async function openSession(global: GlobalOptions, hooks: SessionHooks): Promise<Session> {
  const { system } = hooks;
  const credentials = resolveCredentials(global, system);
  for (const warning of credentials.warnings) await hooks.warn(warning);
  for (const text of credentials.notes) if (global.verbose || hooks.terminal()) await hooks.note(`note: ${text}`);
  const domain = workingDomain(global, credentials, system);
  const server = credentials.kind === 'sandbox' ? await startSandbox(credentials.edition, hooks) : undefined;
  let client: Client;
  try {
    client = connect({ ...accountOf(credentials, server), domain }, global, hooks);
  } catch (error) {
    await server?.close();
    throw error;
  }
  const defaults = credentials.settings;
  let domains: Promise<AccountDomains> | undefined;
  return {
    profile: credentials.profile,
    edition: credentials.edition,
    client,
    domain: domain?.name,
    domainNamed: domain?.named ?? false,
    domains() {
      domains ??= accountDomains(client);
      return domains;
    },
    askedDomains: () => domains,
    foreignHost: (hosts) => foreignHost(client, hosts),
    defaults,
    shortUrl: ({ short_url, short_url_with_protocol }) =>
      typeof short_url_with_protocol === 'string' && short_url_with_protocol
        ? short_url_with_protocol
        : `${defaults.short_url_scheme ?? 'https'}://${String(short_url ?? '')}`,
    async close() {
      await client.close();
      await server?.close();
    },
  };
}

/** Account and address of a service that this program serves itself. */
interface OwnServer {
  readonly baseUrl: string;
  readonly username: string;
  readonly apiKey: string;
  close(): Promise<void>;
}

/** CLI.md 3.2: in process, on a loopback port, behind a key that lives as long as this call; its data is kept. */
async function startSandbox(edition: Edition, { system, warn }: SessionHooks): Promise<OwnServer> {
  const { startService, usualPort } = await import('../service/service.ts');
  const username = 'sandbox';
  const apiKey = Buffer.from(system.randomBytes(24)).toString('base64url');
  const { data } = folders(system);
  makePrivateFolder(data);
  const service = await startService({
    edition,
    data,
    username,
    apiKey,
    redirects: false,
    // Its links work when `serve` serves them (D52).
    linksPort: usualPort,
    now: system.now,
    random: (size) => system.randomBytes(size),
    onFailure: (error) => void warn(`the sandbox failed: ${messageOf(error)}`),
  }).catch((error) => {
    throw fileError('use the data folder', data, error);
  });
  return { baseUrl: service.baseUrl, username, apiKey, close: () => service.close() };
}

/** One account on one server, before it is known whether it exists. */
export interface Account {
  readonly edition: Edition;
  readonly baseUrl: string;
  /** What the server is known by, where its address is another one at every call. */
  readonly server?: string | undefined;
  readonly username: string;
  readonly profile?: string | undefined;
  /** Where the key comes from, as people know it (B47). */
  readonly keySource: string;
  readonly methodOverride?: boolean | undefined;
  /** The working domain, for messages about it. */
  readonly domain?: { readonly name: string; readonly source: string } | undefined;
  /** Without it, calls carry no credentials. */
  readonly readKey?: (() => Promise<ApiKey>) | undefined;
  /** Attempts after the first one, whatever the flags say. */
  readonly retries?: number | undefined;
}

/** A client for an account, with what the flags say about the network. Nothing is sent yet. */
export function connect(account: Account, global: GlobalOptions, hooks: SessionHooks): Client {
  const { system } = hooks;
  const { username, readKey } = account;
  const redactor = new Redactor();
  hooks.redactWith((text) => redactor.redact(text));
  for (const name of ['https_proxy', 'http_proxy']) {
    for (const variable of [name, name.toUpperCase()]) redactor.addProxy(system.env[variable] ?? '');
  }
  return createClient({
    ...account,
    version,
    system,
    timeout: global.timeout ?? secondsOf(system.env.LINKCTL_TIMEOUT),
    retries: account.retries ?? global.retries,
    maxWait: global.maxWait,
    caFile: global.caFile,
    signal: hooks.deadline.calls,
    onChange: hooks.deadline.changes,
    observe: (event) => trace(event, global, hooks),
    redact: (text) => redactor.redact(text),
    withoutKey: (text) => redactor.withoutKey(text),
    readKey:
      readKey &&
      (async () => {
        const { value, warnings } = await readKey();
        for (const warning of warnings) await hooks.warn(warning);
        redactor.addKey(value, username);
        return value;
      }),
  });
}

/** Where the credentials lead: to the server of their set, or to the one that was started for the sandbox. */
function accountOf(credentials: Credentials, sandbox: OwnServer | undefined): Account {
  const { edition, settings, profile } = credentials;
  const methodOverride = settings.method_override ?? undefined;
  if (credentials.kind === 'server') {
    const { baseUrl, username, sources, readKey } = credentials;
    const keySource = sources.apiKey.kind === 'profile' ? sources.apiKey.path : describeSource(sources.apiKey);
    return { edition, baseUrl, username, profile, keySource, methodOverride, readKey };
  }
  if (!sandbox) throw new Error('the sandbox has no server');
  const { baseUrl, username, apiKey } = sandbox;
  const readKey = async (): Promise<ApiKey> => ({ value: apiKey, warnings: [] });
  // Runs and their journals outlive the port.
  const server = `sandbox, edition ${edition}`;
  return { edition, baseUrl, server, username, profile, keySource: 'the sandbox', methodOverride, readKey };
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
  const stored = { kind: 'profile', profile: profile ?? '', key: 'domain', path: configPath(system) } as const;
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

function secondsOf(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const number = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && number > 0 && number <= 2_147_483) return number;
  throw new UsageError(`LINKCTL_TIMEOUT: expected seconds above 0, got ${JSON.stringify(text)}`);
}

/** B83, R-7: one line a request and a retry with `-v`; headers and bodies, without secrets, with `--debug`. */
function trace(event: ClientEvent, { verbose, debug }: GlobalOptions, hooks: SessionHooks): void {
  if (event.kind === 'warning') return void hooks.warn(event.message);
  if (!verbose && !debug) return;
  if (event.kind === 'retry') {
    const seconds = (event.delay / 1000).toFixed(1);
    return void hooks.trace(`${event.method} ${event.path}: ${event.reason}; attempt ${event.attempt} in ${seconds} s`);
  }
  void hooks.trace(`${event.method} ${event.path()} ${event.outcome()} ${Math.round(event.milliseconds)} ms`);
  if (!debug) return;
  const { requestHeaders, requestBody, responseHeaders = {}, responseBody } = event.detail();
  for (const [name, value] of Object.entries(requestHeaders)) void hooks.trace(`> ${name}: ${value}`);
  if (requestBody !== undefined) void hooks.trace(`> ${requestBody}`);
  for (const [name, value] of Object.entries(responseHeaders)) void hooks.trace(`< ${name}: ${value}`);
  if (responseBody !== undefined) void hooks.trace(`< ${responseBody}`);
}
