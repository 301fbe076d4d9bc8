import { UsageError } from '../base/errors.ts';
import { safe } from '../base/safe-text.ts';
import { configPath, type System } from '../base/system.ts';
import { version } from '../base/version.ts';
import type { ForeignHost } from '../client/account-domains.ts';
import { type Client, createClient } from '../client/client.ts';
import type { ClientEvent, ClientOptions } from '../client/client-options.ts';
import type { ListedAccount } from '../client/whole-listing.ts';
import { type Edition, thisServer } from '../contract/editions.ts';
import { type AccountDomains, recordDomain } from '../contract/link.ts';
import { hostName } from '../contract/web-address.ts';
import type { GlobalOptions } from '../flags/globals.ts';
import { seconds } from '../flags/values.ts';
import { describeSource } from '../profiles/given-set.ts';
import type { ApiKey } from '../profiles/key-source.ts';
import type { Settings } from '../profiles/profile.ts';
import { Redactor } from '../profiles/redactor.ts';
import { type Credentials, resolveCredentials, type ServerCredentials } from '../profiles/resolved-credentials.ts';
import { explicitFormat, type Invocation } from './invocation.ts';

/** An invocation with an account. */
export interface Session extends Invocation, ListedAccount {
  /** Undefined if the credentials come from flags or the environment. */
  readonly profile: string | undefined;
  readonly edition: Edition;
  /** Also for a run, which counts its calls: `by` sends the request unless it was sent already. */
  domains(by?: Pick<Client, 'send'>): Promise<AccountDomains>;
  /** Like `domains`, but undefined unless the request was sent already. */
  askedDomains(): Promise<AccountDomains> | undefined;
  /** Returns the first host that is not a domain of the account. */
  foreignHost(hosts: readonly string[]): Promise<ForeignHost | undefined>;
  /** Adds the current port to a stored domain of a service on this computer: runs and the history store it without a port. */
  currentDomain(stored: string): Promise<string>;
  /** Settings of the profile; empty without one. */
  readonly defaults: Settings;
  /**
   * Prefers the server's URL, otherwise adds a scheme: that of the domain if the domains have been requested and say so, else the profile's.
   * The hash if the server shows no short URL.
   */
  shortUrl(record: { readonly [M in 'short_url' | 'short_url_with_protocol' | 'hash']?: unknown }): string;
}

/** Sends nothing yet; the sandbox starts its service here. */
export async function openSession(invocation: Invocation, pasteable?: ClientOptions['pasteable']): Promise<Session> {
  const { global, system, streams, output } = invocation;
  const credentials = resolveCredentials(global, system);
  await invocation.warn(...credentials.warnings);
  if (credentials.note && (global.verbose || streams.watched)) await invocation.note(`note: ${credentials.note}`);
  const domain = workingDomain(global, credentials, system);
  const account =
    credentials.kind === 'sandbox'
      ? await (await import('./sandbox.ts')).sandboxAccount(credentials, invocation)
      : accountOf(credentials);
  const client = connect({ ...account, domain, pasteable }, invocation);
  const defaults = credentials.settings;
  invocation.failure.profile = credentials.profile;
  output.format ??= explicitFormat(defaults.output ?? undefined, streams);
  output.colour ??= defaults.color ?? undefined;
  let asked: Promise<AccountDomains> | undefined;
  let isHttps = (_host: string): boolean | undefined => undefined;
  const domains = (by: Pick<Client, 'send'> = client): Promise<AccountDomains> => {
    asked ??= import('../client/account-domains.ts').then(async ({ accountDomains, usesHttps }) => {
      const own = await accountDomains(by);
      isHttps = (host) => usesHttps(own, host);
      return own;
    });
    return asked;
  };
  const schemeOf = (url: string): string => {
    const isSecure = isHttps(recordDomain({ short_url: url }) ?? '');
    return isSecure === undefined ? (defaults.short_url_scheme ?? 'https') : `http${isSecure ? 's' : ''}`;
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
    currentDomain: async (stored) => (await import('../client/account-domains.ts')).currentDomain(stored, { client, domains }),
    defaults,
    shortUrl: ({ short_url: url, short_url_with_protocol: whole, hash }) =>
      String(whole || (url ? `${schemeOf(String(url))}://${url}` : hash)),
  };
}

function accountOf(credentials: ServerCredentials): Account {
  const { edition, baseUrl, username, profile, sources, settings, readKey } = credentials;
  const { apiKey } = sources;
  // Messages name the profile, too.
  const keySource =
    apiKey.kind === 'profile' ? apiKey.path : apiKey.kind === 'command' ? 'api_key_command' : describeSource(apiKey);
  const methodOverride = settings.method_override ?? undefined;
  const usernameSource = describeSource(sources.username);
  const caFile = settings.ca_file ?? undefined;
  return { edition, baseUrl, username, usernameSource, profile, keySource, methodOverride, caFile, readKey };
}

/** Precedence: `--domain`, environment, profile. */
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
    // Without the stored domain, a change would be made to another link than the user means.
    const hint = given === undefined ? `linkctl config unset domain --profile ${profile}` : undefined;
    throw new UsageError(`${source}: ${thisServer('b')} has one domain`, { hint });
  }
  return { name: domainName(name, source), named: typed !== undefined, source };
}

/** As in short URLs. Throws a UsageError that names the source. */
export function domainName(text: string, source: string): string {
  const name = hostName(text);
  if (name === '') throw new UsageError(`${source}: ${JSON.stringify(text)} is not a domain name`);
  return name;
}

/** `retries` overrides the flags, and a flag overrides `caFile`. `pasteable` is only for an account that is not that of the command line. */
interface Account extends Omit<ClientOptions, 'version' | 'system' | 'readKey'> {
  /** Without it, requests have no credentials. */
  readonly readKey?: (() => Promise<ApiKey>) | undefined;
}

/** Sends nothing yet. */
export function connect(account: Account, invocation: Invocation): Client {
  const { system, global, streams, calls, sent, warn } = invocation;
  const { username, readKey } = account;
  const redactor = new Redactor();
  const redact = (text: string): string => redactor.redact(text);
  streams.redactWith(redact);
  for (const name of ['https_proxy', 'http_proxy']) {
    for (const variable of [name, name.toUpperCase()]) redactor.addProxy(system.env[variable]);
  }
  return createClient({
    ...account,
    version,
    system,
    timeout: timeoutOf(invocation),
    retries: account.retries ?? global.retries,
    maxWait: global.maxWait,
    caFile: global.caFile ?? account.caFile,
    signal: calls,
    onChange: () => {
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

/** Seconds; undefined for the client's default. */
export function timeoutOf({ global, system }: Pick<Invocation, 'global' | 'system'>): number | undefined {
  const { LINKCTL_TIMEOUT: text } = system.env;
  return global.timeout ?? (text ? seconds(0.001, (fault) => new UsageError(`LINKCTL_TIMEOUT: ${fault}`))(text) : undefined);
}

/** `-v` prints a line per request and retry; `--debug` also prints headers and bodies without secrets. */
function trace(event: ClientEvent, { global, failure: { debug }, streams, warn }: Invocation): void {
  if (event.kind === 'warning') return void warn(event.message);
  if (!global.verbose && !debug) return;
  // Only bodies are the lead, because `text` is wrapped on a terminal.
  const print = (text: string, lead?: string): void => void streams.message(text, lead);
  if (event.kind === 'retry') {
    const seconds = (event.delay / 1000).toFixed(1);
    return void print(`${event.method} ${event.path}: ${event.reason}; attempt ${event.attempt} in ${seconds} s`);
  }
  print(`${event.method} ${event.path()} ${event.outcome()} ${Math.round(event.milliseconds)} ms`);
  if (!debug) return;
  const { requestHeaders, requestBody, responseHeaders = {}, responseBody } = event.detail();
  for (const [name, value] of Object.entries(requestHeaders)) print(`> ${name}: ${value}`);
  if (requestBody !== undefined) print('', `> ${safe(requestBody)}`);
  for (const [name, value] of Object.entries(responseHeaders)) print(`< ${name}: ${value}`);
  if (responseBody !== undefined) print('', `< ${safe(responseBody)}`);
}
