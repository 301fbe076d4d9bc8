import { type Command, Option } from 'commander';
import { messageOf } from '../base/errors.ts';
import { folders, type Signal } from '../base/system.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/runner.ts';
import { makePrivateFolder } from '../files/folders.ts';
import { choice, count, repeated } from '../flags/values.ts';
import { describe } from '../help/description.ts';
import type { Report } from '../output/report.ts';
import { typedAccountName } from '../profiles/account-values.ts';
import { Redactor } from '../profiles/redactor.ts';
import type { Exchange } from '../service/message.ts';
import { defaultPort, type RunningService } from '../service/service.ts';
import { redirectCodes } from '../service/service-options.ts';
import { type AccessLog, openAccessLog, requestLine } from './serve/access-log.ts';
import { announce, withReport } from './serve/announcement.ts';
import { backUp } from './serve/link-backup.ts';
import { keysIn, serviceKeys } from './serve/service-keys.ts';
import { certificateFiles, defaultVisitorDays, type ServeOptions, settingsOf } from './serve/service-settings.ts';
import { close, readCertificate, start } from './serve/start.ts';

export function register(command: Command, run: Runner): void {
  command
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--port <n>', `port to listen on, 0 for any free port (default: ${defaultPort})`, count(0))
    .option('--data <dir>', 'folder for the links (default: the links of the sandbox)')
    .option('--store <url>', 'PostgreSQL database for the links instead of a folder (env: LINKCTL_STORE)')
    .option('--import <dir>', 'move the links of a data folder to --store, then serve')
    .option('--public-url <url>', 'scheme and host of short URLs behind a proxy')
    .option('--redirect-code <code>', 'HTTP status of redirects (default: 303)', choice(redirectCodes))
    .option('--tls-cert <file>', 'serve HTTPS with this certificate (PEM)')
    .option('--tls-key <file>', 'key of the certificate (PEM)')
    .option('--allow-origin <origin>', 'origin whose web pages may use the API; repeatable', repeated)
    .option(
      '--trusted-proxy <network>',
      'proxy, as address or CIDR, whose X-Forwarded-For header is trusted; repeatable',
      repeated,
    )
    .option('--access-log <file>', 'append requests to a file in combined log format')
    .option('--metrics-port <n>', 'port for /healthz and /metrics, 0 for any free port', count(0))
    .option('--metrics-host <address>', 'address for /healthz and /metrics (default: 127.0.0.1)')
    .option('--drain <seconds>', `seconds to drain connections after SIGTERM (default: ${defaultDrain})`, count(0))
    .option('--visitor-days <n>', `days after which a visitor counts as new (default: ${defaultVisitorDays})`, count(1))
    .option('--not-found-url <url>', 'page for visitors of unknown or expired links')
    .option('--backup <file>', 'copy the links to a new file, also while serving, and exit')
    // Global flags, whose variables name the account of a client: a service must not change with them.
    .option('--domain <name>', 'domain of short URLs, the first one is the default; repeatable', repeated)
    .option('--username <name>', `account to serve, and the name that clients must send (default: ${defaultUsername})`)
    .option('--api-key-file <path>', 'file that contains the API keys (default: api-key in the data folder)');
  for (const [flags, summary, least] of limitFlags) {
    command.addOption(new Option(flags, summary).argParser(count(least)).helpGroup('limits'));
  }
  command.action(run(serve));
  describe(command, {
    examples: [
      'linkctl serve',
      'linkctl serve --port 0 -o json',
      'linkctl serve --edition b --data links --domain s.ex --host 0.0.0.0 --port 80',
      'linkctl serve --data links --public-url https://s.ex --trusted-proxy 127.0.0.1',
      'linkctl serve --store postgresql://db.example/links --import links',
      'linkctl serve --port 8443 --tls-cert cert.pem --tls-key key.pem',
    ],
    notes: [
      'The API is served at /api/3 and below any path that ends in /api/3, and GET /<hash> redirects. The API key is generated once and kept in the data folder, unless ' +
        '--api-key-file is given; its path is printed. The file may have several keys, one a line: all are valid. Each --username has its own links in each edition. Without --domain or --public-url, short URLs ' +
        'keep the domain of the last start, at first localhost. With -o json, one line is printed when the server is ready. SIGTERM and Ctrl-C let pending requests finish. For --drain seconds after SIGTERM, /healthz is 503 and connections end with their next answer.',
      'With --store, several processes on one database are one service. The password comes from PGPASSWORD, PGPASSFILE or the URL. The certificate of a remote database is checked; for a private CA, add sslrootcert=<file> to the URL. Several hosts are a primary and its standbys: postgresql://user@one,two/links. ' +
        'The API key stays in the data folder: give all processes the same --api-key-file. --import moves the account of --username with its counters and its log, from a folder that is not being served. It can be interrupted and repeated.',
      'On a terminal and with -v, each request is shown on stderr; -q suppresses that. SIGHUP reads the keys and the certificate again and reopens the access log. ' +
        'Health and metrics (Prometheus) are served on --metrics-port of this machine, or of --metrics-host. They use HTTP without a key, and never the public port. ' +
        'Unknown links answer 404 and expired ones 410; --not-found-url redirects to your page instead. Running, backing up and upgrading: OPERATING.md.',
    ],
    globals: ['--edition', '--domain', '--username', '--api-key-file', '--verbose', '--quiet'],
  });
}

const limitFlags = [
  ['--max-batch <n>', 'maximum items per request (API error 1221)', 1],
  ['--max-urls <n>', 'maximum links of the account (1220)', 0],
  ['--max-month-urls <n>', 'maximum links created per month (1220)', 0],
  ['--max-calls-per-day <n>', 'maximum API calls per day (1303)', 0],
  ['--max-body-bytes <n>', 'maximum bytes of a request body (1310)', 1],
] as const;

/** The account of the sandbox, so that a plain `serve` makes its links work. */
const defaultUsername = 'sandbox';

const defaultDrain = 5;

async function serve(options: ServeOptions, invocation: Invocation): Promise<Report> {
  const { system, global, note } = invocation;
  if (options.backup !== undefined) return await backUp(options.backup, options, invocation);
  guardPassword(options, invocation);
  const settings = settingsOf(options, invocation);
  const files = certificateFiles(options);
  const data = options.data ?? folders(system).data;
  const username = typedAccountName(global.username ?? defaultUsername);
  makePrivateFolder(data);
  const own = await serviceKeys(data, invocation);
  const certificate = files && (await readCertificate(files));
  const log = await accessLogOf(options, invocation);
  const all = {
    ...settings,
    store: withReport(settings.store, invocation),
    data,
    username,
    apiKey: own.keys,
    certificate,
    onExchange: exchangeListener(log, invocation),
  };
  const starting = start(all);
  // What changes during a long start is read after it.
  const reloads = [
    async () => log?.close(),
    async () => (await starting).renewKeys(await keysIn(own.path, invocation)),
    async () => files && (await starting).renewCertificate(await readCertificate(files)),
  ];
  let service: RunningService | undefined;
  const stopped = untilStopped({ reloads, isStarted: () => service !== undefined }, invocation);
  try {
    service = await starting;
    await announce(service, all, own, invocation);
    const signal = await stopped;
    await note('stopping after pending requests; a second signal (Ctrl-C) stops immediately');
    if (signal === 'SIGTERM') await drain(service, options.drain, invocation);
  } finally {
    try {
      if (service) await close(service, all);
    } finally {
      await log?.close();
    }
  }
  return { kind: 'text', text: '' };
}

/**
 * Gives proxies time to notice, by `/healthz` and by closed connections, that this process stops. Without a health port it ends as soon as
 * there is no connection.
 */
async function drain(service: RunningService, given: number | undefined, { system }: Invocation): Promise<void> {
  service.drain();
  // A server that nobody watches and nobody is connected to, as on a laptop, need not wait.
  const isWatched = given !== undefined || service.metricsPort !== undefined;
  const step = 100;
  for (let left = (given ?? defaultDrain) * 1000; left > 0; left -= step) {
    if (!isWatched && (await service.connections()) === 0) return;
    await system.sleep(step);
  }
}

/** Keeps the password of the database out of all output and out of `ps`, in any part of the address. */
function guardPassword({ store }: ServeOptions, { system, streams }: Invocation): void {
  const { LINKCTL_STORE = '', PGPASSWORD } = system.env;
  const redactor = new Redactor();
  const address = store ?? LINKCTL_STORE;
  // A user without a password is no secret.
  if (/:\/\/[^/?#@:]*:[^/?#]*@/.test(address)) redactor.addProxy(address);
  const [, given] = /[?&]password=([^&#]*)/.exec(address) ?? [];
  if (given) redactor.addKey(decodeURIComponent(given.replace(/%(?![\da-f]{2})/gi, '%25')));
  if (PGPASSWORD) redactor.addKey(PGPASSWORD);
  streams.redactWith((text) => redactor.redact(text));
  if (store && (store.includes('@') || given)) system.hideArguments();
}

async function accessLogOf({ accessLog: path }: ServeOptions, { system, streams }: Invocation): Promise<AccessLog | undefined> {
  const warn = (text: string): void => void streams.message(text, 'warning: ');
  return path === undefined ? undefined : await openAccessLog({ path, now: system.now, warn });
}

function exchangeListener(
  log: AccessLog | undefined,
  { system, global, streams, note }: Invocation,
): ((exchange: Exchange) => void) | undefined {
  const isShown = global.verbose || streams.watched;
  if (!log && !isShown) return undefined;
  return (exchange) => {
    log?.add(exchange);
    if (isShown) void note(requestLine(exchange, system.now()));
  };
}

interface Process {
  readonly reloads: readonly (() => Promise<unknown>)[];
  isStarted(): boolean;
}

/**
 * Resolves at the first signal or at `--max-time`. A second signal ends the program at once, and so does the first during a start, because an
 * import takes minutes and can be repeated. SIGHUP reloads, unless the terminal is gone.
 */
function untilStopped(
  { reloads, isStarted }: Process,
  { system, streams, listenForSignals, deadline, note }: Invocation,
): Promise<Signal | undefined> {
  const isAttached = (): boolean => streams.terminal || streams.watched;
  const wasAttached = isAttached();
  // A bad certificate must not keep a key valid that was removed.
  const hangUp = async (): Promise<void> => {
    const failures = (await Promise.allSettled(reloads.map((reload) => reload()))).filter(({ status }) => status === 'rejected');
    for (const { reason } of failures as PromiseRejectedResult[]) {
      await streams.message(`SIGHUP: ${messageOf(reason)}; what was read before stays in use`, 'warning: ');
    }
    if (failures.length === 0) await note('SIGHUP: reloaded');
  };
  return new Promise((resolve) => {
    // On a busy machine the deadline may already have passed.
    if (deadline.signal?.aborted) resolve(undefined);
    deadline.signal?.addEventListener('abort', () => resolve(undefined), { once: true });
    let isStopping = false;
    listenForSignals((signal) => {
      if (signal === 'SIGHUP' && !isStopping && isAttached() === wasAttached) return void hangUp();
      if (isStopping || !isStarted()) system.dieOf(signal);
      isStopping = true;
      resolve(signal);
    });
  });
}
