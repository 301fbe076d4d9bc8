import type { Command } from 'commander';
import { messageOf } from '../base/errors.ts';
import { folders } from '../base/system.ts';
import type { Invocation } from '../cli/invocation.ts';
import type { Runner } from '../cli/run.ts';
import { makePrivateFolder } from '../files/folders.ts';
import { choice, count, repeated } from '../flags/values.ts';
import { describe } from '../help/description.ts';
import { quantity } from '../output/quantity.ts';
import type { Report } from '../output/report.ts';
import { typedAccountName } from '../profiles/account-values.ts';
import { Redactor } from '../profiles/redactor.ts';
import type { Exchange } from '../service/message.ts';
import { type RunningService, usualPort } from '../service/service.ts';
import { type Imported, redirectCodes, type ServiceOptions } from '../service/service-options.ts';
import { AccessLog } from './serve/access-log.ts';
import { announce } from './serve/announcement.ts';
import { readCertificate } from './serve/certificate.ts';
import { ownKey } from './serve/own-key.ts';
import { requestLine } from './serve/request-line.ts';
import { certificateFiles, type ServeOptions, settingsOf } from './serve/service-settings.ts';
import { start } from './serve/start.ts';

export function registerServe(command: Command, run: Runner): void {
  command
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--port <n>', `port to listen on, 0 for any free port (default: ${usualPort})`, count(0))
    .option('--data <folder>', 'folder for the links (default: the links of the sandbox)')
    .option('--store <url>', 'PostgreSQL database for the links instead of a folder (LINKCTL_STORE)')
    .option('--import <folder>', 'move the links of a data folder to --store, then serve')
    .option('--public-url <url>', 'scheme and host of short URLs, where a proxy is in front')
    .option('--redirect-code <code>', 'HTTP status of redirects (default: 303)', choice(redirectCodes))
    .option('--tls-cert <file>', 'serve HTTPS with this certificate (PEM)')
    .option('--tls-key <file>', 'key of the certificate (PEM)')
    .option('--allow-origin <origin>', 'origin whose web pages may use the API; repeatable', repeated)
    .option(
      '--trusted-proxy <network>',
      'proxy, as address or CIDR, whose X-Forwarded-For says who visits (repeatable)',
      repeated,
    )
    .option('--access-log <file>', 'append requests to a file in combined log format')
    .option('--metrics-port <n>', 'port for /healthz and /metrics, 0 for any free port', count(0))
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
      'linkctl serve --data links --public-url https://s.ex --trusted-proxy 127.0.0.1',
      'linkctl serve --store postgresql://db.example/links --import links',
      'linkctl serve --port 8443 --tls-cert cert.pem --tls-key key.pem',
    ],
    notes: [
      'The API is served at /api/3 and below any path that ends in /api/3, and GET /<hash> redirects. The API key is generated once and kept in the data folder, unless ' +
        '--api-key-file is given. --username is the name that clients must send (default: sandbox). --domain is repeatable; the first domain is the default. Without --domain or --public-url, short URLs ' +
        'use localhost. With -o json, one line is printed when the server is ready. SIGTERM and Ctrl-C let pending requests finish.',
      'With --store, several processes on one database are one service. The password comes from PGPASSWORD, PGPASSFILE or the URL. The certificate of a remote database is checked; add sslrootcert=<file> to the URL for an authority of your own. ' +
        'The API key stays in the data folder: give all processes the same --api-key-file. --import moves the account of --username with its counters and its log; it can be interrupted and repeated.',
      'On a terminal and with -v, each request is shown on stderr; -q suppresses that. SIGHUP reads the certificate again and reopens the access log. ' +
        'Health and metrics (Prometheus) are served on --metrics-port of the same host, over HTTP and without a key, never on the public port.',
    ],
    globals: ['--edition', '--domain', '--username', '--api-key-file', '--verbose', '--quiet'],
  });
}

/** The account of the sandbox: `serve` without further flags makes its links work. */
const usualUsername = 'sandbox';

/** Runs until a signal ends it. */
async function serve(options: ServeOptions, invocation: Invocation): Promise<Report> {
  const { system, global, note } = invocation;
  guardPassword(options, invocation);
  const settings = settingsOf(options, invocation);
  const files = certificateFiles(options);
  const data = options.data ?? folders(system).data;
  const username = typedAccountName(global.username ?? usualUsername);
  makePrivateFolder(data);
  const apiKey = await ownKey(data, invocation);
  const certificate = files && (await readCertificate(files));
  const log = await openAccessLog(options, invocation);
  let service: RunningService | undefined;
  const reload = async (): Promise<void> => {
    await log?.reopen();
    if (files) service?.renewCertificate(await readCertificate(files));
  };
  const stopped = untilStopped(files || log ? reload : undefined, invocation);
  try {
    const own = {
      ...settings,
      store: withReport(settings.store, invocation),
      data,
      username,
      apiKey,
      certificate,
      onExchange: watcher(log, invocation),
    };
    service = await start(own);
    await announce(service, own, invocation);
    await stopped;
    await note('stopping after pending requests; a second signal (Ctrl-C) stops immediately');
  } finally {
    await service?.close();
    await log?.close();
  }
  return { kind: 'text', text: '' };
}

/** The password of the database is neither printed nor shown by `ps` (S1). */
function guardPassword({ store }: ServeOptions, { system, streams }: Invocation): void {
  const { LINKCTL_STORE = '', PGPASSWORD } = system.env;
  const redactor = new Redactor();
  redactor.addProxy(store ?? LINKCTL_STORE);
  if (PGPASSWORD) redactor.addKey(PGPASSWORD);
  streams.redactWith((text) => redactor.redact(text));
  if (store?.includes('@')) system.hideArguments();
}

function withReport(store: ServiceOptions['store'], { note }: Invocation): ServiceOptions['store'] {
  if (!store?.importFrom) return store;
  const onImported = ({ isNew, urls, tags, clicks, log }: Imported): void =>
    void note(
      `${isNew ? 'imported' : 'nothing to import: imported before were'} ${quantity(urls, 'link')}, ${quantity(tags, 'tag')}, ` +
        `${quantity(clicks, 'click')} and ${quantity(log, 'line')} of the log`,
    );
  return { ...store, onImported };
}

async function openAccessLog({ accessLog: path }: ServeOptions, { system, streams }: Invocation): Promise<AccessLog | undefined> {
  const warn = (text: string): void => void streams.message(text, 'warning: ');
  return path === undefined ? undefined : await AccessLog.open({ path, now: system.now, warn });
}

/** What is done with each request that is answered (V6). */
function watcher(
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

/**
 * Resolves with the first signal, or when `--max-time` is over; the second one ends the program at once. With `reload`, SIGHUP
 * calls that (V4, V6), unless it means that the terminal is gone.
 */
function untilStopped(
  reload: (() => Promise<void>) | undefined,
  { system, streams, listenForSignals, deadline, note }: Invocation,
): Promise<void> {
  const isSeen = (): boolean => streams.terminal || streams.watched;
  const wasSeen = isSeen();
  const hangUp = (work: () => Promise<void>): void =>
    void work().then(
      () => note('SIGHUP: reloaded'),
      (error) => streams.message(`SIGHUP: ${messageOf(error)}; what was in use stays`, 'warning: '),
    );
  return new Promise((resolve) => {
    deadline.signal.addEventListener('abort', () => resolve(), { once: true });
    let isStopping = false;
    listenForSignals((signal) => {
      if (signal === 'SIGHUP' && reload && !isStopping && isSeen() === wasSeen) return hangUp(reload);
      if (isStopping) system.dieOf(signal);
      isStopping = true;
      resolve();
    });
  });
}
