import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { CliError, LocalError, messageOf, UsageError } from '../base/errors.ts';
import { folders, type System } from '../base/system.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/run.ts';
import { isLoopback } from '../contract/web-address.ts';
import { atomicWrite } from '../files/atomic-write.ts';
import { acquireClaim } from '../files/claim-lock.ts';
import { errorCode, fileError } from '../files/file-error.ts';
import { makePrivateFolder } from '../files/folders.ts';
import { count } from '../flags/values.ts';
import { describe } from '../help/description.ts';
import { printReport } from '../output/print.ts';
import type { Report } from '../output/report.ts';
import { typedAccountName } from '../profiles/account-values.ts';
import { readKey } from '../profiles/key-source.ts';
import { apiRoot } from '../service/dispatcher.ts';
import { normalizeDomain } from '../service/hosts.ts';
import { type RunningService, startService, usualPort } from '../service/service.ts';
import type { ServiceOptions } from '../service/service-options.ts';

interface ServeOptions {
  readonly host?: string;
  readonly port?: number;
  readonly data?: string;
  readonly maxBatch?: number;
  readonly maxUrls?: number;
  readonly maxMonthUrls?: number;
  readonly maxCallsPerDay?: number;
  readonly maxBodyBytes?: number;
}

export function registerServe(command: Command, run: Runner): void {
  command
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--port <n>', `port to listen on, 0 for any free port (default: ${usualPort})`, count(0))
    .option('--data <folder>', 'folder for the links (default: the links of the sandbox)')
    .option('--max-batch <n>', 'maximum items per request (API error 1221)', count(1))
    .option('--max-urls <n>', 'maximum links of the account (1220)', count(0))
    .option('--max-month-urls <n>', 'maximum links created per month (1220)', count(0))
    .option('--max-calls-per-day <n>', 'maximum API calls per day (1303)', count(0))
    .option('--max-body-bytes <n>', 'maximum bytes of a request body (1310)', count(1))
    .action(run(serve));
  describe(command, {
    examples: [
      'linkctl serve',
      'linkctl serve --port 0 -o json',
      'linkctl serve --edition b --data links --domain s.ex --host 0.0.0.0 --port 80',
    ],
    notes: [
      'The API is served at /api/3, and GET /<hash> redirects. The API key is generated once and kept in the data folder, unless ' +
        '--api-key-file is given. --username is the name that clients must send (default: sandbox). --domain is repeatable; the first domain is the default. Without --domain, short URLs ' +
        'use localhost. With -o json, one line is printed when the server is ready. SIGTERM and Ctrl-C let pending requests finish.',
    ],
    globals: ['--edition', '--domain', '--username', '--api-key-file'],
  });
}

/** The account of the sandbox: `serve` without further flags makes its links work. */
const usualUsername = 'sandbox';

/** Runs until a signal ends it. */
async function serve(options: ServeOptions, invocation: Invocation): Promise<Report> {
  const { system, global } = invocation;
  const stopped = firstSignal(invocation);
  const data = options.data ?? folders(system).data;
  const username = typedAccountName(global.username ?? usualUsername);
  makePrivateFolder(data);
  const settings = { ...settingsOf(options, invocation), data, username, apiKey: await ownKey(data, invocation) };
  const service = await start(settings);
  try {
    await announce(service, settings, invocation);
    await stopped;
    await invocation.note('stopping after pending requests; a second signal (Ctrl-C) stops immediately');
  } finally {
    await service.close();
  }
  return { kind: 'text', text: '' };
}

function settingsOf(
  options: ServeOptions,
  { system, global, warn }: Invocation,
): Omit<ServiceOptions, 'username' | 'data' | 'apiKey'> {
  const { domain: domains = [], edition = 'a' } = global;
  if (edition === 'b' && domains.length > 1) throw new UsageError('--domain: edition B has one domain');
  const bad = domains.find((name) => normalizeDomain(name) === undefined);
  if (bad !== undefined) throw new UsageError(`--domain: ${JSON.stringify(bad)} is not a domain name`);
  if (options.port !== undefined && options.port > 65_535) {
    throw new UsageError(`--port: expected a number of up to 65535, got "${options.port}"`);
  }
  return {
    edition,
    host: options.host ?? '127.0.0.1',
    port: options.port ?? usualPort,
    domains: domains.map((name) => ({ name })),
    namedByPort: domains.length === 0,
    limits: {
      groupBound: options.maxBatch,
      urls: options.maxUrls,
      monthUrls: options.maxMonthUrls,
      callsPerDay: options.maxCallsPerDay,
      bodyBytes: options.maxBodyBytes,
    },
    redirects: true,
    now: system.now,
    random: (size) => system.randomBytes(size),
    onFailure: (error) => void warn(`a request failed: ${messageOf(error)}`),
  };
}

/** Short URLs name the port, so it is never replaced by another one that happens to be free. */
async function start(options: ServiceOptions): Promise<RunningService> {
  try {
    return await startService(options);
  } catch (error) {
    throw startFailure(error, options);
  }
}

const addressFaults: { readonly [code: string]: string } = {
  EADDRINUSE: 'the port is already in use',
  EADDRNOTAVAIL: 'this machine has no such address',
  EAI_AGAIN: 'the name cannot be resolved',
  ENOTFOUND: 'the name does not exist',
};

function startFailure(error: unknown, { host, port = usualPort, data = '' }: ServiceOptions): CliError {
  if (error instanceof CliError) return error;
  const { syscall } = error as NodeJS.ErrnoException;
  const code = errorCode(error) ?? '';
  if (syscall !== 'listen' && !Object.hasOwn(addressFaults, code)) return fileError('use the data folder', data, error);
  const reason = addressFaults[code] ?? (code === 'EACCES' ? 'permission denied' : code);
  return new LocalError(`cannot listen on ${host} port ${port}: ${reason}`, {
    cause: error,
    hint: portHint(code, port),
  });
}

function portHint(code: string, port: number): string | undefined {
  if (code === 'EADDRINUSE') return `stop the other program, or add --port ${port < 65_535 ? port + 1 : usualPort}`;
  return code === 'EACCES' ? `for a port above 1023, add --port ${usualPort}` : undefined;
}

/** R-54: the key of `--api-key-file`, or one of 192 bits that is made once and kept for the next start, in a file of 0600. */
async function ownKey(data: string, { system, global, warn }: Invocation): Promise<string> {
  const path = global.apiKeyFile ?? (await keptKeyFile(data, system));
  const { value, warnings } = await readKey({ kind: 'file', path }, system);
  await warn(...warnings);
  if (value.length < 22) await warn(`${path}: the key is short; use at least 22 random characters`);
  return value;
}

/** Under a lock: of two that start at once, both must have the key that stays. */
async function keptKeyFile(data: string, system: System): Promise<string> {
  const path = join(data, 'api-key');
  const claim = await acquireClaim({ folder: join(data, 'lock'), guards: 'the key of the service' }, system);
  try {
    if (!existsSync(path)) atomicWrite(path, `${Buffer.from(system.randomBytes(24)).toString('base64url')}\n`, system);
    return path;
  } finally {
    claim.release();
  }
}

async function announce(
  { port, domains, baseUrl }: RunningService,
  { edition, username, apiKey, host = '' }: ServiceOptions,
  invocation: Invocation,
): Promise<void> {
  const isWide = ['0.0.0.0', '::', ''].includes(host);
  const base_url = isWide ? `http://${host === '::' ? '[::1]' : '127.0.0.1'}:${port}${apiRoot}` : baseUrl;
  if (!isLoopback(host)) {
    await invocation.warn(
      `${isWide ? 'any machine that can reach this one' : `any client that can reach ${host}`} can follow links and, with the key, use the API, ` +
        `unencrypted, on port ${port}`,
    );
  }
  const record = { base_url, username, api_key: apiKey, edition, domains };
  await printReport({ kind: 'record', record }, invocation.output, invocation.streams);
  if (invocation.streams.watched) await invocation.note('listening; press Ctrl-C to stop');
}

/** Resolves with the first signal, or when `--max-time` is over; the second one ends the program at once (R-18). */
function firstSignal({ system, listenForSignals, deadline }: Invocation): Promise<void> {
  return new Promise((resolve) => {
    deadline.signal.addEventListener('abort', () => resolve(), { once: true });
    let isStopping = false;
    listenForSignals((signal) => {
      if (isStopping) system.dieOf(signal);
      isStopping = true;
      resolve();
    });
  });
}
