import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import type { Certified } from './certificates.ts';
import { needs, postgresFolder } from './tools.ts';

/** A PostgreSQL server of the tests' own: in a folder, on a unix socket, not as root. */
export interface Cluster {
  /** `postgresql://…` of its only database. */
  readonly url: string;
  start(): void;
  /** `immediate` is what a power cut is. */
  stop(mode: 'fast' | 'immediate'): void;
  /** What the server has written to its log. */
  log(): string;
  /** The server is there and does not answer, until `thaw`. */
  freeze(): void;
  thaw(): void;
}

interface ClusterOptions {
  /** Without it a crash of the machine may lose data, and tests are fast. */
  readonly isDurable?: boolean;
  /** Of the server, as `log_statement=all`. */
  readonly settings?: readonly string[];
  /** Over TCP, too, on this port of `localhost`: with TLS, and for whoever knows the password. */
  readonly network?: { readonly port: number; readonly certificate: Certified };
}

/** Makes a cluster in `folder`, which the server's user must be able to reach, and starts it. Orders texts as people do, not as bytes. */
export function createCluster(folder: string, { isDurable = false, settings: own = [], network }: ClusterOptions = {}): Cluster {
  needs('postgresql');
  mkdirSync(folder, { mode: 0o711 });
  const user = serverUser();
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const run = (program: string, ...argv: string[]) =>
    void execFileSync(join(postgresFolder() ?? '', program), argv, { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  run(
    'initdb',
    '--pgdata',
    data,
    '--username=linkctl',
    '--auth-local=trust',
    '--auth-host=scram-sha-256',
    '--no-sync',
    '--encoding=UTF8',
    ...collation,
  );
  const fast = isDurable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
  const open = network ? networkSettings(folder, network, user) : ['listen_addresses='];
  const settings = [...open, `unix_socket_directories=${folder}`, 'max_connections=300', ...fast, ...own];
  const cluster: Cluster = {
    url: `postgresql://linkctl@/postgres?host=${encodeURIComponent(folder)}${network ? `&port=${network.port}` : ''}`,
    start: () =>
      run(
        'pg_ctl',
        'start',
        '--wait',
        '--pgdata',
        data,
        '--log',
        join(folder, 'log'),
        '-o',
        settings.map((each) => `-c ${each}`).join(' '),
      ),
    log: () => readFileSync(join(folder, 'log'), 'utf8'),
    freeze: () => signalAll(data, 'SIGSTOP'),
    thaw: () => signalAll(data, 'SIGCONT'),
    stop: (mode) => run('pg_ctl', 'stop', '--wait', '--pgdata', data, '--mode', mode),
  };
  cluster.start();
  return cluster;
}

function networkSettings(
  folder: string,
  { port, certificate }: NonNullable<ClusterOptions['network']>,
  user?: { uid: number; gid: number },
) {
  const files = { ssl_cert_file: certificate.cert, ssl_key_file: certificate.key };
  const settings = Object.entries(files).map(([name, text]) => {
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    if (user) chownSync(file, user.uid, user.gid);
    return `${name}=${file}`;
  });
  return ['listen_addresses=localhost', `port=${port}`, 'ssl=on', ...settings];
}

/** To the server and the processes of its connections. */
function signalAll(data: string, signal: 'SIGSTOP' | 'SIGCONT'): void {
  const server = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0] ?? '';
  const children = readFileSync(`/proc/${server}/task/${server}/children`, 'utf8').split(' ').filter(Boolean);
  for (const id of [server, ...children]) process.kill(Number(id), signal);
}

/** An order in which `a` comes before `B`: what must be ordered by bytes has to say so. */
const collation = ['--locale-provider=icu', '--icu-locale=en-US', '--locale=C.UTF-8'];

/** The server refuses to run as root. */
export function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const [, , uid, gid] = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody') ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

/** For a cluster of a test's own, beside the shared one. */
export function clusterFolder(): string {
  return `${sharedFolder()}-${process.pid}-${names++}`;
}

/** The folder of the cluster that all workers of a test run share: the first that needs it makes it, `build.ts` removes it. */
const sharedFolder = (): string => process.env.LINKCTL_TEST_CLUSTER ?? '';

async function sharedUrl(): Promise<string> {
  needs('postgresql');
  const ready = `${sharedFolder()}.ready`;
  try {
    mkdirSync(`${sharedFolder()}.lock`);
    writeFileSync(`${ready}.part`, createCluster(sharedFolder()).url);
    renameSync(`${ready}.part`, ready);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    while (!existsSync(ready)) await delay(20);
  }
  return readFileSync(ready, 'utf8');
}

/** After the last test. */
export function stopSharedCluster(): void {
  const file = join(sharedFolder(), 'data', 'postmaster.pid');
  // Its own child processes end when it does.
  if (existsSync(file)) process.kill(Number(readFileSync(file, 'utf8').split('\n')[0]), 'SIGQUIT');
}

let names = 0;

/** A database to itself, which is a schema: its URL. */
export async function freshDatabase(name = `p${process.pid}_${names++}`): Promise<string> {
  const url = await sharedUrl();
  await query(url, `CREATE SCHEMA IF NOT EXISTS ${name}`);
  return `${url}&options=${encodeURIComponent(`-c search_path=${name}`)}`;
}

/** Runs one statement on a connection of its own. */
export async function query(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  // A server that ends meanwhile fails the statement, and the connection once more.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Another process seems to import into every account, until the function is called that this returns, or the test ends. */
export async function holdImport(url: string): Promise<() => Promise<void>> {
  const renew = () => query(url, `UPDATE imports SET leased_until = extract(epoch FROM now()) * 1000 + 10000`);
  await query(
    url,
    "INSERT INTO imports (account_id, source, place, last_key, done, holder, leased_until) SELECT id, '', 0, '[]', 0, 'another', 0 FROM accounts",
  );
  await renew();
  let renewed: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    renewed = renew().catch(() => {});
  }, 3000);
  onTestFinished(() => clearInterval(timer));
  return async () => {
    clearInterval(timer);
    await renewed;
    await query(url, 'UPDATE imports SET leased_until = 0');
  };
}
