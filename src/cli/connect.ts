import { UsageError } from '../base/errors.ts';
import { version } from '../base/version.ts';
import { type Client, createClient } from '../client/client.ts';
import type { ClientEvent } from '../client/client-options.ts';
import type { Edition } from '../contract/editions.ts';
import type { ApiKey } from '../profiles/key-source.ts';
import { Redactor } from '../profiles/redactor.ts';
import type { Invocation } from './invocation.ts';

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

/** A client for an account, with what the flags say about the network. Nothing is sent yet; the caller closes it. */
export function connect(account: Account, invocation: Invocation): Client {
  const { system, global, streams, deadline, warn } = invocation;
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
    timeout: global.timeout ?? secondsOf(system.env.LINKCTL_TIMEOUT),
    retries: account.retries ?? global.retries,
    maxWait: global.maxWait,
    caFile: global.caFile,
    signal: deadline.calls,
    onChange: deadline.changes,
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
