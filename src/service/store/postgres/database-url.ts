import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientConfig } from 'pg';
import { isLoopback } from '../../../contract/web-address.ts';

/** The URL of the database, and the environment variables that complete it, as `psql` reads them. */
export interface DatabaseUrl {
  /** `postgresql://user@host:port/database`, with parameters of libpq. */
  readonly url: string;
  readonly environment: { readonly [name: string]: string | undefined };
}

/**
 * Returns one driver configuration per host. Several hosts are servers of one database, of which the one that accepts writes is used. The
 * password is read on demand and is in no message.
 */
export function clientConfigs({ url, environment }: DatabaseUrl): readonly ClientConfig[] {
  const [address = '', query = ''] = url.split(/\?(.*)/s);
  const parsed = parseAddress(address);
  const parameters = new URLSearchParams(query);
  const isTaken = ['any', 'read-write', 'primary'].includes(
    parameters.get('target_session_attrs') ?? environment.PGTARGETSESSIONATTRS ?? 'any',
  );
  if (!isTaken) throw new Error('target_session_attrs: linkctl needs a server that accepts writes; use read-write');
  const hosts = (parameters.get('host') ?? (parsed.hosts || environment.PGHOST || 'localhost')).split(',');
  const ports = (parameters.get('port') ?? (parsed.ports.replace(/^,*$/, '') || environment.PGPORT || '')).split(',');
  const user = (parameters.get('user') ?? (parsed.user || environment.PGUSER || environment.USER)) || undefined;
  const database = parameters.get('dbname') ?? (parsed.database || environment.PGDATABASE || user);
  const given = parameters.get('password') ?? parsed.password;
  return hosts.map((host, index) => {
    // A single port applies to all hosts.
    const target = { host, port: Number((ports.length === 1 ? ports[0] : ports[index]) || 5432), user, database };
    return {
      ...target,
      ssl: tls(host, parameters, environment),
      options: parameters.get('options') ?? environment.PGOPTIONS,
      application_name: 'linkctl',
      password: () => given || environment.PGPASSWORD || passwordInFile(target, environment),
    };
  });
}

/** Parses the URL by hand because `new URL` rejects a user without a host and several hosts, which libpq accepts. */
function parseAddress(address: string) {
  const host = '(?:\\[[^\\]]*\\]|[^:/@,]*)(?::\\d+)?';
  const pattern = new RegExp(`^postgres(?:ql)?://(?:([^:@/]*)(?::([^@/]*))?@)?(${host}(?:,${host})*)(?:/(.*))?$`);
  const parts = pattern.exec(address);
  if (!parts) throw new Error('invalid database URL: expected postgresql://user@host:port/database');
  const [user = '', password = '', servers = '', database = ''] = parts.slice(1).map((part = '') => decodeURIComponent(part));
  const each = servers.split(',').map((server) => /^\[?((?<=\[)[^\]]*|[^:]*)\]?(?::(\d+))?$/.exec(server) ?? []);
  return {
    user,
    password,
    database,
    hosts: each.map(([, name = '']) => name).join(','),
    ports: each.map(([, , port = '']) => port).join(','),
  };
}

/**
 * Over TCP the certificate is verified by `sslrootcert` or the default authorities. Only `sslmode=disable` disables TLS, which is the
 * default on this machine.
 */
function tls(host: string, parameters: URLSearchParams, environment: DatabaseUrl['environment']): ClientConfig['ssl'] {
  const mode = parameters.get('sslmode') ?? environment.PGSSLMODE;
  const isHere = host.startsWith('/') || isLoopback(host);
  if (mode === 'disable' || (mode === undefined && isHere)) return false;
  const authority = parameters.get('sslrootcert') ?? environment.PGSSLROOTCERT;
  return { rejectUnauthorized: true, ...(authority !== undefined && { ca: readFileSync(authority, 'utf8') }) };
}

interface Target {
  readonly host: string;
  readonly port: number;
  readonly user: string | undefined;
  readonly database: string | undefined;
}

/** Uses the first matching line `host:port:database:user:password`, in which `*` matches anything. */
function passwordInFile(target: Target, { PGPASSFILE, HOME = '' }: DatabaseUrl['environment']): string {
  const line = passwordLines(PGPASSFILE ?? join(HOME, '.pgpass')).find((fields) => {
    const wanted = [target.host, String(target.port), target.database, target.user];
    return fields.length === 5 && wanted.every((text, index) => fields[index] === '*' || fields[index] === text);
  });
  if (line?.[4] === undefined)
    throw new Error('the database requires a password: set PGPASSWORD or PGPASSFILE, or include it in the URL');
  return line[4];
}

/** Ignores a file that others can read, like libpq. */
function passwordLines(path: string): string[][] {
  const { mode } = statSync(path, { throwIfNoEntry: false }) ?? {};
  if (mode === undefined || (mode & 0o077) !== 0) return [];
  const lines = readFileSync(path, 'utf8')
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) =>
    [...line.matchAll(/((?:\\.|[^\\:])*)(?::|$)/g)].slice(0, 5).map(([, field = '']) => field.replace(/\\(.)/g, '$1')),
  );
}
